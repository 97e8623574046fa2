package main

import (
	"github.com/spf13/cobra"
)

func (a *app) parityCommand() *cobra.Command {
	var update bool
	var digests string
	cmd := &cobra.Command{
		Use:   "parity FILE…",
		Short: "check that all engines give the same tables, to the picosecond and the byte",
		Long: `parity runs every point of the experiments on all engines that are installed and
compares their tables row by row, then with the digests in ci/parity, on which
the engines that they name agreed. So any two engines will do.`,
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Parity(cmd.Context(), args, digests, update)
		},
	}
	cmd.Flags().BoolVar(&update, "update", false, "renew the digests; needs two engines or more, and that they agree")
	cmd.Flags().StringVar(&digests, "digests", "", "folder of the digests (default: ci/parity in the checkout)")
	return cmd
}
