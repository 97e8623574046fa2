package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves are all commands that do something.
func leaves(cmd *cobra.Command) (all []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		all = append(all, leaves(sub)...)
	}
	if cmd.Runnable() && !cmd.HasSubCommands() {
		all = append(all, cmd)
	}
	return all
}

// TestSettingsWhereTheyAct: every setting that has no effect on a command is
// neither in its help nor completed, and refused; every other one is all of
// that.
func TestSettingsWhereTheyAct(t *testing.T) {
	command := func() *cobra.Command { return newApp(io.Discard, io.Discard).command() }
	var names []string
	for _, leaf := range leaves(command()) {
		names = append(names, name(leaf))
		settings := acts[name(leaf)]
		help := leaf.UsageString()
		leaf.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) {
			value := map[string]string{"bool": "true", "int": "3", "duration": "3s"}[f.Value.Type()]
			if value == "" {
				value = "3"
			}
			fresh := command()
			same, args, err := fresh.Find(append(strings.Fields(name(leaf)), "--"+f.Name+"="+value))
			require.NoError(t, err)
			err = same.ParseFlags(args)
			if f.Name == "root" || slices.Contains(settings, f.Name) {
				assert.Regexp(t, `\s--`+f.Name+`\b`, help, "%s", name(leaf))
				require.NoError(t, err, "%s --%s", name(leaf), f.Name)
				assert.True(t, fresh.PersistentFlags().Changed(f.Name))
				return
			}
			assert.NotRegexp(t, `\s--`+f.Name+`\b`, help, "%s", name(leaf))
			assert.ErrorContains(t, err, "--"+f.Name+" has no effect on fabriclab "+name(leaf))
		})
	}
	for command := range acts {
		assert.Contains(t, names, command)
	}
	for _, n := range names {
		_, known := acts[n]
		assert.True(t, known || strings.HasPrefix(n, "completion"), "%s is in no row of acts", n)
	}
}

// TestHelpOfCommandsWithCommands: settings act on the commands below, and stand in
// the help of these.
func TestHelpOfCommandsWithCommands(t *testing.T) {
	for _, args := range []string{"", "new", "docs", "trace", "baseline", "import"} {
		root := newApp(io.Discard, io.Discard).command()
		cmd, _, err := root.Find(strings.Fields(args))
		require.NoError(t, err)
		require.True(t, cmd.HasSubCommands(), args)
		help := cmd.UsageString()
		list, _, found := strings.Cut(help, "\nUse \"")
		require.True(t, found, help)
		assert.NotContains(t, list, "Flags:", args)
		assert.NotContains(t, list, "--slurm-time", args)
		assert.Contains(t, help, "for a command's flags and settings", args)
	}
}

// TestFlagsThatAreRefused: in front of the command and behind it, short and
// long; and a flag or command that there is none of has the nearest name.
func TestFlagsThatAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"analyze --engine ns3 x":     "--engine has no effect on fabriclab analyze, which does not take it; it is for allocate, ",
		"--engine ns3 analyze x":     "--engine has no effect on fabriclab analyze",
		"analyze -v x":               "--verbose has no effect on fabriclab analyze",
		"--again version":            "--again has no effect on fabriclab version, which does not take it; it is for baseline update, compare, figure, parity, run",
		"trace head --out=y x flows": "--out has no effect on fabriclab trace head",
		"run --sale quick x":         `unknown flag: --sale; did you mean "scale"?`,
		"trace hed x flows":          `fabriclab trace has no command "hed"; did you mean "head"? (known: export, head, schema)`,
		"baseline show":              `fabriclab baseline has no command "show" (known: update)`,
		"analyze --jsn x":            `unknown flag: --jsn; did you mean "json"?`,
		"runn x":                     `fabriclab has no command "runn"; did you mean "run"?; see: fabriclab --help`,
		"frob":                       `fabriclab has no command "frob" (`,
		"run":                        "an argument is missing; write: fabriclab run EXPERIMENT…; see: fabriclab run --help",
		"trace head x":               `["x"] is not what it takes; write: fabriclab trace head RUNDIR TABLE; see: fabriclab trace head --help`,
		"collect x y":                `["x" "y"] is not what it takes; write: fabriclab collect SWEEP -o FILE`,
		"doctor x":                   `["x"] is not what it takes; write: fabriclab doctor; see:`,
		"plot x --x a --y b":         "a flag is missing; write: fabriclab plot TABLE|SWEEP --x COLUMN --y MEASURE -o FILE",
		"run x --time-limit 10":      `--time-limit: "10" is no time; it is a number with a unit of ms, s, m or h, such as 90s or 1h30m`,
	} {
		root := newApp(io.Discard, io.Discard).command()
		root.SetArgs(strings.Fields(args))
		assert.ErrorContains(t, root.Execute(), want, args)
	}
}

// TestSettingsAreCompletedWhereTheyAct asks as a shell does.
func TestSettingsAreCompletedWhereTheyAct(t *testing.T) {
	complete := func(args ...string) string {
		var out strings.Builder
		root := newApp(&out, io.Discard).command()
		root.SetArgs(append([]string{cobra.ShellCompNoDescRequestCmd}, args...))
		require.NoError(t, root.Execute())
		return out.String()
	}
	assert.Contains(t, complete("run", "--slurm-"), "--slurm-throttle")
	assert.NotContains(t, complete("analyze", "--"), "--engine")
	assert.Contains(t, complete("analyze", "--"), "--json")
}
