// Package lists fills the docs' tables of topologies, workloads, measures and
// plots from what is registered.
package lists

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/measure"
	"fabriclab/base/catalog"
	"fabriclab/harness/experiment"
	"fabriclab/harness/topology"
)

// block is what stands between the markers of a list.
var block = regexp.MustCompile(`(?s)(<!-- list:([a-z]+) -->\n).*?(<!-- /list -->)`)

var lists = map[string]func() string{
	"topologies": topologies,
	"workloads":  workloads,
	"measures":   measures,
	"plots":      plots,
	"standard":   standard,
}

// Fill puts the lists between a page's markers.
func Fill(page string) (string, error) {
	var err error
	filled := block.ReplaceAllStringFunc(page, func(old string) string {
		parts := block.FindStringSubmatch(old)
		list, known := lists[parts[2]]
		if !known {
			err = fmt.Errorf("there is no list %q%s", parts[2], catalog.Hint(parts[2], slices.Sorted(maps.Keys(lists))))
			return old
		}
		return parts[1] + list() + parts[3]
	})
	return filled, err
}

// table is a Markdown table; the first row is the head.
func table(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}

func code(name string) string { return "`" + name + "`" }

func topologies() string {
	rows := [][]string{{"type", "keys", "names"}}
	for _, k := range topology.Kinds() {
		rows = append(rows, []string{code(k.Name), k.Keys, k.Nodes})
	}
	return table(rows...)
}

func workloads() string {
	rows := [][]string{{"type", "keys", "what happens"}}
	for _, w := range experiment.Workloads() {
		rows = append(rows, []string{code(w.Name), w.Keys, w.Happens})
	}
	return table(rows...)
}

func measures() string {
	rows := [][]string{{"kind", "value", "from", "needs"}}
	for _, name := range measure.Kinds() {
		k := measure.KindOf(name)
		needs := strings.Join(k.Needs, ", ")
		if needs == "" {
			needs = "–"
		}
		from := "any"
		if k.From != nil {
			from = "`" + strings.Join(k.From, "`, `") + "`"
		}
		rows = append(rows, []string{code(name), k.Title, from, needs})
	}
	return table(rows...)
}

// standard are the measures that every run has.
func standard() string {
	rows := [][]string{{"measure", "unit", "better", "value"}}
	for _, m := range measure.Standard() {
		better := "–"
		if m.Better != measure.Neither {
			better = m.Better.String()
		}
		rows = append(rows, []string{code(m.Name), m.Unit, better, m.Help})
	}
	return table(rows...)
}

func plots() string {
	rows := [][]string{{"kind", "shows"}}
	for _, name := range figure.PlotKinds() {
		rows = append(rows, []string{code(name), figure.TitleOf(name)})
	}
	return table(rows...)
}
