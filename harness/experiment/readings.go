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
	// replaces says that it maps values of the path to what stands in their place.
	replaces bool
}

// applyReadings reads the section, all of it, and lays values over the tree: of each
// reading the first one, but of those that are chosen the chosen one, after the others.
// unscaled is the file without its scale.
func (l *loader) applyReadings(root, unscaled *yaml.Node, e *Experiment, chosen map[string]string) *yaml.Node {
	key, node := reader.Child(root, "readings")
	s := l.Section(node, root, "readings")
	var offered map[string][]string
	if len(s.Node.Content) > 0 {
		offered = l.offered(root, unscaled)
	}
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
				sets[value.Value] = l.readingSets(r.Name, value, one.Node.Content[j+1], offered)
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
		root = l.read(root, set)
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

// offered are the values that there are for paths, as their labels: in the matrix at
// any scale, and of the preset in the file.
func (l *loader) offered(root, unscaled *yaml.Node) map[string][]string {
	all := map[string][]string{}
	add := func(key, value *yaml.Node) {
		path := l.joined(key.Value)
		all[path] = append(all[path], valueText(value))
	}
	each := func(n *yaml.Node, do func(key, value *yaml.Node)) {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			do(n.Content[i], n.Content[i+1])
		}
	}
	axis := func(key, value *yaml.Node) {
		for _, item := range l.values(value, "matrix."+key.Value) {
			add(key, item)
		}
	}
	inMatrix := func(key, value *yaml.Node) {
		switch key.Value {
		case "exclude":
		case "include":
			for _, point := range value.Content {
				each(point, add)
			}
		case "zip":
			each(value, axis)
			for _, group := range value.Content {
				each(group, axis)
			}
		default:
			axis(key, value)
			if !isRange(value) {
				each(value, func(_, set *yaml.Node) { each(set, add) })
			}
		}
	}
	trees := []*yaml.Node{root, unscaled}
	each(reader.Lookup(unscaled, []string{"scales"}), func(_, scale *yaml.Node) { trees = append(trees, scale) })
	for _, tree := range trees {
		each(tree, func(key, value *yaml.Node) {
			switch key.Value {
			case "preset":
				add(key, value)
			case "matrix":
				each(value, inMatrix)
			}
		})
	}
	return all
}

// checkAgreement refuses two readings of which the later would undo what the other sets,
// and a value that sets something twice.
func (l *loader) checkAgreement(sets []readingSet) {
	for i, b := range sets {
		for _, a := range sets[:i] {
			switch {
			case !overlap(a.path, b.path) || agree(a, b):
			case a.reading == b.reading:
				l.Problem(b.key, "reading %s sets %s, and by %s something else of it; set it once", b.reading, b.key.Value, a.key.Value)
			default:
				l.Problem(b.key, "readings %s and %s both set %s, each otherwise; take one of them, or give one a value that sets both", a.reading, b.reading, b.key.Value)
			}
		}
	}
}

// agree says whether two sets of a path come to the same in any order, or replace
// different values.
func agree(wide, narrow readingSet) bool {
	if len(wide.path) > len(narrow.path) {
		wide, narrow = narrow, wide
	}
	if !wide.replaces || !narrow.replaces {
		within := reader.Lookup(wide.value, narrow.path[len(wide.path):])
		return within != nil && valueText(within) == valueText(narrow.value)
	}
	for i := 0; i < len(wide.value.Content); i += 2 {
		if _, other := reader.Child(narrow.value, wide.value.Content[i].Value); other != nil && valueText(other) != valueText(wide.value.Content[i+1]) {
			return false
		}
	}
	return true
}

// readingSets are the paths that a value sets, which are there whether it is
// chosen or not.
func (l *loader) readingSets(reading string, value, body *yaml.Node, offered map[string][]string) []readingSet {
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
		to := s.Node.Content[i+1]
		there, is := offered[strings.Join(path, ".")]
		set := readingSet{reading + "=" + value.Value, path, key, to, is && to.Kind == yaml.MappingNode}
		for j := 0; set.replaces && j < len(to.Content); j += 2 {
			from := to.Content[j]
			if slices.Contains(there, from.Value) {
				continue
			}
			without := ""
			if l.File(from) != l.file {
				without = fmt.Sprintf("; an experiment without it takes the reading away: readings: {%s: null}", reading)
			}
			l.Problem(from, "%s: there is no value %q of %s%s; values are compared as they are written, so write it as the matrix does%s", where, from.Value, key.Value, catalog.Hint(from.Value, there), without)
		}
		sets = append(sets, set)
	}
	return sets
}

// read lays a path of a reading over the tree. Of what the matrix chooses a
// reading replaces values: {preset: {dcqcn: dcqcn-public}}.
func (l *loader) read(root *yaml.Node, set readingSet) *yaml.Node {
	for _, n := range []*yaml.Node{set.key, set.value} {
		l.Mark(n, "reading:"+set.reading)
	}
	if !set.replaces {
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
					l.Problem(set.key, "reading %s sets %s, which the matrix sets itself (%s); write what stands in the place of its values, {%s: {%s: …}}", set.reading, set.key.Value, l.Sources[a.key].Position(), a.key.Value, valueText(a.value))
				}
			}
		}
	}
}
