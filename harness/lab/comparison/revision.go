package comparison

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/compare"
	"fabriclab/analysis/figure"
	"fabriclab/analysis/spec"
	"fabriclab/base/file"
	"fabriclab/base/file/flock"
	"fabriclab/harness/engine/ns3"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/collected"
	"fabriclab/harness/progress"
)

// revisions runs BASE and HEAD, which are git revisions.
func revisions(ctx context.Context, lab *lab.Lab, args []string, o Options) (base, head compare.Set, err error) {
	todo, err := revisionTasks(lab, o)
	if err != nil {
		return base, head, err
	}
	if base, err = revision(ctx, lab, args[0], todo, o); err != nil {
		return base, head, err
	}
	if len(args) == 2 {
		head, err = revision(ctx, lab, args[1], todo, o)
	} else {
		head, err = present(ctx, lab, todo)
	}
	return base, head, err
}

// revisionTasks are the experiments that are asked for, or those that have a
// baseline.
func revisionTasks(lab *lab.Lab, o Options) ([]task, error) {
	dir, err := BaselinesDir(lab, o.Baselines)
	if err != nil {
		return nil, err
	}
	baselines, err := compare.LoadBaselines(dir)
	if err != nil {
		return nil, err
	}
	var todo []task
	for _, b := range baselines {
		if len(o.Experiments) == 0 {
			todo = append(todo, tasks(b.Runs, b.Scale)...)
		}
	}
	for _, name := range o.Experiments {
		todo = append(todo, task{experiment: name})
	}
	if len(todo) == 0 {
		return nil, fmt.Errorf("there is no baseline in %s; name experiments with --experiment", dir)
	}
	for i := range todo {
		if len(o.Seeds) > 0 {
			todo[i].seeds = o.Seeds
		}
		if len(lab.Set.Engines) > 0 {
			todo[i].engines = lab.Set.Engines
		}
		if lab.Set.Scale != "" {
			todo[i].scale = lab.Set.Scale
		}
	}
	return todo, nil
}

// checkedOut is a revision in a folder of its own, and how it runs experiments.
type checkedOut struct {
	dir     string   // where the child runs
	program string   // of the child
	root    string   // the checkout of fabriclab that it takes
	configs []string // folders with experiments
	own     bool     // it is a project's, with the mechanisms that it names
	out     string   // results
}

// revision checks a revision out and runs the tasks with it: a project's with this
// fabriclab, one of fabriclab's with the program it is built to. The worktree and
// its results stay, so that the next comparison with it is quick.
func revision(ctx context.Context, lab *lab.Lab, name string, todo []task, o Options) (compare.Set, error) {
	s := compare.Set{Name: name}
	root, err := lab.Root()
	if err != nil {
		return s, err
	}
	repository, below, own := root, "", lab.Set.Project != "" && !o.Fabriclab
	if own {
		if repository, below, err = projectRepository(ctx, lab); err != nil {
			return s, err
		}
	}
	commit, err := output(ctx, repository, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return s, err
	case err != nil && own:
		return s, fmt.Errorf("%q is no revision of %s; see: git log --oneline --all (--fabriclab takes revisions of fabriclab)", name, repository)
	case err != nil:
		return s, fmt.Errorf("%q is no revision of %s; see: git log --oneline --all", name, repository)
	}
	commit = strings.TrimSpace(commit)
	s.Name = fmt.Sprintf("%s (%.12s)", name, commit)
	tree := filepath.Join(root, "build", "revisions", commit[:12])
	if own {
		if tree, err = revisionOfProject(repository, commit); err != nil {
			return s, err
		}
	}
	if err := checkOut(ctx, lab, repository, tree, commit); err != nil {
		return s, fmt.Errorf("checking %s out to %s: %w", s.Name, tree, err)
	}
	c := checkedOut{dir: filepath.Join(tree, below), root: root, own: own}
	if own {
		c.configs = []string{filepath.Join(c.dir, "configs"), filepath.Join(root, "configs")}
		if c.program, err = os.Executable(); err != nil {
			return s, err
		}
		c.out = filepath.Join(tree+".results", "compare")
	} else {
		c.root, c.program, c.out = tree, filepath.Join(tree, "bin", "fabriclab"), filepath.Join(tree, "results", "compare")
		c.configs = []string{filepath.Join(tree, "configs")}
		if lab.Set.Project != "" {
			c.dir, c.configs = lab.Set.Project, append([]string{filepath.Join(lab.Set.Project, "configs")}, c.configs...)
		}
		if _, err := output(ctx, tree, "go", "build", "-ldflags", "-X main.commit="+commit[:12], "-o", c.program, "./harness/cmd/fabriclab"); err != nil {
			return s, fmt.Errorf("building the fabriclab of %s: %w", s.Name, err)
		}
	}
	for _, t := range todo {
		path := c.fileOf(t.experiment)
		if path == "" {
			fmt.Fprintf(lab.Err, "warning: %s has no experiment %s\n", s.Name, t.experiment)
			continue
		}
		runs, err := runRevision(ctx, lab, c, path, t)
		if err != nil {
			return s, fmt.Errorf("%s: %w", s.Name, err)
		}
		s.Runs = append(s.Runs, runs...)
	}
	return s, nil
}

// projectRepository is the git repository that the project is in, and where in it.
func projectRepository(ctx context.Context, lab *lab.Lab) (dir, below string, err error) {
	text, err := output(ctx, lab.Set.Project, "git", "rev-parse", "--show-toplevel", "--show-prefix")
	if errors.Is(err, exec.ErrNotFound) {
		return "", "", err
	}
	if err != nil {
		return "", "", fmt.Errorf("the project %s is in no git repository: %w; commit it to one, or compare revisions of fabriclab with --fabriclab", lab.Set.Project, err)
	}
	dir, below, _ = strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	return dir, below, nil
}

// revisionOfProject is the folder for a commit of a project: in the user's cache.
func revisionOfProject(repository, commit string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("looking for a folder for revisions: %w; set XDG_CACHE_HOME", err)
	}
	key := sha256.Sum256([]byte(repository))
	return filepath.Join(cache, "fabriclab", "revisions", hex.EncodeToString(key[:6]), commit[:12]), nil
}

// fileOf is the file of an experiment; "" if there is none.
func (c checkedOut) fileOf(experiment string) string {
	for _, dir := range c.configs {
		if path := filepath.Join(dir, filepath.FromSlash(experiment)+".yaml"); file.Exists(path) {
			return path
		}
	}
	return ""
}

// checkOut makes a worktree of a commit, unless there is one that is what git
// has of it: a checkout that was killed leaves a part of one.
func checkOut(ctx context.Context, lab *lab.Lab, root, tree, commit string) error {
	if err := os.MkdirAll(filepath.Dir(tree), 0o777); err != nil {
		return err
	}
	lock, err := flock.Acquire(ctx, tree+".lock")
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }() // the next one takes it all the same
	if isCheckedOut(ctx, tree, commit) {
		return nil
	}
	fmt.Fprintf(lab.Err, "checking %.12s out to %s\n", commit, tree)
	if err := os.RemoveAll(tree); err != nil {
		return err
	}
	if _, err := output(ctx, root, "git", "worktree", "prune"); err != nil {
		return err
	}
	// Twice --force: git locks a worktree while it makes it.
	_, err = output(ctx, root, "git", "worktree", "add", "--detach", "--force", "--force", tree, commit)
	return err
}

func isCheckedOut(ctx context.Context, tree, commit string) bool {
	if _, err := os.Stat(filepath.Join(tree, ".git")); err != nil {
		return false // git would take the checkout around it
	}
	head, err := output(ctx, tree, "git", "rev-parse", "HEAD")
	if err != nil || strings.TrimSpace(head) != commit {
		return false
	}
	changes, err := output(ctx, tree, "git", "status", "--porcelain", "--untracked-files=no")
	return err == nil && changes == ""
}

// runRevision runs one experiment with the fabriclab in a worktree, and
// measures the results with this one: what is measured in the same way can be
// compared. Beside a revision of fabriclab, mechanisms of one's own and a project
// are as they are.
func runRevision(ctx context.Context, lab *lab.Lab, c checkedOut, path string, t task) ([]collect.Run, error) {
	scale := t.scale
	if scale == "" {
		scale = "quick"
	}
	out := filepath.Join(c.out, scale)
	args := []string{"run", t.experiment, "--root", c.root, "--out", out, "--scale", scale, "--jobs", fmt.Sprint(lab.Set.Jobs), "--json"}
	for _, seed := range t.seeds {
		args = append(args, "--seed", fmt.Sprint(seed))
	}
	if len(t.engines) > 0 {
		args = append(args, "--engine", strings.Join(t.engines, ","))
	}
	for _, dir := range lab.Set.Mechanisms {
		if c.own && lab.Set.MechanismsInFile {
			break // its own settings file names them
		}
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		args = append(args, "--mechanisms", full)
	}
	display := progress.Show(lab.Err)
	defer display.Close()
	events := &resultsTold{display: display}
	child := exec.CommandContext(ctx, c.program, args...)
	child.Dir, child.Stdout, child.Stderr = c.dir, events, lab.Err
	if lab.Set.NS3 != "" { // earlier revisions have no setting for it, and refuse its variable
		child.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, ns3.Variable+"=") })
		child.Env = append(child.Env, "ns3_DIR="+lab.Set.NS3)
	}
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = 2 * lab.Set.Grace
	runErr := child.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(events.dirs) == 0 {
		return nil, errors.Join(runErr, fmt.Errorf("%s has made no run of %s", c.dir, t.experiment))
	}
	// With some runs failed, the others are compared.
	return collected.Take(lab, events.dirs, out, func(string) *spec.Figure { return figureOf(lab, path) }, collected.MeasureRun)
}

// resultsTold shows the events that a child prints as JSON, and keeps where it
// says that results are: earlier calls may have left others beside them.
type resultsTold struct {
	display progress.Sink
	line    []byte
	dirs    []string
}

// Write implements io.Writer.
func (r *resultsTold) Write(text []byte) (int, error) {
	r.line = append(r.line, text...)
	for {
		end := bytes.IndexByte(r.line, '\n')
		if end < 0 {
			return len(text), nil
		}
		var e progress.Event
		if json.Unmarshal(r.line[:end], &e) == nil && e.Kind != "" {
			r.display.Event(e)
			if (e.Kind == progress.Done || e.Kind == progress.Cached) && !slices.Contains(r.dirs, e.Dir) {
				r.dirs = append(r.dirs, e.Dir)
			}
		}
		r.line = r.line[end+1:]
	}
}

// figureOf is the figure section of an experiment's file; nil, and told of, if
// it has none that this fabriclab reads.
func figureOf(lab *lab.Lab, file string) *spec.Figure {
	f, err := figure.ReadFile(file)
	if err != nil {
		fmt.Fprintf(lab.Err, "warning: the measures of the figure are not compared: %v\n", err)
		return nil
	}
	return f
}

// output runs a program to its end and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	child := exec.CommandContext(ctx, name, args...)
	var problems bytes.Buffer
	child.Dir, child.Stderr = dir, &problems
	text, err := child.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%w; install it (Debian: apt-get install %s), or add its folder to PATH", err, name)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return string(text), nil
}
