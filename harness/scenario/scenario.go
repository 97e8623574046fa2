// Package scenario is the engines' input: scenario.json, flows.bin and
// routes.bin, as docs/formats.md defines them. Encoding is deterministic and
// decoding strict; flow lists and routes are streamed, so their length does
// not matter.
package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// Names of the input files in a run directory.
const (
	File       = "scenario.json"
	FlowsFile  = "flows.bin"
	RoutesFile = "routes.bin"
)

const (
	formatName    = "fabriclab-scenario"
	formatVersion = 1
	changeVersion = 2 // of scenarios in which links fail or routes change
)

// Scenario is one simulation: everything an engine needs beside the flow
// list and the routes. Times are in ps, rates in bit/s, sizes in bytes.
type Scenario struct {
	Name                string
	Seed                uint64
	StopPs              int64
	StopWhenFlowsFinish bool
	Nodes               []Node
	Links               []Link
	Components          Components
	Trace               Trace
	// LinkEvents are sorted by time and link. RouteChanges say when the routes
	// of which file hold in place of those before.
	LinkEvents   []LinkEvent
	RouteChanges []RouteChange
}

// LinkEvent takes a link out of service or back.
type LinkEvent struct {
	AtPs int64  `json:"at_ps"`
	Link uint32 `json:"link"`
	Up   bool   `json:"up"`
}

// RouteChange is when all switches change to other routes.
type RouteChange struct {
	AtPs int64  `json:"at_ps"`
	File string `json:"routes_file"`
}

// ChangedRoutesFile is the name of the n-th file of routes (n from 0) that
// hold after a change.
func ChangedRoutesFile(n int) string { return fmt.Sprintf("routes-%d.bin", n+1) }

// document is scenario.json: a Scenario and what is the same in all of them.
type document struct {
	Format              string        `json:"format"`
	Version             int           `json:"version"`
	Name                string        `json:"name"`
	Seed                uint64        `json:"seed"`
	StopPs              int64         `json:"stop_ps"`
	StopWhenFlowsFinish bool          `json:"stop_when_flows_finish"`
	Nodes               []Node        `json:"nodes"`
	Links               []Link        `json:"links"`
	Components          Components    `json:"components"`
	FlowsFile           string        `json:"flows_file"`
	RoutesFile          string        `json:"routes_file"`
	Trace               Trace         `json:"trace"`
	LinkEvents          []LinkEvent   `json:"link_events,omitempty"`
	RouteChanges        []RouteChange `json:"route_changes,omitempty"`
}

// Kinds of nodes.
const (
	Host   = "host"
	Switch = "switch"
)

// Node is a host or a switch.
type Node struct {
	ID       uint32  `json:"id"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	HashSalt *uint32 `json:"hash_salt,omitempty"` // switches only
}

// Link joins two ports, both directions at the same rate and delay.
type Link struct {
	ID      uint32 `json:"id"`
	A       uint32 `json:"a"`
	APort   uint16 `json:"a_port"`
	B       uint32 `json:"b"`
	BPort   uint16 `json:"b_port"`
	RateBps int64  `json:"rate_bps"`
	DelayPs int64  `json:"delay_ps"`
}

// Component is a component in use with all its parameters, as canonical
// values: bool, int64 (ps, bit/s, bytes), float64, string.
type Component struct {
	Type   string         `json:"type"`
	Params map[string]any `json:"params"`
}

// Components are the components at the places where they plug in; Queues is
// indexed by class.
type Components struct {
	Host              Component   `json:"host"`
	Switch            Component   `json:"switch"`
	Port              Component   `json:"port"`
	PathSelector      Component   `json:"path_selector"`
	Queues            []Component `json:"queues"`
	PortAgents        []Component `json:"port_agents"`
	Transport         *Component  `json:"transport,omitempty"` // nil: go_back_n
	CongestionControl Component   `json:"congestion_control"`
	ReceiverAgents    []Component `json:"receiver_agents"`
}

// Trace names the tables to record.
type Trace struct {
	Tables map[string]TableFilter `json:"tables"`
}

// TableFilter narrows what is recorded; the zero value records everything.
type TableFilter struct {
	IntervalPs int64     `json:"interval_ps,omitempty"` // sampled tables only
	Ports      []PortRef `json:"ports,omitempty"`
	Flows      []uint32  `json:"flows,omitempty"`
	Classes    []int     `json:"classes,omitempty"`
	FromPs     int64     `json:"from_ps,omitempty"`
	ToPs       int64     `json:"to_ps,omitempty"` // 0 = to the end
}

// PortRef is a port by node id and port number.
type PortRef struct {
	Node uint32 `json:"node"`
	Port uint16 `json:"port"`
}

// Encode writes the scenario as scenario.json; equal scenarios give equal
// bytes.
func (s *Scenario) Encode() ([]byte, error) {
	d := document{
		Format: formatName, Version: s.version(), LinkEvents: s.LinkEvents, RouteChanges: s.RouteChanges,
		Name: s.Name, Seed: s.Seed, StopPs: s.StopPs, StopWhenFlowsFinish: s.StopWhenFlowsFinish,
		Nodes: s.Nodes, Links: s.Links, Components: s.Components,
		FlowsFile: FlowsFile, RoutesFile: RoutesFile, Trace: s.Trace,
	}
	var buf bytes.Buffer
	encoder := json.NewEncoder(&buf)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(d); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return buf.Bytes(), nil
}

// Decode reads scenario.json and refuses unknown keys. Parameter values come
// back as bool, string or json.Number; encoding them again gives the same
// bytes.
func Decode(data []byte) (*Scenario, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	var d document
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("scenario: %w; it must be a %s file of version %d", err, formatName, formatVersion)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("scenario: more behind the JSON object; write it again")
	}
	if d.Format != formatName || d.Version < formatVersion || d.Version > changeVersion {
		return nil, fmt.Errorf("scenario: format %q version %d, this program reads %q version %d and %d", d.Format, d.Version, formatName, formatVersion, changeVersion)
	}
	if d.FlowsFile != FlowsFile || d.RoutesFile != RoutesFile {
		return nil, fmt.Errorf("scenario: flow list %q and routes %q, run directories have %s and %s", d.FlowsFile, d.RoutesFile, FlowsFile, RoutesFile)
	}
	s := &Scenario{
		Name: d.Name, Seed: d.Seed, StopPs: d.StopPs, StopWhenFlowsFinish: d.StopWhenFlowsFinish,
		Nodes: d.Nodes, Links: d.Links, Components: d.Components, Trace: d.Trace,
		LinkEvents: d.LinkEvents, RouteChanges: d.RouteChanges,
	}
	if d.Version != s.version() {
		return nil, fmt.Errorf("scenario: version %d, but with these link events and route changes it is version %d", d.Version, s.version())
	}
	return s, nil
}

// version is that of scenario.json: programs that know no link events refuse
// those that have some.
func (s *Scenario) version() int {
	if len(s.LinkEvents) > 0 || len(s.RouteChanges) > 0 {
		return changeVersion
	}
	return formatVersion
}

// Hash identifies a scenario by content, leaving out its seed: 16 hexadecimal
// digits over scenario.json and the digests of the flow list, the routes and
// those of every change.
func (s *Scenario) Hash(flows, routes [sha256.Size]byte, changed ...[sha256.Size]byte) (string, error) {
	seedless := *s
	seedless.Seed = 0
	encoded, err := seedless.Encode()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(encoded)
	h.Write(flows[:])
	h.Write(routes[:])
	for _, c := range changed {
		h.Write(c[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Write writes scenario.json, flows.bin, routes.bin and the routes of every
// change into an existing directory.
func (s *Scenario) Write(dir string, flows iter.Seq2[Flow, error], routes iter.Seq[Route], changed ...iter.Seq[Route]) error {
	encoded, err := s.Encode()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, File), encoded, 0o644); err != nil {
		return fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if err := writeFile(filepath.Join(dir, FlowsFile), func(w io.WriteSeeker) error { return WriteFlows(w, flows) }); err != nil {
		return fmt.Errorf("scenario %s: flow list: %w", s.Name, err)
	}
	if err := writeFile(filepath.Join(dir, RoutesFile), func(w io.WriteSeeker) error { return WriteRoutes(w, routes) }); err != nil {
		return fmt.Errorf("scenario %s: routes: %w", s.Name, err)
	}
	if len(changed) != len(s.RouteChanges) {
		return fmt.Errorf("scenario %s: routes change %d times, there are %d sets of routes", s.Name, len(s.RouteChanges), len(changed))
	}
	for i, routes := range changed {
		if err := writeFile(filepath.Join(dir, s.RouteChanges[i].File), func(w io.WriteSeeker) error { return WriteRoutes(w, routes) }); err != nil {
			return fmt.Errorf("scenario %s: routes: %w", s.Name, err)
		}
	}
	return nil
}

func writeFile(path string, write func(io.WriteSeeker) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
