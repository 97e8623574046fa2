package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/agreement"
	"fabriclab/harness/lab/plan"
)

func (a *app) parityCommand() *cobra.Command {
	var update, all bool
	var digests string
	var s plan.Selection
	cmd := &cobra.Command{
		Use:   "parity [EXPERIMENT…]",
		Short: "check that all engines give the same tables, to the picosecond and the byte",
		Long: `parity runs every point of the experiments on all engines that are installed and
compares their tables row by row, then with the digests in ci/parity, on which
the engines that they name agreed. So any two engines will do.
A digest is renewed point by point, and only if it tells all points apart.`,
		Example: `  fabriclab parity fncc/fig10
  fabriclab parity fncc/fig10 --set 'preset=[hpcc]'    # the engines with each other, no digest`,
		ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return fmt.Errorf("--all is every experiment that has a digest; leave out %s", strings.Join(args, " "))
			case len(s.Sets) > 0 && (all || update):
				return errors.New("digests are of experiments as they are; leave --set out, or --all and --update")
			case len(args) == 0 && !all:
				return errors.New("name the experiments, such as fncc/fig10, or write --all")
			case all && a.Set.Scale != "":
				return errors.New("--all has the scales of the digests; leave --scale out")
			case all:
				return agreement.CheckAll(cmd.Context(), a.Lab, digests, update)
			}
			return agreement.Check(cmd.Context(), a.Lab, args, s, digests, update)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all experiments that have a digest, each at its digest's scale")
	cmd.Flags().BoolVar(&update, "update", false, "renew the digests; needs two engines or more, and that they agree")
	cmd.Flags().StringVar(&digests, "digests", "", "folder of the digests (default: ci/parity of the project or the checkout)")
	a.setFlag(cmd, &s)
	return cmd
}
