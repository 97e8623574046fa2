// Package doctor looks at the machine: what fabriclab needs, what is there,
// and what to do about what is missing.
package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"fabriclab/base/columns"
	"fabriclab/base/file"
	"fabriclab/harness/engine"
)

// Finding is one thing that was looked at.
type Finding struct {
	Name     string `json:"name"`
	OK       bool   `json:"ok"`
	Required bool   `json:"required"`
	Detail   string `json:"detail"` // version and place, or what is wrong
	Advice   string `json:"advice,omitempty"`
}

const installDeps = "run: make deps"

type tool struct {
	name     string
	args     []string
	required bool
	what     string
	advice   string
}

var tools = []tool{
	{"make", []string{"--version"}, true, "runs the Makefile", installDeps},
	{"cmake", []string{"--version"}, true, "configures the C++ build", installDeps},
	{"ninja", []string{"--version"}, true, "runs the C++ build", installDeps},
	{"c++", []string{"--version"}, true, "compiles mechanisms and engines", installDeps},
	{"ctest", []string{"--version"}, true, "runs the C++ unit tests", installDeps},
	{"git", []string{"--version"}, false, "compares revisions, and says which one made a result", installDeps},
	{"ccache", []string{"--version"}, false, "makes repeated builds fast", installDeps},
	{"clang-format", []string{"--version"}, false, "checks the C++ format", "make lint installs it"},
}

type header struct {
	name, path string
}

var headers = []header{
	{"GoogleTest", "gtest/gtest.h"},
	{"nlohmann-json", "nlohmann/json.hpp"},
	{"zlib", "zlib.h"},
}

// Examine looks at everything. The engines are the usual one first, last the
// one that every machine has. Out is the results folder.
func Examine(ctx context.Context, engines []engine.Engine, out string) []Finding {
	findings := []Finding{
		{Name: "Go", OK: true, Required: true, Detail: runtime.Version() + " built this program"},
	}
	for _, t := range tools {
		findings = append(findings, examineTool(ctx, t))
	}
	for _, h := range headers {
		findings = append(findings, examineHeader(h))
	}
	for i, e := range engines {
		f := Finding{Name: e.Title(), Required: i == 0}
		if found, err := e.Find(); err != nil {
			f.Detail, f.Advice, _ = strings.Cut(err.Error(), "; ")
			if last := engines[len(engines)-1]; f.Required && errors.Is(err, engine.ErrAbsent) {
				f.Required = false // the last one is on every machine
				f.Advice += "; until then " + last.Title() + ", which needs no simulator, stands in for it"
			}
		} else {
			f.OK, f.Detail = true, found.Version+" in "+found.Path
			if found.Note != "" {
				f.Detail += ", " + found.Note
			}
		}
		findings = append(findings, f)
	}
	return append(findings, examineMachine(), examineDisk(out))
}

func examineTool(ctx context.Context, t tool) Finding {
	f := Finding{Name: t.name, Required: t.required}
	path, err := exec.LookPath(t.name)
	if err != nil {
		f.Detail, f.Advice = "not installed ("+t.what+")", t.advice
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, t.args...).Output()
	if err != nil {
		f.Detail, f.Advice = fmt.Sprintf("%s does not run: %v", path, err), t.advice
		return f
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	f.OK, f.Detail = true, line+" in "+path
	return f
}

func examineHeader(h header) Finding {
	f := Finding{Name: h.name, Required: true}
	for _, dir := range []string{"/usr/include", "/usr/local/include"} {
		if path := filepath.Join(dir, h.path); file.Exists(path) {
			f.OK, f.Detail = true, path
			return f
		}
	}
	f.Detail, f.Advice = h.path+" is in neither /usr/include nor /usr/local/include", installDeps
	return f
}

func examineMachine() Finding {
	f := Finding{Name: "machine", OK: true, Detail: fmt.Sprintf("%d cores", runtime.NumCPU())}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			var kib int64
			if n, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 && err == nil {
				f.Detail += fmt.Sprintf(", %.1f GiB of memory free", float64(kib)/(1<<20))
			}
		}
	}
	return f
}

// enough is the disk space below which runs are likely to fail.
const enough = 2 << 30

func examineDisk(out string) Finding {
	f := Finding{Name: "results folder", Required: true}
	dir, err := filepath.Abs(out)
	if err != nil {
		f.Detail, f.Advice = err.Error(), "choose another one with --out"
		return f
	}
	for !file.Exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		f.Detail, f.Advice = fmt.Sprintf("%s: %v", dir, err), "choose another one with --out"
		return f
	}
	free := int64(stat.Bavail) * stat.Bsize
	f.Detail = fmt.Sprintf("%.1f GiB free in %s", float64(free)/(1<<30), dir)
	f.OK = free >= enough
	if !f.OK {
		f.Advice = "free some space, or choose another results folder with --out"
	}
	return f
}

// Healthy says whether everything that is required is there.
func Healthy(findings []Finding) bool {
	for _, f := range findings {
		if f.Required && !f.OK {
			return false
		}
	}
	return true
}

// Render writes the findings for people.
func Render(out io.Writer, findings []Finding) error {
	w := columns.New(out)
	for _, f := range findings {
		state := "ok"
		switch {
		case !f.OK && f.Required:
			state = "MISSING"
		case !f.OK:
			state = "absent (optional)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, state, f.Detail)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range findings {
		if !f.OK {
			if _, err := fmt.Fprintf(out, "\n%s: %s\n", f.Name, f.Advice); err != nil {
				return err
			}
		}
	}
	return nil
}
