package run

import (
	"strings"

	"fabriclab/base/units"
	"fabriclab/harness/progress"
	"fabriclab/harness/store"
)

// Standstill is what could not have got on in a run, however long it had gone
// on. The run is a result all the same.
type Standstill struct {
	// Deadlocks are cycles of ports that PFC keeps paused, each by the next one.
	Deadlocks []struct {
		SincePS int64    `json:"since_ps"`
		Ports   []string `json:"ports"`
	} `json:"deadlocks"`
	// PausedForGood are the ports of these cycles and all that wait for them.
	PausedForGood []string `json:"paused_for_good"`
	DeadHosts     []struct {
		Host    string `json:"host"`
		SincePS int64  `json:"since_ps"`
	} `json:"dead_hosts"`
	Starving []struct {
		Port    string `json:"port"`
		SincePS int64  `json:"since_ps"`
	} `json:"starving"`
}

// State says in a few words what could not get on; "" if everything could.
func (s *Standstill) State() string {
	if s == nil {
		return ""
	}
	var parts []string
	if len(s.Deadlocks) > 0 {
		first := s.Deadlocks[0].SincePS
		for _, d := range s.Deadlocks {
			first = min(first, d.SincePS)
		}
		parts = append(parts, "deadlock since "+progress.SimTime(first))
	}
	if n := len(s.DeadHosts); n > 0 {
		parts = append(parts, units.Count(n, "host")+" dead for good")
	}
	if n := len(s.Starving); n > 0 {
		parts = append(parts, units.Count(n, "class", "classes")+" starving")
	}
	return strings.Join(parts, ", ")
}

// stateOf is the State of a stored run; "" where its summary cannot be read.
func stateOf(m *store.Manifest) string {
	s, err := ParseSummary(m)
	if err != nil {
		return ""
	}
	return s.Standstill.State()
}
