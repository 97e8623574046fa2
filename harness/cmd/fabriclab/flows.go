package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/base/units"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/workload"
)

func (a *app) flowsCommand() *cobra.Command {
	var s plan.Selection
	var to string
	cmd := &cobra.Command{
		Use:   "flows EXPERIMENT",
		Short: "print the size of an experiment's flow list, or write it: --to flows.csv",
		Long: `Generates the flow list of an experiment's first point for one seed (--seed, else the
experiment's first), without running anything; --set chooses another point. --to writes it as
.csv or .parquet, which a workload of type file reads, or as .bin, which the engines read.`,
		Example: `  fabriclab flows bench/fat-tree --seed 3 --to flows.csv`,
		Args:    cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := plan.LoadOne(cmd.Context(), a.Lab, args[0], s)
			if err != nil {
				return err
			}
			l, seed := e.Points[0].FlowList(), e.Seeds[0]
			tally, err := func() (*workload.Tally, error) {
				if to == "" {
					return l.Count(seed)
				}
				return l.WriteFile(to, seed)
			}()
			if err != nil {
				return err
			}
			if a.Set.JSON {
				return a.Print(tally)
			}
			return a.printTally(fmt.Sprintf("%s, scale %s, %s, seed %d", e.Name, e.Scale, plan.PointName(e.Points[0]), seed), tally)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "file to write: .csv, .parquet or .bin")
	cmd.Flags().Var(&seedsValue{&s.Seeds}, "seed", "the seed")
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "set a value of the experiment: path=value, such as workload.load=0.3")
	oneReadingFlag(cmd, &s)
	return cmd
}

func (a *app) printTally(title string, t *workload.Tally) error {
	fmt.Fprintf(a.Out, "%s\n  flows     %d, %s (%d, %s in the measuring window)\n", title,
		t.Flows, units.FormatBytes(int64(t.Bytes)), t.MeasuredFlows, units.FormatBytes(int64(t.MeasuredBytes)))
	if t.Unlimited > 0 {
		fmt.Fprintf(a.Out, "  unlimited %d of the flows: they have no size and send until they are stopped, or to the end of the run\n", t.Unlimited)
	}
	if t.Load != nil {
		fmt.Fprintf(a.Out, "  load      %.4f target, %.4f offered; random flow lists of this length are off by %.4f, as a rule\n",
			t.Load.Asked, t.Load.Offered, t.Load.StandardError)
	}
	return nil
}
