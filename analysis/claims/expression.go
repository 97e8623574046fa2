package claims

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm"

	"fabriclab/analysis/spec"
)

// A reference is a measure of the run with a value of the claim's `by`; Value
// is empty in a claim without `by`.
type reference struct{ Measure, Value string }

// expression is a compiled `value` or `holds`.
type expression struct {
	program *vm.Program
	refs    []reference
}

func isNever(x float64) bool { return math.IsInf(x, 1) }

var errByZero = errors.New("division by 0")

// divide is what / does in a truth: of a division by 0 nothing can be said.
func divide(a, b float64) (float64, error) {
	if b == 0 {
		return 0, errByZero
	}
	return a / b, nil
}

// ratio is what / does in a number: a ratio to what never comes is outside every
// tolerance, though its limit is 0. Of infinite ones number looks for the cause.
func ratio(a, b float64) (float64, error) {
	if isNever(b) {
		return b, nil
	}
	return a / b, nil
}

// division is / in an expression, as a function.
const division = "divide"

func divisionBy(by func(a, b float64) (float64, error)) expr.Option {
	return expr.Function(division, func(args ...any) (any, error) {
		var of [2]float64
		for i, arg := range args {
			switch x := arg.(type) {
			case float64:
				of[i] = x
			case int:
				of[i] = float64(x)
			default:
				return nil, fmt.Errorf("%v is divided or divides, and is no number", arg)
			}
		}
		return by(of[0], of[1])
	}, new(func(float64, float64) float64))
}

type divisions struct{}

func (divisions) Visit(node *ast.Node) {
	if n, ok := (*node).(*ast.BinaryNode); ok && n.Operator == "/" {
		ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: division}, Arguments: []ast.Node{n.Left, n.Right}})
	}
}

// compile compiles an expression over the figure's measures. With by, a
// measure is a mapping from the values of that dimension.
func compile(f *spec.Figure, code, by string, result expr.Option, divide func(a, b float64) (float64, error)) (*expression, error) {
	env := map[string]any{"never": isNever}
	for _, name := range f.Measures.Names {
		if by != "" {
			env[name] = map[string]float64{}
		} else {
			env[name] = 0.0
		}
	}
	collect := &collector{measures: f.Measures, by: by}
	program, err := expr.Compile(code, expr.Env(env), result, divisionBy(divide), expr.Patch(collect), expr.Patch(divisions{}))
	if collect.err != nil {
		return nil, collect.err
	}
	for n := range collect.members {
		name := n.(*ast.IdentifierNode).Value
		return nil, fmt.Errorf("expression %q: which %s? write %s.<value of %s>", code, name, name, by)
	}
	if err != nil {
		return nil, fmt.Errorf("expression %q: %s", code, strings.SplitN(err.Error(), "\n", 2)[0])
	}
	if len(collect.refs) == 0 {
		return nil, fmt.Errorf("expression %q uses no measure, so nothing measured could change it", code)
	}
	return &expression{program, collect.refs}, nil
}

func (e *expression) run(values map[reference]float64, by string) (any, error) {
	env := map[string]any{"never": isNever}
	for ref, v := range values {
		if by == "" {
			env[ref.Measure] = v
			continue
		}
		m, ok := env[ref.Measure].(map[string]float64)
		if !ok {
			m = map[string]float64{}
			env[ref.Measure] = m
		}
		m[ref.Value] = v
	}
	return expr.Run(e.program, env)
}

// collector finds the measures that an expression uses.
type collector struct {
	measures spec.Ordered[spec.Measure]
	by       string
	refs     []reference
	members  map[ast.Node]bool // measures with by, until their value is found
	err      error
}

// Visit is called for children before their parents.
func (c *collector) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if _, ok := c.measures.Items[n.Value]; ok && c.by == "" {
			c.add(reference{Measure: n.Value})
		} else if ok {
			if c.members == nil {
				c.members = map[ast.Node]bool{}
			}
			c.members[n] = true
		} else if n.Value != "never" && c.err == nil {
			_, c.err = c.measures.Get("measure", n.Value)
		}
	case *ast.MemberNode:
		of, ok := n.Node.(*ast.IdentifierNode)
		if !ok || !c.members[of] {
			return
		}
		if value, ok := n.Property.(*ast.StringNode); ok {
			delete(c.members, of)
			c.add(reference{of.Value, value.Value})
		}
	}
}

func (c *collector) add(ref reference) {
	for _, r := range c.refs {
		if r == ref {
			return
		}
	}
	c.refs = append(c.refs, ref)
}
