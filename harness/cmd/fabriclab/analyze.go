package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabriclab/analysis/analyze"
	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/harness/progress"
	"fabriclab/harness/run"
	"fabriclab/harness/store"
)

func (a *app) analyzeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "analyze DIR|EXPERIMENT…",
		Short: "verify runs and print a summary of each",
		Long: `Prints a summary of every run in the folders: flows, completion times, queues, links, checks. An
experiment stands for its folder of results, and of each point for the run that was made last.`,
		Example: `  fabriclab analyze fncc/fig10
  fabriclab analyze results/fncc/fig10/64d66b852c749a01/ns3-seed1`,
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				experiment := false
				if _, err := os.Stat(arg); err != nil || strings.HasSuffix(arg, ".yaml") { // an experiment
					results, err := a.ResultsDir()
					if err != nil {
						return err
					}
					if dir := filepath.Join(results, filepath.FromSlash(strings.TrimSuffix(arg, ".yaml"))); file.Exists(dir) {
						arg, experiment = dir, true
					}
				}
				dirs, err := store.Runs(arg)
				if err != nil {
					return err
				}
				if len(dirs) == 0 {
					return fmt.Errorf("%w in %s; give a folder below results/", store.ErrNoRun, arg)
				}
				if experiment {
					all := len(dirs)
					if dirs, err = newest(dirs); err != nil {
						return err
					}
					if older := all - len(dirs); older > 0 {
						fmt.Fprintf(a.Err, "%d older results of the same points are left out; give their folders to see them\n", older)
					}
				}
				for _, dir := range dirs {
					if err := a.analyze(dir); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

// newest are the runs that were made last of their point, engine and seed:
// others are of sources or settings that have changed since.
func newest(dirs []string) ([]string, error) {
	type run struct {
		at   int
		made time.Time
	}
	last := map[string]run{}
	for i, dir := range dirs {
		m, err := store.Read(dir)
		if err != nil {
			return nil, err
		}
		point := fmt.Sprint(m.Experiment, labels(m.Labels), m.Engine.Name, m.Seed)
		if before, known := last[point]; !known || m.Started.After(before.made) {
			last[point] = run{i, m.Started}
		}
	}
	keep := map[int]bool{}
	for _, r := range last {
		keep[r.at] = true
	}
	var kept []string
	for i, dir := range dirs {
		if keep[i] {
			kept = append(kept, dir)
		}
	}
	return kept, nil
}

func (a *app) analyze(dir string) error {
	m, err := store.Read(dir)
	if err != nil {
		return err
	}
	if err := m.Verify(dir, store.Contents); err != nil {
		return err
	}
	if a.Set.JSON {
		return a.Print(m)
	}
	s, err := run.ParseSummary(m)
	if err != nil {
		return fmt.Errorf("run %s: %w", dir, err)
	}
	w := columns.New(a.Out)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintln(w, dir)
	row("  experiment", "%s %s", m.Experiment, labels(m.Labels))
	row("  scenario, seed", "%s, %d", m.ScenarioHash, m.Seed)
	row("  engine", "%s", m.Engine.BuiltBy())
	row("  made", "%s by %s %s", m.Started.Format("2006-01-02 15:04:05 MST"), m.Tool.Name, m.Tool.Version)
	row("  simulated", "%s, %d events, %d packet hops", progress.SimTime(s.SimPS), s.Events, s.PacketHops)
	if cpu := m.Resources.CPUUserS + m.Resources.CPUSysS; cpu > 0 {
		row("  took", "%.2f s, %.2f s of CPU, %.0f MB; %.2f million packet hops per CPU second",
			m.Resources.WallS, cpu, float64(m.Resources.PeakRSSBytes)/1e6, float64(s.PacketHops)/cpu/1e6)
	}
	row("  flows", "%d, %d started, %d finished", s.Flows.Total, s.Flows.Started, s.Flows.Finished)
	if state := s.Standstill.State(); state != "" {
		row("  state", "%s", state)
	}
	if m.Steady != nil {
		row("  steady state", "%s", m.Steady)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Counters)) {
		row("  "+name, "%d", s.Counters[name])
	}
	for _, c := range s.Checks {
		row("  check "+c.Name, "holds (%s)", c.Detail)
	}
	for _, text := range m.Warnings {
		row("  warning", "%s", text)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Outputs)) {
		if f := m.Outputs[name]; f.Rows != nil {
			row("  "+name, "%d rows, %d bytes", *f.Rows, f.Bytes)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	text, err := analyze.Run(dir)
	fmt.Fprintln(a.Out, text)
	return err
}

// labels writes labels in the order of their names.
func labels(all map[string]string) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if text != "" {
			text += " "
		}
		text += name + "=" + all[name]
	}
	return text
}
