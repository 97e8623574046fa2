package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/harness/lab/records"
)

func (a *app) docsCommand() *cobra.Command {
	var exitCode bool
	cmd := &cobra.Command{
		Use:   "stale",
		Short: "list the records whose scenarios, or the sources that they depend on, have changed since",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stale, err := records.FindStale(cmd.Context(), a.Lab)
			if err != nil {
				return err
			}
			if a.Set.JSON {
				err = a.Print(stale)
				return errors.Join(err, staleError(stale, exitCode))
			}
			for _, s := range stale {
				fmt.Fprintf(a.Out, "%s: %s\n", s.Figure, strings.Join(s.Why, "; "))
			}
			if len(stale) == 0 {
				_, err = fmt.Fprintln(a.Out, "no record is stale")
			}
			return errors.Join(err, staleError(stale, exitCode))
		},
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with status 1 where a record is stale")
	return group(&cobra.Command{Use: "docs", Short: "list records that are out of date"}, cmd)
}

// staleError fails for stale records, if that is asked for.
func staleError(stale []records.Stale, exitCode bool) error {
	if !exitCode || len(stale) == 0 {
		return nil
	}
	id := stale[0].Figure
	return fmt.Errorf("%s: the record in docs/results is stale; make it again with: fabriclab figure %s && fabriclab record %s", id, id, id)
}
