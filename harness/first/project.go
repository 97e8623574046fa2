package first

import (
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/base/file"
)

// A Project is a folder of one's own: a mechanism, an experiment with a claim and a
// statement, and what CI needs to compare with a baseline.
type Project struct {
	Dir       string
	Mechanism string
	Kind      string // of the mechanism
	// URL and Commit are the fabriclab that CI fetches.
	URL, Commit string
}

// Experiment is the id of the project's experiment.
func (p Project) Experiment() string { return p.name() + "/first" }

func (p Project) name() string { return filepath.Base(p.Dir) }

// usual are the files of a project that a repository has anyway: one that is there
// is kept.
var usual = map[string]string{
	".gitignore": "; add the lines /results/ and /.cache/",
	"README.md":  "",
}

// Missing says what a usual file that is there may lack.
func Missing(path string) string { return usual[filepath.Base(path)] }

// Write writes the project's files and returns them, and the usual ones that were
// there and are kept. All others have to be new.
func (p Project) Write(checkout string) (files, kept []string, err error) {
	if err := experimentName(p.name()); err != nil {
		return nil, nil, err
	}
	texts := map[string]string{}
	mechanism, err := mechanism(checkout, p.Mechanism, p.Kind)
	if err != nil {
		return nil, nil, err
	}
	for name, text := range mechanism {
		texts[filepath.Join("mechanisms", p.Mechanism, name)] = text
	}
	fill := strings.NewReplacer("@PROJECT@", p.name(), "@EXPERIMENT@", p.Experiment(), "@NAME@", p.Mechanism, "@URL@", shellQuoted(p.URL), "@COMMIT@", shellQuoted(p.Commit))
	for name, from := range map[string]string{
		"fabriclab.yaml":                   "project/fabriclab.yaml",
		".gitignore":                       "project/gitignore",
		"README.md":                        "project/README.md",
		"ci/regression.yaml":               "project/regression.yaml",
		"ci/regress.sh":                    "project/regress.sh",
		".github/workflows/regression.yml": "project/github.yml",
		".gitlab-ci.yml":                   "project/gitlab.yml",
		"configs/" + p.name() + "/statements.yaml": "project/statements.yaml",
	} {
		texts[name] = fill.Replace(template(from))
	}
	// The experiment is the one of `new experiment`, with a claim.
	experiment := strings.NewReplacer("NAME", p.Experiment(), "PRESETS", p.Mechanism+", hpcc", "PRESET", p.Mechanism).Replace(template("experiment.yaml"))
	texts["configs/"+p.Experiment()+".yaml"] = strings.Replace(experiment, "  plots:\n", fill.Replace(template("project/claim.yaml"))+"  plots:\n", 1)
	for name := range usual {
		if path := filepath.Join(p.Dir, name); file.Exists(path) {
			delete(texts, name)
			kept = append(kept, path)
		}
	}
	slices.Sort(kept)
	files, err = write(p.Dir, texts, "name another folder")
	return files, kept, err
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
