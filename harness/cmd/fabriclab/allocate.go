package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabriclab/base/units"
	"fabriclab/harness/lab/optima"
	"fabriclab/harness/lab/plan"
)

func (a *app) allocateCommand() *cobra.Command {
	var s plan.Selection
	var to, interval string
	own := pflag.NewFlagSet("allocator", pflag.ContinueOnError) // fabric-allocate has the same
	own.String("algorithm", "ned", "ned, gradient, fgm or newton-like")
	own.Bool("rt", false, "the -RT variant: single precision, approximate reciprocals")
	own.Float64("gamma", 0, "step of the price update (default: 0.4, gradient 0.004, fgm 1)")
	own.String("normaliser", "f-norm", "f-norm, u-norm or none")
	own.Bool("one-sided", false, "the normaliser only scales down")
	own.Float64("initial-price", 1, "price of every link at the start")
	own.Int("measured-iterations", 1, "newton-like: iterations between two price changes")
	own.Uint64("iterations", 0, "how many iterations; 0 goes on to the end of the experiment")
	own.Bool("optimum", false, "find the optimal rates at every iteration, too")
	own.String("tables", "iterations,allocations", "what to write: iterations, allocations, prices")
	cmd := &cobra.Command{
		Use:   "allocate EXPERIMENT",
		Short: "run Flowtune's allocator alone on an experiment's network and flows",
		Long: `Runs Flowtune's allocator without a simulator on the network and the flow list of an
experiment's first point (--set chooses another): flows come as the list says, every
interval there is one iteration, and a flow goes when its bytes have moved at the rates
that it got, or at its stop. Rates of every iteration are written as Parquet tables;
docs/mechanisms/flowtune.md says what is in them.`,
		Example: `  fabriclab allocate conga/fig9 --algorithm gradient --normaliser none --iterations 1000`,
		Args:    cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			ps, err := units.ParseTime(interval)
			if err != nil {
				return fmt.Errorf("--interval: %w", err)
			}
			flags := []string{"--interval-ps", strconv.FormatInt(ps, 10)}
			own.VisitAll(func(f *pflag.Flag) {
				switch {
				case !f.Changed:
				case f.Value.Type() != "bool":
					flags = append(flags, "--"+f.Name, f.Value.String())
				case f.Value.String() == "true":
					flags = append(flags, "--"+f.Name)
				}
			})
			made, err := optima.Allocate(cmd.Context(), a.Lab, args[0], s, flags, to)
			if err != nil {
				return err
			}
			if a.Set.JSON {
				return a.Print(made)
			}
			return a.printAllocation(made)
		},
	}
	cmd.Flags().AddFlagSet(own)
	cmd.Flags().StringVar(&interval, "interval", "10us", "time between two iterations")
	cmd.Flags().StringVar(&to, "to", "", "folder to write (default: allocate/<experiment> in the results folder)")
	cmd.Flags().Var(&seedsValue{&s.Seeds}, "seed", "the seed")
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "set a value of the experiment: path=value, such as workload.load=0.3")
	oneReadingFlag(cmd, &s)
	return cmd
}

func (a *app) printAllocation(made *optima.Allocation) error {
	var outcome struct {
		Iterations uint64  `json:"iterations"`
		Added      uint64  `json:"flows_added"`
		Ended      uint64  `json:"flows_ended"`
		Excess     float64 `json:"largest_excess"`
		Unsettled  uint64  `json:"optimum_not_found"`
	}
	if err := json.Unmarshal(made.Outcome, &outcome); err != nil {
		return fmt.Errorf("what the allocator printed: %w", err)
	}
	fmt.Fprintf(a.Out, "%s, scale %s, %s, seed %d: %d iterations, %d flows, %d of them ended; largest excess over a capacity: %.3g of it\n",
		made.Experiment, made.Scale, made.Point, made.Seed, outcome.Iterations, outcome.Added, outcome.Ended, outcome.Excess)
	if outcome.Unsettled > 0 {
		fmt.Fprintf(a.Err, "warning: no optimum was found for %d iterations; their optimum_bps is where the search ended\n", outcome.Unsettled)
	}
	for _, name := range slices.Sorted(maps.Keys(made.Outputs)) {
		fmt.Fprintf(a.Out, "  %s: %d rows\n", filepath.Join(made.Dir, name), *made.Outputs[name].Rows)
	}
	return nil
}
