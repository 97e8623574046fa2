// Package flowlist makes the files of a run's flow list: that of a workload for
// one seed, as the files that engines, people and other simulators read. All
// files are made of the same rows, in one pass, in bounded memory.
package flowlist

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"fabriclab/base/file"
	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

// List is a workload that gives the flow list of any seed.
type List struct {
	Flows workload.Generator
	Rules workload.Rules
	Hosts []string // their names by id
}

// WriteInputs has write make an engine's input of the flow list of a seed (as
// scenario.Scenario.Write does), keeps the same flows as File in dir, and
// says what they came to.
func (l *List) WriteInputs(dir string, seed uint64, write func(iter.Seq2[scenario.Flow, error]) error) (*workload.Tally, error) {
	list, err := newParquet(filepath.Join(dir, File), l, nil)
	if err != nil {
		return nil, err
	}
	tally := &workload.Tally{}
	err = write(list.keep(tally.Count(l.Flows.Flows(seed))))
	if err == nil {
		err = list.finish()
	}
	if err := errors.Join(err, list.close()); err != nil {
		return nil, err
	}
	tally.Compare(l.Flows, l.Rules)
	return tally, nil
}

// formats of flow lists, by the ending of the file's name.
var formats = map[string]func(*List, io.WriteSeeker, iter.Seq2[scenario.Flow, error]) error{
	".bin": func(_ *List, out io.WriteSeeker, flows iter.Seq2[scenario.Flow, error]) error {
		return scenario.WriteFlows(out, flows)
	},
	".csv": func(l *List, out io.WriteSeeker, flows iter.Seq2[scenario.Flow, error]) error {
		return writeCSV(out, l, flows)
	},
	".parquet": func(l *List, out io.WriteSeeker, flows iter.Seq2[scenario.Flow, error]) error {
		return writeParquet(out, l, flows)
	},
}

// A FormatError says that there is no format for a file's name.
type FormatError struct{ Path string }

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s: a flow list is written as .bin (the engines' input), .csv or .parquet; end the file's name so", e.Path)
}

// WriteFile writes the flow list of a seed to a file, in the format that its
// name ends with, and says what the flows came to. The file is there when all
// of it is.
func (l *List) WriteFile(path string, seed uint64) (_ *workload.Tally, err error) {
	write, known := formats[strings.ToLower(filepath.Ext(path))]
	if !known {
		return nil, &FormatError{path}
	}
	pending, err := file.Create(path, 0o666)
	if err != nil {
		return nil, fmt.Errorf("flow list: %w", err)
	}
	defer func() { err = errors.Join(err, pending.Discard()) }()
	tally := &workload.Tally{}
	if err := write(l, pending, tally.Count(l.Flows.Flows(seed))); err != nil {
		return nil, fmt.Errorf("flow list %s: %w", path, err)
	}
	if err := pending.Commit(); err != nil {
		return nil, fmt.Errorf("flow list: %w", err)
	}
	tally.Compare(l.Flows, l.Rules)
	return tally, nil
}

// Count says what the flow list of a seed comes to, without writing it.
func (l *List) Count(seed uint64) (*workload.Tally, error) {
	tally := &workload.Tally{}
	for _, err := range tally.Count(l.Flows.Flows(seed)) {
		if err != nil {
			return nil, err
		}
	}
	tally.Compare(l.Flows, l.Rules)
	return tally, nil
}

// host is the name of a host.
func host(names []string, id uint32) (string, error) {
	if int64(id) >= int64(len(names)) {
		return "", fmt.Errorf("a flow names host %d; there are %d", id, len(names))
	}
	return names[id], nil
}

// nopCloser leaves a file open whose owner closes it.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
