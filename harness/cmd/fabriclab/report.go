package main

import (
	"github.com/spf13/cobra"

	"fabriclab/harness/lab/page"
)

func (a *app) reportCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report [FIGURE|FOLDER…]",
		Short: "make one HTML page of figures, their claims and where they come from",
		Long: `report makes one HTML page that needs no network and no other file: the claims
with their verdicts, every figure with zoom and values, parameters with their
sources, versions and hashes, and links to the Parquet tables.

It takes figures by id (fncc/fig10) and folders with results; without any, all
that is in the results folder. Experiments that were run without a figure are
listed with their parameters and runs.`,
		ValidArgsFunction: a.completeExperiments(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return page.Write(cmd.Context(), a.Lab, args, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the page (default: report.html in the results folder)")
	return cmd
}
