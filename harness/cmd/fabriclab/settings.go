package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
	"fabriclab/base/yamlfile"
	"fabriclab/harness/build"
	"fabriclab/harness/engine"
	"fabriclab/harness/engine/engines"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/lab"
	"fabriclab/harness/run"
	"fabriclab/harness/scenario"
	"fabriclab/harness/slurm"
	"fabriclab/harness/trust"
)

const (
	settingsFile   = "fabriclab.yaml"
	settingsPrefix = "FABRICLAB_"
)

// settings are flags, which variables and a file may set where the command line
// does not. viper says which of the three holds; the flag reads the value, so a
// value is checked in the same way wherever it stands.
type settings struct {
	flags *pflag.FlagSet
	viper *viper.Viper
	from  map[string]string // where a value comes from that is not the default
	file  string            // the settings file that was read, "" if there is none
}

// inFile are settings that have another name in the file than on the command
// line.
var inFile = map[string]string{"mechanisms": "mechanism_path"}

// setting is the name of a flag as it is written in the file.
func setting(flag string) string {
	if name, other := inFile[flag]; other {
		return name
	}
	return flag
}

// flagOf is the flag that a key of the file is for.
func flagOf(key string) string {
	for flag, name := range inFile {
		switch key {
		case name:
			return flag
		case flag:
			return ""
		}
	}
	return key
}

// readSettings lays FABRICLAB_* variables over fabriclab.yaml, the nearest one
// at or above the working directory or the checkout's, and both below the flags
// of the command line.
func (a *app) readSettings(flags *pflag.FlagSet) (*settings, error) {
	s := &settings{flags: flags, viper: viper.New(), from: map[string]string{}}
	s.viper.SetEnvPrefix(strings.TrimSuffix(settingsPrefix, "_"))
	s.viper.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	s.viper.AutomaticEnv()
	if err := s.viper.BindPFlags(flags); err != nil {
		return nil, err
	}
	if err := s.knowEnvironment(); err != nil {
		return nil, err
	}
	// The file may be the checkout's, which these may name.
	a.Set.Root = s.viper.GetString("root")
	candidates, err := settingsFiles()
	if err != nil {
		return nil, err
	}
	checkout, rootErr := a.Root()
	if rootErr == nil {
		candidates = append(candidates, filepath.Join(checkout, settingsFile))
	}
	for _, file := range candidates {
		err := trust.Check(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		var root *yaml.Node
		if err == nil {
			root, err = yamlfile.Read(file)
		}
		if err == nil {
			err = s.readFile(file, root)
		}
		if err != nil {
			return nil, fmt.Errorf("settings: %w", err)
		}
		s.file = file
		break
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			s.from[f.Name] = "--" + f.Name
		}
	})
	for _, name := range slices.Sorted(maps.Keys(s.from)) {
		if err := s.read(s.from[name], flags.Lookup(name)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// settingsFiles are the places of a settings file, from the working directory
// upwards.
func settingsFiles() ([]string, error) {
	files := []string{settingsFile}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("settings: %w; change into a folder that is there", err)
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		files = append(files, filepath.Join(dir, settingsFile))
	}
	return files, nil
}

// project is the folder of the settings file, if that is not in the checkout:
// configs/ and results/ are beside it.
func (a *app) project(s *settings) (string, error) {
	if s.file == "" {
		return "", nil
	}
	file, err := filepath.Abs(s.file)
	if err != nil {
		return "", err
	}
	checkout, err := a.Root()
	if err != nil {
		return "", nil // whoever needs the checkout says that there is none
	}
	if rel, err := filepath.Rel(checkout, file); err == nil && filepath.IsLocal(rel) {
		return "", nil
	}
	return filepath.Dir(file), nil
}

// mechanismPath are the folders of mechanisms of one's own. Those in the file
// are relative to it.
func (s *settings) mechanismPath() []string {
	var dirs []string
	for _, list := range get(s.flags.GetStringArray("mechanisms")) {
		for _, dir := range filepath.SplitList(list) {
			if s.fromFile("mechanisms") && !filepath.IsAbs(dir) {
				dir = filepath.Join(filepath.Dir(s.file), dir)
			}
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// ns3 is the folder of the ns-3 to use, and where it is named. One in the file
// is relative to it.
func (s *settings) ns3() (dir, from string, err error) {
	dir = s.text("ns3")
	if below, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(os.Getenv("HOME"), below)
	}
	if dir != "" && s.fromFile("ns3") && !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(s.file), dir)
	}
	if dir != "" {
		dir, err = filepath.Abs(dir)
	}
	return dir, s.from["ns3"], err
}

// fromFile says whether a setting's value is that of the file.
func (s *settings) fromFile(name string) bool {
	return s.file != "" && strings.HasPrefix(s.from[name], s.file+":")
}

// knowEnvironment refuses variables that no setting has: viper asks only for
// those it knows.
func (s *settings) knowEnvironment() error {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		key, ours := strings.CutPrefix(name, settingsPrefix)
		if !ours || value == "" || strings.HasPrefix(key, "TEST_") || strings.HasPrefix(key, "SHOW_") { // those are of the tests
			continue
		}
		setting := strings.ToLower(strings.ReplaceAll(key, "_", "-"))
		if s.flags.Lookup(setting) == nil {
			return s.unknown(name, name, func(f string) string {
				return settingsPrefix + strings.ToUpper(strings.ReplaceAll(f, "-", "_"))
			})
		}
		s.from[setting] = name
	}
	return nil
}

func (s *settings) readFile(file string, root *yaml.Node) error {
	at := func(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d", file, n.Line, n.Column) }
	if root == nil || root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s: not a mapping of settings to values, such as jobs: 4", at(root))
	}
	values := map[string]any{}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name := flagOf(key.Value)
		if name == "" {
			return fmt.Errorf("%s: there is no setting %q; in the file it is %s", at(key), key.Value, setting(key.Value))
		}
		if s.flags.Lookup(name) == nil {
			return s.unknown(at(key), key.Value, setting)
		}
		if value.Tag == "!!null" {
			continue
		}
		switch value.Kind {
		case yaml.SequenceNode:
			list := []string{}
			for _, item := range value.Content {
				if item.Kind != yaml.ScalarNode {
					return fmt.Errorf("%s: %s is a list of single values", at(item), key.Value)
				}
				list = append(list, item.Value)
			}
			values[name] = list
		case yaml.ScalarNode:
			values[name] = value.Value
		default:
			return fmt.Errorf("%s: %s is a single value or a list of them", at(value), key.Value)
		}
		if s.from[name] == "" {
			s.from[name] = at(value)
		}
	}
	return s.viper.MergeConfigMap(values)
}

// unknown is the error of a setting that is none, with the nearest one as it is
// written there.
func (s *settings) unknown(where, name string, written func(flag string) string) error {
	var known []string
	s.flags.VisitAll(func(f *pflag.Flag) { known = append(known, written(f.Name)) })
	return fmt.Errorf("%s: there is no setting %q%s", where, name, catalog.Hint(name, known))
}

// examples are values by the types of flags.
var examples = map[string]string{"int": "a whole number, such as 4", "bool": "true or false", "duration": "a time with its unit, such as 5m or 30s"}

// read gives the flag the value that holds, unless it is the flag's own.
func (s *settings) read(where string, flag *pflag.Flag) error {
	if flag.Changed {
		return nil
	}
	value := s.viper.Get(flag.Name)
	if list, ok := value.([]string); ok {
		several, takesList := flag.Value.(pflag.SliceValue)
		if !takesList {
			return fmt.Errorf("%s: %s is one value, not a list", where, flag.Name)
		}
		return several.Replace(list)
	}
	if err := flag.Value.Set(fmt.Sprint(value)); err != nil {
		return fmt.Errorf("%s: %s is %q; it is %s", where, flag.Name, value, examples[flag.Value.Type()])
	}
	return nil
}

func (s *settings) text(name string) string { return s.flags.Lookup(name).Value.String() }

// wrong says what is wrong with a value, and where it comes from.
func (s *settings) wrong(name, format string, args ...any) error {
	return fmt.Errorf("%s: %s is %q; %s", s.from[name], name, s.text(name), fmt.Sprintf(format, args...))
}

// load reads the settings and checks them.
func (a *app) load(flags *pflag.FlagSet) error {
	s, err := a.readSettings(flags)
	if err != nil {
		return err
	}
	bytes := func(name string) int64 {
		n, parseErr := units.ParseBytes(s.text(name))
		if parseErr != nil {
			err = errors.Join(err, s.wrong(name, "%v", parseErr))
		}
		return n
	}
	project, projectErr := a.project(s)
	if projectErr != nil {
		return projectErr
	}
	a.Set = lab.Settings{
		Root: s.text("root"), Project: project, Mechanisms: s.mechanismPath(), MechanismsInFile: s.fromFile("mechanisms"), Out: s.text("out"), Scale: s.text("scale"), Engines: get(flags.GetStringSlice("engine")),
		JSON: get(flags.GetBool("json")), Verbose: get(flags.GetBool("verbose")), Verify: s.text("verify"),
		Settings: run.Settings{
			Jobs: get(flags.GetInt("jobs")), Threads: get(flags.GetInt("threads")), KeepGoing: get(flags.GetBool("keep-going")), Retry: get(flags.GetInt("retry")), Again: get(flags.GetBool("again")),
			TimeLimit: get(flags.GetDuration("time-limit")), MemoryLimit: bytes("memory-limit"),
			StallTimeout: get(flags.GetDuration("stall-timeout")), Grace: get(flags.GetDuration("grace")),
		},
		Options:  engine.Options{OmnetResults: get(flags.GetBool("omnet-results")), NSLog: s.text("ns-log")},
		Executor: s.text("executor"),
		Slurm: slurm.Settings{
			Partition: s.text("slurm-partition"), Time: get(flags.GetDuration("slurm-time")), Memory: bytes("slurm-memory"),
			Throttle: get(flags.GetInt("slurm-throttle")), Args: get(flags.GetStringArray("slurm-arg")),
		},
	}
	dir, from, absErr := s.ns3()
	if absErr != nil {
		return absErr
	}
	a.Set.NS3, a.Set.NS3InFile = dir, s.fromFile("ns3")
	ns3.Choose(dir, from)
	kind, parseErr := build.ParseType(s.text("build-type"))
	if parseErr != nil {
		err = errors.Join(err, s.wrong("build-type", "%v", parseErr))
	}
	a.Set.BuildType = kind
	for _, n := range []struct {
		name  string
		least int
	}{{"jobs", 1}, {"threads", 0}, {"retry", 0}, {"slurm-throttle", 0}} {
		if get(flags.GetInt(n.name)) < n.least {
			err = errors.Join(err, s.wrong(n.name, "give a number from %d on", n.least))
		}
	}
	if a.Set.Threads > scenario.MostThreads {
		err = errors.Join(err, s.wrong("threads", "give a number from 0 to %d", scenario.MostThreads))
	}
	for _, name := range []string{"time-limit", "stall-timeout", "grace", "slurm-time"} {
		if get(flags.GetDuration(name)) < 0 {
			err = errors.Join(err, s.wrong(name, "it is a time from 0 on, such as 5m"))
		}
	}
	for _, name := range a.Set.Engines {
		if _, unknown := engines.ByName(name); unknown != nil {
			err = errors.Join(err, fmt.Errorf("%s: engine: %w", s.from["engine"], unknown))
		}
	}
	if v := a.Set.Verify; v != "contents" && v != "sizes" {
		err = errors.Join(err, s.wrong("verify", "it is contents or sizes"))
	}
	if v := a.Set.Executor; v != lab.ExecutorLocal && v != lab.ExecutorSlurm {
		err = errors.Join(err, s.wrong("executor", "it is %s or %s", lab.ExecutorLocal, lab.ExecutorSlurm))
	}
	return err
}

// get is the value of a flag, which is there and of its type.
func get[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
