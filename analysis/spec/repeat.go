package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
)

// A claim with `for` is made once for each entry of that list, with the entry's
// texts instead of its variables. What comes out are claims like all others.

var variable = regexp.MustCompile(`\$([a-z][a-z0-9_]*)`)

// repeated is the section with every claim that has `for` written out.
func repeated(figure *yaml.Node) (*yaml.Node, error) {
	whole := *figure
	whole.Content = slices.Clone(figure.Content)
	for i := 0; i+1 < len(whole.Content); i += 2 {
		if whole.Content[i].Value != "claims" || whole.Content[i+1].Kind != yaml.SequenceNode {
			continue
		}
		list := *whole.Content[i+1]
		list.Content = nil
		for _, claim := range whole.Content[i+1].Content {
			made, err := repeat(claim)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, made...)
		}
		whole.Content[i+1] = &list
	}
	return &whole, nil
}

func repeat(claim *yaml.Node) ([]*yaml.Node, error) {
	at := 0
	for at < len(claim.Content) && claim.Content[at].Value != "for" {
		at += 2
	}
	if at >= len(claim.Content) {
		return []*yaml.Node{claim}, nil
	}
	key := claim.Content[at]
	var entries []map[string]string
	if err := claim.Content[at+1].Decode(&entries); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, lineError(key, "for needs a list of variables with their values, such as [{own: fncc}, {own: hpcc}]")
	}
	template := *claim
	template.Content = slices.Concat(claim.Content[:at], claim.Content[at+2:])
	var made []*yaml.Node
	for n, values := range entries {
		names := slices.Sorted(maps.Keys(values))
		if first := slices.Sorted(maps.Keys(entries[0])); !slices.Equal(names, first) {
			return nil, lineError(key, "entry %d of for has the variables %q, the first one %q; give all the same", n+1, names, first)
		}
		one, err := substitute(&template, values)
		if err != nil {
			return nil, err
		}
		made = append(made, one)
	}
	return made, nil
}

// substitute is a copy with the values of variables in all texts.
func substitute(node *yaml.Node, values map[string]string) (*yaml.Node, error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	out := *node
	out.Anchor, out.Content = "", nil
	if node.Kind == yaml.ScalarNode {
		var unknown string
		out.Value = variable.ReplaceAllStringFunc(node.Value, func(text string) string {
			value, ok := values[text[1:]]
			if !ok {
				unknown = text[1:]
			}
			return value
		})
		if unknown != "" {
			names := slices.Sorted(maps.Keys(values))
			return nil, lineError(node, "for has no variable %q%s", unknown, catalog.Hint(unknown, names))
		}
		if out.Value != node.Value && node.Style == 0 {
			out.Tag = "" // a number may come of it
		}
	}
	for _, n := range node.Content {
		c, err := substitute(n, values)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, c)
	}
	return &out, nil
}

func lineError(node *yaml.Node, format string, args ...any) error {
	return at(node, fmt.Errorf(format, args...))
}
