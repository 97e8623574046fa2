package experiment

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/engine/engines"
)

// Engines are the names of the engines there are; the first one is the default.
var Engines = engines.Names()

// engineAxis is the matrix key that says on which engines a point runs. The
// engine is no label: a point is the same scenario on all engines.
const engineAxis = "engine"

// engineChoice is a value of the axis.
func (l *loader) engineChoice(key, value *yaml.Node, name string) combination {
	text := valueText(value)
	if !slices.Contains(Engines, text) {
		l.Problem(value, "%s: there is no engine %q%s", name, text, catalog.Hint(text, Engines))
	}
	return combination{labels: []Label{label(key.Value, text)}}
}

// withEngines makes points that differ in nothing but their engine one point
// on several engines.
func (l *loader) withEngines(all []combination) []combination {
	var points []combination
	where := map[string]int{} // those whose engines the matrix says
	for _, c := range all {
		i := slices.IndexFunc(c.labels, func(label Label) bool { return label.Path == engineAxis })
		if i < 0 {
			points = append(points, c)
			continue
		}
		name := c.labels[i].Value
		c.labels = slices.Delete(slices.Clone(c.labels), i, i+1)
		identity := l.identity(c.labels)
		known, is := where[identity]
		if !is {
			where[identity] = len(points)
			c.engines = []string{name}
			points = append(points, c)
		} else if !slices.Contains(points[known].engines, name) {
			points[known].engines = append(points[known].engines, name)
		}
	}
	return points
}

// engines reads the key engines: those of points of which the matrix does not
// say it. Nothing, if it is not there.
func (l *loader) engines(s *reader.Section, points []combination) []string {
	texts, nodes := s.Texts("engines")
	for i, text := range texts {
		if !slices.Contains(Engines, text) {
			l.Problem(nodes[i], "engines: there is no engine %q%s", text, catalog.Hint(text, Engines))
		}
		if slices.Contains(texts[:i], text) {
			l.Problem(nodes[i], "engines: %s is here twice; keep one", text)
		}
	}
	if texts != nil && len(points) > 0 && !slices.ContainsFunc(points, func(c combination) bool { return c.engines == nil }) {
		l.Problem(s.Get("engines"), "engines has no effect: the matrix says of every point on which engine it runs; keep one of the two")
	}
	return texts
}

// OnEngines has the points run on the given engines. Points whose engines the
// matrix sets run on those of them that are among the given ones.
func (e *Experiment) OnEngines(names []string) error {
	runs := false
	for _, p := range e.Points {
		if !p.enginesFixed {
			p.Engines, p.InsteadOf = names, ""
		} else {
			p.Engines = slices.DeleteFunc(slices.Clone(p.Engines), func(name string) bool { return !slices.Contains(names, name) })
		}
		runs = runs || len(p.Engines) > 0
	}
	if !runs {
		return fmt.Errorf("%s: no point runs on %s: its matrix says the engine; change it there, or choose another --engine", e.File, strings.Join(names, " or "))
	}
	e.Engines = names
	return nil
}

// Runs is how many runs the experiment has.
func (e *Experiment) Runs() int {
	n := 0
	for _, p := range e.Points {
		n += len(p.Engines) * len(e.Seeds)
	}
	return n
}
