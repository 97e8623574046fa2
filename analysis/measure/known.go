package measure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/spec"
	"fabriclab/analysis/table"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
)

// CheckTables says which of the tables no run of the figure will have.
func CheckTables(s *reader.Section, f *spec.Figure, tables []string) {
	check(s, f, spec.Measure{Kind: s.Of}, tables)
}

// check says why a measure, or what a line of a plot shows, cannot be taken in any
// of the figure's runs. It is taken of these tables, written as table or
// table.column. A dimension that chooses ports is checked for each of its values.
func check(s *reader.Section, f *spec.Figure, m spec.Measure, from []string) {
	var groups []string
	first, late, some := map[string]error{}, map[string]error{}, map[string]bool{}
	for _, setup := range f.Setups {
		group, err := m.PortOf(f.Values(spec.Run{Labels: setup.Labels}))
		if err != nil {
			group = "" // needs none, or a measure of some points
		}
		if m.PortBy != nil && group == "" {
			continue
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		fault := missing(f, m, group, from, setup)
		if fault == nil {
			some[group] = true
			tell(s, f, short(f, m, from, setup)) // the value would not show it
		} else if first[group] == nil {
			first[group], late[group] = fault, short(f, m, from, setup)
		}
	}
	for _, group := range groups {
		if !some[group] {
			tell(s, f, first[group])
			tell(s, f, late[group])
		}
	}
}

// tell reports what is wrong, as a warning where a flag has changed the experiment.
func tell(s *reader.Section, f *spec.Figure, err error) {
	if err == nil {
		return
	}
	if !f.Narrowed {
		s.Fail(err)
		return
	}
	if text := s.Failure(err); !slices.Contains(f.Warnings, text) {
		f.Warnings = append(f.Warnings, text)
	}
}

// missing says what a point's runs lack for a measure: a table, or in it the port,
// the class or the flows.
func missing(f *spec.Figure, m spec.Measure, port string, from []string, setup spec.Setup) error {
	if m.Class != nil && *m.Class == spec.Data && setup.Classes > 0 && len(setup.FlowClasses) > 1 {
		return reader.At("class", table.SeveralClasses(setup.FlowClasses))
	}
	if class, has := classIn(m, setup); has && setup.Classes > 0 && class >= int64(setup.Classes) {
		return reader.At("class", fmt.Errorf("there is no class %d in these runs; write %s, or data, the class of the data packets", class, classes(setup.Classes)))
	}
	if port != "" && setup.Port != nil {
		if err := setup.Port(port); err != nil {
			return reader.At(portKey(m), err)
		}
	}
	if setup.Tables == nil {
		return nil
	}
	for _, table := range tablesOf(from) {
		recorded, has := setup.Tables[table]
		if !has {
			return reader.At("kind", fmt.Errorf("%s is taken from the table %s, which these runs do not have; %s", m.Kind, table, toHave(f, table)))
		}
		for _, pattern := range m.Ports {
			if !anyPort(pattern, recorded, setup) {
				return reader.At("ports", fmt.Errorf("trace.%s.ports has no port that matches %s; add it there", table, pattern))
			}
		}
		if names, _ := portsOf(m, port, table, setup); m.Ports != nil && setup.Ports != nil && len(names) < KindOf(m.Kind).Ports {
			return reader.At("ports", fmt.Errorf("%s needs %d ports or more, and %s is %s", m.Kind, KindOf(m.Kind).Ports, strings.Join(m.Ports, ", "), strings.Join(names, ", ")))
		}
		if err := leftOut(m, port, table, setup); err != nil {
			return err
		}
	}
	return nil
}

// tablesOf are the tables of what is written as table or table.column.
func tablesOf(from []string) []string {
	var names []string
	for _, text := range from {
		name, _, _ := strings.Cut(text, ".")
		names = append(names, name)
	}
	return names
}

// toHave is how runs come to have a table.
func toHave(f *spec.Figure, table string) string {
	if add := f.Add[table]; add != "" {
		return "write trace: {" + add + "}"
	}
	if table == "load" {
		return "it is there where the workload asks for a load and trace.flows is {}"
	}
	return "take another kind"
}

func classes(n int) string {
	if n == 1 {
		return "0"
	}
	return fmt.Sprintf("0 to %d", n-1)
}

func portKey(m spec.Measure) string {
	if m.PortBy != nil {
		return "port_by"
	}
	return "port"
}

// anyPort says whether a port that is recorded matches a pattern.
func anyPort(pattern string, recorded spec.Recorded, setup spec.Setup) bool {
	ports := recorded.Ports
	if ports == nil && setup.Ports != nil {
		ports = setup.Ports()
	}
	return ports == nil || slices.ContainsFunc(ports, func(port string) bool { return portMatches(pattern, port) })
}

func orNone(id *int64) []int64 {
	if id == nil {
		return nil
	}
	return []int64{*id}
}

// flowID is the id of a flow that is named by its id or, where the flows of all
// points have names, by its name.
func flowID(f *spec.Figure, text string) (int64, error) {
	if id, err := strconv.ParseInt(text, 10, 64); err == nil {
		if id < 0 {
			return 0, errors.New("a flow's id is its position in the flow list, from 0")
		}
		return id, nil
	}
	if len(f.Setups) == 0 { // not known; whoever takes the measure knows
		return 0, nil
	}
	found := -1
	for i, setup := range f.Setups {
		id := slices.Index(setup.Flows, text)
		switch {
		case id < 0 && setup.Flows == nil:
			return 0, fmt.Errorf("%q is no id of a flow, and these flows have no names; write its position in the flow list, from 0", text)
		case id < 0:
			return 0, fmt.Errorf("there is no flow %q%s", text, catalog.Hint(text, setup.Flows))
		case i > 0 && id != found:
			return 0, fmt.Errorf("the flow %q is number %d at one point and %d at another; write the number", text, found, id)
		}
		found = id
	}
	return int64(found), nil
}
