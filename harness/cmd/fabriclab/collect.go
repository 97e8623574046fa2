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
	var to string
	var partial, deterministic bool
	cmd := &cobra.Command{
		Use:   "collect SWEEP -o FILE",
		Short: "write the results of a sweep as one tidy table: a row for each run and measure",
		Long: `Measures every run of a sweep and writes one table, a row for each run and measure, with the
parameters as columns. SWEEP is an experiment (its runs at the scale and with the --set, --seed and
--engine it was run with), or a folder of results (every run in it).`,
		Example: `  fabriclab collect fncc/fig10 -o sweep.parquet
  fabriclab collect results/fncc -o sweep.csv --deterministic`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "" {
				if err := sheet.CheckName(to); err != nil {
					return err
				}
			}
			runs, err := a.Sweep(cmd.Context(), args[0], s, partial)
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
	cmd.Flags().BoolVar(&partial, "partial", false, "take what there is where runs of the sweep are missing")
	cmd.Flags().BoolVar(&deterministic, "deterministic", false, "leave out wall time, CPU time and memory: the same runs then give the same bytes")
	return cmd
}
