package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"fabriclab/analysis/record"
	"fabriclab/analysis/statement"
	"fabriclab/harness/lab/papers"
	"fabriclab/harness/lab/records"
)

func (a *app) verdictsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verdicts [PAPER…]",
		Short: "print what each paper says and whether it holds, from the records in docs/results",
		Long: `verdicts prints each statement of the papers (configs/PAPER/statements.yaml; without
PAPER those of a project are its own) with
the paper's number, ours with its interval, the verdict and why. It reads the
records in docs/results, the project's before the checkout's, and runs nothing; with
--scale only those of that scale. "stale" marks verdicts of records that are older
than their sources or scenarios (docs stale).`,
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			judged, err := papers.Verdicts(a.Lab, args)
			if err != nil {
				return err
			}
			var all []*record.Record
			for _, p := range judged {
				all = append(all, p.Records...)
			}
			stale, unchecked, err := records.Outdated(cmd.Context(), a.Lab, all)
			if err != nil {
				return err
			}
			for i := range judged {
				judged[i].Mark(stale)
			}
			if err := a.showVerdicts(judged); err != nil || a.Set.JSON {
				return err
			}
			if len(stale) > 0 {
				fmt.Fprintf(a.Out, "stale: sources or scenarios have changed since (records: %d). Renew with: %s\n", len(stale), again(all, stale[0]))
			}
			if len(unchecked) > 0 {
				fmt.Fprintf(a.Out, "whether scenarios have changed was not checked (records: %d): fabriclab docs stale\n", len(unchecked))
			}
			return nil
		},
	}
}

// again is how a figure's record is made again.
func again(all []*record.Record, figure string) string {
	r := all[slices.IndexFunc(all, func(r *record.Record) bool { return r.Figure == figure })]
	readings := ""
	if len(r.Outcomes) > 1 {
		readings = " --reading all"
	}
	return fmt.Sprintf("fabriclab figure %s --scale %s%s && fabriclab record %s --scale %s", figure, r.Scale, readings, figure, r.Scale)
}

func (a *app) showVerdicts(judged []papers.Paper) error {
	if a.Set.JSON {
		for _, p := range judged {
			if err := a.Print(map[string]any{"paper": p.ID, "name": p.Name, "verdicts": p.Verdicts}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, p := range judged {
		if _, err := fmt.Fprintln(a.Out, statement.Render(p.Name, p.Verdicts)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) recordCommand() *cobra.Command {
	var confirm bool
	cmd := &cobra.Command{
		Use:   "record ID|FOLDER… | --confirm [ID|FOLDER…]",
		Short: "write the outcome of complete figures to docs/results",
		Long: `record judges the claims of figures under the default and every reading of which the
runs are there, and writes docs/results/PAPER/FIGURE.json: commits, engines, seeds,
scenarios, the parts of the sources that the runs depend on, measures with intervals
and the outcome of each claim. What the record has of a reading without runs is kept
while its scenarios, sources, measures and claims are those of today. It runs nothing,
and refuses figures without a default. A folder, such as fncc, is all of its figures.
With --confirm it takes over records of which sources have changed, and nothing that
comes out: it runs the points of the experiment's parity digests, which have to be
those of the time of the record.`,
		Example: `  fabriclab record fncc/fig10 --scale paper
  fabriclab record --confirm    # all records, after work on speed`,
		ValidArgsFunction: a.completeExperiments(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			var ids, paths []string
			var err error
			if confirm && len(args) == 0 {
				ids, err = records.IDs(a.Lab)
			} else {
				ids, err = a.figureIDs(args, false)
			}
			switch {
			case err != nil:
				return err
			case confirm:
				a.Compiles = true // it runs what the sources of today give
				paths, err = records.Confirm(cmd.Context(), a.Lab, ids)
			default:
				paths, err = records.Write(cmd.Context(), a.Lab, ids)
			}
			for _, path := range paths {
				fmt.Fprintln(a.Out, path)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&confirm, "confirm", false, "take over records whose sources have changed without moving a digest")
	return cmd
}
