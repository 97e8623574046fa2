// Package record keeps what a figure came to as data: docs/results/<paper>/<figure>.json
// (docs/claims.md, Records). Pages and verdicts are made from records, never from
// what somebody typed.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/base/file"
)

const (
	format  = "fabriclab-record"
	version = 1
)

// A Record is what a figure came to under its readings.
type Record struct {
	Format  string `json:"format"`
	Version int    `json:"version"`

	Figure string `json:"figure"`
	Title  string `json:"title"`
	Scale  string `json:"scale"`
	// Commit is that of the fabriclab that judged runs last.
	Commit string `json:"commit"`
	// Project is the commit of the project that the experiment is in, if that is a
	// git repository.
	Project string            `json:"project,omitempty"`
	Engines map[string]string `json:"engines"` // with their versions
	Seeds   []uint64          `json:"seeds"`
	// Parts are the parts of the C++ sources that the runs depend on, with their
	// hashes.
	Parts map[string]string `json:"parts"`
	// Digests is the hash of the experiment's parity digests at the time of the
	// record, "" without any: sources that have changed and still give them are
	// as good (Confirmed is their commit).
	Digests   string `json:"digests,omitempty"`
	Confirmed string `json:"confirmed,omitempty"`
	// Readings are those that the experiment has beside the default.
	Readings []string `json:"readings,omitempty"`
	// Outcomes are the default's, then those of the readings that were made.
	Outcomes []Outcome `json:"outcomes"`
}

// An Outcome is what the figure came to under a reading.
type Outcome struct {
	Reading string `json:"reading,omitempty"` // table=live; "" is the default
	Command string `json:"command"`           // makes it again
	// Judged is the hash of the measures and claims that judged it, Controls that of the
	// claims' controls.
	Judged   string `json:"judged,omitempty"`
	Controls string `json:"controls,omitempty"`
	// Seeds are those of a reading that sets its own, nil where they are the record's.
	Seeds  []uint64 `json:"seeds,omitempty"`
	Claims []Claim  `json:"claims"`
	Points []Point  `json:"points"`
}

// SeedsOf are the seeds that an outcome of the record was made with.
func (r *Record) SeedsOf(o Outcome) []uint64 {
	if o.Seeds != nil {
		return o.Seeds
	}
	return r.Seeds
}

// A Claim is a claim and what it came to.
type Claim struct {
	ID       string  `json:"id"`
	Verdict  string  `json:"verdict"`
	Expected any     `json:"expected,omitempty"` // the paper's number
	Measured any     `json:"measured"`
	Interval float64 `json:"interval,omitempty"` // half the width, 95 %
	Unit     string  `json:"unit,omitempty"`
	Check    string  `json:"check,omitempty"`
	// Control is what it comes to under its control (claims.Result).
	Control string `json:"control,omitempty"`
	// Elsewhere: the claim is for another scale.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Why it was not evaluated.
	Why string `json:"why,omitempty"`
}

// A Point is a point of the matrix on an engine, with its measures: mean and half
// the width of the confidence interval over the seeds, a text where there is no
// number.
type Point struct {
	Labels   map[string]string `json:"labels,omitempty"`
	Engine   string            `json:"engine"`
	Scenario string            `json:"scenario"`
	Measures map[string][2]any `json:"measures"`
}

// ClaimOf is a judged claim as a record has it.
func ClaimOf(r claims.Result) Claim {
	c := Claim{ID: r.ID, Verdict: r.Verdict, Measured: r.Measured, Interval: r.Interval, Unit: r.Unit, Check: r.Check, Elsewhere: r.Elsewhere, Why: r.Why, Control: r.Control}
	if number, is := r.Expected.(float64); is {
		c.Expected = number
	}
	return c
}

// MeasuredText is what was measured, with its confidence interval.
func (c Claim) MeasuredText() string {
	return claims.Result{Measured: c.Measured, Interval: c.Interval, Unit: c.Unit}.MeasuredText()
}

// File is where a figure's record lies in a folder of records.
func File(dir, figure string) string {
	return filepath.Join(dir, filepath.FromSlash(figure)+".json")
}

// Write writes a record into a folder of records.
func Write(dir string, r Record) (string, error) {
	r.Format, r.Version = format, version
	path := File(dir, r.Figure)
	text, err := r.text()
	if err != nil {
		return "", fmt.Errorf("record of %s: %w", r.Figure, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", fmt.Errorf("record of %s: %w", r.Figure, err)
	}
	return path, file.Write(path, text, 0o666)
}

// text has a line for each claim and point, so that a change of one is one line.
func (r Record) text() ([]byte, error) {
	head := r
	head.Outcomes = nil
	text, err := marshal(head)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(strings.Replace(strings.TrimSuffix(text, "}"), `"outcomes":null`, `"outcomes":[`, 1))
	for i, o := range r.Outcomes {
		one, err := marshal(Outcome{Reading: o.Reading, Command: o.Command, Judged: o.Judged, Controls: o.Controls, Seeds: o.Seeds})
		if err != nil {
			return nil, err
		}
		one = strings.TrimSuffix(one, `"claims":null,"points":null}`)
		b.WriteString(separator(i) + one + "\n \"claims\":[")
		for j, c := range o.Claims {
			line, err := marshal(c)
			if err != nil {
				return nil, err
			}
			b.WriteString(separator(j) + "  " + line)
		}
		b.WriteString("],\n \"points\":[")
		for j, p := range o.Points {
			line, err := marshal(p)
			if err != nil {
				return nil, err
			}
			b.WriteString(separator(j) + "  " + line)
		}
		b.WriteString("]}")
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// Read reads a figure's record. The error is fs.ErrNotExist where there is none.
func Read(dir, figure string) (*Record, error) {
	path := File(dir, figure)
	data, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	r := &Record{}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		err = d.Decode(r)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("record %s is damaged: %w; make it again with: fabriclab record %s --scale SCALE", path, err, figure)
	case r.Format != format || r.Version != version:
		return nil, fmt.Errorf("record %s is of another version (%s %d; this fabriclab reads %s %d); make it again with: fabriclab record %s --scale %s", path, r.Format, r.Version, format, version, figure, r.Scale)
	case r.Figure != figure:
		return nil, fmt.Errorf("record %s is of %s; put it into its own place", path, r.Figure)
	}
	return r, nil
}

// Outcome is what the figure came to under a reading, nil where it was not made.
func (r *Record) Outcome(reading string) *Outcome {
	for i := range r.Outcomes {
		if r.Outcomes[i].Reading == reading {
			return &r.Outcomes[i]
		}
	}
	return nil
}
