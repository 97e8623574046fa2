// Package run makes results: it runs points on engines as child processes,
// keeps their traces while they run, and sees to it that only what is complete
// and checked counts.
package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"fabriclab/base/file"
	"fabriclab/harness/progress"
	"fabriclab/harness/store"
)

// Summary is what a runner says at its end (docs/formats.md, Summary).
type Summary struct {
	Status     string `json:"status"`
	SimPS      int64  `json:"sim_ps"`
	Events     uint64 `json:"events"`
	PacketHops uint64 `json:"packet_hops"`
	Flows      struct {
		Total    int64 `json:"total"`
		Started  int64 `json:"started"`
		Finished int64 `json:"finished"`
		// Measured are the measured flows with a size that started.
		Measured         int64 `json:"measured"`
		MeasuredFinished int64 `json:"measured_finished"`
	} `json:"flows"`
	Counters map[string]int64 `json:"counters"`
	Checks   []Check          `json:"checks"`
	Warnings []string         `json:"warnings"`
	// Standstill is nil where everything could have got on.
	Standstill *Standstill `json:"standstill"`
}

// Check is an invariant the runner looked at.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// maxSummary bounds what is read of a summary, in bytes.
const maxSummary = 64 << 20

func readSummary(path string) (*Summary, json.RawMessage, error) {
	text, err := file.ReadAtMost(path, maxSummary)
	if err != nil {
		return nil, nil, fmt.Errorf("it left no summary: %w", err)
	}
	s, err := parse(text)
	return s, text, err
}

// ParseSummary reads the summary in a manifest.
func ParseSummary(m *store.Manifest) (*Summary, error) { return parse(m.Summary) }

func parse(text []byte) (*Summary, error) {
	var s Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("its summary is no valid JSON: %w", err)
	}
	return &s, nil
}

// add puts a check of the harness beside the runner's, in the summary's text too.
func (s *Summary) add(c Check, text json.RawMessage) (json.RawMessage, error) {
	s.Checks = append(s.Checks, c)
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("its summary is no valid JSON: %w", err)
	}
	all["checks"] = s.Checks
	return json.Marshal(all)
}

// violated names the checks that do not hold.
func (s *Summary) violated() []string {
	var broken []string
	for _, c := range s.Checks {
		if !c.OK {
			broken = append(broken, fmt.Sprintf("%s (%s)", c.Name, c.Detail))
		}
	}
	if len(broken) == 0 && s.Status != "ok" {
		broken = append(broken, fmt.Sprintf("status is %q", s.Status))
	}
	return broken
}

// Failure is a run that is no result.
type Failure struct {
	Run      string // its title
	Reason   string
	Attempts int    // how often it was tried
	Log      string // path; empty if there is none
	Repeat   string // the command line that repeats it by hand
	Err      error  // what is behind it, if anything
}

// Final says that the run would fail in the same way if it were tried again.
func (f *Failure) Final() bool {
	var same *final
	return errors.As(f.Err, &same)
}

// final is an error that the same run meets again.
type final struct{ error }

func (f *final) Unwrap() error { return f.error }

// shownLines is how much of a failed run's log is shown.
const shownLines = 8

func (f *Failure) Error() string {
	text := fmt.Sprintf("run %s: %s", f.Run, f.Reason)
	if f.Attempts > 1 {
		text += fmt.Sprintf(" (the last of %d attempts)", f.Attempts)
	}
	if f.Log != "" {
		text += "\n  log:    " + f.Log
		for _, line := range lastLines(f.Log, shownLines) {
			text += "\n    | " + line
		}
	}
	if f.Repeat != "" {
		text += "\n  repeat: " + f.Repeat
	}
	if strings.Contains(f.Reason, crashed) { // the text is all that a cluster's node sends
		text += "\n  to find the place, in a mechanism of your own too: repeat it with --build-type asan"
	}
	return text
}

// Event tells of the failure.
func (f *Failure) Event() progress.Event {
	return progress.Event{Kind: progress.Failed, Run: f.Run, Time: time.Now(), Text: f.Reason, Attempt: f.Attempts, Final: f.Final(), Log: f.Log, Repeat: f.Repeat}
}

func (f *Failure) Unwrap() error { return f.Err }

// Exit codes of a runner.
const (
	exitOK      = 0
	exitRefused = 2
	exitChecks  = 3
)

// crashed begins what is said of a simulator that ended by itself.
const crashed = "the simulator crashed"

// describeExit says how a child ended that did not end well.
func describeExit(code int, signal syscall.Signal, lastLine string) string {
	said := ""
	if lastLine != "" {
		said = "; its last words: " + lastLine
	}
	switch {
	case signal == syscall.SIGKILL:
		return "the simulator was killed (signal 9); if nobody did, the machine ran out of memory: see peak memory of other runs, use fewer --jobs" + said
	case signal != 0:
		return fmt.Sprintf(crashed+": signal %d (%s)%s", int(signal), signal, said)
	case code == exitRefused:
		if lastLine == "" {
			lastLine = "no reason given"
		}
		return "the simulator refused the scenario: " + lastLine
	}
	return fmt.Sprintf(crashed+": exit code %d%s", code, said)
}
