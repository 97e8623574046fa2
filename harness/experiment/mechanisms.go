package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/base/columns"
	"fabriclab/base/reader"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// Setting is one parameter of the effective configuration.
type Setting struct {
	Place     string `json:"place"`           // where the component plugs in: host, queues[1], congestion_control, …
	Nodes     string `json:"nodes,omitempty"` // the nodes for which it holds; "" = those that have no setting of their own
	Component string `json:"component"`       // its name
	Param     string `json:"param"`
	Value     string `json:"value"`  // with its unit
	Origin    string `json:"origin"` // default, derived, preset:NAME, file:LINE, matrix, reading:NAME=VALUE, scale:NAME, flag

	key       string     // of the place: queues of queues[1]
	canonical any        // the value as in the scenario
	at        *yaml.Node // where it was set, nil for a default
}

// Where is the place, and the nodes if it is not the place of all of them.
func (s Setting) Where() string {
	if s.Nodes == "" {
		return s.Place
	}
	return s.Place + " at " + s.Nodes
}

// Effective is the whole effective configuration of a point.
type Effective []Setting

// Table renders the configuration as aligned text, one line per parameter.
func (e Effective) Table() string {
	var b strings.Builder
	w := columns.New(&b)
	fmt.Fprintln(w, "place\tparameter\tvalue\torigin")
	for _, s := range e {
		fmt.Fprintf(w, "%s\t%s.%s\t%s\t%s\n", s.Where(), s.Component, s.Param, s.Value, s.Origin)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// mechanisms is what a preset, an experiment or a set of nodes says about
// slots: what stands there, by key. What it does not say has no key here.
type mechanisms map[string][]mechanism

// mechanism is a component by name, with parameters of this one place.
type mechanism struct {
	component *catalog.Component
	at        *yaml.Node // where it is named; nil for a slot's default
	params    *yaml.Node // a mapping, or nil
	set       *nodeSet   // that names it, nil if a preset or the experiment does
}

// mechanisms reads the keys of the slots. A key with a mistake, which is then
// reported, is as if it were not there.
func (l *loader) mechanisms(s *reader.Section) mechanisms {
	m := mechanisms{}
	for i := range l.catalog.Slots {
		slot := &l.catalog.Slots[i]
		n, before := s.Get(slot.Key), l.Found
		if n == nil {
			l.saysNothing(s.Node, slot.Key, s.Name(slot.Key), "what a preset has stays; name what stands there instead, [] for none of a list, or leave the key out")
			continue
		}
		found := []mechanism{}
		switch {
		case !slot.List():
			found = append(found, l.mechanism(n, s.Name(slot.Key), slot.Kind))
		case n.Kind != yaml.SequenceNode:
			l.Problem(n, "%s is a list of names, such as [a, b], not %s", s.Name(slot.Key), reader.What(n))
		case slot.Count == catalog.PerClass && len(n.Content) == 0:
			l.Problem(n, "%s is an empty list; name one for each class, class 0 first, or leave the key out", s.Name(slot.Key))
		default:
			for i, item := range n.Content {
				found = append(found, l.mechanism(item, fmt.Sprintf("%s.%d", s.Name(slot.Key), i), slot.Kind))
			}
		}
		if l.Found == before {
			m[slot.Key] = found
		}
	}
	return m
}

// saysNothing refuses a null where there is nothing that it takes away.
func (l *loader) saysNothing(in *yaml.Node, key, name, instead string) {
	if at, value := reader.Child(in, key); at != nil && reader.IsNull(value) {
		l.Problem(at, "%s: null takes nothing away here: %s", name, instead)
	}
}

// mechanism reads a name, or {type: name, params: {…}}. Without a component,
// what is wrong has been reported.
func (l *loader) mechanism(n *yaml.Node, name, kind string) mechanism {
	found := mechanism{at: n}
	at := n
	if n.Kind == yaml.MappingNode {
		s := l.Section(n, n, name)
		if at = s.Get("type"); at == nil {
			s.Missing("type", strings.Join(l.catalog.Names(kind), " or "))
			return found
		}
		found.params = s.Get("params")
		s.Done()
	}
	text, ok := l.Scalar(at, name)
	if !ok {
		return found
	}
	component := l.catalog.Component(text)
	if component == nil || component.Kind != kind {
		what := "there is no " + catalog.Words(kind) + " " + fmt.Sprintf("%q", text)
		if component != nil {
			what = fmt.Sprintf("%s is a %s, not a %s", text, catalog.Words(component.Kind), catalog.Words(kind))
		}
		l.Problem(at, "%s: %s%s", name, what, catalog.HintMechanism(text, l.catalog.Names(kind)))
		return found
	}
	found.component = component
	l.checkParams(found.params, name+".params", component)
	return found
}

// over lays what an experiment or a set of nodes says over what lies below.
func (m mechanisms) over(base mechanisms) mechanisms {
	laid := maps.Clone(base)
	maps.Copy(laid, m)
	return laid
}

// reaches says whether parameters of components hold in a slot. They hold for
// what is named. They hold for a default as well, unless another slot of the
// same kind is named. So a limit that a preset sets for the queues of switches
// does not limit the default queues of NICs.
func (m mechanisms) reaches(slot *catalog.Slot, others []catalog.Slot) bool {
	if _, named := m[slot.Key]; named {
		return true
	}
	return !slices.ContainsFunc(others, func(other catalog.Slot) bool {
		_, named := m[other.Key]
		return named && other.Kind == slot.Kind
	})
}

// standing is what stands in a slot: what is named, or the default.
func (l *loader) standing(slot *catalog.Slot, m mechanisms, classes int) []mechanism {
	if named, is := m[slot.Key]; is {
		return named
	}
	if slot.Default == "" {
		return nil
	}
	n := 1
	if slot.Count == catalog.PerClass {
		n = classes
	}
	return slices.Repeat([]mechanism{{component: l.catalog.Component(slot.Default)}}, n)
}

// preset is a named set of mechanisms.
type preset struct {
	mechanisms
	params  *yaml.Node // component -> parameter -> value
	name    string
	network string // that it is for, lossless or lossy; "" = either
}

// presetHead are the keys of a preset beside the slots and params.
var presetHead = []string{"preset", "extends", "title", "source", "network"}

// preset reads a preset by name, or by a path relative to the file that names it.
// It returns nil if there is something wrong, which is then reported.
func (l *loader) preset(name string, at *yaml.Node) *preset {
	key := [2]string{name, l.folder(at)}
	if p, read := l.presets[key]; read {
		return p
	}
	l.presets[key] = nil
	before := l.Found
	root := l.presetTree(name, at, nil)
	if root == nil {
		return nil
	}
	s := l.Section(root, root, "")
	for _, key := range presetHead {
		s.Str(key)
	}
	p := &preset{mechanisms: l.mechanisms(s), params: s.Get("params"), name: name, network: s.Str("network")}
	if p.network != "" && !slices.Contains(networks, p.network) {
		l.Problem(s.Get("network"), "network: %q is no class of networks%s", p.network, catalog.Hint(p.network, networks))
	}
	s.Done()
	l.checkComponents(p.params, "params")
	if l.Found > before {
		return nil
	}
	for i := 0; p.params != nil && i < len(p.params.Content); i += 2 {
		if component, used := p.params.Content[i], l.inUse(p.mechanisms); !slices.Contains(used, component.Value) {
			drop := ""
			if short := strings.TrimPrefix(l.Origin(component), "preset:"); short != name {
				drop = fmt.Sprintf("; where it replaces what %s has, say params: {%s: null} in the preset %s", short, component.Value, name)
			}
			l.Problem(component, "params: the preset does not use %s%s%s", component.Value, catalog.Hint(component.Value, used), drop)
			return nil
		}
	}
	l.presets[key] = p
	return p
}

// presetTree reads a preset's file and lays it over the preset it extends.
// extending are the files that extend it.
func (l *loader) presetTree(name string, at *yaml.Node, extending []string) *yaml.Node {
	known := l.shipped("presets", l.presetFiles)
	file := known[name]
	if file == "" {
		file = filepath.Join(l.configDir, "presets", name+".yaml")
	}
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") {
		file = l.beside(at, name)
	}
	if slices.Contains(extending, file) {
		l.Problem(at, "the preset %q extends itself, by way of %s; break the circle", name, strings.Join(extending, ", "))
		return nil
	}
	short := strings.TrimSuffix(filepath.Base(file), ".yaml")
	root, err := l.ReadFile(file, "preset:"+short)
	if errors.Is(err, fs.ErrNotExist) {
		l.Problem(at, "there is no preset %q (%s)%s", name, file, catalog.HintMechanism(name, slices.Sorted(maps.Keys(known))))
		return nil
	}
	if err != nil {
		l.fail(file, err)
		return nil
	}
	s := l.Section(root, root, "")
	if text, n, ok := s.Required("preset", short); ok && text != short {
		l.Problem(n, "the preset calls itself %q, but its file is %s; give both the same name", text, filepath.Base(file))
	}
	text, n, ok := s.Text("extends")
	if !ok {
		return root
	}
	base := l.presetTree(text, n, append(extending, file))
	if base == nil {
		return nil
	}
	return l.Merge(base, root, nil)
}

// nodeModel are the components that every network has.
var nodeModel = []string{"host", "switch", "port"}

// inUse lists the components that parameters of components can be for.
func (l *loader) inUse(m mechanisms) []string {
	names := slices.Clone(nodeModel)
	for i := range l.catalog.Slots {
		slot := &l.catalog.Slots[i]
		if !m.reaches(slot, l.catalog.Slots) {
			continue
		}
		for _, one := range l.standing(slot, m, 1) {
			names = append(names, one.component.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// choice is what an experiment, its preset and its sets of nodes say about
// slots, and together.
type choice struct {
	root    *yaml.Node // the experiment
	general mechanisms // the experiment's over the preset's
	sets    []*nodeSet
}

// checkComponents checks a tree component -> parameter -> value, whether the
// components are in use or not.
func (l *loader) checkComponents(params *yaml.Node, name string) {
	if reader.IsNull(params) {
		return
	}
	if params.Kind != yaml.MappingNode {
		l.Problem(params, "%s maps components to their parameters, as in {hpcc: {eta: 0.95}}; this is %s", name, reader.What(params))
		return
	}
	for i := 0; i < len(params.Content); i += 2 {
		key := params.Content[i]
		component := l.catalog.Component(key.Value)
		if component == nil {
			l.Problem(key, "%s: there is no component %q%s", name, key.Value, catalog.HintMechanism(key.Value, l.catalog.Names("")))
			continue
		}
		l.checkParams(params.Content[i+1], name+"."+key.Value, component)
		l.saysNothing(params, key.Value, name+"."+key.Value, "what a preset has stays; set each parameter, or leave the key out")
	}
}

// checkParams checks a mapping parameter -> value of one component.
func (l *loader) checkParams(params *yaml.Node, name string, component *catalog.Component) {
	if reader.IsNull(params) {
		return
	}
	if params.Kind != yaml.MappingNode {
		l.Problem(params, "%s maps parameters to values, as in {eta: 0.95}; this is %s", name, reader.What(params))
		return
	}
	for i := 0; i < len(params.Content); i += 2 {
		key := params.Content[i]
		param := component.Param(key.Value)
		if param == nil {
			l.Problem(key, "%s: %s has no parameter %q%s", name, component.Name, key.Value, catalog.Hint(key.Value, component.ParamNames()))
			continue
		}
		l.value(params.Content[i+1], name+"."+key.Value, param)
	}
}

func (l *loader) value(n *yaml.Node, name string, param *catalog.Param) {
	if !param.IsList() {
		if _, ok := l.Scalar(n, name); !ok {
			return
		}
	}
	if _, err := parse(n, param); err != nil {
		at := n
		var entry *catalog.EntryError
		if errors.As(err, &entry) {
			at = n.Content[entry.Entry]
		}
		l.Problem(at, "%s: %v", name, err)
	}
}

// parse reads a value of a parameter.
func parse(n *yaml.Node, param *catalog.Param) (any, error) {
	if !param.IsList() {
		return param.Parse(n.Value)
	}
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("write a list, such as %s, not %s", param.Example(), reader.What(n))
	}
	var entries [][]string
	for i, item := range n.Content {
		numbers := item.Content
		if item.Kind != yaml.SequenceNode {
			numbers = []*yaml.Node{item}
		}
		var texts []string
		for _, number := range numbers {
			if number.Kind != yaml.ScalarNode {
				return nil, &catalog.EntryError{Entry: i, Err: fmt.Errorf("write numbers, as in %s, not %s", param.Example(), reader.What(number))}
			}
			texts = append(texts, number.Value)
		}
		entries = append(entries, texts)
	}
	return param.ParseList(entries)
}

// resolve gives a component in a place all its parameters: the default, or
// what the last of the layers says. The layers have been checked.
func (l *loader) resolve(key, place string, component *catalog.Component, layers ...*yaml.Node) (scenario.Component, Effective) {
	made := scenario.Component{Type: component.Name, Params: map[string]any{}}
	var settings Effective
	for i := range component.Params {
		param := &component.Params[i]
		value, setting := param.Default, Setting{Place: place, Component: component.Name, Param: param.Name, Origin: "default", key: key}
		for _, layer := range layers {
			if reader.IsNull(layer) || layer.Kind != yaml.MappingNode {
				continue
			}
			_, n := reader.Child(layer, param.Name)
			if n == nil || (n.Kind == yaml.ScalarNode) == param.IsList() {
				continue
			}
			if v, err := parse(n, param); err == nil {
				value, setting.at, setting.Origin = v, n, l.Origin(n)
			}
		}
		if !param.Added || !reflect.DeepEqual(value, param.Default) {
			made.Params[param.Name] = value
		}
		setting.canonical, setting.Value = value, param.Format(value)
		settings = append(settings, setting)
	}
	return made, settings
}

// configuration is the mechanisms in the slots of some nodes, and the layers of
// parameters; later layers go over earlier ones.
type configuration struct {
	mechanisms            // what is named, the sets of nodes included
	preset     *yaml.Node // component -> parameter -> value
	params     *yaml.Node // the experiment's
	sets       []*nodeSet // that hold for these nodes
	classes    int
}

// components resolves everything in use, the slots' defaults included.
func (l *loader) components(c configuration) (scenario.Components, Effective) {
	made := scenario.Components{}
	var effective Effective
	resolve := func(key, place string, component *catalog.Component, layers []*yaml.Node) scenario.Component {
		one, settings := l.resolve(key, place, component, layers...)
		effective = append(effective, settings...)
		return one
	}
	for _, name := range nodeModel {
		component := l.catalog.Component(name)
		if component == nil {
			l.Report("catalog", "there is no component "+name+"; rebuild the engines and the harness from the same sources")
			continue
		}
		layers := []*yaml.Node{paramsOf(c.preset, name), paramsOf(c.params, name)}
		for _, set := range c.sets {
			layers = append(layers, paramsOf(set.params, name))
		}
		one := resolve(name, name, component, layers)
		made[name] = scenario.Place{One: &one}
	}
	for i := range l.catalog.Slots {
		slot := &l.catalog.Slots[i]
		standing := l.standing(slot, c.mechanisms, c.classes)
		if !slot.List() {
			for _, m := range standing {
				one := resolve(slot.Key, slot.Key, m.component, l.layers(c, slot, m))
				made[slot.Key] = scenario.Place{One: &one}
			}
			continue
		}
		list := make([]scenario.Component, len(standing))
		for i, m := range standing {
			list[i] = resolve(slot.Key, fmt.Sprintf("%s[%d]", slot.Key, i), m.component, l.layers(c, slot, m))
		}
		made[slot.Key] = scenario.Place{List: list}
	}
	return made, effective
}

// layers are the parameters that hold for a mechanism in a slot. A later layer
// wins over an earlier one.
func (l *loader) layers(c configuration, slot *catalog.Slot, m mechanism) []*yaml.Node {
	var layers []*yaml.Node
	add := func(params *yaml.Node, slots []catalog.Slot) {
		if c.reaches(slot, slots) {
			layers = append(layers, paramsOf(params, m.component.Name))
		}
	}
	add(c.preset, l.catalog.Slots)
	if m.set == nil {
		layers = append(layers, m.params)
	}
	add(c.params, l.catalog.Slots)
	for _, set := range c.sets {
		if m.set == set {
			layers = append(layers, m.params)
		}
		add(set.params, slices.DeleteFunc(slices.Clone(l.catalog.Slots), func(s catalog.Slot) bool { return s.Host() != slot.Host() }))
	}
	return layers
}

// paramsOf is what is said of a component; nil if nothing is.
func paramsOf(params *yaml.Node, component string) *yaml.Node {
	if reader.IsNull(params) {
		return nil
	}
	_, n := reader.Child(params, component)
	return n
}

// written is what a scenario says: it leaves a slot to the engine in which
// nothing but the default stands, with all its parameters as they are.
func (l *loader) written(c scenario.Components, classes int) scenario.Components {
	defaults, _ := l.components(configuration{classes: classes})
	said := maps.Clone(c)
	for _, slot := range l.catalog.Slots {
		if !scenario.AlwaysNames(slot.Key) && reflect.DeepEqual(said[slot.Key], defaults[slot.Key]) {
			delete(said, slot.Key)
		}
	}
	return said
}

// setting finds a parameter of the node model; nil if the catalog has none of
// this name.
func (e Effective) setting(component, param string) *Setting {
	for i := range e {
		if e[i].Place == component && e[i].Param == param {
			return &e[i]
		}
	}
	return nil
}

// derive sets a host parameter that the experiment leaves to the harness.
func (l *loader) derive(c scenario.Components, e Effective, param string, value int64) {
	setting := e.setting("host", param)
	if setting == nil {
		return
	}
	p := l.catalog.Component("host").Param(param)
	c["host"].One.Params[param] = value
	setting.canonical, setting.Value, setting.Origin = value, p.Format(value), "derived"
}

// classes is how many classes there are: as many as a list with one for each
// class has items, or as host.classes says where there is none.
func (l *loader) classes(c configuration) int {
	first, most := "", 0
	for _, slot := range l.catalog.Slots {
		named, is := c.mechanisms[slot.Key]
		if slot.Count == catalog.PerClass {
			most = max(most, len(named)) // a list that is too short is one mistake, not two
		}
		switch {
		case slot.Count != catalog.PerClass || !is:
		case first == "":
			first = slot.Key
		case len(named) != len(c.mechanisms[first]):
			l.unlike(slot.Key, named, first, c.mechanisms[first])
		}
	}
	if first != "" {
		return most
	}
	one, _ := l.components(configuration{preset: c.preset, params: c.params})
	n, _ := one.Param("host", "classes").(int64)
	return int(max(n, 1))
}

// unlike reports two lists that do not have an item for each class, where the
// experiment has one of them; that of its preset is named beside it.
func (l *loader) unlike(key string, list []mechanism, firstKey string, first []mechanism) {
	ofPreset := func(one []mechanism) bool { return strings.HasPrefix(l.Origin(one[0].at), "preset:") }
	if ofPreset(list) {
		key, list, firstKey, first = firstKey, first, key, list
	}
	beside := ""
	if ofPreset(first) {
		beside = " (" + l.Sources[first[0].at].Position() + ")"
	}
	l.Problem(list[0].at, "%s has %d items and %s has %d%s, one for each class; give both as many as there are classes", key, len(list), firstKey, len(first), beside)
}

// deriveClasses settles the number of classes.
func (l *loader) deriveClasses(c scenario.Components, e Effective, n int) {
	classes := int64(n)
	if setting := e.setting("host", "classes"); setting != nil {
		if setting.at != nil && setting.canonical != classes {
			l.Problem(setting.at, "host.classes is %s, but there are %d queues, one per class; give as many queues as classes", setting.Value, classes)
		}
		if setting.at == nil || setting.canonical != classes {
			l.derive(c, e, "classes", classes)
		}
	}
}

// refuse reports a problem with a setting, where it was set.
func (l *loader) refuse(s *Setting, format string, args ...any) {
	if s.at != nil {
		l.Problem(s.at, format, args...)
		return
	}
	l.Report(l.file, fmt.Sprintf(format, args...))
}

// framing is how this configuration puts payload into packets. It is the same
// at all hosts.
func framing(c scenario.Components) topology.Framing {
	bytes := func(param string) int64 {
		n, _ := c.Param("host", param).(int64)
		return n
	}
	return topology.Framing{MTU: bytes("mtu"), Header: bytes("header_bytes"), Ack: bytes("ack_bytes"), MinFrame: bytes("min_frame")}
}
