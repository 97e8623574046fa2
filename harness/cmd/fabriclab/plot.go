package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/plot"
	"fabriclab/analysis/sheet"
	"fabriclab/base/file"
	"fabriclab/harness/lab/collected"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/trace"
)

func (a *app) plotCommand() *cobra.Command {
	var s plan.Selection
	var o plot.Options
	var take collected.Taking
	var to, raw string
	cmd := &cobra.Command{
		Use:   "plot TABLE|SWEEP --x COLUMN --y MEASURE -o FILE",
		Short: "draw a sweep or a table for a quick look",
		Long: `Draws one measure of a sweep over one of its parameters: the mean over the seeds with its 95 %
confidence interval. SWEEP is what collect takes, an experiment or a folder of results; TABLE is what
collect has written, or any other table (.parquet, .csv), of which --y names a column. --table draws a
table of the sweep's runs, such as time series of several of them.`,
		Example: `  fabriclab plot fncc/fig10 --x topology.rate --y queue_max --colour preset -o queue.svg
  fabriclab plot sweep.parquet --x preset --y link_utilisation --facet topology.rate -o load.html
  fabriclab plot RUNDIR/queues.parquet --x time_ps --y max_bytes --where class=1 --colour link -o queue.png
  fabriclab plot fncc/fig10 --table queues --x time_ps --y max_bytes --where class=data --colour preset --facet topology.rate -o queues.pdf --width 7 --no-title`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeExperiments(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			render, err := renderer(to)
			if err != nil {
				return err
			}
			if err := errors.Join(checkWidth(o.Width), file.CheckPlace(to)); err != nil { // before the work
				return err
			}
			take.DataClass = slices.Contains(o.Where, plot.OfDataClass)
			table, err := a.tableOf(cmd.Context(), args[0], raw, s, take)
			if err != nil {
				return err
			}
			if o.Title == "" {
				o.Title = fmt.Sprintf("%s: %s by %s", filepath.ToSlash(strings.TrimSuffix(args[0], filepath.Ext(args[0]))), o.Y, o.X)
			}
			f, notes, err := plot.Draw(table, o)
			if err != nil {
				return err
			}
			for _, note := range notes {
				fmt.Fprintf(a.Err, "note: %s\n", note)
			}
			data, err := render(f)
			if err != nil {
				return err
			}
			if err := file.Write(to, data, 0o666); err != nil {
				return fmt.Errorf("writing the picture: %w", err)
			}
			return nil
		},
	}
	a.selectionFlags(cmd, &s)
	f := cmd.Flags()
	f.StringVarP(&o.X, "x", "x", "", "column along the x axis")
	f.StringVarP(&o.Y, "y", "y", "", "measure of the sweep, or a column")
	f.StringVar(&o.Colour, "colour", "", "column whose values have a line each")
	f.StringVar(&o.Facet, "facet", "", "column whose values have a panel each")
	f.StringArrayVar(&o.Where, "where", nil, "rows with this value only: column=value; class=data are those of each run's data packets; may be repeated")
	f.BoolVar(&o.LogX, "log-x", false, "the x axis is logarithmic")
	f.BoolVar(&o.LogY, "log-y", false, "the y axis is logarithmic")
	f.StringVar(&o.Title, "title", "", "title (default: what is drawn)")
	f.StringVar(&raw, "table", "", "draw rows of this table of the sweep's runs (queues, rates, …) instead of measures")
	f.BoolVar(&o.Dots, "dots", false, "of a table: draw the rows as dots, unjoined")
	paperFlags(cmd, &o.Width, &o.Bare)
	f.StringVar(&o.XLabel, "x-label", "", "what stands at the x axis")
	f.StringVar(&o.YLabel, "y-label", "", "what stands at the y axis")
	f.StringVarP(&to, "output", "o", "", "file to write: .pdf, .png, .svg or .html")
	takingFlags(cmd, &take)
	for _, name := range []string{"x", "y", "colour", "facet"} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, a.completing(a.completeColumns(name))))
	}
	for _, name := range []string{"x", "y", "output"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// completeColumns completes columns: of a table that is given those it has; of
// an experiment its axes, and for y the measures.
func (a *app) completeColumns(flag string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) == 1 {
			if s, err := sheet.ReadFile(args[0]); err == nil && s.Index(collect.MeasureName) < 0 {
				return s.Names(), cobra.ShellCompDirectiveNoFileComp
			} else if err == nil && flag != "y" {
				return s.Names(), cobra.ShellCompDirectiveNoFileComp
			}
			quiet := *a.Lab
			quiet.Out, quiet.Err = io.Discard, io.Discard
			if loaded, err := plan.Load(cmd.Context(), &quiet, args, plan.Selection{}); err == nil && len(loaded[0].Points) > 0 && flag != "y" {
				for _, l := range loaded[0].Points[0].Labels {
					names = append(names, l.Path)
				}
			}
		}
		if flag == "y" {
			for _, m := range measure.Standard() {
				names = append(names, m.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		return append(names, collect.Engine, collect.Seed, "preset"), cobra.ShellCompDirectiveNoFileComp
	}
}

// paperFlags are those of pictures for a paper.
func paperFlags(cmd *cobra.Command, width *float64, bare *bool) {
	cmd.Flags().Float64Var(width, "width", 0, "width of the pictures in inches, such as 3.3 for a column and 7 for a page")
	cmd.Flags().BoolVar(bare, "no-title", false, "leave the title out: the caption has it")
}

func checkWidth(inches float64) error {
	if inches != 0 && !(inches >= 2 && inches <= 40) {
		return fmt.Errorf("--width %g: it is from 2 to 40 inches, such as 3.3 for a column and 7 for a page", inches)
	}
	return nil
}

// tableOf reads a table, or collects a sweep: its measures, or one of its tables.
func (a *app) tableOf(ctx context.Context, name, raw string, s plan.Selection, take collected.Taking) (*sheet.Sheet, error) {
	if raw != "" {
		dir, err := os.MkdirTemp("", "fabriclab-plot-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, raw+".parquet")
		err = writeFile(path, func(out io.Writer) error {
			_, _, err := collected.Gather(ctx, a.Lab, out, trace.Parquet, name, raw, s, take)
			return err
		})
		if err != nil {
			return nil, err
		}
		return sheet.ReadFile(path)
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() && filepath.Ext(name) != ".yaml" {
		if len(s.Sets)+len(s.Readings)+len(s.Seeds) > 0 {
			return nil, errors.New("--set, --reading and --seed choose among the runs of an experiment; of a table choose rows with --where")
		}
		return sheet.ReadFile(name)
	}
	runs, err := collected.Measure(ctx, a.Lab, name, s, take)
	if err != nil {
		return nil, err
	}
	collect.Apart(runs)
	return collect.Table(runs, true), nil
}

// renderer is how a figure is written to a file of this name.
func renderer(path string) (func(chart.Figure) ([]byte, error), error) {
	switch filepath.Ext(path) {
	case ".png":
		return chart.PNG, nil
	case ".svg":
		return chart.SVG, nil
	case ".pdf":
		return chart.PDF, nil
	case ".html":
		return func(f chart.Figure) ([]byte, error) {
			svg, err := chart.SVG(f)
			if err != nil {
				return nil, err
			}
			_, drawing, _ := strings.Cut(string(svg), "<svg") // without the XML declaration
			return []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
				html.EscapeString(f.Title) + "</title>\n<style>svg { max-width: 100%; height: auto }</style>\n<svg" + drawing + "\n</html>\n"), nil
		}, nil
	}
	return nil, fmt.Errorf("%s: a picture is written as .pdf, .png, .svg or .html; give the file one of these endings", path)
}
