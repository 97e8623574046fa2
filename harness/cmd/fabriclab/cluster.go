package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabriclab/base/columns"
	"fabriclab/harness/lab/sweeps"
	"fabriclab/harness/progress"
	"fabriclab/harness/slurm"
	"fabriclab/harness/store"
)

func (a *app) runOneCommand() *cobra.Command {
	var list, project string
	var element int
	cmd := &cobra.Command{
		Use:    "run-one SWEEP",
		Short:  "make one run of a sweep that was submitted to a cluster",
		Hidden: true, // the batch script calls it
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Set.Project = project // not that of the folder it is called in
			f, err := slurm.Open(args[0])
			if err != nil {
				return err
			}
			task, events, err := f.Mine(list, element)
			if err != nil {
				return err
			}
			defer events.Close()
			return sweeps.RunOne(cmd.Context(), a.Lab, f, task, events)
		},
	}
	cmd.Flags().StringVar(&project, "project", "", "the project of the sweep (default: none)")
	cmd.Flags().StringVar(&list, slurm.ListFlag, "", "file in the sweep's folder that lists the runs of the array")
	cmd.Flags().IntVar(&element, slurm.ElementFlag, 0, "place in that list")
	return cmd
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status [SWEEP]",
		Short: "show the sweeps that were submitted to a cluster",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			results, err := a.ResultsDir()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				status, err := a.status(cmd.Context(), results, slurm.FolderOf(results, args[0]))
				if err != nil {
					return err
				}
				return a.showStatus(status)
			}
			dirs := slurm.Folders(results)
			all := make([]*slurm.Status, len(dirs))
			for i, dir := range dirs {
				if all[i], err = a.status(cmd.Context(), results, dir); err != nil {
					return err
				}
			}
			if a.Set.JSON {
				return a.Print(all)
			}
			if len(all) == 0 {
				_, err = fmt.Fprintf(a.Out, "no sweep was submitted with the results folder %s\n", results)
				return err
			}
			w := columns.New(a.Out)
			fmt.Fprintln(w, "sweep\tsubmitted\truns\tdone\trunning\tpending\tfailed\tSlurm jobs")
			for _, s := range all {
				c := s.Counts
				fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.ID, s.Created.Local().Format(time.DateTime), c.Runs, c.Done, c.Running, c.Pending, c.Failed, strings.Join(s.Jobs, " "))
			}
			return w.Flush()
		},
	}
}

func (a *app) status(ctx context.Context, results, dir string) (*slurm.Status, error) {
	f, err := slurm.Open(dir)
	if err != nil {
		return nil, err
	}
	return f.Look(ctx, store.New(results))
}

func (a *app) showStatus(s *slurm.Status) error {
	if a.Set.JSON {
		return a.Print(s)
	}
	w := columns.New(a.Out)
	for _, t := range s.Tasks {
		note := t.Dir
		switch {
		case t.Text != "":
			note = t.Text
		case t.StopPS > 0:
			note = fmt.Sprintf("%s of %s", progress.SimTime(t.SimPS), progress.SimTime(t.StopPS))
		}
		if t.State == "failed" && t.Log != "" {
			note += "; log: " + t.Log
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Run, t.State, note)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	c := s.Counts
	_, err := fmt.Fprintf(a.Out, "%d runs: %d done, %d running, %d pending, %d failed (Slurm jobs %s)\n", c.Runs, c.Done, c.Running, c.Pending, c.Failed, strings.Join(s.Jobs, ", "))
	return err
}
