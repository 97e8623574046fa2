package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/harness/build"
	"fabriclab/harness/lab"
	"fabriclab/harness/slurm"
)

// app is one call of the program.
type app struct {
	*lab.Lab
	viper *viper.Viper
}

func newApp(out, err io.Writer) *app {
	return &app{Lab: &lab.Lab{Out: out, Err: err, Tool: tool()}, viper: viper.New()}
}

const settingsFile = "fabriclab.yaml"

func settingsFlags(f *pflag.FlagSet) {
	f.String("root", "", "the fabriclab checkout (default: the one around the working directory or this program)")
	f.String("out", "", "results folder (default: results/ in the checkout)")
	f.String("scale", "", "scale of the experiments: quick, paper, … (default: quick)")
	f.StringSlice("engine", nil, "engines: ns3, omnetpp (default: those the experiment names)")
	f.Int("jobs", runtime.NumCPU(), "simulations at a time; fewer where their memory does not fit")
	f.Bool("json", false, "print JSON for programs")
	f.BoolP("verbose", "v", false, "print the whole effective configuration and the build's output")
	f.Bool("keep-going", true, "start further runs when one has failed")
	f.Int("retry", 0, "how often a run that crashed or stalled is tried again")
	f.Duration("time-limit", 0, "the longest a simulation may run, such as 10m; 0 is any time")
	f.String("memory-limit", "0", "the most memory a simulation may take, such as 2GB; 0 is any")
	f.Bool("again", false, "run again what has a valid result")
	f.Bool("omnet-results", false, "let OMNeT++ write its own .sca and .vec files as well, in omnet-results/ of each run; runs are made again")
	f.String("ns-log", "", "log components of ns-3 in each run's log.txt, as in NS_LOG (which itself does not reach runs); the log keeps 2 MiB")
	f.String("verify", "contents", "how results are checked before they are taken: contents (SHA-256) or sizes")
	f.String("build-type", "release", "build of the simulators: release, debug or asan")
	f.Duration("stall-timeout", 5*time.Minute, "end a simulation whose time and events stand still this long; 0 never does")
	f.String("executor", lab.ExecutorLocal, "who runs the simulations: local (this machine) or slurm (a cluster)")
	f.String("slurm-partition", "", "partition of the cluster (default: the cluster's)")
	f.Duration("slurm-time", 0, "time limit of a task, such as 2h (default: the partition's)")
	f.String("slurm-memory", "0", "memory of a task, such as 4GB (default: the cluster's)")
	f.Int("slurm-throttle", 0, "tasks of an array that run at a time; 0 is any number")
	f.StringArray("slurm-arg", nil, "a further argument of sbatch, such as --account=lab")
	f.Duration("grace", 5*time.Second, "time a simulation gets to end itself before it is killed")
}

// load reads the settings, flags over FABRICLAB_* variables over
// fabriclab.yaml over defaults, and checks them.
func (a *app) load(cmd *cobra.Command) error {
	v := a.viper
	flags := cmd.Root().PersistentFlags()
	if err := v.BindPFlags(flags); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	v.SetEnvPrefix("FABRICLAB")
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	a.Set.Root = v.GetString("root")
	file, err := a.readSettings(flags)
	if err != nil {
		return err
	}
	kind, err := build.ParseType(v.GetString("build-type"))
	if err != nil {
		return fmt.Errorf("--build-type: %w", err)
	}
	memoryLimit, err := units.ParseBytes(v.GetString("memory-limit"))
	if err != nil {
		return fmt.Errorf("memory-limit: %w%s", err, file)
	}
	slurmMemory, err := units.ParseBytes(v.GetString("slurm-memory"))
	if err != nil {
		return fmt.Errorf("slurm-memory: %w%s", err, file)
	}
	a.Set = lab.Settings{
		Root: v.GetString("root"), Out: v.GetString("out"), Scale: v.GetString("scale"), Engines: v.GetStringSlice("engine"),
		Jobs: v.GetInt("jobs"), JSON: v.GetBool("json"), Verbose: v.GetBool("verbose"), KeepGoing: v.GetBool("keep-going"),
		Retry: v.GetInt("retry"), TimeLimit: v.GetDuration("time-limit"), MemoryLimit: memoryLimit,
		Again: v.GetBool("again"), OmnetResults: v.GetBool("omnet-results"), NSLog: v.GetString("ns-log"), Verify: v.GetString("verify"), BuildType: kind,
		StallTimeout: v.GetDuration("stall-timeout"), Grace: v.GetDuration("grace"),
		Executor: v.GetString("executor"),
		Slurm: slurm.Settings{
			Partition: v.GetString("slurm-partition"), Time: v.GetDuration("slurm-time"), Memory: slurmMemory,
			Throttle: v.GetInt("slurm-throttle"), Args: v.GetStringSlice("slurm-arg"),
		},
	}
	switch {
	case a.Set.Jobs < 1:
		return fmt.Errorf("jobs is %q%s; give a number from 1 on", v.GetString("jobs"), file)
	case a.Set.Verify != "contents" && a.Set.Verify != "sizes":
		return fmt.Errorf("verify is %q%s; it is contents or sizes", a.Set.Verify, file)
	case a.Set.Retry < 0:
		return fmt.Errorf("retry is %q%s; give a number from 0 on", v.GetString("retry"), file)
	case a.Set.Executor != lab.ExecutorLocal && a.Set.Executor != lab.ExecutorSlurm:
		return fmt.Errorf("executor is %q%s; it is %s or %s", a.Set.Executor, file, lab.ExecutorLocal, lab.ExecutorSlurm)
	case a.Set.Slurm.Time < 0 || a.Set.Slurm.Throttle < 0:
		return fmt.Errorf("slurm-time and slurm-throttle are from 0 on%s", file)
	case a.Set.StallTimeout < 0 || a.Set.Grace < 0 || a.Set.TimeLimit < 0:
		return fmt.Errorf("stall-timeout, time-limit and grace are times from 0 on, such as 5m%s", file)
	}
	return nil
}

// readSettings reads fabriclab.yaml, from the working directory or the
// checkout. It returns a hint for messages about values that may come from it.
func (a *app) readSettings(flags *pflag.FlagSet) (hint string, err error) {
	candidates := []string{settingsFile}
	if root, err := a.Root(); err == nil {
		candidates = append(candidates, filepath.Join(root, settingsFile))
	}
	for _, file := range candidates {
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			continue
		}
		a.viper.SetConfigFile(file)
		if err := a.viper.ReadInConfig(); err != nil {
			return "", fmt.Errorf("settings in %s: %w", file, err)
		}
		var known []string
		flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		for _, key := range a.viper.AllKeys() {
			if a.viper.InConfig(key) && flags.Lookup(key) == nil {
				return "", fmt.Errorf("settings in %s: there is no setting %q%s", file, key, catalog.Hint(key, known))
			}
		}
		return " (see also " + file + ")", nil
	}
	return "", nil
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "fabriclab",
		Short: "run datacenter-fabric mechanisms on real simulators and check the papers' claims",
		Long: `fabriclab runs the switch and NIC mechanisms of datacenter-fabric papers on
ns-3 and OMNeT++ from YAML files, keeps what happened as Parquet tables, and
says, figure by figure, whether the papers' claims hold.

Settings come from flags, over FABRICLAB_* variables (FABRICLAB_JOBS=4), over
` + settingsFile + ` in the working directory or the checkout, over defaults.`,
		SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.load(cmd) },
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	settingsFlags(root.PersistentFlags())
	root.AddCommand(
		a.runCommand(), a.runOneCommand(), a.statusCommand(), a.figureCommand(), a.reportCommand(), a.validateCommand(),
		a.listCommand(), a.describeCommand(), a.topologyCommand(), a.flowsCommand(),
		a.analyzeCommand(), a.traceCommand(), a.collectCommand(), a.plotCommand(), a.compareCommand(), a.baselineCommand(), a.schemaCommand(),
		a.parityCommand(), a.benchCommand(), a.buildCommand(), a.doctorCommand(), a.versionCommand(),
	)
	return root
}
