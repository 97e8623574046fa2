package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabriclab/analysis/compare"
	"fabriclab/base/file"
	"fabriclab/harness/lab/comparison"
)

// errRegression is returned where results got worse.
var errRegression = errors.New("the comparison failed: what fails is in capitals in the report")

func (a *app) compareCommand() *cobra.Command {
	var o comparison.Options
	var outputs []string
	var all bool
	cmd := &cobra.Command{
		Use:   "compare [BASE [HEAD]]",
		Short: "compare two sets of results, exactly and by a test over seeds",
		Long: `Compares results measure by measure. BASE and HEAD are folders of results or saved baselines, or
with --rev git revisions of the project (where there is none, of fabriclab's checkout), which are
checked out and run. Without HEAD the experiments of BASE are run as the project or the checkout
is, with BASE's scale, readings, --set, seeds and engines (what has a valid result is not run
again). Without BASE it is ci/baselines of the project or the checkout. Then, and with --rev,
ci/regression.yaml beside it has the thresholds.

Exit status 1: something got worse beyond its threshold, or is missing. What "worse" is and what
else fails is set in YAML (--thresholds; docs/how-to/regression.md).`,
		Example: `  fabriclab compare ci/baselines --thresholds ci/regression.yaml
  fabriclab compare --rev HEAD~1                       # did my last commit change a result?
  fabriclab compare --rev main --experiment fncc/fig14 -o comment.md -o junit.xml
  fabriclab compare before/results after/results --all`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range outputs { // before anything runs
				_, err := reportWriter(path)
				if err := errors.Join(err, file.CheckPlace(path)); err != nil {
					return err
				}
			}
			asJSON := a.Set.JSON
			a.Set.JSON = false // progress goes to standard error, the report is the only JSON
			report, err := comparison.Compare(cmd.Context(), a.Lab, args, o)
			if err != nil {
				return err
			}
			if err := writeReports(report, outputs, all); err != nil {
				return err
			}
			if asJSON {
				err = a.Print(report)
			} else {
				err = report.Text(a.Out, all)
			}
			if err == nil && report.Failed {
				err = errRegression
			}
			if len(args) == 0 && len(o.Experiments) == 0 {
				err = errors.Join(err, a.tellUnguarded(o))
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Rev, "rev", false, "BASE and HEAD are git revisions; without HEAD: the project or the checkout as it is")
	f.BoolVar(&o.Fabriclab, "fabriclab", false, "with --rev in a project: revisions of fabriclab's checkout, each with the project as it is")
	f.StringArrayVar(&o.Experiments, "experiment", nil, "compare this experiment only; may be repeated (default: all of BASE; with --rev those with a baseline)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("experiment", a.completeExperiments(false)))
	f.Var(&seedsValue{&o.Seeds}, "seed", "seeds to run, instead of the experiment's (with --rev)")
	f.StringVar(&o.Thresholds, "thresholds", "", "YAML file that says what counts and what fails (default without BASE and with --rev: ci/regression.yaml)")
	f.StringVar(&o.Baselines, "baselines", "", "folder of the baselines (default: ci/baselines of the project or the checkout)")
	f.StringArrayVarP(&outputs, "output", "o", nil, "write the report to a file, too: .txt, .md (for a pull request), .xml (JUnit) or .json; may be repeated")
	f.BoolVar(&all, "all", false, "print measures that did not change, too")
	return cmd
}

// tellUnguarded says which experiments of a project are not compared.
func (a *app) tellUnguarded(o comparison.Options) error {
	names, err := comparison.WithoutBaseline(a.Lab, o)
	if err == nil && len(names) > 0 {
		list := strings.Join(names, " ")
		fmt.Fprintf(a.Err, "without a baseline, so not compared: %s; fabriclab baseline update %s\n", list, list)
	}
	return err
}

// reportWriter is how a report is written to a file of this name.
func reportWriter(path string) (func(*compare.Report, io.Writer, bool) error, error) {
	switch filepath.Ext(path) {
	case ".txt":
		return (*compare.Report).Text, nil
	case ".md":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.Markdown(out) }, nil
	case ".xml":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.JUnit(out) }, nil
	case ".json":
		return func(r *compare.Report, out io.Writer, _ bool) error { return r.JSON(out) }, nil
	}
	return nil, fmt.Errorf("%s: a report is written as .txt, .md, .xml or .json; give the file one of these endings", path)
}

func writeReports(r *compare.Report, paths []string, all bool) error {
	for _, path := range paths {
		write, err := reportWriter(path)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := write(r, &b, all); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		if err := file.Write(path, []byte(b.String()), 0o666); err != nil {
			return fmt.Errorf("writing a report: %w", err)
		}
	}
	return nil
}
