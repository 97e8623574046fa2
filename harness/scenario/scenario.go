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
}

// document is scenario.json: a Scenario and what is the same in all of them.
type document struct {
	Format              string     `json:"format"`
	Version             int        `json:"version"`
	Name                string     `json:"name"`
	Seed                uint64     `json:"seed"`
	StopPs              int64      `json:"stop_ps"`
	StopWhenFlowsFinish bool       `json:"stop_when_flows_finish"`
	Nodes               []Node     `json:"nodes"`
	Links               []Link     `json:"links"`
	Components          Components `json:"components"`
	FlowsFile           string     `json:"flows_file"`
	RoutesFile          string     `json:"routes_file"`
	Trace               Trace      `json:"trace"`
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
		Format: formatName, Version: formatVersion,
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
	if d.Format != formatName || d.Version != formatVersion {
		return nil, fmt.Errorf("scenario: format %q version %d, this program reads %q version %d", d.Format, d.Version, formatName, formatVersion)
	}
	if d.FlowsFile != FlowsFile || d.RoutesFile != RoutesFile {
		return nil, fmt.Errorf("scenario: flow list %q and routes %q, run directories have %s and %s", d.FlowsFile, d.RoutesFile, FlowsFile, RoutesFile)
	}
	return &Scenario{
		Name: d.Name, Seed: d.Seed, StopPs: d.StopPs, StopWhenFlowsFinish: d.StopWhenFlowsFinish,
		Nodes: d.Nodes, Links: d.Links, Components: d.Components, Trace: d.Trace,
	}, nil
}

// Hash identifies a scenario by content, leaving out its seed: 16 hexadecimal
// digits over scenario.json and the digests of the flow list and the routes.
func (s *Scenario) Hash(flows, routes [sha256.Size]byte) (string, error) {
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
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Write writes scenario.json, flows.bin and routes.bin into an existing
// directory.
func (s *Scenario) Write(dir string, flows iter.Seq2[Flow, error], routes iter.Seq[Route]) error {
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
	return nil
}

func writeFile(path string, write func(io.WriteSeeker) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
