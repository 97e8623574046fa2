// Package heat says how busy every recorded port of a run was over time, from
// the run's table `links`.
package heat

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fabriclab/analysis/table"
)

// A Map has a share for each recorded port and step: the wire bytes that the
// port sent over what its link could have carried.
type Map struct {
	Ports []string    // in the order in which the table names them first
	Times []int64     // ends of the steps, ps; before them the start of the first
	Steps [][]float64 // by step and port; NaN where the port has no sample
	Mean  []float64   // by port, from the first time to the last
}

// ErrShort is wrapped by errors about a table in which no time passes.
var ErrShort = errors.New("the table links has samples of one time at most")

// mostSteps is as many as a slider has places for.
const mostSteps = 200

// Read reads the table of the run in dir. Samples are joined to steps of equal
// numbers of them, so that there are at most so many shares in all.
func Read(dir string, shares int) (*Map, error) {
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return nil, err
	}
	m := &Map{}
	samples, err := m.look(dir)
	if err != nil {
		return nil, err
	}
	if len(samples) < 2 {
		return nil, fmt.Errorf("run %s: %w", dir, ErrShort)
	}
	spans := len(samples) - 1
	stride := max(ceil(spans, mostSteps), ceil(spans*len(m.Ports), shares))
	for i := 0; i < spans; i += stride {
		m.Times = append(m.Times, samples[i])
	}
	m.Times = append(m.Times, samples[len(samples)-1])
	sent, err := m.counters(dir)
	if err != nil {
		return nil, err
	}
	m.Steps = make([][]float64, len(m.Times)-1)
	for i := range m.Steps {
		m.Steps[i] = make([]float64, len(m.Ports))
	}
	for p, port := range m.Ports {
		if _, err := network.Rate(port); err != nil {
			return nil, err
		}
		share := func(from, to int) float64 {
			rate, _ := network.MeanRate(port, m.Times[from], m.Times[to]) // the port is known
			return 8 * (sent[to][p] - sent[from][p]) / (rate * float64(m.Times[to]-m.Times[from]) / 1e12)
		}
		m.Mean = append(m.Mean, share(0, len(m.Steps)))
		for step := range m.Steps {
			m.Steps[step][p] = share(step, step+1)
		}
	}
	return m, nil
}

func ceil(a, b int) int { return (a + b - 1) / b }

// look finds the ports and the times of samples.
func (m *Map) look(dir string) (samples []int64, err error) {
	known := map[string]bool{}
	err = scan(dir, func(at, _ int64, port string) {
		if !known[port] {
			known[port] = true
			m.Ports = append(m.Ports, port)
		}
		if len(samples) == 0 || samples[len(samples)-1] != at {
			samples = append(samples, at)
		}
	})
	return samples, err
}

// counters are the bytes sent until each of the times, by port.
func (m *Map) counters(dir string) ([][]float64, error) {
	sent := make([][]float64, len(m.Times))
	for i := range sent {
		sent[i] = slices.Repeat([]float64{math.NaN()}, len(m.Ports))
	}
	place := map[string]int{}
	for i, p := range m.Ports {
		place[p] = i
	}
	next := 0 // of the times
	err := scan(dir, func(at, bytes int64, port string) {
		for next < len(m.Times) && m.Times[next] < at {
			next++
		}
		if next < len(m.Times) && m.Times[next] == at {
			sent[next][place[port]] = float64(bytes)
		}
	})
	return sent, err
}

func scan(dir string, visit func(at, sent int64, port string)) error {
	columns := append(table.Ints("time_ps", "sent_bytes"), table.Column{Name: "link", Type: table.String})
	return table.Scan(dir, "links", columns, func(r *table.Rows) error {
		for i := range r.N {
			visit(r.Int(0, i), r.Int(1, i), r.String(2, i))
		}
		return nil
	})
}
