package plan

import (
	"slices"
	"sync"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/catalog"
	"fabriclab/harness/experiment"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/trace"
)

// parityScale is a scale at which engines are compared and no claims judged; it
// may be shorter than the figure's windows.
const parityScale = "parity"

// known is what is known of an experiment before it runs. Where something else is
// wrong points are missing, so nothing is said of them.
func known(e *experiment.Experiment, c *catalog.Catalog, broken, narrowed bool) spec.Known {
	k := spec.Known{Scale: e.Scale, Tables: storedTables(c), Add: additions(c), Narrowed: narrowed || e.Scale == parityScale}
	if broken {
		return k
	}
	for _, p := range e.Points {
		k.Setups = append(k.Setups, setupOf(p))
	}
	if narrowed { // the section may name what the matrix no longer has
		return k
	}
	matrix := claims.Matrix{}
	for _, p := range e.Points {
		for _, l := range p.Labels {
			if !slices.Contains(matrix[l.Path], l.Value) {
				matrix[l.Path] = append(matrix[l.Path], l.Value)
			}
		}
	}
	k.Matrix = matrix
	return k
}

// additions are what to write below trace to have each table.
func additions(c *catalog.Catalog) map[string]string {
	add := map[string]string{}
	for _, t := range c.Tables {
		add[t.Name] = t.Name + ": {}"
		if t.Sampled {
			add[t.Name] = t.Name + ": {interval: 1us}"
		}
	}
	for _, t := range experiment.OracleTables() {
		add[t.Name] = t.Name + ": {}"
	}
	return add
}

// setupOf is what is known of a point's runs.
func setupOf(p *experiment.Point) spec.Setup {
	s := spec.Setup{Labels: LabelsOf(p), Tables: map[string]spec.Recorded{}}
	if p.Model != nil {
		for _, t := range p.Writes {
			s.Tables[t.Name] = spec.Recorded{}
		}
		return s
	}
	for name, filter := range p.Scenario.Trace.Tables {
		s.Tables[name] = recorded(p.Topology, filter)
	}
	for _, t := range p.Oracle {
		s.Tables[t.Table] = spec.Recorded{}
	}
	if w, loaded := p.LoadWindow(); loaded {
		if !w.Partial {
			s.Tables[trace.LoadTable.Name] = spec.Recorded{}
		}
		s.Judged = series.Window{From: w.FromPs, To: w.ToPs}
	}
	s.Classes, s.EndPs, s.Ends = p.Classes(), p.Scenario.StopPs, "run.stop"
	if p.WindowEnd() > 0 && p.WindowEnd() < p.Scenario.StopPs {
		s.Ends = "run.measure or run.drain"
	}
	s.Flows = p.Flows.Names()
	for _, class := range p.FlowClasses {
		s.FlowClasses = append(s.FlowClasses, int64(class))
	}
	s.FlowCount = int64(len(s.Flows))
	s.Port = func(name string) error {
		_, err := p.Topology.Port(name)
		return err
	}
	s.Ports = sync.OnceValue(func() []string {
		refs, _ := p.Topology.Ports("*") // without ports nothing matches
		return portNames(p.Topology, refs)
	})
	s.SwitchPorts = sync.OnceValue(func() []string {
		refs, _ := p.Topology.Ports("*")
		return portNames(p.Topology, slices.DeleteFunc(refs, func(r scenario.PortRef) bool {
			return p.Topology.Nodes[r.Node].Kind == scenario.Host
		}))
	})
	return s
}

// recorded says of what a table has rows.
func recorded(t *topology.Topology, filter scenario.TableFilter) spec.Recorded {
	r := spec.Recorded{
		IntervalPs: filter.IntervalPs, FromPs: filter.FromPs, ToPs: filter.ToPs,
		Ports: portNames(t, filter.Ports),
	}
	for _, id := range filter.Flows {
		r.Flows = append(r.Flows, int64(id))
	}
	for _, class := range filter.Classes {
		r.Classes = append(r.Classes, int64(class))
	}
	return r
}

func portNames(t *topology.Topology, refs []scenario.PortRef) (names []string) {
	for _, ref := range refs {
		names = append(names, t.PortName(ref))
	}
	return names
}
