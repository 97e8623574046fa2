package spec

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// A claim with `for` is made once for each entry of that list, with the entry's
// texts instead of its variables. What comes out are claims like all others.

var variable = regexp.MustCompile(`\$([a-z][a-z0-9_]*)`)

// repeat is a claim, or what `for` makes of it.
func repeat(f *reader.Forest, claim *yaml.Node, path string) []*yaml.Node {
	key, list := reader.Child(claim, "for")
	if key == nil {
		return []*yaml.Node{claim}
	}
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		f.Problem(list, "for needs a list of variables with their values, such as [{own: fncc}, {own: hpcc}]")
		return nil
	}
	template := *claim
	template.Content = nil
	for i := 0; i+1 < len(claim.Content); i += 2 {
		if claim.Content[i] != key {
			template.Content = append(template.Content, claim.Content[i], claim.Content[i+1])
		}
	}
	f.Sources[&template] = f.Sources[claim]
	var made []*yaml.Node
	var first []string
	for n := range list.Content {
		at := f.Section(list.Content[n], list, path+".for")
		values := map[string]string{}
		for i := 0; i+1 < len(at.Node.Content); i += 2 {
			name := at.Node.Content[i].Value
			values[name], _ = f.Scalar(at.Node.Content[i+1], at.Name(strconv.Itoa(n)+"."+name))
		}
		names := slices.Sorted(maps.Keys(values))
		if n == 0 {
			first = names
		} else if !slices.Equal(names, first) {
			f.Problem(list.Content[n], "entry %d of for has the variables %q, the first one %q; give all the same", n+1, names, first)
			continue
		}
		made = append(made, substitute(f, &template, values))
	}
	return made
}

// substitute is a copy with the values of variables in all texts.
func substitute(f *reader.Forest, node *yaml.Node, values map[string]string) *yaml.Node {
	out := *node
	out.Content = nil
	f.Sources[&out] = f.Sources[node]
	if node.Kind == yaml.ScalarNode {
		out.Value = variable.ReplaceAllStringFunc(node.Value, func(text string) string {
			value, ok := values[text[1:]]
			if !ok {
				f.Problem(node, "for has no variable %q%s", text[1:], catalog.Hint(text[1:], slices.Sorted(maps.Keys(values))))
			}
			return value
		})
	}
	for _, n := range node.Content {
		out.Content = append(out.Content, substitute(f, n, values))
	}
	return &out
}
