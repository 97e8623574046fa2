package experiment

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// assignment sets a path of the tree.
type assignment struct {
	path  []string
	key   *yaml.Node // where it is written
	value *yaml.Node
}

// combination is one value of each axis: the point's labels, and the paths
// that they set.
type combination struct {
	labels      []Label
	assignments []assignment
	engines     []string // set by withEngines; nil = the experiment's
}

func (c combination) with(other combination) combination {
	return combination{labels: slices.Concat(c.labels, other.labels), assignments: slices.Concat(c.assignments, other.assignments)}
}

// identity is what two combinations have in common that are one point: the same
// values, in whatever order and spelling of their paths.
func (l *loader) identity(labels []Label) string {
	words := make([]string, len(labels))
	for i, one := range labels {
		words[i] = fmt.Sprintf("%s=%q", l.joined(one.Path), one.Value)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// matches says whether the combination has all the labels.
func (c combination) matches(labels []Label) bool {
	for _, l := range labels {
		if !slices.Contains(c.labels, l) {
			return false
		}
	}
	return true
}

// combinations expands the matrix: every combination of the axes' values
// without the excluded ones, and the included ones behind them.
func (l *loader) combinations(root *yaml.Node, flags []cliSet) []combination {
	all := []combination{{}}
	_, node := reader.Child(root, "matrix")
	s := l.Section(node, root, "matrix")
	pinned := map[string][]string{}     // path of an axis -> values that flags left of it
	named := map[string][]combination{} // axes with named values
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, value := s.Node.Content[i], s.Node.Content[i+1]
		var axis []combination
		switch key.Value {
		case "exclude", "include":
			continue
		case "zip":
			axis = l.zip(value)
		default:
			axis = l.axis(key, value)
			isNamed := value.Kind == yaml.MappingNode && !isRange(value)
			if isNamed {
				named[key.Value] = axis
			}
			for _, f := range flags {
				if l.axisKey(node, f) == key {
					axis = l.pin(key, axis, isNamed, f)
					for _, c := range axis {
						pinned[l.joined(key.Value)] = append(pinned[l.joined(key.Value)], c.labels[0].Value)
					}
				}
			}
		}
		before := len(all) * len(axis)
		if all = l.product(all, axis, key); len(all) < before {
			return all // there are too many, and one is enough to find what else is wrong
		}
	}
	for _, n := range s.Items("exclude") {
		excluded := l.labels(n, "matrix.exclude")
		kept := slices.DeleteFunc(slices.Clone(all), func(c combination) bool { return c.matches(excluded) })
		if len(kept) == len(all) && len(pinned) == 0 {
			l.Problem(n, "matrix.exclude: no point has these values; write them as in the matrix")
		}
		all = kept
	}
	further, there := s.Items("include"), map[string]bool{}
	for _, c := range all {
		if further != nil {
			there[l.identity(c.labels)] = true
		}
	}
	for _, n := range further {
		included := l.fixed(n, "matrix.include", named)
		if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
			l.Problem(n, "matrix.include has a point without a value; write paths and values, such as {topology.rate: 100Gbps}")
			continue
		}
		switch {
		case slices.ContainsFunc(included.labels, func(label Label) bool {
			values, is := pinned[l.joined(label.Path)]
			return is && !slices.Contains(values, label.Value)
		}):
		case there[l.identity(included.labels)]:
			l.Problem(n, "matrix.include: this point is there already; take it out")
		default:
			all = append(all, included)
			there[l.identity(included.labels)] = true
		}
	}
	if len(all) == 0 && l.Found == 0 {
		l.Problem(s.Node, "matrix: no point is left; exclude less")
	}
	l.checkAxes(all)
	l.checkFlags(all, node, flags)
	return all
}

// checkAxes refuses points of which two values set the same: the later one wins,
// and labels would be wrong.
func (l *loader) checkAxes(all []combination) {
	for _, c := range all {
		for i, b := range c.assignments {
			for _, a := range c.assignments[:i] {
				if overlap(a.path, b.path) {
					l.Problem(b.key, "matrix: %s sets what %s (%s) sets as well in the same point, so that one label would be wrong; set it in one place, or exclude the point", b.key.Value, a.key.Value, l.Sources[a.key].Position())
				}
			}
		}
	}
}

// overlap says whether a path is another one, or leads to it.
func overlap(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

func product(left, right []combination) []combination {
	var all []combination
	for _, a := range left {
		for _, b := range right {
			all = append(all, a.with(b))
		}
	}
	return all
}

// axisKey is the matrix key that a flag addresses, nil if there is none.
func (l *loader) axisKey(matrix *yaml.Node, f cliSet) *yaml.Node {
	if reader.IsNull(matrix) || matrix.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i < len(matrix.Content); i += 2 {
		if key := matrix.Content[i]; slices.Equal(l.path(key.Value), f.path) {
			return key
		}
	}
	return nil
}

// checkFlags refuses flags that set what the matrix sets as well: the labels
// would no longer be true.
func (l *loader) checkFlags(all []combination, matrix *yaml.Node, flags []cliSet) {
	for _, f := range flags {
		if l.axisKey(matrix, f) != nil {
			continue
		}
		for _, c := range all {
			for _, a := range c.assignments {
				if overlap(a.path, f.path) {
					l.Problem(f.value, "the matrix sets %s itself (%s); change it there, or choose among the values of the axis", a.key.Value, l.Sources[a.key].Position())
				}
			}
		}
	}
}

// axis is one key of the matrix: a list or a range of values for a path, or
// named sets of several paths' values.
func (l *loader) axis(key, value *yaml.Node) []combination {
	name := "matrix." + key.Value
	var axis []combination
	switch {
	case isRange(value), value.Kind == yaml.SequenceNode && len(value.Content) > 0:
		for _, item := range l.values(value, name) {
			axis = append(axis, l.choice(key, item, name))
		}
	case value.Kind == yaml.MappingNode && len(value.Content) > 0:
		for i := 0; i < len(value.Content); i += 2 {
			choice := l.fixed(value.Content[i+1], name+"."+value.Content[i].Value, nil)
			engine := slices.DeleteFunc(choice.labels, func(l Label) bool { return l.Path != engineAxis })
			choice.labels = append([]Label{label(key.Value, value.Content[i].Value)}, engine...)
			axis = append(axis, choice)
		}
	default:
		l.Problem(value, "%s is a list of values, such as [a, b], a range, such as {from: 1us, to: 5us, step: 1us}, or a mapping of names to what they set, such as {a: {topology.rate: 100Gbps}}", name)
	}
	seen := map[string]bool{}
	for _, c := range axis {
		key := fmt.Sprintf("%q", c.labels)
		if seen[key] {
			l.Problem(value, "%s has the value %s twice; keep one", name, c.labels[0].Value)
		}
		seen[key] = true
	}
	return axis
}

// choice sets one path.
func (l *loader) choice(key, value *yaml.Node, name string) combination {
	if key.Value == engineAxis {
		return l.engineChoice(key, value, name)
	}
	path := l.path(key.Value)
	if known := pointKeys(l.catalog); !slices.Contains(known, path[0]) {
		l.Problem(key, "%s: a matrix changes the keys of points, and %q is none of them%s", name, path[0], catalog.Hint(path[0], known))
		return combination{labels: []Label{label(key.Value, valueText(value))}}
	}
	l.markMatrix(value)
	return combination{labels: []Label{label(key.Value, valueText(value))}, assignments: []assignment{{path, key, l.inPlaceOf(path, value)}}}
}

// fixed is a mapping path -> value, or axis -> name for axes with named
// values.
func (l *loader) fixed(n *yaml.Node, name string, named map[string][]combination) combination {
	var c combination
	s := l.Section(n, n, name)
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, value := s.Node.Content[i], s.Node.Content[i+1]
		if axis, is := named[key.Value]; is {
			for _, choice := range l.byName(axis, value, name+"."+key.Value) {
				c = c.with(choice)
			}
		} else {
			c = c.with(l.choice(key, value, name))
		}
	}
	return c
}

// byName finds one of an axis's named values.
func (l *loader) byName(axis []combination, value *yaml.Node, name string) []combination {
	var names []string
	for _, c := range axis {
		if c.labels[0].Value == valueText(value) {
			return []combination{c}
		}
		names = append(names, c.labels[0].Value)
	}
	l.Problem(value, "%s has no value %q%s", name, valueText(value), catalog.Hint(valueText(value), names))
	return nil
}

// labels is a mapping of matrix keys to values.
func (l *loader) labels(n *yaml.Node, name string) []Label {
	var labels []Label
	s := l.Section(n, n, name)
	for i := 0; i < len(s.Node.Content); i += 2 {
		labels = append(labels, label(s.Node.Content[i].Value, valueText(s.Node.Content[i+1])))
	}
	return labels
}

// zip is a list of groups of axes whose values belong together: the first of
// each, the second of each, and so on.
func (l *loader) zip(groups *yaml.Node) []combination {
	if groups.Kind == yaml.MappingNode {
		return l.zipGroup(groups)
	}
	all := []combination{{}}
	if groups.Kind != yaml.SequenceNode {
		l.Problem(groups, "matrix.zip maps paths to lists of equal length (or is a list of such mappings), not %s", reader.What(groups))
		return all
	}
	for _, group := range groups.Content {
		all = l.product(all, l.zipGroup(group), group)
	}
	return all
}

func (l *loader) zipGroup(group *yaml.Node) []combination {
	s := l.Section(group, group, "matrix.zip")
	var zipped []combination
	for i := 0; i < len(s.Node.Content); i += 2 {
		key, list := s.Node.Content[i], s.Node.Content[i+1]
		before := l.Found
		values := l.values(list, "matrix.zip."+key.Value)
		if len(values) == 0 {
			if l.Found == before {
				l.Problem(list, "matrix.zip.%s is a list of values, such as [a, b], or a range, such as {from: 1us, to: 5us, step: 1us}", key.Value)
			}
			continue
		}
		if zipped == nil {
			zipped = make([]combination, len(values))
		}
		if len(values) != len(zipped) {
			l.Problem(list, "matrix.zip.%s has %d values, the first list has %d; zipped lists are of equal length", key.Value, len(values), len(zipped))
			continue
		}
		for j, value := range values {
			zipped[j] = zipped[j].with(l.choice(key, value, "matrix.zip."+key.Value))
		}
	}
	return zipped
}

// pin lets a flag choose the values of an axis: some of the names, where the
// axis has named values, or any other values.
func (l *loader) pin(key *yaml.Node, axis []combination, named bool, f cliSet) []combination {
	values := []*yaml.Node{f.value}
	if f.value.Kind == yaml.SequenceNode || isRange(f.value) {
		values = l.values(f.value, "matrix."+key.Value)
	}
	var chosen []combination
	for _, value := range values {
		if named {
			chosen = append(chosen, l.byName(axis, value, "matrix."+key.Value)...)
		} else {
			chosen = append(chosen, l.choice(key, value, "matrix."+key.Value))
		}
	}
	return chosen
}

// markMatrix records that a value comes from the matrix; a flag stays a flag.
func (l *loader) markMatrix(n *yaml.Node) {
	if l.Sources[n].Origin != "flag" {
		l.Mark(n, "matrix")
	}
}
