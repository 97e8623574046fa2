package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fabriclab/base/file"
	"fabriclab/harness/store"
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
		return trace.List(args[0]), cobra.ShellCompDirectiveNoFileComp
	}
	var rows int64
	head := &cobra.Command{
		Use: "head RUNDIR TABLE", Short: "print the first rows", Args: cobra.ExactArgs(2), ValidArgsFunction: tables,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.table(args, func(t *trace.TableFile) error {
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
			return a.table(args, func(t *trace.TableFile) error {
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
			return a.table(args, func(t *trace.TableFile) error {
				if to == "" {
					return t.Export(a.Out, trace.Format(format), -1)
				}
				return writeFile(to, func(out io.Writer) error { return t.Export(out, trace.Format(format), -1) })
			})
		},
	}
	export.Flags().StringVar(&format, "format", string(trace.CSV), "csv or jsonl")
	export.Flags().StringVar(&to, "to", "", "file to write (default: standard output)")
	return group(cmd, head, schema, export)
}

// table opens a table of a run directory that is what its run has written.
func (a *app) table(args []string, do func(*trace.TableFile) error) error {
	dir, name := args[0], args[1]
	t, err := trace.Open(dir, name)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := a.asWritten(dir, name+".parquet"); err != nil {
		return err
	}
	return do(t)
}

// asWritten compares a file with the manifest of its run. What a run has left
// that failed has none; that is said.
func (a *app) asWritten(dir, name string) error {
	m, err := store.Read(dir)
	if errors.Is(err, store.ErrNoRun) {
		fmt.Fprintf(a.Err, "note: %s was not checked: %v\n", name, err)
		return nil
	}
	if err != nil {
		return err
	}
	known, err := m.VerifyFile(dir, name, a.Depth())
	if err == nil && !known {
		fmt.Fprintf(a.Err, "note: %s was not checked: the manifest of %s does not know it\n", name, dir)
	}
	return err
}

// writeFile writes a file that is there when it is whole.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := file.Create(path, 0o666)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err = write(f); err == nil {
		err = f.Commit()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), f.Discard())
	}
	return nil
}
