package plan

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabriclab/harness/build"
	"fabriclab/harness/experiment"
	"fabriclab/harness/lab"
)

// commandLine is what to type in the project, or in the checkout, to make the
// runs or the figure of an experiment again.
func commandLine(lab *lab.Lab, e *experiment.Experiment, s Selection, reading map[string]string) (string, error) {
	what, elsewhere, err := nameFor(lab, e)
	if err != nil {
		return "", err
	}
	program, verb := "bin/fabriclab", "run"
	if lab.Set.Project != "" {
		program = "fabriclab"
	}
	if s.Figure {
		verb = "figure"
	}
	settings, err := settingWords(lab)
	if err != nil {
		return "", err
	}
	var words []string
	if len(lab.Set.Engines) > 0 {
		words = append(words, "--engine", strings.Join(lab.Set.Engines, ","))
	}
	if len(s.Seeds) > 0 {
		words = append(words, "--seed", SeedRanges(s.Seeds))
	}
	for _, name := range slices.Sorted(maps.Keys(reading)) {
		words = append(words, "--reading", quoted(name+"="+reading[name]))
	}
	for _, set := range s.Sets {
		words = append(words, "--set", quoted(set))
	}
	if s.Width != 0 {
		words = append(words, "--width", strconv.FormatFloat(s.Width, 'g', -1, 64))
	}
	if s.Bare {
		words = append(words, "--no-title")
	}
	words = append(words, settings...)
	if s.Figure && lab.Set.Project == "" && !elsewhere && len(words) == 0 {
		return "make figure FIG=" + what + " SCALE=" + e.Scale, nil
	}
	return strings.Join(append([]string{program, verb, what, "--scale", quoted(e.Scale)}, words...), " "), nil
}

// nameFor is how an experiment is named on the command line: by its id, or
// elsewhere by the path of its file.
func nameFor(lab *lab.Lab, e *experiment.Experiment) (what string, elsewhere bool, err error) {
	if found, err := lab.ExperimentFile(e.Name); err == nil && sameFile(found, e.File) {
		return e.Name, false, nil
	}
	path, err := fromHome(lab, e.File)
	return quoted(path), true, err
}

// fromHome is a path as it is written in the project or the checkout.
func fromHome(lab *lab.Lab, path string) (string, error) {
	home, err := lab.Home()
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(home, full)
}

// settingWords are the settings beside those of experiments that results depend
// on, as far as no file has them.
func settingWords(lab *lab.Lab) ([]string, error) {
	var words []string
	if !lab.Set.MechanismsInFile {
		for _, dir := range lab.Set.Mechanisms {
			path, err := fromHome(lab, dir)
			if err != nil {
				return nil, err
			}
			words = append(words, "--mechanisms", quoted(path))
		}
	}
	if dir := lab.Set.NS3; dir != "" && !lab.Set.NS3InFile {
		words = append(words, "--ns3", quoted(dir))
	}
	if kind := lab.Set.BuildType; kind != "" && kind != build.Release {
		words = append(words, "--build-type", string(kind))
	}
	return words, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// quoted is a word as a shell reads it.
func quoted(word string) string {
	if word == "" || strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-", r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
