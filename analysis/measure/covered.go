package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

// whole is what a measure that names none of it takes of a table: all ports, flows or
// classes. The kind table takes the rows there are.
var whole = map[string][]string{
	"flows":    {"flows"},
	"arrivals": {"flows"},
	"packets":  {"flows", "classes"},
	"drops":    {"ports", "flows", "classes"},
}

// ofSwitches are the tables that have only ports of switches where the trace names none.
var ofSwitches = []string{"queues", "links"}

// leftOut says what of the ports, flows and classes that a measure is over has no rows
// in a table, which would give another value without a word.
func leftOut(m spec.Measure, port, table string, setup spec.Setup) error {
	recorded := setup.Tables[table]
	all := func(what string) bool { return m.Table == "" && slices.Contains(whole[table], what) }
	if err := portsLeftOut(m, port, table, recorded, setup); err != nil {
		return err
	}
	for _, key := range []string{"flow", "flows", "where"} {
		for _, id := range flowsOf(m, key) {
			if key != "where" && setup.Flows != nil && id >= int64(len(setup.Flows)) {
				return reader.At(key, fmt.Errorf("there is no flow %d; the flows are 0 to %d, in the order of the flow list", id, len(setup.Flows)-1))
			}
			if recorded.Flows != nil && !slices.Contains(recorded.Flows, id) {
				return reader.At(key, fmt.Errorf("trace.%s.flows leaves flow %d out; add it there", table, id))
			}
		}
	}
	if all("flows") && m.Flow == nil && m.Flows == nil && !hasAll(recorded.Flows, setup.FlowCount) {
		return notWhole(m, table, "flows")
	}
	class, has := classIn(m, setup)
	if has && recorded.Classes != nil && !slices.Contains(recorded.Classes, class) {
		return reader.At("class", fmt.Errorf("trace.%s.classes leaves class %d out; add it there", table, class))
	}
	for _, class := range numbers(m, "class") {
		if recorded.Classes != nil && !slices.Contains(recorded.Classes, class) {
			return reader.At("where", fmt.Errorf("trace.%s.classes leaves class %d out; add it there", table, class))
		}
	}
	if all("classes") && !has && !hasAll(recorded.Classes, int64(setup.Classes)) {
		return notWhole(m, table, "classes")
	}
	return nil
}

// notWhole is about a table that has not all of what a measure is over.
func notWhole(m spec.Measure, table, what string) error {
	return reader.At("kind", fmt.Errorf("trace.%s.%s leaves %s out, and %s is of all; leave that key out, or take the kind table, which is of the rows there are", table, what, what, m.Kind))
}

// hasAll says whether all numbers from 0 to below n are there; n is 0 where it is not
// known. Nil has all.
func hasAll(have []int64, n int64) bool {
	if have == nil {
		return true
	}
	for i := range n {
		if !slices.Contains(have, i) {
			return false
		}
	}
	return n > 0
}

func portsLeftOut(m spec.Measure, port, table string, recorded series.Recorded, setup spec.Setup) error {
	have := recorded.Ports
	if have == nil && slices.Contains(ofSwitches, table) && setup.SwitchPorts != nil {
		have = setup.SwitchPorts()
	}
	if have == nil {
		return nil
	}
	names, key := portsOf(m, port, table, setup)
	there := map[string]bool{}
	for _, name := range have {
		there[name] = true
	}
	for _, name := range names {
		switch {
		case there[name]:
		case key == "kind":
			return notWhole(m, table, "ports")
		case recorded.Ports == nil:
			return reader.At(key, fmt.Errorf("the table %s has ports of hosts only where trace.%s.ports names them; write %s there", table, table, name))
		default:
			return reader.At(key, fmt.Errorf("trace.%s.ports leaves %s out; add it there", table, name))
		}
	}
	return nil
}

// portsOf are the ports of a table that a measure is over, and the key that says so.
func portsOf(m spec.Measure, port, table string, setup spec.Setup) (names []string, key string) {
	var wants func(name string) bool
	switch {
	case port != "":
		return []string{port}, portKey(m)
	case m.Table != "":
		if link := m.Where["link"]; link.Sign == "" {
			names = slices.DeleteFunc(slices.Clone(link.Values), func(text string) bool { return strings.ContainsAny(text, "*?[\\") })
		}
		return names, "where"
	case m.Ports != nil:
		key, wants = "ports", func(name string) bool {
			return slices.ContainsFunc(m.Ports, func(pattern string) bool { return portMatches(pattern, name) })
		}
	case table == "pauses":
		key, wants = "node", func(name string) bool { return strings.HasPrefix(name, m.Node+"->") }
	case slices.Contains(whole[table], "ports"):
		key, wants = "kind", func(string) bool { return true }
	}
	if wants == nil || setup.Ports == nil {
		return nil, key
	}
	return slices.DeleteFunc(slices.Clone(setup.Ports()), func(name string) bool { return !wants(name) }), key
}

// flowsOf are the flows that a key of a measure names.
func flowsOf(m spec.Measure, key string) []int64 {
	switch key {
	case "flow":
		return orNone(m.Flow)
	case "flows":
		return m.Flows
	}
	return numbers(m, "flow")
}

// numbers are those that a column has to be one of.
func numbers(m spec.Measure, column string) (list []int64) {
	if condition := m.Where[column]; condition.Sign == "" {
		for _, text := range condition.Values {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil { // else reading it says so
				list = append(list, n)
			}
		}
	}
	return list
}

// classIn is the class that a measure names, in these runs.
func classIn(m spec.Measure, setup spec.Setup) (class int64, has bool) {
	switch {
	case m.Class == nil:
		return 0, false
	case *m.Class != spec.Data:
		return int64(*m.Class), true
	case len(setup.FlowClasses) == 1:
		return setup.FlowClasses[0], true
	}
	return max(0, min(1, int64(setup.Classes)-1)), true
}
