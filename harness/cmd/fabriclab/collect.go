package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/sheet"
	"fabriclab/harness/lab"
)

func (a *app) collectCommand() *cobra.Command {
	var s lab.Selection
	var take lab.Taking
	var to string
	var deterministic bool
	cmd := &cobra.Command{
		Use:   "collect SWEEP -o FILE",
		Short: "write the results of a sweep as one tidy table: a row for each run and measure",
		Long: `Measures every run of a sweep and writes one table, a row for each run and measure, with the
parameters as columns. SWEEP is an experiment (its runs at the scale and with the --set, --seed and
--engine it was run with), or a folder of results (every run in it).

The files of every run are compared with its manifest (--verify). Of an experiment's runs it is checked,
too, that each is the run in whose place it lies, and that one build made all runs of an engine; there is
a warning if that is not the checkout's. The runs of a folder say themselves what they are: it is not
checked whether they are those of an experiment as it is now, and several builds are a warning.`,
		Example: `  fabriclab collect fncc/fig10 -o sweep.parquet
  fabriclab collect results/fncc -o sweep.csv --deterministic`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "" {
				if err := sheet.CheckName(to); err != nil {
					return err
				}
			}
			runs, err := a.Sweep(cmd.Context(), args[0], s, take)
			if err != nil {
				return err
			}
			table := collect.Table(runs, !deterministic)
			if to == "" {
				return table.WriteCSV(a.Out)
			}
			if err := table.WriteFile(to); err != nil {
				return err
			}
			fmt.Fprintf(a.Err, "%s: %d rows, %d runs\n", to, len(table.Rows), len(runs))
			return nil
		},
	}
	selectionFlags(cmd, &s)
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write: .parquet or .csv (default: CSV to standard output)")
	takingFlags(cmd, &take)
	cmd.Flags().BoolVar(&deterministic, "deterministic", false, "leave out wall time, CPU time and memory: the same runs then give the same bytes")
	return cmd
}

func takingFlags(cmd *cobra.Command, t *lab.Taking) {
	cmd.Flags().BoolVar(&t.Partial, "partial", false, "take what there is where runs of the sweep are missing")
	cmd.Flags().BoolVar(&t.MixedBuilds, "mixed-builds", false, "take runs of an experiment that several builds have made")
}
