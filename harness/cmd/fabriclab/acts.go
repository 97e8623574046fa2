package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabriclab/base/catalog"
)

// Settings that act together.
var (
	// ofBuilds: the mechanisms' self-descriptions are read.
	ofBuilds = []string{"mechanisms", "build-type", "verbose"}
	// ofExperiments: the experiment is loaded.
	ofExperiments = append([]string{"scale", "engine"}, ofBuilds...)
	// ofSimulations: something is simulated on this machine.
	ofSimulations = append([]string{"out", "json", "jobs", "threads", "keep-going", "retry", "time-limit", "memory-limit", "stall-timeout", "grace",
		"omnet-results", "ns-log", "ns3"}, ofExperiments...)
	// ofSweeps: or on a cluster, and results are taken where there are valid ones.
	ofSweeps = append([]string{"again", "verify", "executor", "slurm-partition", "slurm-time", "slurm-memory", "slurm-throttle", "slurm-arg"}, ofSimulations...)
)

func with(group []string, more ...string) []string { return append(slices.Clone(group), more...) }

func but(group []string, less ...string) []string {
	return slices.DeleteFunc(slices.Clone(group), func(name string) bool { return slices.Contains(less, name) })
}

// acts are the settings that have an effect on each command, beside root, which
// says whose settings file holds. A command's flags are offered where they act
// and refused elsewhere; in the settings file and in variables all settings may
// stand.
var acts = map[string][]string{
	"allocate":        with(ofExperiments, "out", "json"),
	"analyze":         {"out", "json"},
	"baseline update": ofSweeps,
	"bench":           ofSimulations,
	"build":           with(ofBuilds, "engine", "json", "ns3"),
	"collect":         with(ofExperiments, "out", "verify"),
	"compare":         ofSweeps,
	"describe":        with(ofBuilds, "json"),
	"docs stale":      with(ofBuilds, "json"),
	"doctor":          {"out", "json", "ns3"},
	"figure":          ofSweeps,
	"flows":           with(ofExperiments, "json"),
	"help":            {},
	"import hpcc":     {"json"},
	"list":            with(ofBuilds, "json"),
	"new experiment":  {"json"},
	"new mechanism":   {"mechanisms", "json"},
	"new project":     but(ofSimulations, "out", "mechanisms"),
	"oracle":          with(ofExperiments, "out", "json"),
	"parity":          but(ofSweeps, "engine"),
	"plot":            with(ofExperiments, "out", "verify"),
	"record":          but(ofSweeps, "json", "again"), // with --confirm it simulates
	"report":          with(ofBuilds, "out", "json", "verify"),
	"run":             ofSweeps,
	"run-one":         ofSweeps,
	"schema":          ofBuilds,
	"status":          {"out", "json"},
	"test":            ofBuilds,
	"topology":        ofExperiments,
	"trust":           {},
	"trace export":    {"verify"},
	"trace head":      {"json", "verify"},
	"trace schema":    {"json", "verify"},
	"validate":        with(ofExperiments, "json"),
	"verdicts":        {"scale", "json"},
	"version":         {"json"},
}

// compiles are the commands that build what is stale: those that simulate, and
// those that are there to build. All others take what was built, so that they
// run no code of an experiment's author.
var compiles = map[string]bool{
	"allocate": true, "baseline update": true, "bench": true, "build": true, "compare": true, "figure": true,
	"new project": true, "parity": true, "run": true, "run-one": true, "test": true,
}

// name is a command as it is typed behind fabriclab.
func name(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// keepToTheirCommands has every command refuse the settings that have no effect
// on it: a hidden flag of its own stands before the one of all commands.
func keepToTheirCommands(cmd *cobra.Command, settings *pflag.FlagSet) {
	for _, sub := range cmd.Commands() {
		keepToTheirCommands(sub, settings)
	}
	if !cmd.Runnable() || cmd.HasSubCommands() {
		return
	}
	settings.VisitAll(func(f *pflag.Flag) {
		if f.Name == "root" || slices.Contains(acts[name(cmd)], f.Name) || cmd.Flags().Lookup(f.Name) != nil {
			return
		}
		refused := *f
		refused.Hidden, refused.Value = true, &noEffect{cmd, f}
		cmd.Flags().AddFlag(&refused)
	})
}

// flagsOfCommands is the template of help without the settings where a command only
// has others: each of these lists its own.
func flagsOfCommands(template string) string {
	return strings.NewReplacer(
		"{{if .HasAvailableLocalFlags}}", "{{if and .HasAvailableLocalFlags (not .HasAvailableSubCommands)}}",
		"{{if .HasAvailableInheritedFlags}}", "{{if and .HasAvailableInheritedFlags (not .HasAvailableSubCommands)}}",
		"for more information about a command", "for a command's flags and settings",
	).Replace(template)
}

// group has a command whose subcommands do the work refuse what is none of them;
// cobra would print the help and report success.
func group(cmd *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(subcommands...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return noCommand(cmd, args[0])
	}
	return cmd
}

// noCommand says that a command has no such subcommand, with the nearest.
func noCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
		}
	}
	return fmt.Errorf("%s has no command %q%s; see: %[1]s --help", cmd.CommandPath(), name, catalog.Hint(name, known))
}

// sayWhatIsMissing has commands that lack arguments or flags, or have too many
// arguments, show what they take; cobra only counts.
func sayWhatIsMissing(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		sayWhatIsMissing(sub)
	}
	check := cmd.Args
	if check == nil || cmd.HasSubCommands() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		var wrong string
		switch {
		case check(cmd, args) == nil && cmd.ValidateRequiredFlags() == nil:
			return nil
		case check(cmd, args) == nil:
			wrong = "a flag is missing"
		case len(args) == 0:
			wrong = "an argument is missing"
		default:
			wrong = fmt.Sprintf("%q is not what it takes", args)
		}
		return fmt.Errorf("%s; write: %s; see: %s --help", wrong, strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
	}
}

// refuseUnknownTopics has help refuse what is no command; cobra's prints the help of
// all and reports success.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() != "help" {
			continue
		}
		show := help.Run
		help.Run = nil
		help.RunE = func(cmd *cobra.Command, args []string) error {
			at := root
			for _, name := range args {
				i := slices.IndexFunc(at.Commands(), func(sub *cobra.Command) bool { return sub.Name() == name || sub.HasAlias(name) })
				if i < 0 {
					return noCommand(at, name)
				}
				at = at.Commands()[i]
			}
			show(cmd, args)
			return nil
		}
	}
}

// noEffect is the value of a setting that a command does not take.
type noEffect struct {
	cmd *cobra.Command
	of  *pflag.Flag
}

func (n *noEffect) String() string { return n.of.DefValue }
func (n *noEffect) Type() string   { return n.of.Value.Type() }

func (n *noEffect) Set(string) error {
	var others []string
	for command, settings := range acts {
		if slices.Contains(settings, n.of.Name) && command != "run-one" {
			others = append(others, command)
		}
	}
	slices.Sort(others)
	return &noEffectError{n, others}
}

// noEffectError says where a setting has an effect.
type noEffectError struct {
	*noEffect
	others []string
}

func (e *noEffectError) Error() string {
	return fmt.Sprintf("--%s has no effect on fabriclab %s, which does not take it; it is for %s", e.of.Name, name(e.cmd), strings.Join(e.others, ", "))
}

// flagError says what is wrong with a flag: where it has an effect, or the
// nearest one there is.
func flagError(cmd *cobra.Command, err error) error {
	var elsewhere *noEffectError
	if errors.As(err, &elsewhere) {
		return elsewhere
	}
	var value *pflag.InvalidValueError
	if errors.As(err, &value) && value.GetFlag().Value.Type() == "duration" {
		return fmt.Errorf("--%s: %q is no time; it is a number with a unit of ms, s, m or h, such as 90s or 1h30m", value.GetFlag().Name, value.GetValue())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return fmt.Errorf("%w%s; see: %s --help", err, catalog.Hint(unknown.GetSpecifiedName(), names), cmd.CommandPath())
}
