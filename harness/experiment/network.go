package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
)

// networks are the classes of networks that presets are for: with PFC at switches
// and without.
var networks = []string{"lossless", "lossy"}

// network is what an experiment says of the class of its network, for all presets
// or for each by name: it is port.pfc in params, which it returns. Where it says
// nothing, class is the one that the preset is for.
func (l *loader) network(s *reader.Section, base *preset, params *yaml.Node) (with *yaml.Node, class string) {
	n := s.Get("network")
	if base == nil {
		return params, ""
	}
	if n == nil {
		return params, base.network
	}
	if n.Kind == yaml.MappingNode {
		known := l.shipped("presets", l.presetFiles)
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i]; known[key.Value] == "" && !strings.HasSuffix(key.Value, ".yaml") {
				l.Problem(key, "network: there is no preset %q%s", key.Value, catalog.HintMechanism(key.Value, slices.Sorted(maps.Keys(known))))
			}
		}
		if _, n = reader.Child(n, base.name); n == nil {
			return params, base.network
		}
		l.used["network."+base.name] = true
	}
	text, ok := l.Scalar(n, "network")
	if !ok {
		return params, ""
	}
	if !slices.Contains(networks, text) {
		l.Problem(n, "network: %q is no class of networks%s", text, catalog.Hint(text, networks))
		return params, ""
	}
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}
	if text == networks[0] {
		value.Value = "true"
	}
	if said := reader.Lookup(params, []string{"port", "pfc"}); said != nil && said.Value != value.Value && slices.Contains([]string{"matrix", "flag"}, l.Origin(said)) {
		l.Problem(n, "network: %s is port.pfc: %s, which %s sets otherwise and would have no effect; keep one of the two", text, value.Value, l.Sources[said].Position())
	}
	l.Sources[value] = l.Sources[n]
	return l.Set(params, []string{"port", "pfc"}, value, n), ""
}

// checkNetwork refuses a preset for a lossy network in a lossless one: its queues drop,
// and the run would fail that check. It warns of the reverse.
func (l *loader) checkNetwork(base *preset, class string, c scenario.Components, e Effective) {
	pfc, is := c.Param("port", "pfc").(bool)
	if !is || class == "" || pfc == (class == networks[0]) {
		return
	}
	pfcAt, here := e.setting("port", "pfc"), networks[1]
	if pfc {
		here = networks[0]
	}
	text := fmt.Sprintf("the preset %s is for a %s network, and port.pfc: %t makes a %s one; write network: {%s: %s}, or if that is meant {%s: %s}",
		base.name, class, pfc, here, base.name, class, base.name, here)
	if pfc {
		l.refuse(pfcAt, "%s", text)
		return
	}
	if pfcAt.at != nil {
		text = l.Sources[pfcAt.at].Position() + ": " + text
	}
	if !slices.Contains(l.warnings, text) {
		l.warnings = append(l.warnings, text)
	}
}
