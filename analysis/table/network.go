package table

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/base/file"
	"fabriclab/base/portname"
)

// Network is what analysis needs of a run's scenario (scenario.json).
type Network struct {
	Name   string
	Seed   uint64
	StopPs int64
	// RateBps is the link rate in bit/s by port, `node->neighbour`.
	RateBps map[string]int64
	Classes int64 // of priority
	// EndsWithFlows: the run ends when its flows have finished.
	EndsWithFlows bool
	dir           string
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
		} `json:"nodes"`
		Links []struct {
			A       int   `json:"a"`
			B       int   `json:"b"`
			RateBps int64 `json:"rate_bps"`
		} `json:"links"`
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
	n := &Network{Name: s.Name, Seed: s.Seed, StopPs: s.StopPs, RateBps: map[string]int64{}, Classes: s.Components.Host.Params.Classes, EndsWithFlows: s.Ends, dir: dir}
	var ports portname.Counter
	add := func(from, to int, rate int64) {
		n.RateBps[ports.Next(s.Nodes[from].Name, s.Nodes[to].Name)] = rate
	}
	for _, l := range s.Links {
		if min(l.A, l.B) < 0 || max(l.A, l.B) >= len(s.Nodes) {
			return nil, corrupt(dir, path, fmt.Errorf("a link between nodes %d and %d of %d", l.A, l.B, len(s.Nodes)))
		}
		add(l.A, l.B, l.RateBps)
		add(l.B, l.A, l.RateBps)
	}
	return n, nil
}

// DataClass is the class of data packets where the flows say nothing else: 1,
// or 0 if there is only one.
func (n *Network) DataClass() (int64, error) {
	if n.Classes < 1 {
		return 0, fmt.Errorf("run %s: its scenario does not say how many classes there are; it was written by another version, run the experiment again", n.dir)
	}
	return min(1, n.Classes-1), nil
}

// AccessRate is what the links of a host carry together in one direction, in
// bit/s.
func (n *Network) AccessRate(host string) (int64, error) {
	var sum int64
	for port, rate := range n.RateBps {
		if from, _, _ := strings.Cut(port, "->"); from == host {
			sum += rate
		}
	}
	if sum == 0 {
		return 0, fmt.Errorf("the flows have no one receiver, of whose link this is a share; %q is no host", host)
	}
	return sum, nil
}

// Rate is the link rate of a port in bit/s.
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
