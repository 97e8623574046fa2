package catalog

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Markdown describes a component for its page under docs/: a table of its
// parameters and, if it has any, what it adds to packets and its own trace
// tables.
func (c *Catalog) Markdown(m *Component) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` (%s): %s.\n", m.Name, Words(m.Kind), strings.TrimSuffix(m.Title, "."))
	if len(m.Params) == 0 {
		b.WriteString("It has no parameters.\n")
	} else {
		b.WriteString("\n| parameter | default | allowed | live | meaning | source |\n| --- | --- | --- | --- | --- | --- |\n")
	}
	for i := range m.Params {
		p := &m.Params[i]
		live := "no"
		if p.Live {
			live = "yes"
		}
		fmt.Fprintf(&b, "| `%s.%s` | %s | %s | %s | %s | %s |\n", m.Name, p.Name,
			p.Format(p.Default), p.Allowed(), live, cell(p.Help), cell(p.Source))
	}
	if len(m.Needs) > 0 || len(m.NeedsWhile) > 0 || len(m.Extensions) > 0 {
		b.WriteString("\n")
	}
	if len(m.Needs) > 0 {
		needs := make([]string, len(m.Needs))
		for i, need := range m.Needs {
			needs[i] = c.Needed(need, "`")
		}
		fmt.Fprintf(&b, "- Needs %s; a network without is refused.\n", strings.Join(needs, ", "))
	}
	for _, n := range m.NeedsWhile {
		fmt.Fprintf(&b, "- Needs %s while `%s.%s` is %s; a network without is refused.\n", c.Needed(n.What, "`"), m.Name, n.Param, n.Value)
	}
	for _, x := range m.Extensions {
		fmt.Fprintf(&b, "- Adds to packets: `%s`, on the wire %s; %d B of memory per packet.\n", x.Name, x.Wire, x.MemoryBytes)
	}
	for _, name := range m.Tables {
		if t := c.Table(name); t != nil {
			b.WriteString("\n" + t.Markdown())
		}
	}
	return b.String()
}

// Needed is what a component needs in words: another one, its name between
// quotes, or any of a kind.
func (c *Catalog) Needed(need, quote string) string {
	component := c.Component(need)
	if component == nil {
		return "a " + Words(need)
	}
	return "the " + Words(component.Kind) + " " + quote + need + quote
}

// Markdown describes a trace table and its columns.
func (t *Table) Markdown() string {
	var b strings.Builder
	sampled := ""
	if t.Sampled {
		sampled = "; sampled, takes an `interval`"
	}
	fmt.Fprintf(&b, "Trace table `%s`: %s%s.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n", t.Name, t.Title, sampled)
	for _, column := range t.Columns {
		help := column.Help
		if len(column.Labels) > 0 {
			help += ": " + strings.Join(column.Labels, ", ")
		}
		kind := column.Type
		if column.Ref != "" || len(column.Labels) > 0 {
			kind = "string" // as it stands in the Parquet file
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", column.Name, kind, column.Unit, cell(help))
	}
	return b.String()
}

// Allowed is the range in a few characters; bounds that only keep a type's
// arithmetic safe are left out.
func (p *Param) Allowed() string {
	if p.Type == TypeBool {
		return "true, false"
	}
	if len(p.Choices) > 0 {
		return strings.Join(p.Choices, ", ")
	}
	if p.IsList() {
		axes := make([]string, len(p.Axes))
		for i := range p.Axes {
			a := &p.Axes[i]
			axes[i] = a.Name + ": " + a.param().Allowed()
			if a.Increasing {
				axes[i] += ", increasing"
			}
		}
		return fmt.Sprintf("%d to %d entries, each %s", p.MinEntries, p.MaxEntries, strings.Join(axes, "; "))
	}
	low, high := bounded(p.Min), bounded(p.Max)
	switch {
	case low && high:
		return p.Format(p.Min) + " to " + p.Format(p.Max)
	case low:
		return "≥ " + p.Format(p.Min)
	case high:
		return "≤ " + p.Format(p.Max)
	}
	return "any"
}

// bounded says whether a bound is one that somebody chose for the parameter.
func bounded(v any) bool {
	const (
		exact   = int64(1) << 53                             // integers that every JSON reader keeps
		longest = int64(100) * 24 * 3600 * 1_000_000_000_000 // 100 days in ps
	)
	switch v := v.(type) {
	case int64:
		return v != exact && v != longest
	case float64:
		return math.Abs(v) != math.MaxFloat64
	}
	return false
}

// SlotsMarkdown lists the slots and what may stand there.
func (c *Catalog) SlotsMarkdown() string {
	var b strings.Builder
	b.WriteString("| key | kind | there is | default | meaning | mechanisms |\n| --- | --- | --- | --- | --- | --- |\n")
	for i := range c.Slots {
		s := &c.Slots[i]
		standing := "none"
		if s.Default != "" {
			standing = "`" + s.Default + "`"
		}
		names := "none yet"
		if known := c.Names(s.Kind); len(known) > 0 {
			names = "`" + strings.Join(known, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Key, Words(s.Kind), s.Place(), standing, cell(s.Help), names)
	}
	return b.String()
}

// cell makes text fit a cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

var block = regexp.MustCompile(`(?s)(<!-- (params|table|slots)(?::([a-z0-9_]+))? -->\n).*?(<!-- /(?:params|table|slots) -->)`)

// FillMarkdown renews the generated blocks of a page: what stands between
// <!-- params:NAME --> and <!-- /params --> describes the component of that
// name, what stands between <!-- table:NAME --> and <!-- /table --> the trace
// table, and what stands between <!-- slots --> and <!-- /slots --> the slots.
func (c *Catalog) FillMarkdown(page string) (string, error) {
	var err error
	filled := block.ReplaceAllStringFunc(page, func(old string) string {
		parts := block.FindStringSubmatch(old)
		kind, name := parts[2], parts[3]
		if kind == "slots" {
			return parts[1] + c.SlotsMarkdown() + parts[4]
		}
		if kind == "table" {
			if t := c.Table(name); t != nil {
				return parts[1] + t.Markdown() + parts[4]
			}
			err = fmt.Errorf("there is no trace table %q%s", name, Hint(name, c.TableNames()))
			return old
		}
		if m := c.Component(name); m != nil {
			return parts[1] + c.Markdown(m) + parts[4]
		}
		err = fmt.Errorf("there is no component %q%s", name, Hint(name, c.Names("")))
		return old
	})
	return filled, err
}
