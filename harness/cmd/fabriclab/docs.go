package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/records"
)

func (a *app) docsCommand() *cobra.Command {
	return group(&cobra.Command{Use: "docs", Short: "list records that are out of date"}, &cobra.Command{
		Use:   "stale",
		Short: "list the records whose scenarios, or the sources that they depend on, have changed since",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stale, err := records.FindStale(cmd.Context(), a.Lab)
			if err != nil {
				return err
			}
			if a.Set.JSON {
				return a.Print(stale)
			}
			for _, s := range stale {
				fmt.Fprintf(a.Out, "%s: %s\n", s.Figure, strings.Join(s.Why, "; "))
			}
			if len(stale) == 0 {
				_, err = fmt.Fprintln(a.Out, "no record is stale")
			}
			return err
		},
	})
}
