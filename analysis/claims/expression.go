package claims

import (
	"errors"
	"fmt"
	"math"
	"reflect"
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
	whole   string // the expression as a term
}

func isNever(x float64) bool { return math.IsInf(x, 1) }

var (
	errByZero = errors.New("division by 0")
	errNevers = errors.New("both never come")
)

// undefined is a term whose value is no number, such as the difference of two times
// that come never. What is made of it, a comparison for example, would have a value.
type undefined struct {
	term string
	err  error
}

func (u *undefined) Error() string { return u.term + " has no value" }
func (u *undefined) Unwrap() error { return u.err }

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
	switch {
	case isNever(b) && math.IsInf(a, 0):
		return b, errNevers
	case isNever(b):
		return b, nil
	}
	return a / b, nil
}

// What stands for / in an expression, and around terms of numbers and of unknown
// type: functions whose first argument is the term. No measure has such a name.
const (
	division = "a / b"
	number   = "a number"
	anything = "a value"
)

// defined says of a term's value whether it is a number, if it is one at all.
func defined(args ...any) (any, error) {
	if x, ok := args[1].(float64); ok && math.IsNaN(x) {
		return nil, &undefined{term: args[0].(string)}
	}
	return args[1], nil
}

func divisionBy(by func(a, b float64) (float64, error)) expr.Option {
	return expr.Function(division, func(args ...any) (any, error) {
		var of [2]float64
		for i, arg := range args[1:] {
			switch x := arg.(type) {
			case float64:
				of[i] = x
			case int:
				of[i] = float64(x)
			default:
				return nil, fmt.Errorf("%v is divided or divides, and is no number", arg)
			}
		}
		q, err := by(of[0], of[1])
		if errors.Is(err, errNevers) {
			return nil, &undefined{args[0].(string), err}
		}
		if err != nil {
			return nil, err
		}
		return defined(args[0], q)
	}, new(func(string, float64, float64) float64))
}

// texts are the terms as they are written.
type texts map[ast.Node]string

func (t texts) Visit(node *ast.Node) { t[*node] = (*node).String() }

// guards watches the terms of which a value may be no number.
type guards struct {
	texts texts
	whole string // the term seen last, which all others are in
}

// Visit is called for children before their parents.
func (g *guards) Visit(node *ast.Node) {
	text, of := g.texts[*node], []ast.Node{*node}
	g.whole = text
	guard := map[reflect.Kind]string{reflect.Float64: number, reflect.Interface: anything}[(*node).Type().Kind()]
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		switch n.Operator {
		case "/":
			guard, of = division, []ast.Node{n.Left, n.Right}
		case "+", "-", "*", "**", "^":
		default:
			return
		}
	case *ast.BuiltinNode:
	default:
		return
	}
	if guard != "" {
		ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: guard}, Arguments: append([]ast.Node{&ast.StringNode{Value: text}}, of...)})
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
	terms := texts{}
	guard := &guards{texts: terms}
	program, err := expr.Compile(code, expr.Env(env), result, divisionBy(divide),
		expr.Function(number, defined, new(func(string, float64) float64)), expr.Function(anything, defined, new(func(string, any) any)),
		expr.Patch(collect), expr.Patch(terms), expr.Patch(guard))
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
	return &expression{program, collect.refs, guard.whole}, nil
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
	x, err := expr.Run(e.program, env)
	var u *undefined
	if errors.As(err, &u) && u.term == e.whole && errors.Is(err, errNevers) {
		return math.Inf(1), nil // as a ratio to what comes never is, by itself
	}
	return x, err
}

// noValue says that the expression of a code has no value, and which of its terms
// has none.
func (e *expression) noValue(code string, err error) string {
	text := code + " has no value"
	if u := (*undefined)(nil); errors.As(err, &u) && u.term != e.whole {
		text += ", as " + u.term + " has none"
	}
	return text
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
