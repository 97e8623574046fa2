// Package progress carries what happens to runs from the executor to whoever
// watches: a terminal, a log, or a program reading JSON lines.
package progress

import "time"

// Kind is what happened.
type Kind string

// The kinds of events of a run, in their usual order.
const (
	Queued   Kind = "queued"
	Cached   Kind = "cached" // there is a valid result already
	Started  Kind = "started"
	Running  Kind = "running" // SimPS and what follows are set
	Warning  Kind = "warning" // Text says it
	Done     Kind = "done"
	Failed   Kind = "failed" // Text says why
	Canceled Kind = "canceled"
)

// Event is something that happened to a run.
type Event struct {
	Time time.Time `json:"time"`
	Kind Kind      `json:"event"`
	Run  string    `json:"run"`
	Dir  string    `json:"dir,omitempty"`

	// What the run is, set when it is queued or cached.
	Experiment   string            `json:"experiment,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	ScenarioHash string            `json:"scenario_hash,omitempty"`
	Engine       string            `json:"engine,omitempty"`
	Seed         *uint64           `json:"seed,omitempty"`

	SimPS        int64   `json:"sim_ps,omitempty"`
	StopPS       int64   `json:"stop_ps,omitempty"`
	Events       uint64  `json:"events,omitempty"`
	EventsPerSec float64 `json:"events_per_s,omitempty"`
	FlowsDone    int64   `json:"flows_done,omitempty"`
	FlowsTotal   int64   `json:"flows_total,omitempty"`
	WallS        float64 `json:"wall_s,omitempty"`
	// ETAS is the time left until StopPS at the present speed; a run that
	// stops when its flows finish may end sooner.
	ETAS float64 `json:"eta_s,omitempty"`

	Text string `json:"text,omitempty"`
}

// Sink takes events. It is called from many goroutines.
type Sink interface {
	Event(Event)
}

// Discard takes events and does nothing.
type Discard struct{}

// Event implements Sink.
func (Discard) Event(Event) {}
