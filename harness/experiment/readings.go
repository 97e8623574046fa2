package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// A Reading is a choice that a paper's text leaves open.
type Reading struct {
	Name string
	// Source is the sentence that leaves it open.
	Source string
	// Values are its values by name, the one nearest to the text first: it is the
	// default.
	Values []string
}

// readingName is what readings and their values are called: both stand in the
// names of folders and on the command line.
var readingName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)

// readingSet is a path that a reading's value sets.
type readingSet struct {
	reading string // name=value
	path    []string
	key     *yaml.Node
	value   *yaml.Node
}

// applyReadings reads the section, all of it, and lays values over the tree: of each
// reading the first one, but of those that are chosen the chosen one, after the others.
func (l *loader) applyReadings(root *yaml.Node, e *Experiment, chosen map[string]string) *yaml.Node {
	key, node := reader.Child(root, "readings")
	s := l.Section(node, root, "readings")
	_, matrix := reader.Child(root, "matrix")
	var names []string
	var first, given []readingSet
	for i := 0; i < len(s.Node.Content); i += 2 {
		at, body := s.Node.Content[i], s.Node.Content[i+1]
		r := Reading{Name: at.Value}
		names = append(names, r.Name)
		if !readingName.MatchString(r.Name) {
			l.Problem(at, "readings: %q is no name; use letters, digits, - and .", r.Name)
		}
		one := l.Section(body, at, "readings."+r.Name)
		r.Source = one.Str("source")
		if r.Source == "" {
			l.Problem(at, "readings.%s needs source, the sentence of the paper that leaves it open", r.Name)
		}
		sets := map[string][]readingSet{}
		for j := 0; j < len(one.Node.Content); j += 2 {
			if value := one.Node.Content[j]; value.Value != "source" {
				r.Values = append(r.Values, value.Value)
				sets[value.Value] = l.readingSets(r.Name, value, one.Node.Content[j+1])
			}
		}
		if len(r.Values) < 2 {
			l.Problem(at, "readings.%s has %d values; give two or more, the one nearest to the text first", r.Name, len(r.Values))
			continue
		}
		if value, is := chosen[r.Name]; !is {
			first = append(first, sets[r.Values[0]]...)
		} else {
			if !slices.Contains(r.Values, value) {
				l.Report("--reading "+r.Name+"="+value, fmt.Sprintf("%s has no value %q%s", r.Name, value, catalog.Hint(value, r.Values)))
			}
			given = append(given, sets[value]...)
		}
		e.Readings = append(e.Readings, r)
	}
	l.checkAgreement(first)
	l.checkAgreement(given)
	for _, set := range append(first, given...) {
		root = l.read(root, matrix, set)
	}
	for name, value := range chosen {
		if !slices.Contains(names, name) {
			hint := catalog.Hint(name, names)
			if key == nil {
				hint = "; it declares none"
			}
			l.Report("--reading "+name+"="+value, fmt.Sprintf("%s has no reading %q%s", l.file, name, hint))
		}
	}
	return root
}

// checkAgreement refuses two readings of which the later would undo what the other sets.
func (l *loader) checkAgreement(sets []readingSet) {
	for i, b := range sets {
		for _, a := range sets[:i] {
			if a.reading == b.reading || len(a.path) < len(b.path) || !slices.Equal(a.path[:len(b.path)], b.path) {
				continue
			}
			if len(a.path) > len(b.path) || !agree(a.value, b.value) {
				l.Problem(b.key, "readings %s and %s both set %s, each otherwise; take one of them, or give one a value that sets both", a.reading, b.reading, b.key.Value)
			}
		}
	}
}

// agree says whether two values of a path are the same, or replace different values.
func agree(a, b *yaml.Node) bool {
	if a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode {
		return valueText(a) == valueText(b)
	}
	for i := 0; i < len(a.Content); i += 2 {
		if _, other := reader.Child(b, a.Content[i].Value); other != nil && !agree(a.Content[i+1], other) {
			return false
		}
	}
	return true
}

// readingSets are the paths that a value sets, which are there whether it is
// chosen or not.
func (l *loader) readingSets(reading string, value, body *yaml.Node) []readingSet {
	where := "readings." + reading + "." + value.Value
	if !readingName.MatchString(value.Value) {
		l.Problem(value, "%s: %q is no name; use letters, digits, - and .", where, value.Value)
	}
	known := append(slices.Clone(pointKeys(l.catalog)), "figure", "seeds")
	s := l.Section(body, value, where)
	var sets []readingSet
	for i := 0; i < len(s.Node.Content); i += 2 {
		key := s.Node.Content[i]
		path := l.path(key.Value)
		if !slices.Contains(known, path[0]) {
			l.Problem(key, "%s: a reading sets keys of points, or of the figure, and %q is none of them%s", where, path[0], catalog.Hint(path[0], append(known, l.catalog.Names("")...)))
			continue
		}
		if path[0] == "params" && len(path) > 1 && l.catalog.Component(path[1]) == nil {
			l.Problem(key, "%s: there is no component %q%s", where, path[1], catalog.HintMechanism(path[1], l.catalog.Names("")))
			continue
		}
		sets = append(sets, readingSet{reading + "=" + value.Value, path, key, s.Node.Content[i+1]})
	}
	return sets
}

// read lays a path of a reading over the tree. Of what the matrix chooses a
// reading replaces values: {preset: {dcqcn: dcqcn-public}}.
func (l *loader) read(root, matrix *yaml.Node, set readingSet) *yaml.Node {
	replaces := set.value.Kind == yaml.MappingNode && (set.path[0] == "preset" || l.chooses(matrix, set.path))
	for _, n := range []*yaml.Node{set.key, set.value} {
		l.Mark(n, "reading:"+set.reading)
	}
	if !replaces {
		l.laid = append(l.laid, set)
		l.takesSomething(root, set.path, set.value, set.key)
		return l.Set(root, set.path, set.value, set.key)
	}
	path := strings.Join(set.path, ".")
	if l.replaced[path] == nil {
		l.replaced[path] = map[string]*yaml.Node{}
	}
	for i := 0; i < len(set.value.Content); i += 2 {
		from, to := set.value.Content[i], set.value.Content[i+1]
		l.replaced[path][from.Value] = to
		if _, now := reader.Child(root, set.path[0]); len(set.path) == 1 && now != nil && now.Value == from.Value {
			root = l.Set(root, set.path, to, set.key)
		}
	}
	return root
}

// chooses says whether the matrix has values for a path, by itself or under the
// names of an axis.
func (l *loader) chooses(matrix *yaml.Node, path []string) bool {
	if reader.IsNull(matrix) || matrix.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(matrix.Content); i += 2 {
		if slices.Equal(l.path(matrix.Content[i].Value), path) || l.chooses(matrix.Content[i+1], path) {
			return true
		}
	}
	return false
}

// inPlaceOf is what a reading puts in the place of a value of the matrix.
func (l *loader) inPlaceOf(path []string, value *yaml.Node) *yaml.Node {
	if to := l.replaced[strings.Join(path, ".")][valueText(value)]; to != nil {
		return to
	}
	return value
}

// checkReadings refuses readings that set what the matrix sets as well, which
// would have no effect.
func (l *loader) checkReadings(all []combination) {
	for _, set := range l.laid {
		for _, c := range all {
			for _, a := range c.assignments {
				if overlap(a.path, set.path) {
					l.Problem(set.key, "reading %s sets %s, which the matrix sets itself (%s); write what stands in the place of its values, such as {preset: {dcqcn: dcqcn-public}}", set.reading, set.key.Value, l.Sources[a.key].Position())
				}
			}
		}
	}
}
