package claims

import (
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"fabriclab/analysis/spec"
)

// A truth is a `holds`: comparisons, and what joins them.
type truth struct {
	*expression             // that it is true, of one seed
	distance    *expression // of a comparison, left side less right side
	falls       bool        // the comparison holds where the distance is below 0
	operator    string      // "and", "or" or "not" of parts; "" of what has none
	parts       []*truth
}

var joins = map[string]string{"&&": "and", "and": "and", "||": "or", "or": "or", "!": "not", "not": "not"}

// compileTruth compiles a truth and, each by itself, what it is made of.
func compileTruth(f *spec.Figure, code, by string) (*truth, error) {
	whole, err := compile(f, code, by, expr.AsBool(), divide)
	if err != nil {
		return nil, err
	}
	t := &truth{expression: whole}
	tree, err := parser.Parse(code)
	if err != nil {
		return nil, err
	}
	var parts []ast.Node
	switch n := tree.Node.(type) {
	case *ast.UnaryNode:
		t.operator, parts = joins[n.Operator], []ast.Node{n.Node}
	case *ast.BinaryNode:
		switch n.Operator {
		case "<", "<=", ">", ">=":
			t.falls = n.Operator[0] == '<'
			t.distance, err = compile(f, "("+n.Left.String()+") - ("+n.Right.String()+")", by, expr.AsFloat64(), divide)
			return t, err
		}
		t.operator, parts = joins[n.Operator], []ast.Node{n.Left, n.Right}
	}
	if t.operator == "" {
		return t, nil
	}
	for _, part := range parts {
		p, err := compileTruth(f, part.String(), by)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, p)
	}
	return t, nil
}

// verdict is what several seeds of one engine say of a truth. What not all of them
// agree on is judged comparison by comparison: by the mean of its distances, if their
// confidence interval is on one side of 0.
func (t *truth) verdict(seeds []sample, by string) string {
	held := 0
	agree := true // all seeds have a value
	for _, v := range seeds {
		x, err := t.run(v, by)
		holds, ok := x.(bool)
		agree = agree && err == nil && ok
		if holds {
			held++
		}
	}
	if o := ofSeeds(held, len(seeds)); agree && o != Inconclusive {
		return o
	}
	switch t.operator {
	case "and":
		return overall([]string{t.parts[0].verdict(seeds, by), t.parts[1].verdict(seeds, by)})
	case "or":
		return opposite(overall([]string{opposite(t.parts[0].verdict(seeds, by)), opposite(t.parts[1].verdict(seeds, by))}))
	case "not":
		return opposite(t.parts[0].verdict(seeds, by))
	}
	return t.inTheMean(seeds, by)
}

func (t *truth) inTheMean(seeds []sample, by string) string {
	if t.distance == nil {
		return Inconclusive
	}
	distances := make([]float64, len(seeds))
	for i, v := range seeds {
		x, err := t.distance.run(v, by)
		d, ok := x.(float64)
		if err != nil || !ok {
			return Inconclusive
		}
		distances[i] = d
		if !t.falls {
			distances[i] = -d
		}
	}
	return belowZero(distances)
}

// opposite is the verdict of what is not so.
func opposite(verdict string) string {
	switch verdict {
	case Reproduced:
		return Deviates
	case Deviates:
		return Reproduced
	}
	return verdict
}
