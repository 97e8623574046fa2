package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/optima"
	"fabriclab/harness/lab/oracle"
	"fabriclab/harness/lab/plan"
)

func (a *app) oracleCommand() *cobra.Command {
	var s plan.Selection
	var u oracle.Utility
	var to string
	cmd := &cobra.Command{
		Use:   "oracle EXPERIMENT",
		Short: "compute the optimal rates of an experiment's flows at every arrival and departure",
		Long: `Solves network utility maximisation for the flows of an experiment's first point (--set
chooses another one) at every arrival and departure, on the paths that the flows have in the
run, and lets every flow send at its optimal rate from its arrival until its bytes are sent.
Nothing is simulated. The utility is the experiment's, or sum of w log x where it has none. The tables optimal_rates, optimal_links (prices) and optimal_flows
(completion times) go into a folder below oracle/ in the results folder, or to --to.
docs/oracle.md has the method and its limits.`,
		Example: `  fabriclab oracle bench/tcp-leaf-spine --utility alpha_fair --alpha 2
  fabriclab oracle bench/tcp-leaf-spine --utility fct_min --seed 3 --to /tmp/optimum`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, p := range []struct {
				flag, of string
				value    *float64
			}{{"alpha", oracle.AlphaFair, &u.Alpha}, {"epsilon", oracle.MinFCT, &u.Epsilon}} {
				if u.Name == p.of {
					continue
				}
				if cmd.Flags().Changed(p.flag) {
					return fmt.Errorf("--%s is of --utility %s; give that, too, or set the experiment's own: --set utility=%s --set %s.%s=…", p.flag, p.of, p.of, p.of, p.flag)
				}
				*p.value = 0
			}
			all, err := optima.Compute(cmd.Context(), a.Lab, args[0], s, u, to)
			if err != nil {
				return err
			}
			if a.Set.JSON {
				return a.Print(all)
			}
			for _, o := range all {
				a.showOptimum(o)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&u.Name, "utility", "", "what is maximised instead of the experiment's: "+strings.Join([]string{oracle.AlphaFair, oracle.MinFCT, oracle.MaxMin}, ", "))
	cmd.Flags().Float64Var(&u.Alpha, "alpha", 1, "of alpha_fair; 1 is proportional fairness")
	cmd.Flags().Float64Var(&u.Epsilon, "epsilon", 0.125, "of fct_min")
	cmd.Flags().Float64Var(&u.AckShare, "ack-share", 0, "what a flow's ACKs take of the links back, as a part of its rate, such as 0.06")
	cmd.Flags().StringVar(&to, "to", "", "folder to write (default: below oracle/ in the results folder)")
	cmd.Flags().Var(&seedsValue{&s.Seeds}, "seed", "seeds, such as 1-3,7 (default: the experiment's)")
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "set a value of the experiment: path=value, such as workload.load=0.3")
	oneReadingFlag(cmd, &s)
	return cmd
}

func (a *app) showOptimum(o optima.Optimum) {
	utility := o.Utility.String()
	if o.Utility.Name == "" {
		utility = "the experiment's utility"
	}
	fmt.Fprintf(a.Out, "%s, scale %s, %s, seed %d, %s\n", o.Experiment, o.Scale, o.Point, o.Seed, utility)
	fmt.Fprintf(a.Out, "  flows     %d, %.1f at a time; %d sent all of their bytes", o.Flows, o.Active, o.Finished)
	if o.Finished > 0 {
		fmt.Fprintf(a.Out, ", in %.3g us on average", o.MeanFCT/1e6)
	}
	fmt.Fprintf(a.Out, "\n  optima    %d, residual at most %.1e\n  tables    %s\n", o.Intervals, o.Residual, o.Dir)
}
