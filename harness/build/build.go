// Package build makes the C++ programs from the sources in the repository and
// says which build a program is.
package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"fabriclab/base/file"
	"fabriclab/base/file/flock"
	"fabriclab/harness/engine"
)

// Type is a build type; each has a folder of its own.
type Type string

// The build types. Release is the default everywhere.
const (
	Release Type = "release"
	Debug   Type = "debug"
	ASan    Type = "asan" // with AddressSanitizer and UndefinedBehaviorSanitizer
	TSan    Type = "tsan" // with ThreadSanitizer
)

// ParseType reads the name of a build type.
func ParseType(name string) (Type, error) {
	t := Type(name)
	if _, ok := settings[t]; !ok {
		return "", fmt.Errorf("unknown build type %q; known are release, debug, asan, tsan", name)
	}
	return t, nil
}

var settings = map[Type][]string{
	Release: {"-DCMAKE_BUILD_TYPE=Release"},
	Debug:   {"-DCMAKE_BUILD_TYPE=Debug"},
	ASan:    {"-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DFABRIC_SANITIZE=address,undefined"},
	TSan:    {"-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DFABRIC_SANITIZE=thread"},
}

// Programs that need no simulator: one prints the catalog, one counts heap
// allocations.
const (
	describeBinary    = "fabric-describe"
	allocationsBinary = "fabric-allocations"
)

// commonSources are compiled into every program.
var commonSources = []string{"CMakeLists.txt", "cmake", "mechanisms"}

// Builder builds one type of programs of one checkout.
type Builder struct {
	root     string // the sources: the checkout, or links to it
	checkout string
	own      []Own
	kind     Type
	log      io.Writer
	asItIs   bool
}

// New builds in the checkout at root; cmake's and the compiler's output goes
// to log as it comes.
func New(root string, kind Type, log io.Writer) *Builder {
	return &Builder{root: root, checkout: root, kind: kind, log: log}
}

// AsItIs uses what was built, and compiles nothing: what is stale is ErrStale.
func (b *Builder) AsItIs() *Builder {
	asItIs := *b
	asItIs.asItIs = true
	return &asItIs
}

// With builds with further folders of mechanisms, apart from the checkout.
func (b *Builder) With(own []Own) (*Builder, error) {
	if len(own) == 0 {
		return b, nil
	}
	t, err := newTree(b.checkout, own)
	if err != nil {
		return nil, err
	}
	if err := t.make(); err != nil {
		return nil, fmt.Errorf("making a folder to build mechanisms of one's own in: %w; set XDG_CACHE_HOME to one that can be written to", err)
	}
	with := *b
	with.root, with.own = t.dir, own
	return &with, nil
}

var moduleLine = regexp.MustCompile(`(?m)^module fabriclab\s*$`)

// FindRoot returns the checkout that holds start or, if none does, the running
// executable.
func FindRoot(start string) (string, error) {
	start, err := filepath.Abs(start)
	if err != nil {
		return "", fmt.Errorf("looking for the fabriclab checkout: %w", err)
	}
	if root := checkoutAround(start); root != "" {
		return root, nil
	}
	if root := ProgramRoot(); root != "" {
		return root, nil
	}
	return "", fmt.Errorf("no fabriclab checkout at or above %s; change into it or give it with --root", start)
}

// ProgramRoot is the checkout that holds the running executable, "" if none
// does.
func ProgramRoot() string {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		return ""
	}
	return checkoutAround(filepath.Dir(exe))
}

// checkoutAround is the checkout at or above a folder, "" if there is none.
func checkoutAround(dir string) string {
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && moduleLine.Match(text) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// Root is the checkout.
func (b *Builder) Root() string { return b.checkout }

// Dir is the folder of this build type.
func (b *Builder) Dir() string { return filepath.Join(b.root, "build", string(b.kind)) }

func (b *Builder) binary(name string) string { return filepath.Join(b.Dir(), "bin", name) }

// Describe returns the catalog of components as JSON; the program is built if
// it is stale.
func (b *Builder) Describe(ctx context.Context) ([]byte, error) {
	return b.output(ctx, describeBinary)
}

// Allocations returns the heap allocations of the model in steady state as
// JSON; the program is built if it is stale.
func (b *Builder) Allocations(ctx context.Context) ([]byte, error) {
	return b.output(ctx, allocationsBinary)
}

// Tool returns a program that needs no simulator, built if it is stale.
func (b *Builder) Tool(ctx context.Context, name string) (string, error) {
	_, err := b.ensure(ctx, name, nil, engine.Installation{}, false)
	return b.binary(name), err
}

// Fresh returns a program that needs no simulator, after asking CMake: its
// sources are not among those that are hashed.
func (b *Builder) Fresh(ctx context.Context, name string) (string, error) {
	_, err := b.ensure(ctx, name, nil, engine.Installation{}, true)
	return b.binary(name), err
}

// Described are the folders of mechanisms/ that describe components, by these.
func (b *Builder) Described() (map[string]string, error) {
	s, err := readSources(b.root, nil)
	if err != nil {
		return nil, err
	}
	return s.Of, nil
}

// SourcesOf is what an engine's runner is made of, whether it is built or not.
func (b *Builder) SourcesOf(e engine.Engine) (engine.Sources, error) {
	s, err := readSources(b.root, e.Sources())
	if err != nil {
		return engine.Sources{}, err
	}
	return s.Sources, nil
}

func (b *Builder) output(ctx context.Context, name string) ([]byte, error) {
	program, err := b.Tool(ctx, name)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s; build it anew with: fabriclab build", cmd.Path, err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// Program returns an engine's runner, built if it is stale.
func (b *Builder) Program(ctx context.Context, e engine.Engine) (*engine.Program, error) {
	return b.program(ctx, e, false)
}

// Rebuild is Program, but always asks CMake.
func (b *Builder) Rebuild(ctx context.Context, e engine.Engine) (*engine.Program, error) {
	return b.program(ctx, e, true)
}

// Companion returns another program that is made of an engine's sources and a
// folder of its own, built if it is stale.
func (b *Builder) Companion(ctx context.Context, e engine.Engine, name, folder string) (string, error) {
	simulator, err := e.Find()
	if err != nil {
		return "", err
	}
	_, err = b.ensure(ctx, name, append(e.Sources(), folder), simulator, false)
	return b.binary(name), err
}

// Stamp says what an engine's runner was built from; it changes when the runner
// is built anew.
func (b *Builder) Stamp(e engine.Engine) (string, error) {
	text, err := os.ReadFile(b.stamp(e.Binary()))
	if err != nil {
		return "", fmt.Errorf("%s was never built here: %w; run: fabriclab build", e.Binary(), err)
	}
	return string(text), nil
}

func (b *Builder) stamp(name string) string { return filepath.Join(b.Dir(), "."+name+".built") }

// Has says whether the checkout holds an engine's part of the sources.
func (b *Builder) Has(e engine.Engine) bool {
	for _, folder := range e.Sources() {
		if _, err := os.Stat(filepath.Join(b.root, folder)); err != nil {
			return false
		}
	}
	return true
}

func (b *Builder) program(ctx context.Context, e engine.Engine, always bool) (*engine.Program, error) {
	simulator, err := e.Find()
	if err != nil {
		return nil, err
	}
	if !b.Has(e) {
		return nil, fmt.Errorf("the checkout %s has no %s for %s; check it out completely, or choose another --engine", b.root, strings.Join(e.Sources(), ", "), e.Title())
	}
	sources, err := b.ensure(ctx, e.Binary(), e.Sources(), simulator, always)
	if err != nil {
		return nil, err
	}
	return b.identify(ctx, e, simulator, sources)
}

// ErrStale is returned for a program that is not there, or was built from
// other sources than the present ones.
var ErrStale = errors.New("it is not built from the present sources; run: fabriclab build")

// Present returns an engine's runner if it is built from the present sources,
// and builds nothing.
func (b *Builder) Present(ctx context.Context, e engine.Engine) (*engine.Program, error) {
	simulator, err := e.Find()
	if err != nil {
		return nil, err
	}
	sources, err := readSources(b.root, e.Sources())
	if err != nil {
		return nil, err
	}
	if !b.fresh(e.Binary(), sources.hash, simulator) {
		return nil, fmt.Errorf("%s: %w", b.binary(e.Binary()), ErrStale)
	}
	return b.identify(ctx, e, simulator, sources)
}

// identify asks a runner that was built from the given sources what it is.
func (b *Builder) identify(ctx context.Context, e engine.Engine, simulator engine.Installation, sources *sources) (p *engine.Program, err error) {
	_, threaded := e.(engine.Threaded)
	p = &engine.Program{Path: b.binary(e.Binary()), Env: simulator.Env, Simulator: simulator.Path, Sources: sources.Sources, Threaded: threaded}
	if b.kind == ASan && os.Getenv("UBSAN_OPTIONS") == "" {
		p.Env = append(slices.Clone(p.Env), "UBSAN_OPTIONS=print_stacktrace=1") // undefined behaviour says where, as AddressSanitizer does
	}
	if p.Version, err = engine.Ask(ctx, p.Path, p.Env); err != nil {
		return nil, err
	}
	if p.Version.Engine != e.Name() {
		return nil, fmt.Errorf("%s says it is %q, not %q; run: fabriclab build", p.Path, p.Version.Engine, e.Name())
	}
	libraries, err := hashFiles(simulator.Libraries)
	if err != nil {
		return nil, err
	}
	p.Version.Libraries = libraries[:min(len(libraries), 32)]
	p.BuildID = engine.BuildID(p.Sources.Hash, p.Version)
	return p, nil
}

// ensure builds one program unless what is there was built from the present
// sources, and returns these. Sources that change while they are compiled make the
// program stale for the next call.
func (b *Builder) ensure(ctx context.Context, name string, folders []string, simulator engine.Installation, always bool) (present *sources, err error) {
	if _, err := os.Stat(filepath.Join(b.root, "CMakeLists.txt")); err != nil {
		return nil, fmt.Errorf("the C++ sources are not in %s: %w; check the checkout", b.root, err)
	}
	if present, err = readSources(b.root, folders); err != nil {
		return nil, err
	}
	if present.twice != nil {
		return nil, present.twice
	}
	if !always && b.fresh(name, present.hash, simulator) {
		return present, nil // in a checkout that cannot be written to, too
	}
	if b.asItIs {
		err := fmt.Errorf("%s: %w", b.binary(name), ErrStale)
		if name == describeBinary { // which every build makes
			err = fmt.Errorf("%w, or quicker: fabriclab build --engine plain. Commands that only look compile nothing (docs/how-to/trust.md)", err)
		}
		return nil, err
	}
	if err := os.MkdirAll(b.Dir(), 0o777); err != nil {
		return nil, notHere("making the build folder", err)
	}
	l, err := flock.Acquire(ctx, filepath.Join(b.root, "build", "."+string(b.kind)+".lock"))
	if errors.Is(err, flock.ErrLocked) {
		return nil, fmt.Errorf("locking the build folder %s (is another build running?): %w", b.Dir(), err)
	}
	if err != nil {
		return nil, notHere("locking the build folder", err)
	}
	present, err = readSources(b.root, folders) // they may have changed while it waited
	if err == nil {
		err = b.build(ctx, name, present.hash, simulator, always)
	}
	return present, errors.Join(err, l.Release())
}

// notHere is an error of a build in a checkout that cannot be written to.
func notHere(doing string, err error) error {
	return fmt.Errorf("%s: %w; what is there is not built from the present sources, so it has to be built: use a checkout that you can write to, or have its owner run: fabriclab build", doing, err)
}

// fresh says whether a program is there and was built from the sources with
// this hash.
func (b *Builder) fresh(name, hash string, simulator engine.Installation) bool {
	got, err := os.ReadFile(b.stamp(name))
	if err != nil {
		return false
	}
	want, err := b.say(name, hash, simulator)
	return err == nil && string(got) == want
}

func (b *Builder) build(ctx context.Context, name, hash string, simulator engine.Installation, always bool) error {
	if !always && b.fresh(name, hash, simulator) {
		return nil
	}
	args, stamp := b.configureArgs(simulator.CMake), b.stamp(name)
	configure := args
	if b.moved() {
		configure = append([]string{"--fresh"}, args...)
	}
	if err := b.run(ctx, name, "cmake", configure...); err != nil {
		return err
	}
	if err := b.run(ctx, name, "cmake", "--build", b.Dir(), "--target", name); err != nil {
		return err
	}
	if _, err := os.Stat(b.binary(name)); err != nil {
		return fmt.Errorf("the build ended well, but there is no %s: CMakeLists.txt has to put it there", b.binary(name))
	}
	now, err := b.say(name, hash, simulator)
	if err == nil {
		err = file.Write(stamp, []byte(now), 0o666)
	}
	if err != nil {
		return fmt.Errorf("noting that %s was built: %w", name, err)
	}
	return nil
}

// moved says whether the build folder was configured at another place: it came
// with a checkout that was moved or copied. CMake refuses such a folder.
func (b *Builder) moved() bool {
	const key = "CMAKE_CACHEFILE_DIR:INTERNAL="
	cache := filepath.Join(b.Dir(), "CMakeCache.txt")
	here, err := os.Stat(cache)
	if err != nil {
		return false
	}
	text, err := os.ReadFile(cache)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if dir, ok := strings.CutPrefix(line, key); ok {
			there, err := os.Stat(filepath.Join(strings.TrimSpace(dir), "CMakeCache.txt"))
			return err != nil || !os.SameFile(here, there)
		}
	}
	return false
}

// say is the text of a stamp: the sources, how they are built and with which
// simulator, and what came out, the program and those libraries of the build
// folder that it loads. Whoever calls cmake there beside the harness makes
// another program without touching the stamp.
func (b *Builder) say(name, sources string, simulator engine.Installation) (string, error) {
	files, err := b.loads(b.binary(name))
	if err != nil {
		return "", err
	}
	built, err := hashFiles(append(files, b.binary(name)))
	if err != nil {
		return "", err
	}
	libraries, err := hashFiles(simulator.Libraries)
	if err != nil {
		return "", err
	}
	args := strings.Join(b.configureArgs(simulator.CMake), " ")
	return fmt.Sprintf("%s\n%s\n%s %s\n%s\n", sources, args, simulator.Version, libraries, built), nil
}

// loads are the libraries of the build folder that a program loads. Others come
// and go beside it, as programs of other engines are built.
func (b *Builder) loads(program string) ([]string, error) {
	there := file.Glob(b.Dir(), filepath.Join("*", "*.so"))
	loaded := map[string]bool{}
	for todo := []string{program}; len(todo) > 0; {
		names, err := imported(todo[0])
		if err != nil {
			return nil, fmt.Errorf("reading which libraries %s loads: %w", todo[0], err)
		}
		todo = todo[1:]
		for _, path := range there {
			if slices.Contains(names, filepath.Base(path)) && !loaded[path] {
				loaded[path] = true
				todo = append(todo, path)
			}
		}
	}
	return slices.Sorted(maps.Keys(loaded)), nil
}

// imported are the libraries that a program or library names; none of a script.
func imported(path string) ([]string, error) {
	f, err := elf.Open(path)
	var format *elf.FormatError
	if errors.As(err, &format) || errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names, err := f.ImportedLibraries()
	return names, errors.Join(err, f.Close())
}

// hashFiles is a hash of what files hold; "" of none.
func hashFiles(files []string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	sum := sha256.New()
	for _, file := range files {
		if err := addFile(sum, file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func addFile(sum io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("reading what was built: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading what was built: %w", err)
	}
	return nil
}

func (b *Builder) configureArgs(extra []string) []string {
	return slices.Concat([]string{"-G", "Ninja", "-S", b.root, "-B", b.Dir()}, settings[b.kind], extra)
}

// run runs a build step; when it fails, the error carries the end of what it
// printed.
func (b *Builder) run(ctx context.Context, target, program string, args ...string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("building %s: %s is not installed; run: make deps", target, program)
	}
	tail := &tailWriter{limit: 256 << 10}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout = io.MultiWriter(b.log, tail)
	cmd.Stderr = cmd.Stdout
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("building %s: %w", target, context.Cause(ctx))
		}
		return fmt.Errorf("building %s: %s %s: %w\n%s\nif something is missing on this machine, fabriclab doctor says what", target, program, strings.Join(args, " "), err, b.byTheirPaths(firstError(tail.String())))
	}
	return nil
}

// byTheirPaths is a build's output in which the files of mechanisms of one's own
// have their paths; the compiler knows them by those of the links.
func (b *Builder) byTheirPaths(output string) string {
	for _, o := range b.own {
		link := filepath.Join(b.root, "mechanisms", o.Name)
		if relative, err := filepath.Rel(b.Dir(), link); err == nil {
			output = strings.ReplaceAll(output, relative+"/", o.Dir+"/")
		}
		output = strings.ReplaceAll(output, link+"/", o.Dir+"/")
	}
	return output
}

// tailWriter keeps the end of what is written to it.
type tailWriter struct {
	limit int
	data  []byte
}

func (w *tailWriter) Write(b []byte) (int, error) {
	w.data = append(w.data, b...)
	if extra := len(w.data) - w.limit; extra > 0 {
		w.data = append(w.data[:0], w.data[extra:]...)
	}
	return len(b), nil
}

func (w *tailWriter) String() string { return strings.TrimSpace(string(w.data)) }

// errorLines is how much of a failed step's output is shown.
const errorLines = 30

// firstError is the part of a build's output that begins with the first
// error; its end, if no line says so.
func firstError(output string) string {
	lines := strings.Split(output, "\n")
	first := slices.IndexFunc(lines, func(line string) bool {
		return strings.Contains(line, "error:") || strings.Contains(line, "CMake Error")
	})
	if first < 0 {
		first = max(0, len(lines)-errorLines)
	}
	return strings.Join(lines[first:min(len(lines), first+errorLines)], "\n")
}
