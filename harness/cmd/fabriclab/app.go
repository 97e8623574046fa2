package main

import (
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabriclab/harness/build"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
)

// app is one call of the program.
type app struct {
	*lab.Lab
}

func newApp(out, err io.Writer) *app {
	return &app{Lab: &lab.Lab{Out: out, Err: err, Tool: tool()}}
}

func settingsFlags(f *pflag.FlagSet) {
	f.String("root", "", "the fabriclab checkout (default: the one around the working directory or this program)")
	f.StringArray("mechanisms", nil, "a folder with mechanisms of one's own; may be given several times, or as a list (in "+settingsFile+": mechanism_path)")
	f.String("ns3", "", "the ns-3 to use: the folder it was installed to, or its source folder, in which it was built (default: CMAKE_PREFIX_PATH, /usr/local, /usr)")
	f.String("out", "", "results folder (default: results/ beside "+settingsFile+", or in the checkout)")
	f.String("scale", "", "scale of the experiments: quick, paper, … (default: quick)")
	f.StringSlice("engine", nil, "engines: "+strings.Join(experiment.Engines, ", ")+" (default: those the experiment names)")
	f.Int("jobs", runtime.NumCPU(), "simulations at a time; fewer where their memory does not fit")
	f.Int("threads", 0, "threads of a simulation on ns-3 and plain, which change no result; 0: what its experiment says, else on ns-3 the machine's cores divided by the simulations at a time, on plain 1")
	f.Bool("json", false, "print JSON for programs")
	f.BoolP("verbose", "v", false, "print the whole effective configuration of what is run, and the build's output")
	f.Bool("keep-going", true, "start further runs when one has failed")
	f.Int("retry", 0, "how often a run that crashed or stalled is tried again")
	f.Duration("time-limit", 0, "the longest a simulation may run, such as 10m; 0 is any time")
	f.String("memory-limit", "0", "the most memory a simulation may take, such as 2GB; 0 is any")
	f.Bool("again", false, "run again what has a valid result")
	f.Bool("omnet-results", false, "let OMNeT++ write its own .sca and .vec files as well, in omnet-results/ of each run; runs are made again")
	f.String("ns-log", "", "log components of ns-3 in each run's log.txt, as in NS_LOG (which itself does not reach runs); the log keeps 2 MiB")
	f.String("verify", "contents", "how results are checked before they are taken: contents (SHA-256) or sizes")
	f.String("build-type", "release", "build of the simulators: release, debug, asan or tsan")
	f.Duration("stall-timeout", 5*time.Minute, "end a simulation whose time and events stand still this long; 0 never does")
	f.String("executor", lab.ExecutorLocal, "who runs the simulations: local (this machine) or slurm (a cluster)")
	f.String("slurm-partition", "", "partition of the cluster (default: the cluster's)")
	f.Duration("slurm-time", 0, "time limit of a task, such as 2h (default: the partition's)")
	f.String("slurm-memory", "0", "memory of a task, such as 4GB (default: the cluster's)")
	f.Int("slurm-throttle", 0, "tasks of an array that run at a time; 0 is any number")
	f.StringArray("slurm-arg", nil, "a further argument of sbatch, such as --account=lab")
	f.Duration("grace", 5*time.Second, "time a simulation gets to end itself before it is killed")
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "fabriclab",
		Short: "run datacenter-fabric mechanisms on real simulators and check the papers' claims",
		Long: `fabriclab runs the switch and NIC mechanisms of datacenter-fabric papers on
ns-3 and OMNeT++ from YAML files, keeps what happened as Parquet tables, and
says, figure by figure, whether the papers' claims hold.

Settings come from flags, as far as a command has them, over FABRICLAB_* variables (FABRICLAB_JOBS=4), over
` + settingsFile + ` at or above the working directory or in the checkout, over
defaults.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: cobra.NoFileCompletions, // what is no command is for group to refuse
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.Compiles = compiles[name(cmd)]
			return a.load(cmd.Root().PersistentFlags())
		},
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	settingsFlags(root.PersistentFlags())
	const installation = "This installation:"
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Experiments:", []*cobra.Command{a.newCommand(), a.validateCommand(), a.runCommand(), a.statusCommand(), a.topologyCommand(), a.flowsCommand(), a.importCommand(), a.schemaCommand()}},
		{"Figures and papers:", []*cobra.Command{a.figureCommand(), a.reportCommand(), a.verdictsCommand(), a.recordCommand(), a.docsCommand()}},
		{"Results:", []*cobra.Command{a.analyzeCommand(), a.traceCommand(), a.collectCommand(), a.plotCommand(), a.compareCommand(), a.baselineCommand(), a.parityCommand()}},
		{"Mechanisms and optima:", []*cobra.Command{a.listCommand(), a.describeCommand(), a.testCommand(), a.oracleCommand(), a.allocateCommand()}},
		{installation, []*cobra.Command{a.doctorCommand(), a.buildCommand(), a.benchCommand(), a.trustCommand(), a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
		}
		group(root, g.commands...)
	}
	root.AddCommand(a.runOneCommand()) // hidden
	root.SetHelpCommandGroupID(installation)
	root.SetCompletionCommandGroupID(installation)
	for flag, values := range map[string][]string{
		"engine": experiment.Engines, "executor": {lab.ExecutorLocal, lab.ExecutorSlurm}, "verify": {"contents", "sizes"},
		"build-type": {string(build.Release), string(build.Debug), string(build.ASan), string(build.TSan)},
	} {
		cobra.CheckErr(root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(flagsOfCommands(root.UsageTemplate()))
	refuseUnknownTopics(root)
	sayWhatIsMissing(root)
	keepToTheirCommands(root, root.PersistentFlags())
	return root
}
