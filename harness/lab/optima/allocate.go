package optima

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/scenario"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
)

// allocateBinary is Flowtune's allocator without a simulator.
const allocateBinary = "fabric-allocate"

// allocationFile is what an allocation says of itself, beside its tables.
const allocationFile = "allocation.json"

// Allocation is what the allocator alone made of an experiment's first point.
type Allocation struct {
	Tool       store.Tool      `json:"tool"`
	Experiment string          `json:"experiment"`
	Scale      string          `json:"scale"`
	Point      string          `json:"point"`
	Seed       uint64          `json:"seed"`
	Args       []string        `json:"args"`
	Outcome    json.RawMessage `json:"outcome"`
	// Outputs are the tables, by file name.
	Outputs map[string]store.File `json:"outputs"`
	// Dir is where all of it is.
	Dir string `json:"-"`
}

// Allocate has the allocator, with its own flags in args, give rates to the
// flows of an experiment's first point. The folder dir is replaced as a whole;
// "" stands for one of the experiment's in the results folder.
func Allocate(ctx context.Context, lab *lab.Lab, name string, s plan.Selection, args []string, dir string) (*Allocation, error) {
	e, err := plan.LoadOne(ctx, lab, name, s)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		results, err := lab.ResultsDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(results, "allocate", filepath.FromSlash(e.Name))
	}
	program, err := lab.Program(ctx, allocateBinary)
	if err != nil {
		return nil, err
	}
	a := &Allocation{
		Tool: lab.Tool, Experiment: e.Name, Scale: e.Scale, Point: plan.PointName(e.Points[0]), Seed: e.Seeds[0],
		Args: args, Outputs: map[string]store.File{}, Dir: dir,
	}
	err = replace(dir, "allocation", allocationFile, func(making string) error {
		return a.fill(ctx, making, program, e.Points[0])
	})
	if err != nil {
		return nil, fmt.Errorf("writing the allocation: %w", err)
	}
	return a, nil
}

// fill computes the allocation in a folder of its own.
func (a *Allocation) fill(ctx context.Context, dir, program string, point *experiment.Point) error {
	if _, err := point.WriteInputs(dir, a.Seed); err != nil {
		return err
	}
	var tables []trace.File
	var err error
	if a.Outcome, tables, err = allocate(ctx, program, dir, a.Args, trace.NewNames(point.Scenario.Nodes, point.Scenario.Links)); err != nil {
		return err
	}
	for _, t := range tables {
		a.Outputs[t.Name] = store.File{Bytes: t.Bytes, SHA256: t.SHA256, Rows: &t.Rows}
	}
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, allocationFile), append(text, '\n'), 0o666)
}

// allocate runs the program in the folder of its input, and takes its tables
// in while it runs.
func allocate(ctx context.Context, program, dir string, args []string, names *trace.Names) (json.RawMessage, []trace.File, error) {
	reading, writing, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("opening the trace pipe: %w", err)
	}
	defer reading.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"--scenario", scenario.File, "--trace", "/dev/fd/3"}, args...)...)
	cmd.Dir = dir
	cmd.ExtraFiles = []*os.File{writing}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := errors.Join(cmd.Start(), writing.Close()); err != nil {
		return nil, nil, fmt.Errorf("starting %s: %w", program, err)
	}
	tables, traceErr := trace.Ingest(ctx, reading, trace.Options{Dir: dir, Names: names})
	if traceErr != nil {
		cancel() // it would wait for a reader
	}
	if err := cmd.Wait(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, nil, fmt.Errorf("%s: %s", allocateBinary, text)
		}
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", cmd, err), traceErr)
	}
	if traceErr != nil {
		return nil, nil, traceErr
	}
	if !json.Valid(stdout.Bytes()) {
		return nil, nil, fmt.Errorf("%s printed %q, which is no JSON; build it anew with: fabriclab build", cmd, stdout.String())
	}
	return stdout.Bytes(), tables, nil
}
