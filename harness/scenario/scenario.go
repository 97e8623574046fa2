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
	"slices"
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
	slotVersion   = 3 // of those with a key that version 2 does not have
	rateVersion   = 4 // of those in which links change their rate
)

// Scenario is one simulation: everything an engine needs beside the flow
// list and the routes. Times are in ps, rates in bit/s, sizes in bytes.
type Scenario struct {
	Name                string
	Seed                uint64
	StopPs              int64
	StopWhenFlowsFinish bool
	StopAtDeadlock      bool
	Nodes               []Node
	Links               []Link
	Components          Components
	Sets                []Set
	Trace               Trace
	// HostEvents are sorted by time and node. LinkEvents and RateEvents are sorted by time and link. RouteChanges say
	// when the routes of which file hold instead of those before.
	HostEvents   []HostEvent
	LinkEvents   []LinkEvent
	RateEvents   []RateEvent
	RouteChanges []RouteChange
}

// HostEvent is a host that dies or comes back.
type HostEvent struct {
	AtPs int64  `json:"at_ps"`
	Node uint32 `json:"node"`
	Up   bool   `json:"up"`
}

// LinkEvent takes a link out of service or back.
type LinkEvent struct {
	AtPs int64  `json:"at_ps"`
	Link uint32 `json:"link"`
	Up   bool   `json:"up"`
}

// RateEvent gives a link another rate, in both directions.
type RateEvent struct {
	AtPs    int64  `json:"at_ps"`
	Link    uint32 `json:"link"`
	RateBps int64  `json:"rate_bps"`
}

// RouteChange is when all switches change to other routes.
type RouteChange struct {
	AtPs int64  `json:"at_ps"`
	File string `json:"routes_file"`
}

// ChangedRoutesFile is the name of the n-th file of routes (n from 0) that
// hold after a change.
func ChangedRoutesFile(n int) string { return fmt.Sprintf("routes-%d.bin", n+1) }

// MostThreads are those that a runner takes.
const MostThreads = 64

// document is scenario.json: a Scenario and what is the same in all of them.
type document struct {
	Format              string        `json:"format"`
	Version             int           `json:"version"`
	Name                string        `json:"name"`
	Seed                uint64        `json:"seed"`
	StopPs              int64         `json:"stop_ps"`
	StopWhenFlowsFinish bool          `json:"stop_when_flows_finish"`
	StopAtDeadlock      bool          `json:"stop_at_deadlock,omitempty"`
	Nodes               []Node        `json:"nodes"`
	Links               []Link        `json:"links"`
	Components          Components    `json:"components"`
	Sets                []Set         `json:"sets,omitempty"`
	FlowsFile           string        `json:"flows_file"`
	RoutesFile          string        `json:"routes_file"`
	Trace               Trace         `json:"trace"`
	HostEvents          []HostEvent   `json:"host_events,omitempty"`
	LinkEvents          []LinkEvent   `json:"link_events,omitempty"`
	RateEvents          []RateEvent   `json:"rate_events,omitempty"`
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
		Format: formatName, Version: s.version(), Sets: s.Sets, HostEvents: s.HostEvents, LinkEvents: s.LinkEvents, RateEvents: s.RateEvents, RouteChanges: s.RouteChanges,
		Name: s.Name, Seed: s.Seed, StopPs: s.StopPs, StopWhenFlowsFinish: s.StopWhenFlowsFinish, StopAtDeadlock: s.StopAtDeadlock,
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
		return nil, fmt.Errorf("scenario: %w; it must be a %s file of version %d to %d", err, formatName, formatVersion, rateVersion)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("scenario: more behind the JSON object; write it again")
	}
	if d.Format != formatName || d.Version < formatVersion || d.Version > rateVersion {
		return nil, fmt.Errorf("scenario: format %q version %d, this program reads %q version %d to %d", d.Format, d.Version, formatName, formatVersion, rateVersion)
	}
	if d.FlowsFile != FlowsFile || d.RoutesFile != RoutesFile {
		return nil, fmt.Errorf("scenario: flow list %q and routes %q, run directories have %s and %s", d.FlowsFile, d.RoutesFile, FlowsFile, RoutesFile)
	}
	s := &Scenario{
		Name: d.Name, Seed: d.Seed, StopPs: d.StopPs, StopWhenFlowsFinish: d.StopWhenFlowsFinish, StopAtDeadlock: d.StopAtDeadlock,
		Nodes: d.Nodes, Links: d.Links, Components: d.Components, Sets: d.Sets, Trace: d.Trace,
		HostEvents: d.HostEvents, LinkEvents: d.LinkEvents, RateEvents: d.RateEvents, RouteChanges: d.RouteChanges,
	}
	if d.Version != s.version() {
		return nil, fmt.Errorf("scenario: version %d, but with these events, components and links it is version %d", d.Version, s.version())
	}
	return s, nil
}

// version is the lowest one that has all keys of this scenario, so that older
// scenarios keep their bytes.
func (s *Scenario) version() int {
	switch {
	case len(s.RateEvents) > 0:
		return rateVersion
	case len(s.Sets) > 0 || len(s.HostEvents) > 0 || s.Components.beyond(firstKeys) || s.severalLinks():
		return slotVersion
	case len(s.LinkEvents) > 0 || len(s.RouteChanges) > 0:
		return changeVersion
	}
	return formatVersion
}

// severalLinks says whether a host has more than one link.
func (s *Scenario) severalLinks() bool {
	second := func(node uint32, port uint16) bool {
		return port > 0 && int(node) < len(s.Nodes) && s.Nodes[node].Kind == Host
	}
	return slices.ContainsFunc(s.Links, func(l Link) bool { return second(l.A, l.APort) || second(l.B, l.BPort) })
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
	if err := os.WriteFile(filepath.Join(dir, File), encoded, 0o666); err != nil {
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
