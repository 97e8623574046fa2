package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/sheet"
	"fabriclab/base/file"
	"fabriclab/base/units"
	"fabriclab/harness/lab/collected"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/trace"
)

func (a *app) collectCommand() *cobra.Command {
	var s plan.Selection
	var take collected.Taking
	var to, table, format string
	var deterministic bool
	cmd := &cobra.Command{
		Use:   "collect SWEEP -o FILE",
		Short: "write the results of a sweep as one tidy table",
		Long: `Measures every run of a sweep and writes one table, a row for each run and measure, with the
parameters as columns. SWEEP is an experiment (its runs at the scale and with the --set, --reading,
--seed and --engine it was run with), or a folder of results (every run in it).

The files of every run are compared with its manifest (--verify). Of an experiment's runs it is checked,
too, that each is the run in whose place it lies, and that one build made all runs of an engine; there is
a warning if that is not the checkout's. The runs of a folder say themselves what they are: it is not
checked whether they are those of an experiment as it is now, and several builds are a warning.

With --table it is not measures that are written but a table of the runs (flows, queues, …), all of them
as one, row by row; before the table's columns stand the labels and the effective parameters in which
the runs differ. It is written as it is read: memory does not grow with it.`,
		Example: `  fabriclab collect fncc/fig10 -o sweep.parquet
  fabriclab collect results/fncc -o sweep.csv --deterministic
  fabriclab collect fncc/fig10 --table flows -o flows.parquet`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := formatOf(to, format)
			if err == nil && to != "" {
				err = file.CheckPlace(to) // before the work
			}
			if err != nil {
				return err
			}
			if table != "" {
				return a.gather(cmd.Context(), args[0], table, to, kind, s, take)
			}
			runs, err := collected.Measure(cmd.Context(), a.Lab, args[0], s, take)
			if err != nil {
				return err
			}
			collect.Apart(runs)
			tidy := collect.Table(runs, !deterministic)
			write := tidy.WriteCSV
			if kind == trace.Parquet {
				write = tidy.WriteParquet
			}
			if to == "" {
				return write(a.Out)
			}
			if err := writeFile(to, write); err != nil {
				return err
			}
			fmt.Fprintf(a.Err, "%s: %s, %s\n", to, units.Count(len(tidy.Rows), "row"), units.Count(len(runs), "run"))
			return nil
		},
	}
	a.selectionFlags(cmd, &s)
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write: .parquet or .csv (default: CSV to standard output)")
	cmd.Flags().StringVar(&table, "table", "", "a table of the runs (flows, queues, …), all as one, instead of the measures")
	cmd.Flags().StringVar(&format, "format", "", "parquet or csv (default: by the ending of -o)")
	takingFlags(cmd, &take)
	cmd.Flags().BoolVar(&deterministic, "deterministic", false, "leave out wall time, CPU time and memory: the same runs then give the same bytes")
	return cmd
}

// formatOf is the format of a table that is written to a file; "" is standard
// output.
func formatOf(to, format string) (trace.Format, error) {
	switch kind := trace.Format(format); {
	case kind == trace.CSV || kind == trace.Parquet:
		return kind, nil
	case format != "":
		return "", fmt.Errorf("--format %s: it is parquet or csv", format)
	case to == "":
		return trace.CSV, nil
	}
	return trace.Format(strings.TrimPrefix(filepath.Ext(to), ".")), sheet.CheckName(to)
}

// gather writes one table of all runs.
func (a *app) gather(ctx context.Context, sweep, table, to string, format trace.Format, s plan.Selection, take collected.Taking) error {
	if to == "" {
		out := bufio.NewWriter(a.Out)
		_, _, err := collected.Gather(ctx, a.Lab, out, format, sweep, table, s, take)
		return errors.Join(err, out.Flush())
	}
	var rows int64
	var runs int
	err := writeFile(to, func(out io.Writer) (err error) {
		buffered := bufio.NewWriterSize(out, 1<<20)
		rows, runs, err = collected.Gather(ctx, a.Lab, buffered, format, sweep, table, s, take)
		return errors.Join(err, buffered.Flush())
	})
	if err == nil {
		fmt.Fprintf(a.Err, "%s: %s, %s\n", to, units.Count(int(rows), "row"), units.Count(runs, "run"))
	}
	return err
}

func takingFlags(cmd *cobra.Command, t *collected.Taking) {
	cmd.Flags().BoolVar(&t.Partial, "partial", false, "take what there is where runs of the sweep are missing")
	cmd.Flags().BoolVar(&t.Failed, "failed", false, "take runs, too, of which a check failed; the note of their rows says so")
	cmd.Flags().BoolVar(&t.MixedBuilds, "mixed-builds", false, "take runs of an experiment that several builds have made")
}
