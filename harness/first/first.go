// Package first writes a researcher's first files: a project, a mechanism with its
// preset, page and unit test, and an experiment, an invented one or that of another
// simulator.
package first

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/harness/build"
)

//go:embed templates
var templates embed.FS

// kind is how a first mechanism of a kind is made.
type kind struct {
	like  string // the file pair of the checkout that it begins as; "" = templates
	class string // of that pair
	use   string // what a unit test sets
	from  string // the line of the preset that it stands in, "" = one more
	line  string
}

var kinds = map[string]kind{
	"congestion_control": {use: "cc = \"NAME\";\n  c.queues = {\"fifo\", \"red\"};\n  c.set(\"host.base_rtt\", Time::Us(10).ps)", from: "congestion_control: none", line: "congestion_control: NAME"},
	Telemetry:            {use: "cc = \"NAME\";\n  c.agents = {\"hpcc_int\"};\n  c.receivers = {\"hpcc_echo\"};\n  c.set(\"host.base_rtt\", Time::Us(10).ps)", from: "congestion_control: none", line: "port_agents: [hpcc_int]\ncongestion_control: NAME\nreceiver_agents: [hpcc_echo]"},
	"port_agent":         {use: `agents = {"NAME"}`, line: "port_agents: [NAME]"},
	"receiver_agent":     {use: `receivers = {"NAME"}`, line: "receiver_agents: [NAME]"},
	"application":        {use: `applications = {"NAME"}`, line: "applications: [NAME]"},
	"queue":              {like: "queue/fifo", class: "Fifo", use: `queues = {"fifo", "NAME"}`, from: "queues: [fifo, fifo]", line: "queues: [fifo, NAME]"},
	"path_selector":      {like: "path/spray", class: "Spray", use: `selector = "NAME"`, from: "path_selector: ecmp", line: "path_selector: NAME"},
	"flow_scheduler":     {like: "scheduler/round_robin", class: "RoundRobin", use: `scheduler = "NAME"`, line: "flow_scheduler: NAME"},
	"transport":          {like: "transport/go_back_n", class: "GoBackN", use: `transport = "NAME"`, line: "transport: NAME"},
	"utility":            {like: "utility/alpha_fair", class: "AlphaFair", use: `utility = "NAME"`, line: "utility: NAME"},
}

// Telemetry is a congestion control by in-band telemetry, in the place of a kind.
const Telemetry = "congestion_control_int"

// Kinds are the kinds of which there is a first mechanism.
func Kinds() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(kind string) bool { return kind == Telemetry })
}

var (
	mechanismName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	source        = regexp.MustCompile(`\.source\((?:"[^"]*"\s*)+\)`)
)

// Mechanism writes a first mechanism into the folder dir/NAME and returns the
// files. Nothing that is there is changed.
func Mechanism(checkout, dir, name, of string) ([]string, error) {
	texts, err := mechanism(checkout, name, of)
	if err != nil {
		return nil, err
	}
	return write(filepath.Join(dir, name), texts, elsewhere)
}

// mechanism are the texts of a first mechanism by the names of their files.
func mechanism(checkout, name, of string) (map[string]string, error) {
	k, known := kinds[of]
	if !known {
		return nil, fmt.Errorf("there is no kind %q%s", of, catalog.Hint(of, Kinds()))
	}
	if !mechanismName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a mechanism; use small letters, digits and _ between words, such as my_control", name)
	}
	if err := taken(checkout, name); err != nil {
		return nil, err
	}
	class := className(name)
	fill := strings.NewReplacer("NAME", name, "CLASS", class, "TITLE", strings.ToUpper(name[:1])+strings.ReplaceAll(name[1:], "_", " "), "USE", strings.ReplaceAll(k.use, "NAME", name))
	texts := map[string]string{}
	for _, ending := range []string{".h", ".cc"} {
		if k.like != "" {
			text, err := os.ReadFile(filepath.Join(checkout, "mechanisms", filepath.FromSlash(k.like)+ending))
			if err != nil {
				return nil, fmt.Errorf("reading what a first %s is made like: %w; check the checkout", catalog.Words(of), err)
			}
			texts[name+ending] = renamed(string(text), k, name, class)
			continue
		}
		texts[name+ending] = fill.Replace(template(of + ending))
	}
	preset := template("preset.yaml")
	if k.from == "" {
		preset += k.line + "\n"
	} else {
		preset = strings.Replace(preset, k.from, k.line, 1)
	}
	if of == "congestion_control" {
		preset = strings.Replace(preset, "queues: [fifo, fifo]", "queues: [fifo, red] ", 1) +
			"params:\n  red: {kmin: 50KB, kmax: 50KB, pmax: 1}\n"
	}
	texts[name+".yaml"] = fill.Replace(preset)
	texts[name+".md"] = fill.Replace(template("page.md"))
	texts[name+"_test.cc"] = fill.Replace(template("test.cc"))
	return texts, nil
}

// taken is an error if fabriclab has a mechanism, a folder of some or a preset of
// this name.
func taken(checkout, name string) error {
	of, err := build.New(checkout, build.Release, io.Discard).Described()
	if err != nil {
		return err
	}
	_, component := of[name]
	if component || file.Exists(filepath.Join(checkout, "mechanisms", name)) || file.Exists(filepath.Join(checkout, "configs", "presets", name+".yaml")) {
		return fmt.Errorf("fabriclab has a mechanism or preset %q; choose another name, such as my_%s", name, name)
	}
	return nil
}

// renamed is the text of a file pair as that of another mechanism.
func renamed(text string, k kind, name, class string) string {
	base := k.like[strings.LastIndex(k.like, "/")+1:]
	text = regexp.MustCompile(`\b`+k.class+`\b`).ReplaceAllString(text, class)
	text = strings.ReplaceAll(text, `"mechanisms/`+k.like+`.h"`, `"`+name+`.h"`)
	text = strings.ReplaceAll(text, `"`+base+`"`, `"`+name+`"`)
	return source.ReplaceAllString(text, `.source("chosen")`)
}

func className(name string) string {
	var b strings.Builder
	for _, word := range strings.Split(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// Experiment writes a first experiment with these presets into dir/NAME.yaml.
func Experiment(dir, name string, presets []string) ([]string, error) {
	if err := experimentName(name); err != nil {
		return nil, err
	}
	text := strings.NewReplacer("NAME", name, "PRESETS", strings.Join(presets, ", "), "PRESET", presets[0]).Replace(template("experiment.yaml"))
	return write(dir, map[string]string{filepath.FromSlash(name) + ".yaml": text}, elsewhere)
}

func experimentName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`).MatchString(name) || !filepath.IsLocal(name) {
		return fmt.Errorf("%q is no name of an experiment; use letters, digits, _ . - and / between the parts", name)
	}
	return nil
}

func template(name string) string {
	text, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // they are in the program
	}
	return string(text)
}

// elsewhere is what to do where a file is there already.
const elsewhere = "choose another name or --dir"

// write makes files, all of which must be new; otherwise says what to do where one
// is not.
func write(dir string, texts map[string]string, otherwise string) ([]string, error) {
	names := slices.Sorted(maps.Keys(texts))
	var files []string
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s is there already and stays as it is; %s", path, otherwise)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; %s", err, otherwise)
		}
		files = append(files, path)
	}
	for i, path := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, fmt.Errorf("%w; %s", err, otherwise)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, fmt.Errorf("%w; %s", err, otherwise)
		}
		_, err = f.WriteString(texts[names[i]])
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return files, nil
}
