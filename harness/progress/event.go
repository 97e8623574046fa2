// Package progress carries what happens to runs from the executor to whoever
// watches: a terminal, a log, or a program reading JSON lines.
package progress

import "time"

// Kind is what happened.
type Kind string

// The kinds of events of a run, in their usual order, and those of a sweep.
const (
	Queued   Kind = "queued"   // what the run is
	Cached   Kind = "cached"   // there is a valid result already; Text as of Done
	Waiting  Kind = "waiting"  // Text says what for
	Started  Kind = "started"  // the simulator was started
	Running  Kind = "progress" // SimPS and what follows are set
	Deriving Kind = "deriving" // the simulation has ended; Text says what is computed, SimPS how far
	Warning  Kind = "warning"  // Text says it
	Retry    Kind = "retry"    // it failed and is tried again; Text says why
	Done     Kind = "done"     // Text says what of the run could not get on, such as a deadlock; "" is nothing
	Failed   Kind = "failed"   // Text says why
	Canceled Kind = "canceled"

	Submitted Kind = "submitted" // to a cluster; Text says as what
	Summary   Kind = "summary"   // the last one; Counts is set
)

// Event is something that happened to a run.
type Event struct {
	Time time.Time `json:"time"`
	Kind Kind      `json:"event"`
	Run  string    `json:"run,omitempty"`
	Dir  string    `json:"dir,omitempty"` // of the result

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
	Ends         bool    `json:"ends,omitempty"` // with its flows, at StopPS at the latest
	// WindowPS is the end of the measuring window of a run that Ends. Behind it the
	// run drains: it waits for the flows that were measured.
	WindowPS int64 `json:"window_ps,omitempty"`
	// ETAS is the time left at the present pace of simulated time: until StopPS, of
	// a run that ends with its flows until the end of the measuring window. Behind
	// that, nothing tells.
	ETAS float64 `json:"eta_s,omitempty"`

	// ExpectedS is how long the run is expected to take, as far as earlier
	// runs tell.
	ExpectedS float64 `json:"expected_s,omitempty"`
	// Attempt counts the attempts at a run, from 1 on.
	Attempt int `json:"attempt,omitempty"`

	// Final says of a failed run that it would fail in the same way again.
	Final bool `json:"final,omitempty"`

	Text   string `json:"text,omitempty"`
	Log    string `json:"log,omitempty"`    // of a failed run
	Repeat string `json:"repeat,omitempty"` // the command line that repeats a failed run by hand

	Counts *Counts `json:"counts,omitempty"`
}

// Counts says what became of the runs of a sweep.
type Counts struct {
	Runs     int `json:"runs"`
	Done     int `json:"done"`
	Cached   int `json:"cached"`
	Failed   int `json:"failed"`
	Canceled int `json:"canceled"`
}

// drains says whether nothing but the last measured flows is waited for, which no
// simulated time tells.
func (e Event) drains() bool { return e.Ends && e.SimPS >= e.WindowPS }

// Sink takes events. It is called from many goroutines.
type Sink interface {
	Event(Event)
}

// Discard takes events and does nothing.
type Discard struct{}

// Event implements Sink.
func (Discard) Event(Event) {}
