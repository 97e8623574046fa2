package main

import (
	"github.com/spf13/cobra"

	"fabriclab/harness/lab/comparison"
)

func (a *app) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "baseline", Short: "keep results to compare later ones with"}
	var dir string
	var seeds []uint64
	update := &cobra.Command{
		Use:   "update [EXPERIMENT…]",
		Short: "renew baselines from the project or the checkout as it is, and say what changes",
		Long: `Runs the experiments (what has a valid result is not run again) and saves what their
deterministic measures came to. Without EXPERIMENT all baselines are renewed; an experiment that
has none yet gets one. Scale, seeds and engines stay as they are in the baseline, unless flags say
otherwise. What changes is printed, for the message of the commit.`,
		ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return comparison.UpdateBaselines(cmd.Context(), a.Lab, args, seeds, dir)
		},
	}
	update.Flags().StringVar(&dir, "baselines", "", "folder of the baselines (default: ci/baselines of the project or the checkout)")
	update.Flags().Var(&seedsValue{&seeds}, "seed", "seeds, instead of the baseline's or the experiment's")
	return group(cmd, update)
}
