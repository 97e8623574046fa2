package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// A Scheme is a well-known one that is not implemented.
type Scheme struct {
	Name    string // in small letters, as a component would be called
	Title   string
	Nearest string // what there is
}

// Absent are well-known schemes that fabriclab does not have.
var Absent = []Scheme{
	{"swift", "Swift (SIGCOMM 2020)", "timely"},
	{"powertcp", "PowerTCP (NSDI 2022)", "hpcc"},
	{"homa", "Homa (SIGCOMM 2018)", "pfabric"},
	{"ndp", "NDP (SIGCOMM 2017)", "expresspass"},
	{"bfc", "BFC (NSDI 2022)", "hpcc"},
	{"eqds", "EQDS (NSDI 2022)", "expresspass"},
	{"uec", "Ultra Ethernet's transport", "spray"},
}

// HintParam says where a parameter is set, "" where no component has one of that
// name.
func (c *Catalog) HintParam(name string) string {
	var where []string
	for i := range c.Components {
		m := &c.Components[i]
		p := m.Param(name)
		if p == nil || len(where) == mostHints {
			continue
		}
		value := p.Format(p.Default)
		if p.Type == TypeBool {
			value = "true"
		}
		where = append(where, fmt.Sprintf("params: {%s: {%s: %s}}", m.Name, name, value))
	}
	if where == nil {
		return ""
	}
	if name == "pfc" {
		where = append(where, "network: lossless")
	}
	return "; it is a parameter, written as " + strings.Join(where, " or ")
}

// mostHints is how many components HintParam names.
const mostHints = 3

// HintMechanism is Hint for the name of a mechanism or preset: a well-known scheme
// that is absent is said to be. One of one's own may not be on the path.
func HintMechanism(name string, known []string) string {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if i := slices.IndexFunc(Absent, func(s Scheme) bool { return s.Name == plain }); i >= 0 {
		return fmt.Sprintf("; %s is not implemented, the nearest is %s. One of your own: fabriclab new mechanism %s", Absent[i].Title, Absent[i].Nearest, plain)
	}
	return Hint(name, known) + "; mechanisms of one's own are found by mechanism_path in fabriclab.yaml, or --mechanisms"
}
