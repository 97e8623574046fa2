package experiment

import (
	"fmt"
	"slices"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// thresholds are the parameters of queues, port agents and path selectors that
// are lengths of a queue at which something happens, by the names that they have
// everywhere.
var thresholds = []string{"kmin", "kmax", "threshold", "min_bytes", "q_ref", "q_max"}

// checkThresholds refuses a length that no queue can have: it drops before, at
// its limit or where the switch's buffer is full.
func (l *loader) checkThresholds(e Effective, common scenario.Components, sets []scenario.Set, t *topology.Topology, frame int64) {
	set := make([]int, len(t.Nodes)) // by node, from 1 on
	for i, s := range sets {
		for _, id := range s.Nodes {
			set[id] = i + 1
		}
	}
	at := func(node uint32, key string) scenario.Place {
		if set[node] > 0 {
			if place, differs := sets[set[node]-1].Components[key]; differs {
				return place
			}
		}
		return common[key]
	}
	type alike struct {
		kind string
		set  int
		rate int64
	}
	seen, told := map[alike]bool{}, map[string]bool{}
	check := func(node uint32, link scenario.Link) {
		_, rate := t.Rates(link.ID)
		key := alike{string(t.Nodes[node].Kind), set[node], rate}
		if seen[key] {
			return
		}
		seen[key] = true
		room, what := int64(0), ""
		queues, others := at(node, "nic_queues"), []scenario.Place{at(node, "nic_agents")}
		if t.Nodes[node].Kind == scenario.Switch {
			room, _ = at(node, "switch").One.Params["buffer"].(int64)
			what = "switch.buffer is " + units.FormatBytes(room)
			queues, others = at(node, "queues"), []scenario.Place{at(node, "port_agents"), at(node, "path_selector")}
		}
		longest := int64(0) // what the largest of the queues holds
		for _, q := range queues.List {
			most, why := room, what
			if limit, _ := q.Params["limit"].(int64); limit > 0 && (most == 0 || limit < most) {
				most, why = limit, q.Type+".limit is "+units.FormatBytes(limit)
			}
			if longest >= 0 && most > 0 {
				longest = max(longest, most)
			} else {
				longest = -1
			}
			l.reaches(e, told, q, rate, most-frame, most > 0, why)
		}
		for _, place := range others {
			list := place.List
			if place.One != nil {
				list = append(slices.Clone(list), *place.One)
			}
			for _, one := range list {
				l.reaches(e, told, one, rate, longest-frame, longest > 0, "no queue there holds more than "+units.FormatBytes(max(0, longest)))
			}
		}
	}
	for _, link := range t.Links {
		check(link.A, link)
		check(link.B, link)
	}
}

// reaches refuses thresholds of a component at a port of a rate that are not
// below most.
func (l *loader) reaches(e Effective, told map[string]bool, c scenario.Component, rate, most int64, bounded bool, why string) {
	if !bounded {
		return
	}
	for _, name := range thresholds {
		value, is := c.Params[name].(int64)
		scaled := scaledTo(c, value, rate)
		if !is || value == 0 || scaled < most || told[c.Type+name+why] {
			continue
		}
		told[c.Type+name+why] = true
		text := fmt.Sprintf("%s.%s is %s", c.Type, name, units.FormatBytes(value))
		if scaled != value {
			text += fmt.Sprintf(", which is %s at ports of %s", units.FormatBytes(scaled), units.FormatRate(rate))
		}
		text += fmt.Sprintf(", and %s: packets are dropped before a queue is so long; make it smaller, or the queue larger", why)
		k := slices.IndexFunc(e, func(s Setting) bool { return s.Component == c.Type && s.Param == name && s.canonical == value })
		if k < 0 {
			l.report(Problem{l.file, text})
			continue
		}
		l.refuse(&e[k], "%s", text)
	}
}

// scaledTo is a threshold at a port of a rate: in proportion to per_rate, from
// scale_from to scale_to, or to 100 Gb/s with scale.
func scaledTo(c scenario.Component, value, rate int64) int64 {
	of := func(param string) int64 {
		n, _ := c.Params[param].(int64)
		return n
	}
	per := of("per_rate")
	if scales, _ := c.Params["scale"].(bool); scales {
		per = 100e9
	}
	if per == 0 {
		return value
	}
	rate = max(rate, of("scale_from"))
	if to := of("scale_to"); to > 0 {
		rate = min(rate, to)
	}
	return int64(float64(value) * float64(rate) / float64(per))
}
