package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/base/portname"
)

// Network is what analysis needs of a run's scenario (scenario.json).
type Network struct {
	Name   string
	Seed   uint64
	StopPs int64
	// RateBps is the link rate in bit/s by port, `node->neighbour`, at the
	// start.
	RateBps map[string]int64
	Classes int64 // of priority
	// EndsWithFlows: the run ends when its flows have finished.
	EndsWithFlows bool
	Recorded      map[string]series.Recorded // by table, of those of the simulator
	dir           string
	ports         map[string][]string // by node
	hosts         map[string]bool
	changes       map[string][]rateChange // by port, by time
}

type rateChange struct{ at, bps int64 }

type portRef struct {
	Node int `json:"node"`
	Port int `json:"port"`
}

// ReadNetwork reads the scenario of the run in dir.
func ReadNetwork(dir string) (*Network, error) {
	path := filepath.Join(dir, "scenario.json")
	data, err := file.Read(path)
	if err != nil {
		return nil, fmt.Errorf("run %s: reading its scenario: %w", dir, err)
	}
	var s struct {
		Name   string `json:"name"`
		Seed   uint64 `json:"seed"`
		StopPs int64  `json:"stop_ps"`
		Ends   bool   `json:"stop_when_flows_finish"`
		Nodes  []struct {
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"nodes"`
		Links []struct {
			A       int   `json:"a"`
			APort   int   `json:"a_port"`
			B       int   `json:"b"`
			BPort   int   `json:"b_port"`
			RateBps int64 `json:"rate_bps"`
		} `json:"links"`
		Trace struct {
			Tables map[string]struct {
				series.Recorded
				Ports []portRef `json:"ports"`
			} `json:"tables"`
		} `json:"trace"`
		RateEvents []struct {
			AtPs    int64 `json:"at_ps"`
			Link    int   `json:"link"`
			RateBps int64 `json:"rate_bps"`
		} `json:"rate_events"`
		Components struct {
			Host struct {
				Params struct {
					Classes int64 `json:"classes"`
				} `json:"params"`
			} `json:"host"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, corrupt(dir, path, err)
	}
	n := &Network{Name: s.Name, Seed: s.Seed, StopPs: s.StopPs, RateBps: map[string]int64{}, Classes: s.Components.Host.Params.Classes, EndsWithFlows: s.Ends, Recorded: map[string]series.Recorded{}, dir: dir, ports: map[string][]string{}, hosts: map[string]bool{}, changes: map[string][]rateChange{}}
	var ports portname.Counter
	var ends [][2]string // by link
	names := map[portRef]string{}
	add := func(from, to int, rate int64) string {
		port := ports.Next(s.Nodes[from].Name, s.Nodes[to].Name)
		n.RateBps[port] = rate
		n.ports[s.Nodes[from].Name] = append(n.ports[s.Nodes[from].Name], port)
		return port
	}
	for _, l := range s.Links {
		if min(l.A, l.B) < 0 || max(l.A, l.B) >= len(s.Nodes) {
			return nil, corrupt(dir, path, fmt.Errorf("a link between nodes %d and %d of %d", l.A, l.B, len(s.Nodes)))
		}
		there, back := add(l.A, l.B, l.RateBps), add(l.B, l.A, l.RateBps)
		ends = append(ends, [2]string{there, back})
		names[portRef{l.A, l.APort}], names[portRef{l.B, l.BPort}] = there, back
	}
	for _, node := range s.Nodes {
		n.hosts[node.Name] = node.Kind == "host"
	}
	for name, filter := range s.Trace.Tables {
		for _, ref := range filter.Ports {
			filter.Recorded.Ports = append(filter.Recorded.Ports, names[ref])
		}
		n.Recorded[name] = filter.Recorded
	}
	for _, e := range s.RateEvents {
		if e.Link < 0 || e.Link >= len(ends) {
			return nil, corrupt(dir, path, fmt.Errorf("link %d of %d changes its rate", e.Link, len(ends)))
		}
		for _, port := range ends[e.Link] {
			n.changes[port] = append(n.changes[port], rateChange{e.AtPs, e.RateBps})
		}
	}
	return n, nil
}

// DataClass is the class of the data packets: that of the flow list, which has to be one.
// Without a list it is 1, or 0 if there is only one.
func (n *Network) DataClass() (int64, error) {
	if n.Classes < 1 {
		return 0, fmt.Errorf("run %s: its scenario does not say how many classes there are; it was written by another version, run the experiment again", n.dir)
	}
	found := []int64{}
	columns := append(Ints("class"), Column{"src", String}, Column{"dst", String})
	err := Scan(n.dir, "flow-list", columns, func(r *Rows) error {
		for i := range r.N {
			if class := r.Int(0, i); !slices.Contains(found, class) && r.String(1, i) != r.String(2, i) { // a task sends nothing
				found = append(found, class)
			}
		}
		return nil
	})
	slices.Sort(found)
	switch {
	case err != nil && !errors.Is(err, ErrMissing):
		return 0, err
	case len(found) > 1:
		return 0, fmt.Errorf("run %s: %w", n.dir, SeveralClasses(found))
	case len(found) == 1:
		return found[0], nil
	}
	return min(1, n.Classes-1), nil
}

// SeveralClasses says that data is no class of runs whose flows are of these ones.
func SeveralClasses(classes []int64) error {
	return fmt.Errorf("the flows are of the classes %s; write one of them instead of data", strings.Trim(fmt.Sprint(classes), "[]"))
}

// CheckNode says whether there is a node of that name.
func (n *Network) CheckNode(name string) error {
	if len(n.ports[name]) > 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(n.ports))
	return fmt.Errorf("run %s has no node %q%s", n.dir, name, catalog.Hint(name, names))
}

// Ports are the names of all ports.
func (n *Network) Ports() []string { return slices.Sorted(maps.Keys(n.RateBps)) }

// SwitchPorts are the names of the switches' ports.
func (n *Network) SwitchPorts() (names []string) {
	for node, ports := range n.ports {
		if !n.hosts[node] {
			names = append(names, ports...)
		}
	}
	slices.Sort(names)
	return names
}

// AccessRate is what the links of a host can carry together in one direction,
// in bit/s: the mean over a time.
func (n *Network) AccessRate(host string, fromPs, toPs int64) (float64, error) {
	return n.access(host, func(port string) (float64, error) { return n.MeanRate(port, fromPs, toPs) })
}

// SteadyAccessRate is the same for all the run; it is an error if it changes.
func (n *Network) SteadyAccessRate(host string) (float64, error) {
	return n.access(host, func(port string) (float64, error) {
		rate, err := n.SteadyRate(port)
		return float64(rate), err
	})
}

func (n *Network) access(host string, rate func(port string) (float64, error)) (float64, error) {
	sum := 0.
	for _, port := range n.ports[host] {
		bps, err := rate(port)
		if err != nil {
			return 0, err
		}
		sum += bps
	}
	if sum == 0 {
		return 0, fmt.Errorf("the flows have no one receiver, of whose link this is a share; %q is no host", host)
	}
	return sum, nil
}

// MeanRate is the link rate of a port over a time, in bit/s.
func (n *Network) MeanRate(port string, fromPs, toPs int64) (float64, error) {
	rate, err := n.Rate(port)
	if err != nil {
		return 0, err
	}
	changes := n.changes[port]
	if len(changes) == 0 || toPs <= fromPs {
		return float64(rate), nil
	}
	sum, since := 0., fromPs // bit/s times ps
	for _, c := range changes {
		if at := min(c.at, toPs); at > since {
			sum += float64(float64(rate) * float64(at-since))
			since = at
		}
		rate = c.bps
	}
	return (sum + float64(float64(rate)*float64(toPs-since))) / float64(toPs-fromPs), nil
}

// SteadyRate is the link rate of a port in bit/s; it is an error if it changes.
func (n *Network) SteadyRate(port string) (int64, error) {
	if len(n.changes[port]) > 0 {
		return 0, fmt.Errorf("run %s: the link of %s changes its rate during the run, and this needs one rate; take another port, or the kind utilisation or throughput", n.dir, port)
	}
	return n.Rate(port)
}

// Rate is the link rate of a port in bit/s at the start.
func (n *Network) Rate(port string) (int64, error) {
	if rate, ok := n.RateBps[port]; ok {
		return rate, nil
	}
	ports := make([]string, 0, len(n.RateBps))
	for p := range n.RateBps {
		ports = append(ports, p)
	}
	slices.Sort(ports)
	if len(ports) > 12 {
		ports = append(ports[:12], "…")
	}
	return 0, fmt.Errorf("run %s has no port %q; it has %s", n.dir, port, strings.Join(ports, ", "))
}
