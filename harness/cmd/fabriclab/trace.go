package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"fabriclab/harness/trace"
)

func (a *app) traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "look at the tables of a run",
	}
	tables := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		names, err := trace.List(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	var rows int64
	head := &cobra.Command{
		Use: "head RUNDIR TABLE", Short: "print the first rows", Args: cobra.ExactArgs(2), ValidArgsFunction: tables,
		RunE: func(_ *cobra.Command, args []string) error {
			return with(args, func(t *trace.TableFile) error {
				if a.Set.JSON {
					return t.Export(a.Out, trace.JSONLines, rows)
				}
				return t.Head(a.Out, rows)
			})
		},
	}
	head.Flags().Int64VarP(&rows, "rows", "n", 10, "number of rows")
	schema := &cobra.Command{
		Use: "schema RUNDIR TABLE", Short: "print what the columns mean", Args: cobra.ExactArgs(2), ValidArgsFunction: tables,
		RunE: func(_ *cobra.Command, args []string) error {
			return with(args, func(t *trace.TableFile) error {
				if a.Set.JSON {
					return a.Print(t.Table)
				}
				return t.WriteSchema(a.Out)
			})
		},
	}
	var format, to string
	export := &cobra.Command{
		Use: "export RUNDIR TABLE", Short: "write a table as CSV or JSON lines", Args: cobra.ExactArgs(2), ValidArgsFunction: tables,
		RunE: func(_ *cobra.Command, args []string) error {
			return with(args, func(t *trace.TableFile) error {
				if to == "" {
					return t.Export(a.Out, trace.Format(format), -1)
				}
				return writeFile(to, func(out io.Writer) error { return t.Export(out, trace.Format(format), -1) })
			})
		},
	}
	export.Flags().StringVar(&format, "format", string(trace.CSV), "csv or jsonl")
	export.Flags().StringVar(&to, "to", "", "file to write (default: standard output)")
	cmd.AddCommand(head, schema, export)
	return cmd
}

// with opens a table of a run directory.
func with(args []string, do func(*trace.TableFile) error) error {
	t, err := trace.Open(args[0], args[1])
	if err != nil {
		return err
	}
	defer t.Close()
	return do(t)
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
