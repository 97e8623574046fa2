package claims

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

// The unit of an expression is that of a measure, or one of these.
const (
	anyUnit    = ""              // of products, and of other functions: it is not checked
	bareNumber = "a bare number" // it has the unit of what is beside it
)

// checkUnits refuses a claim whose expression puts unlike units together, also under its
// control, or is of another unit than the claim.
func checkUnits(f *spec.Figure, c spec.Claim) error {
	code := cmp.Or(c.Value, c.Holds)
	tree, err := parser.Parse(code)
	if code == "" || err != nil { // said already
		return nil
	}
	unit, err := (&dimensions{f: f}).of(tree.Node)
	if err != nil {
		return fmt.Errorf("expression %q: %w", code, err)
	}
	if c.Value != "" && unit != anyUnit && unit != bareNumber && unit != cmp.Or(c.Unit, "1") {
		return reader.At("unit", fmt.Errorf("the value is in %q, and unit is %q; write unit: %q, and the paper's number in it", unit, c.Unit, unit))
	}
	if c.Control == nil || len(c.Control.Measure) == 0 {
		return nil
	}
	under, err := (&dimensions{f, c.Control.Measure}).of(tree.Node)
	if err == nil && unit != under {
		err = fmt.Errorf("the value is in %q, and without it in %q", under, unit)
	}
	if err != nil {
		return reader.At("control", fmt.Errorf("control: %w", err))
	}
	return nil
}

// dimensions finds the units of expressions over a figure's measures, some of which may
// stand for others.
type dimensions struct {
	f       *spec.Figure
	instead map[string]string
}

func (u *dimensions) of(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return bareNumber, nil
	case *ast.IdentifierNode:
		return u.f.Measures.Items[cmp.Or(u.instead[n.Value], n.Value)].Unit, nil
	case *ast.MemberNode:
		return u.of(n.Node)
	case *ast.ChainNode:
		return u.of(n.Node)
	case *ast.UnaryNode:
		return u.of(n.Node)
	case *ast.BinaryNode:
		return u.ofTwo(n)
	case *ast.ConditionalNode:
		if _, err := u.of(n.Cond); err != nil {
			return anyUnit, err
		}
		return u.common(n.Exp1, n.Exp2)
	case *ast.ArrayNode:
		return u.common(n.Nodes...)
	case *ast.BuiltinNode:
		return u.ofCall(n.Name, n.Arguments)
	case *ast.CallNode:
		return u.ofCall(n.Callee.String(), n.Arguments)
	}
	return anyUnit, nil
}

// keeping are functions whose arguments have one unit, which is theirs.
var keeping = []string{"abs", "ceil", "floor", "max", "mean", "median", "min", "round", "sum"}

func (u *dimensions) ofCall(name string, arguments []ast.Node) (string, error) {
	if slices.Contains(keeping, name) {
		return u.common(arguments...)
	}
	for _, a := range arguments {
		if _, err := u.of(a); err != nil {
			return anyUnit, err
		}
	}
	return anyUnit, nil
}

func (u *dimensions) ofTwo(n *ast.BinaryNode) (string, error) {
	switch n.Operator {
	case "+", "-":
		return u.common(n.Left, n.Right)
	case "<", "<=", ">", ">=", "==", "!=":
		_, err := u.common(n.Left, n.Right)
		return anyUnit, err
	}
	left, err := u.of(n.Left)
	if err != nil {
		return anyUnit, err
	}
	right, err := u.of(n.Right)
	switch {
	case err != nil || n.Operator != "*" && n.Operator != "/":
		return anyUnit, err
	case left == bareNumber && right == bareNumber:
		return bareNumber, nil
	case n.Operator == "*" || left == anyUnit:
		return anyUnit, nil
	case left == right:
		return "1", nil
	case measure.Convertible(left, right):
		return anyUnit, unlike(n.Left, left, n.Right, right)
	}
	return anyUnit, nil
}

// common is the unit that all have; a bare number has that of the others.
func (u *dimensions) common(nodes ...ast.Node) (string, error) {
	unit := bareNumber
	var first ast.Node
	for _, node := range nodes {
		here, err := u.of(node)
		switch {
		case err != nil:
			return anyUnit, err
		case here == bareNumber || unit == anyUnit:
		case here == anyUnit || unit == bareNumber:
			unit, first = here, node
		case here != unit:
			return anyUnit, unlike(first, unit, node, here)
		}
	}
	return unit, nil
}

func unlike(a ast.Node, ofA string, b ast.Node, ofB string) error {
	return fmt.Errorf("%s is in %s, and %s in %s; measure both in one unit", a, ofA, b, ofB)
}
