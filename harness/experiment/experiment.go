// Package experiment turns an experiment in YAML (docs/experiments.md) into
// scenarios: it lays a scale and flags over the file, expands the matrix into
// points, applies presets, and checks everything against the catalog before
// anything runs. All problems are reported together, each with its place in
// the file and what is allowed there.
package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/file"
	"fabriclab/base/reader"
	"fabriclab/harness/computed"
	"fabriclab/harness/flowlist"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// DefaultScale is the scale used where none is asked for.
const DefaultScale = "quick"

// EffectiveFile is the effective configuration's name in a run directory.
const EffectiveFile = "effective.json"

// Options say how to load an experiment.
type Options struct {
	Catalog   *catalog.Catalog
	Scale     string            // "" = DefaultScale, which need not be in the file
	Sets      []string          // path=value, laid over the file
	Readings  map[string]string // values of readings, of the others the first
	ConfigDir string            // holds presets/; "" = the nearest one above the file, or configs
	Further   []string          // further folders of this kind, for what the first does not have
	Presets   []string          // files of further presets
	Engine    string            // of points that name none; "" = the first of Engines
	InsteadOf string            // the title of the usual engine, where Engine stands in for it
	Home      string            // of an experiment that is not below configs/: its path from here tells it from others of its name

	// Figure reads the figure section, so that all that is wrong with a file is said
	// at once; broken: something else is, so that points may be missing.
	Figure func(e *Experiment, broken bool)

	FlowLists FlowLists // shared with other loads; nil: with none

	Checks  Checks          // of the model; nil: they are not made
	Oracle  OracleCheck     // of the tables that the harness computes; nil: they are not made
	Context context.Context // ends loading, and what points take long for later; nil = never
	Tell    func(string)    // is told now and then how far that is; nil = nobody
}

// Experiment is a loaded experiment.
type Experiment struct {
	Name, Title, Source string // the name is that of its results
	File                string // as given to Load
	Scale               string
	Engines             []string // of all points
	Seeds               []uint64
	Points              []*Point
	Figure              *reader.Section // the figure section, scale applied; nil if there is none
	Readings            []Reading       // what the paper leaves open
	Warnings            []string
	Limits              Limits
}

// Point is one combination of the matrix; it runs on each of its engines with
// every seed.
type Point struct {
	Labels    []Label
	Engines   []string
	InsteadOf string            // the title of the usual engine, where the point's one stands in for it
	Scenario  scenario.Scenario // its seed is 0; see WriteInputs
	Topology  *topology.Topology
	Flows     workload.Generator
	Effective Effective
	// Uses are the components of a run, the defaults of slots among them.
	Uses []string
	// Oracle are the tables that the harness computes for each run.
	Oracle []OracleTable
	// FlowClasses are the classes of the flows, sorted.
	FlowClasses []int
	// Model stands instead of the scenario where a point is computed.
	Model computed.Model
	// Writes are the tables of the model.
	Writes []catalog.Table
	// Alone says that nothing else may run beside the model.
	Alone bool
	// Threads are those of each run, of which results do not depend; 0 = any.
	Threads int

	rules        workload.Rules
	workload     [sha256.Size]byte // of all that the section says
	hash         func() (hashes, error)
	enginesFixed bool // the matrix says them
}

// Label is a point's value on one axis of the matrix.
type Label struct {
	Path  string // the matrix key
	Name  string // its last element
	Value string // as written
}

// String is the point's labels, as in "preset=fncc rate=100Gbps".
func (p *Point) String() string {
	words := make([]string, len(p.Labels))
	for i, l := range p.Labels {
		words[i] = l.Name + "=" + l.Value
	}
	return strings.Join(words, " ")
}

// Hash is the scenario hash: it covers everything but seed and engine. A random flow
// list enters as the one of seed 0 and as what it is made of.
func (p *Point) Hash() (string, error) {
	h, err := p.hash()
	return h.scenario, err
}

// Content is a hash of the same without the experiment's name: runs of two experiments
// that have it in common come to the same tables.
func (p *Point) Content() (string, error) {
	h, err := p.hash()
	return h.content, err
}

// derivation is the version of what the harness adds to the simulator's tables: ideal
// times, loads, optima. Raise it where a scenario comes to others; all of its runs are
// then made again.
const derivation = 1

type hashes struct{ scenario, content string }

func (p *Point) computeHash(ctx context.Context, traffic *traffic) (h hashes, err error) {
	flows, err := traffic.digest()
	if err != nil {
		return h, fmt.Errorf("%s: flow list: %w", p.Scenario.Name, err)
	}
	routes, err := scenario.RoutesDigest(until(ctx, p.Topology.Routes()))
	if err != nil {
		return h, fmt.Errorf("%s: routes: %w", p.Scenario.Name, err)
	}
	changes := p.Topology.Changes()
	changed := make([][sha256.Size]byte, len(changes))
	for i, c := range changes {
		if changed[i], err = scenario.RoutesDigest(until(ctx, c.Routes)); err != nil {
			return h, fmt.Errorf("%s: routes: %w", p.Scenario.Name, err)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return h, err
	}
	rest, err := json.Marshal([]any{derivation, traffic.recipe, p.Oracle})
	if err != nil {
		return h, err
	}
	changed = append(changed, sha256.Sum256(rest))
	if h.scenario, err = p.Scenario.Hash(flows, routes, changed...); err != nil {
		return h, err
	}
	nameless := p.Scenario
	nameless.Name = ""
	h.content, err = nameless.Hash(flows, routes, changed...)
	return h, err
}

// until ends routes early when ctx is done.
func until(ctx context.Context, routes iter.Seq[scenario.Route]) iter.Seq[scenario.Route] {
	return func(yield func(scenario.Route) bool) {
		n := 0
		for r := range routes {
			if n++; n%(1<<16) == 0 && ctx.Err() != nil || !yield(r) {
				return
			}
		}
	}
}

// Classes is the number of priority classes.
func (p *Point) Classes() int { return p.rules.Classes }

// FlowList is the point's workload, of which flow lists are generated.
func (p *Point) FlowList() *flowlist.List {
	return &flowlist.List{Flows: p.Flows, Rules: p.rules, Hosts: p.Topology.HostNames()}
}

// LoadWindow is the load that the workload asks for and the window in which it
// is measured; false where flows are not drawn at a load.
func (p *Point) LoadWindow() (trace.LoadWindow, bool) {
	loaded, ok := p.Flows.(workload.Loaded)
	if !ok {
		return trace.LoadWindow{}, false
	}
	asked, ok := loaded.AskedLoad()
	w := trace.LoadWindow{
		BeginPs: asked.FromPs, FromPs: max(p.rules.FromPs, asked.FromPs), ToPs: min(p.rules.ToPs, asked.ToPs), LastPs: asked.ToPs,
		Asked: asked.Load, CapacityBps: asked.CapacityBps,
	}
	filter, recorded := p.Scenario.Trace.Tables["flows"]
	w.Partial = !recorded || !reflect.DeepEqual(filter, scenario.TableFilter{})
	if !ok || w.FromPs >= w.ToPs {
		return trace.LoadWindow{}, false
	}
	return w, true
}

// WindowEnd is the end of the measuring window where the run ends with its flows; 0
// elsewhere.
func (p *Point) WindowEnd() int64 {
	if !p.Scenario.StopWhenFlowsFinish {
		return 0
	}
	return p.rules.ToPs
}

// WriteInputs writes an engine's input for a seed (scenario.json, flows.bin,
// routes.bin), the same flow list for people, and effective.json into an
// existing directory, and says what the flow list came to.
func (p *Point) WriteInputs(dir string, seed uint64) (*workload.Tally, error) {
	s := p.Scenario
	s.Seed = seed
	tally, err := p.FlowList().WriteInputs(dir, seed, func(flows iter.Seq2[scenario.Flow, error]) error {
		var changed []iter.Seq[scenario.Route]
		for _, c := range p.Topology.Changes() {
			changed = append(changed, c.Routes)
		}
		return s.Write(dir, flows, p.Topology.Routes(), changed...)
	})
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(p.Effective, "", " ")
	if err != nil {
		return nil, fmt.Errorf("%s: effective configuration: %w", s.Name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, EffectiveFile), append(data, '\n'), 0o666); err != nil {
		return nil, fmt.Errorf("%s: effective configuration: %w", s.Name, err)
	}
	return tally, nil
}

// ReadEffective reads the effective configuration from a run's folder.
func ReadEffective(dir string) (Effective, error) {
	text, err := file.Read(filepath.Join(dir, EffectiveFile))
	if err != nil {
		return nil, err
	}
	var settings Effective
	return settings, json.Unmarshal(text, &settings)
}

// IdealFCT is the ideal flow completion time in ps of a flow of size payload
// bytes between two hosts; see topology.Topology.IdealFCT.
func (p *Point) IdealFCT(src, dst uint32, size uint64) (int64, error) {
	return p.Topology.IdealFCT(src, dst, size, p.Framing())
}

// Framing is how payload becomes packets.
func (p *Point) Framing() topology.Framing { return framing(p.Scenario.Components) }

// MaxBaseRTT is the largest base RTT in ps among the pairs of hosts between
// which there may be flows; see topology.Topology.BaseRTT.
func (p *Point) MaxBaseRTT() int64 {
	return p.Topology.MaxBaseRTT(p.Topology.Kinds(p.Flows.Pairs()), p.Framing())
}

// loader is the state of one Load.
type loader struct {
	*reader.Forest
	catalog     *catalog.Catalog
	file        string
	configDir   string
	home        string
	further     []string // folders like it
	presetFiles []string
	name        string
	presets     map[[2]string]*preset // by name, and the folder of the file that names them
	topologies  map[string]*topology.Topology
	used        map[string]bool // components in use at any point
	setParams   []setParams
	hashed      map[*topology.Topology]bool // those that neverUsed has looked at
	checks      Checks
	oracle      OracleCheck
	answers     map[string]answer // to questions, by what differs in them
	traffic     map[string]*traffic
	flowLists   FlowLists
	sizesOf     map[string]*workload.Sizes       // by file
	lists       map[string]workload.Generator    // read from files, by kind, file, network and rules
	refused     map[string]bool                  // positions at which the model refuses something
	replaced    map[string]map[string]*yaml.Node // by path, what readings put in the place of values of the matrix
	laid        []readingSet                     // what else they set
	limits      Limits
	watch       *watch
	warnings    []string
	warned      map[string]bool // the model's warnings, by place and without numbers
}

// Load reads an experiment and checks all of it. The error is of type
// Problems where the experiment is at fault.
func Load(file string, opt Options) (*Experiment, error) {
	l := &loader{
		Forest: reader.NewForest(), catalog: opt.Catalog, file: file,
		presets: map[[2]string]*preset{}, topologies: map[string]*topology.Topology{}, used: map[string]bool{}, hashed: map[*topology.Topology]bool{},
		checks: opt.Checks, answers: map[string]answer{}, traffic: map[string]*traffic{}, flowLists: opt.FlowLists, sizesOf: map[string]*workload.Sizes{}, lists: map[string]workload.Generator{}, refused: map[string]bool{},
		warned: map[string]bool{}, replaced: map[string]map[string]*yaml.Node{},
		limits: defaultLimits, watch: newWatch(opt),
	}
	if l.flowLists == nil {
		l.flowLists = FlowLists{}
	}
	l.oracle = opt.Oracle
	if err := l.checkKeys(); err != nil {
		return nil, err
	}
	var err error
	if l.configDir, err = configDir(file, opt.ConfigDir); err != nil {
		return nil, err
	}
	l.home, l.further, l.presetFiles = opt.Home, opt.Further, opt.Presets
	root, err := l.ReadFile(file, "")
	if problems := reader.Problems(nil); errors.As(err, &problems) {
		return nil, problems
	}
	if err != nil {
		return nil, fmt.Errorf("experiment: %w; give the path of an experiment's YAML file", err)
	}
	e := &Experiment{File: file}
	unscaled := l.include(root, file, nil)
	root = l.applyScale(unscaled, e, opt.Scale)
	root = l.applyReadings(root, unscaled, e, opt.Readings)
	root, flags := l.applyFlags(root, opt.Sets)
	head := l.head(root, e)
	combinations := l.withEngines(l.combinations(root, flags))
	l.checkReadings(combinations)
	usual := l.engines(head, combinations)
	named := usual != nil
	if !named {
		usual = []string{cmp.Or(opt.Engine, Engines[0])}
	}
	for i, c := range combinations {
		if err := context.Cause(l.watch.ctx); err != nil {
			return nil, err
		}
		l.watch.say("%s: %d of %d points checked", l.name, i, len(combinations))
		point := l.point(root, c)
		if point == nil {
			continue
		}
		point.Engines, point.enginesFixed = c.engines, c.engines != nil
		if c.engines == nil {
			point.Engines = usual
		}
		if point.Model != nil {
			point.Engines, point.enginesFixed = []string{ComputedEngine}, true
		}
		if !named && !point.enginesFixed {
			point.InsteadOf = opt.InsteadOf
		}
		for _, name := range point.Engines {
			if !slices.Contains(e.Engines, name) {
				e.Engines = append(e.Engines, name)
			}
		}
		e.Points = append(e.Points, point)
	}
	if l.Found == 0 {
		l.idleAxes(root, e.Points)
	}
	e.Warnings = l.warnings
	l.unused(root, e)
	if err := context.Cause(l.watch.ctx); err != nil {
		return nil, err
	}
	e.Limits = l.limits
	if e.Figure != nil && opt.Figure != nil {
		opt.Figure(e, l.Found > 0)
	}
	if len(l.Problems) > 0 {
		return nil, l.Problems
	}
	return e, nil
}

// shipped are the files of a kind that have names: those of the configuration
// folder, of further ones, and the given ones.
func (l *loader) shipped(kind string, given []string) map[string]string {
	var all []string
	files := map[string]string{} // the first one of each name
	for _, dir := range append([]string{l.configDir}, l.further...) {
		all = append(all, file.Glob(dir, filepath.Join(kind, "*.yaml"))...)
	}
	for _, path := range append(all, given...) {
		if name := strings.TrimSuffix(filepath.Base(path), ".yaml"); files[name] == "" {
			files[name] = path
		}
	}
	return files
}

// configDir is the directory that holds presets/.
func configDir(file, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	full, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("experiment: %w", err)
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "presets")); err == nil && info.IsDir() {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "configs", nil
		}
	}
}

// fail takes over an error from reading a file.
func (l *loader) fail(where string, err error) {
	var problems reader.Problems
	if !errors.As(err, &problems) {
		problems = reader.Problems{{Position: where, Text: err.Error()}}
	}
	for _, p := range problems {
		l.Report(p.Position, p.Text)
	}
}

// applyScale lays the scale over the rest of the file.
func (l *loader) applyScale(root *yaml.Node, e *Experiment, scale string) *yaml.Node {
	e.Scale = scale
	if scale == "" {
		e.Scale = DefaultScale
	}
	key, node := reader.Child(root, "scales")
	scales := l.Section(node, root, "scales")
	known := []string{DefaultScale}
	for i := 0; i < len(scales.Node.Content); i += 2 {
		known = append(known, scales.Node.Content[i].Value)
	}
	_, overlay := reader.Child(scales.Node, e.Scale)
	if overlay == nil {
		if e.Scale != DefaultScale {
			at := root
			if key != nil {
				at = key
			}
			l.Problem(at, "scales: there is no scale %q%s", e.Scale, catalog.Hint(e.Scale, known))
		}
		return root
	}
	over := l.Section(overlay, overlay, "scales."+e.Scale)
	for _, key := range []string{"name", "include", "readings", "scales"} {
		if n, _ := reader.Child(over.Node, key); n != nil {
			l.Problem(n, "scales.%s: a scale does not change %q; take the key out", e.Scale, key)
		}
	}
	l.Mark(over.Node, "scale:"+e.Scale)
	return l.Merge(root, over.Node, nil)
}

// cliSet is a --set path=value.
type cliSet struct {
	path  []string
	text  string // of the value
	value *yaml.Node
}

// applied are sections that have been laid over the rest before flags are.
var applied = map[string]string{
	"include":  "an include is laid below the file and belongs into it; set what it has, such as topology.rate=200Gbps",
	"scales":   "a scale is chosen with --scale NAME; to change what it says, set that itself, such as topology.rate=200Gbps",
	"readings": "a reading is chosen with --reading NAME=VALUE; to change what it says, set that itself, such as topology.rate=200Gbps",
}

// applyFlags lays --set path=value over the tree. Flags for an axis of the
// matrix are left to the matrix.
func (l *loader) applyFlags(root *yaml.Node, sets []string) (*yaml.Node, []cliSet) {
	var flags []cliSet
	for _, set := range sets {
		where := "--set " + set
		path, text, ok := strings.Cut(set, "=")
		if !ok || slices.Contains(strings.Split(path, "."), "") {
			l.Report(where, "this is not path=value, such as topology.rate=200Gbps")
			continue
		}
		value, err := l.ParseFlag(where, text)
		if err != nil {
			l.fail(where, err)
			continue
		}
		f := cliSet{l.path(path), text, value}
		if instead := applied[f.path[0]]; instead != "" {
			l.Report(where, instead)
			continue
		}
		for _, before := range flags {
			if n := len(f.path); n <= len(before.path) && slices.Equal(f.path, before.path[:n]) {
				l.Problem(before.value, "%s, behind it, sets this again; keep one", where)
			}
		}
		flags = append(flags, f)
	}
	for _, ofMatrix := range []bool{true, false} { // which flags are for axes depends on it
		_, matrix := reader.Child(root, "matrix")
		for _, f := range flags {
			if ofMatrix == (f.path[0] == "matrix") && l.axisKey(matrix, f) == nil && !l.dotted(root, f) {
				l.takesSomething(root, f.path, f.value, f.value)
				root = l.Set(root, f.path, f.value, f.value)
			}
		}
	}
	return root, flags
}

// dotted refuses a path into the matrix through a key that holds dots.
func (l *loader) dotted(root *yaml.Node, f cliSet) bool {
	n := 1
	for n < len(f.path) && reader.Lookup(root, f.path[:n+1]) != nil {
		n++
	}
	if f.path[0] != "matrix" || n >= len(f.path)-1 {
		return false
	}
	key, axis := strings.Join(f.path[n:], "."), ""
	if n == 1 {
		axis = fmt.Sprintf("; to choose values of an axis that is there: --set '%s=%s'", key, f.text)
	}
	l.Problem(f.value, "keys of axes hold dots, at which a path is taken apart; write --set '%s={%s: %s}', which replaces what is there%s", strings.Join(f.path[:n], "."), key, f.text, axis)
	return true
}

// takesSomething refuses a null where the file has nothing that it takes away.
func (l *loader) takesSomething(root *yaml.Node, path []string, value, at *yaml.Node) {
	if reader.IsNull(value) && reader.IsNull(reader.Lookup(root, path)) {
		l.Problem(at, "null takes away what the file says of %s, which is nothing; take it out here (what a preset has is replaced by another value)", strings.Join(path, "."))
	}
}

// Keys of an experiment: those that describe a point beside the slots, and the
// others.
var (
	ownKeys  = []string{"topology", "workload", "preset", "network", "params", nodesKey, "run", "trace"}
	headKeys = []string{"include", "name", "title", "source", "matrix", "seeds", "engines", "readings", "scales", "figure", "limits"}
)

// pointKeys are the keys that describe a point.
func pointKeys(c *catalog.Catalog) []string {
	return slices.Concat(ownKeys, computedKeys(), c.SlotKeys())
}

// checkKeys refuses a slot whose key means something else in an experiment or
// a preset.
func (l *loader) checkKeys() error {
	for _, key := range l.catalog.SlotKeys() {
		if slices.Contains(slices.Concat(ownKeys, computedKeys(), headKeys, presetHead), key) {
			return fmt.Errorf("catalog: the slot %q has the name of another key of experiments; give it another one in the table of slots", key)
		}
	}
	return nil
}

// path takes a path into the tree apart; component.parameter is short for
// params.component.parameter.
func (l *loader) path(text string) []string {
	path := strings.Split(text, ".")
	if !slices.Contains(pointKeys(l.catalog), path[0]) && !slices.Contains(headKeys, path[0]) && l.catalog.Component(path[0]) != nil {
		path = append([]string{"params"}, path...)
	}
	return path
}

// joined is a path in one spelling.
func (l *loader) joined(text string) string { return strings.Join(l.path(text), ".") }

var experimentName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)

// head reads what belongs to the whole experiment but the engines.
func (l *loader) head(root *yaml.Node, e *Experiment) *reader.Section {
	s := l.Section(root, root, "")
	id, below := l.id()
	name, at, given := s.Text("name")
	switch {
	case !given:
		name, at = id, root
	case below && name != id:
		l.Problem(at, "name is %q, but by its place below %s this is %q; change one of them", name, filepath.Base(l.configDir), id)
	}
	if !experimentName.MatchString(name) {
		l.Problem(at, "name: %q is no name of an experiment; use letters, digits, _ . - and / between the parts", name)
	}
	l.name, e.Name = name, name
	if l.home != "" {
		e.Name += "-" + l.tag()
	}
	e.Title, e.Source = s.Str("title"), s.Str("source")
	if n := s.Get("figure"); n != nil {
		e.Figure = l.Section(n, n, "figure")
	}

	e.Seeds = l.seeds(s)
	l.readLimits(s)
	return s
}

// tag tells an experiment outside of configs/ from others of the same name. It
// is the same on every machine with the same folders.
func (l *loader) tag() string {
	path, err := filepath.Abs(l.file)
	if rel, relErr := filepath.Rel(l.home, path); err == nil && relErr == nil {
		path = rel
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(path)))
	return hex.EncodeToString(sum[:4])
}

// id is the experiment's path below the configuration directory, and whether
// it is there at all.
func (l *loader) id() (id string, below bool) {
	full, err := filepath.Abs(l.file)
	dir, err2 := filepath.Abs(l.configDir)
	if err == nil && err2 == nil {
		rel, err := filepath.Rel(dir, full)
		if err == nil && filepath.IsLocal(rel) {
			return strings.TrimSuffix(filepath.ToSlash(rel), filepath.Ext(rel)), true
		}
	}
	base := filepath.Base(l.file)
	return strings.TrimSuffix(base, filepath.Ext(base)), false
}

// point makes one point, nil if there is something wrong.
func (l *loader) point(root *yaml.Node, c combination) *Point {
	before := l.Found
	for _, a := range c.assignments {
		root = l.Set(root, a.path, a.value, a.key)
	}
	s := l.Section(root, root, "")
	s.Knows(slices.Concat(pointKeys(l.catalog), headKeys)...)
	l.misplaced(s)
	s.Done()
	if kind := computedKind(s); kind != nil {
		return l.computedPoint(s, c, kind)
	}
	r := l.run(s)
	t := l.topology(s)
	params := s.Get("params")
	l.checkComponents(params, "params")

	var base *preset
	if name, at, ok := s.Required("preset", "none"); ok {
		base = l.preset(name, at)
	}
	own := l.mechanisms(s)
	sets := l.nodeSets(s)
	params, class := l.network(s, base, params)
	if base == nil {
		return nil
	}
	in := own.over(base.mechanisms)
	l.markUsed(in, sets)
	general := configuration{mechanisms: in, preset: base.params, params: params}
	general.classes = l.classes(general)
	components, effective := l.components(general)
	l.checkNetwork(base, class, components, effective)
	l.deriveClasses(components, effective, general.classes)
	point := &Point{Labels: c.labels, Topology: t}
	var trace scenario.Trace
	if t != nil {
		r.rules.Classes = general.classes
		point.Flows = l.workload(s, t, r.rules)
		trace, point.Oracle = l.trace(s, t, point.Flows, r.rules)
	}
	if t == nil || point.Flows == nil || l.Found > before {
		return nil
	}
	topologyKey, topologyNode := reader.Child(root, "topology")
	var field *topology.FieldError
	if errors.As(t.CheckEnd(r.rules.StopPs), &field) {
		l.Problem(reader.Nearest(topologyNode, field.Field), "%v", field)
		return nil
	}
	point.rules, point.Threads = r.rules, r.threads
	flows, err := l.trafficOf(root, point)
	if err != nil {
		l.fail(l.file, err)
		return nil
	}
	if err := t.CheckPaths(flows.pairs); err != nil {
		l.Problem(topologyKey, "topology: %v", err)
		return nil
	}
	frame := framing(components)
	if frame.MTU <= frame.Header {
		l.Problem(root, "host.mtu is %d B and host.header_bytes %d B, which leaves no payload; enlarge host.mtu", frame.MTU, frame.Header)
		return nil
	}
	if components.Param("host", "base_rtt") == int64(0) {
		l.derive(components, effective, "base_rtt", t.MaxBaseRTT(flows.pairs, frame))
	}
	nodes := l.setsOf(general, components, sets, t, &effective)
	l.neverUsed(topologyKey, components, t)
	if l.Found > before {
		return nil
	}
	point.Effective, point.workload = effective, flows.text
	point.Scenario = scenario.Scenario{
		Name: l.name, StopPs: r.rules.StopPs, StopWhenFlowsFinish: r.stopWhenFlowsFinish, StopAtDeadlock: r.stopAtDeadlock,
		Nodes: t.Nodes, Links: t.Links, Components: l.written(components, general.classes), Sets: nodes, Trace: trace,
		LinkEvents: t.LinkEvents(), HostEvents: t.HostEvents(), RateEvents: t.RateEvents,
	}
	point.Uses = l.uses(point.Scenario)
	for i, c := range t.Changes() {
		point.Scenario.RouteChanges = append(point.Scenario.RouteChanges, scenario.RouteChange{AtPs: c.AtPs, File: scenario.ChangedRoutesFile(i)})
	}
	kinds, err := flows.kindsOf(point)
	if err != nil {
		l.Problem(keyOr(root, "workload"), "workload: %v", err)
		return nil
	}
	point.FlowClasses = workload.Classes(kinds)
	l.checkModel(choice{root: root, general: in, sets: sets}, point, kinds)
	l.checkOracle(root, point, kinds)
	if l.Found > before {
		return nil
	}
	point.hash = sync.OnceValues(func() (hashes, error) { return point.computeHash(l.watch.ctx, flows) })
	return point
}

// misplaced says of parameters and components that are written as keys of the
// experiment where they belong.
func (l *loader) misplaced(s *reader.Section) {
	keys := slices.Concat(pointKeys(l.catalog), headKeys)
	for i := 0; i < len(s.Node.Content); i += 2 {
		key := s.Node.Content[i]
		hint := ""
		if !slices.Contains(keys, key.Value) {
			hint = l.catalog.HintParam(key.Value)
		}
		if hint != "" {
			s.Knows(key.Value)
			l.Problem(key, "there is no key %q here%s", key.Value, hint)
		}
	}
}

// uses lists the components that an engine makes for a scenario: those that are
// named, and the defaults of slots, which it puts where a key is missing.
func (l *loader) uses(s scenario.Scenario) []string {
	var names []string
	for _, slot := range l.catalog.Slots {
		if slot.Default != "" {
			names = append(names, slot.Default)
		}
	}
	places := []scenario.Components{s.Components}
	for _, set := range s.Sets {
		places = append(places, set.Components)
	}
	for _, components := range places {
		for _, place := range components {
			if place.One != nil {
				names = append(names, place.One.Type)
			}
			for _, one := range place.List {
				names = append(names, one.Type)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unused says which parameters of the experiment no point uses.
func (l *loader) unused(root *yaml.Node, e *Experiment) {
	if len(e.Points) == 0 {
		return
	}
	warn := func(at reader.Source, text string) {
		if at.Origin == "flag" {
			l.Report(at.Position(), text)
		} else {
			e.Warnings = append(e.Warnings, at.Position()+": "+text)
		}
	}
	for _, p := range l.setParams {
		if !p.used {
			warn(p.where, p.text+" has no effect: at no point one of these nodes has it; choose it there, or take it out")
		}
	}
	for key := range l.keysOfNoReading(root, "params") {
		if !l.used[key.Value] && l.catalog.Component(key.Value) != nil {
			warn(l.Sources[key], "params."+key.Value+" has no effect: no point uses "+key.Value+"; choose a preset that does, or take it out")
		}
	}
	for key := range l.keysOfNoReading(root, "network") {
		if !l.used["network."+key.Value] {
			warn(l.Sources[key], "network."+key.Value+" has no effect: no point has the preset "+key.Value+"; take it out, or write the class for all presets: network: lossy")
		}
	}
}

// keysOfNoReading yields the keys of a mapping that the experiment itself has: a reading is for
// every matrix that a flag has narrowed.
func (l *loader) keysOfNoReading(root *yaml.Node, name string) iter.Seq[*yaml.Node] {
	return func(yield func(*yaml.Node) bool) {
		_, n := reader.Child(root, name)
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			ofReading := strings.HasPrefix(l.Sources[value].Origin, "reading:") || strings.HasPrefix(l.Sources[key].Origin, "reading:")
			if !ofReading && !yield(key) {
				return
			}
		}
	}
}

// label makes the label of a matrix key.
func label(path, value string) Label {
	return Label{Path: path, Name: path[strings.LastIndex(path, ".")+1:], Value: value}
}

// valueText is a matrix value as a label.
func valueText(n *yaml.Node) string { return valueTextAt(n, 0) }

// valueTextAt quotes a list or mapping, and those directly in it. Deeper ones
// are written in brackets, because quoting at each level would double the
// length with each.
func valueTextAt(n *yaml.Node, depth int) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	words := make([]string, 0, len(n.Content))
	for i, item := range n.Content {
		word := valueTextAt(item, depth+1)
		if n.Kind == yaml.SequenceNode && item.Kind == yaml.SequenceNode {
			word = "[" + strings.Trim(word, `"`) + "]" // a point of a curve
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			word += ":"
		}
		words = append(words, word)
	}
	text := strings.Join(words, " ")
	if depth < 2 {
		return strconv.Quote(text)
	}
	return "[" + text + "]"
}
