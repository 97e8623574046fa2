// Package catalog knows every component there is: its kind, its parameters
// with type, unit, default and range, and its trace tables. The knowledge
// comes from fabric-describe, whose JSON this package loads and checks
// (docs/formats.md, Catalog); nothing here is specific to a mechanism.
package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Version is the catalog version this package reads.
const Version = 2

// KindNode is the kind of the node model's own components: host, switch, port.
// All other kinds are those of the slots.
const KindNode = "node"

// Catalog is the list of all components, of the slots in which they stand, and
// of trace tables.
type Catalog struct {
	Version    int         `json:"version"`
	Slots      []Slot      `json:"slots"`
	Components []Component `json:"components"`
	Tables     []Table     `json:"tables"`
}

// Component is anything with parameters: a mechanism or a part of the node
// model (host, switch, port).
type Component struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Title  string   `json:"title"`
	Help   string   `json:"help"`
	Source string   `json:"source"`
	Needs  []string `json:"needs,omitempty"` // components without which it does not work, or kinds of which any will do
	// NeedsWhile: the same, while a parameter has a value.
	NeedsWhile []NeedWhile `json:"needs_while,omitempty"`
	Params     []Param     `json:"params"`
	Extensions []Extension `json:"extensions,omitempty"`
	Tables     []string    `json:"tables,omitempty"`
}

// NeedWhile is a component, or a kind of which any will do, that is needed
// while a parameter has this value.
type NeedWhile struct {
	Param string `json:"param"`
	Value string `json:"value"`
	What  string `json:"what"`
}

// Extension is what a component adds to packets.
type Extension struct {
	Name        string `json:"name"`
	MemoryBytes int64  `json:"memory_bytes"`
	Wire        string `json:"wire"`
}

// Table is a table of a run, as it is traced or as it is stored.
type Table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title,omitempty"`
	Scope   string   `json:"scope,omitempty"`
	Sampled bool     `json:"sampled,omitempty"` // takes a sampling interval
	Columns []Column `json:"columns"`
}

// classless are the tables that have rows of all classes, whatever is asked for.
var classless = []string{"flows", "pauses", "drops"}

// Filters are the keys that narrow the table down: what its rows are of. Recording asks
// by these columns (mechanisms/core/trace.h).
func (t *Table) Filters() []string {
	var keys []string
	for _, c := range t.Columns {
		switch {
		case c.Name == "time_ps":
			keys = append(keys, "from", "to")
		case c.Name == "port", c.Name == "flow":
			keys = append(keys, c.Name+"s")
		case c.Name == "class" && !slices.Contains(classless, t.Name):
			keys = append(keys, "classes")
		}
	}
	return keys
}

// Column is one column of a table. Labels turn its values into texts, Ref
// ("node") turns them into names.
type Column struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Unit     string   `json:"unit,omitempty"`
	Help     string   `json:"help,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Ref      string   `json:"ref,omitempty"`
	Nullable bool     `json:"nullable,omitempty"`
}

// TableKey is where a table of a run has its description, a Table in JSON, in
// the metadata of its Parquet file.
const TableKey = "fabriclab.table"

// ColumnNames lists the columns of a table.
func (t *Table) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// Column finds a column by name, or returns nil.
func (t *Table) Column(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Load reads and checks the output of fabric-describe.
func Load(data []byte) (*Catalog, error) {
	var c Catalog
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("catalog: not the JSON of fabric-describe: %w; rebuild the engines", err)
	}
	if c.Version != Version {
		return nil, fmt.Errorf("catalog: version %d, this program reads version %d; rebuild the engines and the harness from the same sources", c.Version, Version)
	}
	components := map[string]bool{}
	for i := range c.Components {
		component := &c.Components[i]
		if component.Name == "" || components[component.Name] {
			return nil, fmt.Errorf("catalog: component name %q is empty or used twice; component names are unique over all kinds", component.Name)
		}
		components[component.Name] = true
		params := map[string]bool{}
		for j := range component.Params {
			p := &component.Params[j]
			if p.Name == "" || params[p.Name] {
				return nil, fmt.Errorf("catalog: parameter name %q of %s is empty or used twice", p.Name, component.Name)
			}
			params[p.Name] = true
			if err := p.canonicalise(); err != nil {
				return nil, fmt.Errorf("catalog: %s.%s: %w; correct its self-description", component.Name, p.Name, err)
			}
		}
	}
	for i := range c.Components {
		if err := c.checkRelations(&c.Components[i]); err != nil {
			return nil, err
		}
		for _, need := range c.Components[i].needs() {
			if !components[need] && len(c.SlotsOf(need)) == 0 {
				return nil, fmt.Errorf("catalog: %s needs %q, which is neither a component nor a kind; correct its self-description", c.Components[i].Name, need)
			}
		}
	}
	return &c, c.checkSlots()
}

// needs lists what a component needs, whatever its parameters are.
func (c *Component) needs() []string {
	all := slices.Clone(c.Needs)
	for _, n := range c.NeedsWhile {
		all = append(all, n.What)
	}
	return all
}

func (c *Catalog) checkRelations(of *Component) error {
	for _, n := range of.NeedsWhile {
		if of.Param(n.Param) == nil {
			return fmt.Errorf("catalog: %s needs %s while %q is %s, and it has no such parameter; correct its self-description", of.Name, n.What, n.Param, n.Value)
		}
	}
	for _, p := range of.Params {
		for _, r := range p.Relations {
			if other := of.Param(r.Other); p.Max == nil || other == nil || other.Type != p.Type {
				return fmt.Errorf("catalog: %s.%s: it is at most %q, which is no number of the same type; correct its self-description", of.Name, p.Name, r.Other)
			}
		}
	}
	return nil
}

// Component finds a component by name, or returns nil.
func (c *Catalog) Component(name string) *Component {
	for i := range c.Components {
		if c.Components[i].Name == name {
			return &c.Components[i]
		}
	}
	return nil
}

// Names lists the components of a kind in catalog order; kind "" means all.
func (c *Catalog) Names(kind string) []string {
	var names []string
	for i := range c.Components {
		if kind == "" || c.Components[i].Kind == kind {
			names = append(names, c.Components[i].Name)
		}
	}
	return names
}

// Table finds a trace table by name, or returns nil.
func (c *Catalog) Table(name string) *Table {
	for i := range c.Tables {
		if c.Tables[i].Name == name {
			return &c.Tables[i]
		}
	}
	return nil
}

// TableNames lists the trace tables in catalog order.
func (c *Catalog) TableNames() []string {
	names := make([]string, len(c.Tables))
	for i := range c.Tables {
		names[i] = c.Tables[i].Name
	}
	return names
}

// Param finds a parameter by name, or returns nil.
func (c *Component) Param(name string) *Param {
	for i := range c.Params {
		if c.Params[i].Name == name {
			return &c.Params[i]
		}
	}
	return nil
}

// ParamNames lists the parameters in catalog order.
func (c *Component) ParamNames() []string {
	names := make([]string, len(c.Params))
	for i := range c.Params {
		names[i] = c.Params[i].Name
	}
	return names
}

// Hint is what a message about an unknown name ends in: the nearest known
// name if one is near, and the known names when they are few.
func Hint(name string, known []string) string {
	if len(known) == 0 {
		return "; none is allowed here"
	}
	nearest, distance := "", len(name)/3+2
	for _, k := range known {
		d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(k))
		if strings.HasSuffix(k, "."+name) || strings.HasSuffix(k, "/"+name) {
			d = 1 // the last element of a path, such as settled of figure.settled or fig10 of fncc/fig10
		}
		if d < distance {
			nearest, distance = k, d
		}
	}
	hint := ""
	if nearest != "" {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(known)))
	if len(sorted) <= 16 {
		hint += " (known: " + strings.Join(sorted, ", ") + ")"
	} else if nearest == "" {
		hint = fmt.Sprintf(" (%d are known, %s to %s)", len(sorted), sorted[0], sorted[len(sorted)-1])
	}
	return hint
}
