package first

import (
	"path/filepath"
	"strings"
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

// Write writes the project's files and returns them; all have to be new.
func (p Project) Write(checkout string) ([]string, error) {
	if err := experimentName(p.name()); err != nil {
		return nil, err
	}
	texts := map[string]string{}
	mechanism, err := mechanism(checkout, p.Mechanism, p.Kind)
	if err != nil {
		return nil, err
	}
	for name, text := range mechanism {
		texts[filepath.Join("mechanisms", p.Mechanism, name)] = text
	}
	fill := strings.NewReplacer("@PROJECT@", p.name(), "@EXPERIMENT@", p.Experiment(), "@NAME@", p.Mechanism, "@URL@", shellQuoted(p.URL), "@COMMIT@", shellQuoted(p.Commit))
	for file, from := range map[string]string{
		"fabriclab.yaml":                   "project/fabriclab.yaml",
		".gitignore":                       "project/gitignore",
		"README.md":                        "project/README.md",
		"ci/regression.yaml":               "project/regression.yaml",
		"ci/regress.sh":                    "project/regress.sh",
		".github/workflows/regression.yml": "project/github.yml",
		".gitlab-ci.yml":                   "project/gitlab.yml",
		"configs/" + p.name() + "/statements.yaml": "project/statements.yaml",
	} {
		texts[file] = fill.Replace(template(from))
	}
	// The experiment is the one of `new experiment`, with a claim.
	experiment := strings.NewReplacer("NAME", p.Experiment(), "PRESETS", p.Mechanism+", hpcc", "PRESET", p.Mechanism).Replace(template("experiment.yaml"))
	texts["configs/"+p.Experiment()+".yaml"] = strings.Replace(experiment, "  plots:\n", fill.Replace(template("project/claim.yaml"))+"  plots:\n", 1)
	return write(p.Dir, texts)
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
