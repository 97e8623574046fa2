package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fabriclab/harness/build"
	"fabriclab/harness/doctor"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
)

func (a *app) buildCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "build [release|debug|asan|tsan]",
		Short: "build the mechanisms and the runners of the engines that are installed",
		Args:  cobra.MaximumNArgs(1), ValidArgs: []string{"release", "debug", "asan", "tsan"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				kind, err := build.ParseType(args[0])
				if err != nil {
					return err
				}
				a.Set.BuildType = kind
			}
			a.Set.Verbose = !a.Set.JSON
			b, err := a.Builder()
			if err != nil {
				return err
			}
			if _, err := b.Describe(cmd.Context()); err != nil {
				return err
			}
			programs, err := a.buildEngines(cmd.Context(), b)
			if err == nil && a.Set.JSON {
				return a.Print(programs)
			}
			return err
		},
	}
}

// buildEngines builds the runners. Of engines that were not asked for, one that
// cannot be built does not keep the others from it, if there is any.
func (a *app) buildEngines(ctx context.Context, b *build.Builder) (map[string]*engine.Program, error) {
	chosen, err := a.enginesToBuild(b)
	if err != nil {
		return nil, err
	}
	programs := map[string]*engine.Program{}
	var problems []error
	for _, e := range chosen {
		p, err := b.Rebuild(ctx, e)
		switch {
		case ctx.Err() != nil:
			return nil, err
		case err != nil:
			problems = append(problems, fmt.Errorf("%s is not built: %w", e.Title(), err))
			continue
		}
		programs[e.Name()] = p
		if !a.Set.JSON {
			fmt.Fprintf(a.Out, "%s: %s %s in %s, %s, build %.12s\n", p.Path, e.Title(), p.Version.EngineVersion, p.Simulator, p.Version.BuildType, p.BuildID)
		}
	}
	if len(a.Set.Engines) > 0 || len(programs) == 0 {
		return programs, errors.Join(problems...)
	}
	for _, problem := range problems {
		fmt.Fprintf(a.Err, "warning: %v\n", problem)
	}
	return programs, nil
}

// enginesToBuild are those asked for, else those installed.
func (a *app) enginesToBuild(b *build.Builder) ([]engine.Engine, error) {
	var chosen []engine.Engine
	if len(a.Set.Engines) > 0 {
		for _, name := range a.Set.Engines {
			e, err := engines.ByName(name)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, e)
		}
		return chosen, nil
	}
	var missing []error
	for _, e := range engines.All() {
		if !b.Has(e) {
			continue
		}
		if _, err := e.Find(); err != nil {
			missing = append(missing, err)
			fmt.Fprintf(a.Err, "%s is left out: %v\n", e.Title(), err)
			if usual, absent := engines.Default(); e == engines.All()[0] && absent != nil {
				fmt.Fprintf(a.Err, "experiments that name no engine run on %s, which needs no simulator, until then\n", usual.Title())
			}
			continue
		}
		chosen = append(chosen, e)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no engine can be built: %w", errors.Join(missing...))
	}
	return chosen, nil
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "check what is installed, and say what to do about what is missing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := a.ResultsDir()
			if err != nil {
				return err
			}
			findings := doctor.Examine(cmd.Context(), engines.All(), out)
			if a.Set.JSON {
				err = a.Print(findings)
			} else {
				err = doctor.Render(a.Out, findings)
			}
			if err == nil && !doctor.Healthy(findings) {
				err = errors.New("something that is required is missing; see above")
			}
			return err
		},
	}
}
