package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// Setting is one parameter of the effective configuration.
type Setting struct {
	Place     string `json:"place"`     // where the component plugs in: host, queues[1], congestion_control, …
	Component string `json:"component"` // its name
	Param     string `json:"param"`
	Value     string `json:"value"`  // with its unit
	Origin    string `json:"origin"` // default, derived, preset:NAME, file:LINE, matrix, scale:NAME, flag

	canonical any        // the value as in the scenario
	at        *yaml.Node // where it was set, nil for a default
}

// Effective is the whole effective configuration of a point.
type Effective []Setting

// Table renders the configuration as aligned text, one line per parameter.
func (e Effective) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "place\tparameter\tvalue\torigin")
	for _, s := range e {
		fmt.Fprintf(w, "%s\t%s.%s\t%s\t%s\n", s.Place, s.Component, s.Param, s.Value, s.Origin)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// DefaultTransport is the transport where none is named.
const DefaultTransport = "go_back_n"

// mechanisms is what a preset or an experiment says about components.
type mechanisms struct {
	pathSelector      *mechanism
	queues            []mechanism
	portAgents        []mechanism
	transport         *mechanism // nil: DefaultTransport
	congestionControl *mechanism
	receiverAgents    []mechanism
	has               map[string]bool // the keys that are there
}

// mechanism is a component by name, with parameters of this one place.
type mechanism struct {
	component *catalog.Component
	at        *yaml.Node
	params    *yaml.Node // a mapping, or nil
}

// mechanisms reads the six places where mechanisms plug in.
func (l *loader) mechanisms(s *section) mechanisms {
	m := mechanisms{has: map[string]bool{}}
	one := func(key, kind string) *mechanism {
		n := s.get(key)
		if n == nil {
			return nil
		}
		m.has[key] = true
		if found, ok := l.mechanism(n, s.name(key), kind); ok {
			return &found
		}
		return nil
	}
	list := func(key, kind string) []mechanism {
		n := s.get(key)
		if n == nil {
			return nil
		}
		m.has[key] = true
		if n.Kind != yaml.SequenceNode {
			l.problem(n, "%s is a list of names, such as [a, b], not %s", s.name(key), describe(n))
			return nil
		}
		var found []mechanism
		for i, item := range n.Content {
			if one, ok := l.mechanism(item, fmt.Sprintf("%s.%d", s.name(key), i), kind); ok {
				found = append(found, one)
			}
		}
		return found
	}
	m.pathSelector = one("path_selector", catalog.KindPathSelector)
	m.queues = list("queues", catalog.KindQueue)
	m.portAgents = list("port_agents", catalog.KindPortAgent)
	m.transport = one("transport", catalog.KindTransport)
	m.congestionControl = one("congestion_control", catalog.KindCongestionControl)
	m.receiverAgents = list("receiver_agents", catalog.KindReceiverAgent)
	return m
}

// mechanism reads a name, or {type: name, params: {…}}.
func (l *loader) mechanism(n *yaml.Node, name, kind string) (mechanism, bool) {
	found := mechanism{at: n}
	at := n
	if n.Kind == yaml.MappingNode {
		s := l.section(n, n, name)
		if at = s.get("type"); at == nil {
			s.missing("type", strings.Join(l.catalog.Names(kind), " or "))
			return found, false
		}
		found.params = s.get("params")
		s.done()
	}
	text, ok := l.scalar(at, name)
	if !ok {
		return found, false
	}
	found.component = l.catalog.Component(text)
	if found.component == nil || found.component.Kind != kind {
		what := "there is no " + strings.ReplaceAll(kind, "_", " ") + " " + fmt.Sprintf("%q", text)
		if found.component != nil {
			what = fmt.Sprintf("%s is a %s, not a %s", text, strings.ReplaceAll(found.component.Kind, "_", " "), strings.ReplaceAll(kind, "_", " "))
		}
		l.problem(at, "%s: %s%s", name, what, catalog.Hint(text, l.catalog.Names(kind)))
		return found, false
	}
	l.checkParams(found.params, name+".params", found.component)
	return found, true
}

// over lays what an experiment says over what its preset says.
func (m mechanisms) over(base mechanisms) mechanisms {
	if m.has["path_selector"] {
		base.pathSelector = m.pathSelector
	}
	if m.has["queues"] {
		base.queues = m.queues
	}
	if m.has["port_agents"] {
		base.portAgents = m.portAgents
	}
	if m.has["transport"] {
		base.transport = m.transport
	}
	if m.has["congestion_control"] {
		base.congestionControl = m.congestionControl
	}
	if m.has["receiver_agents"] {
		base.receiverAgents = m.receiverAgents
	}
	return base
}

// preset is a named set of mechanisms.
type preset struct {
	mechanisms
	params *yaml.Node // component -> parameter -> value
}

// Keys of a preset beside the places where mechanisms plug in, and the places
// that it has to fill.
var (
	presetHead  = []string{"preset", "extends", "title", "source"}
	presetNeeds = []string{"path_selector", "queues", "congestion_control"}
)

// preset reads a preset by name, or by path relative to the experiment's
// file. It returns nil if there is something wrong, which is then reported.
func (l *loader) preset(name string, at *yaml.Node) *preset {
	if p, read := l.presets[name]; read {
		return p
	}
	l.presets[name] = nil
	before := l.found
	root := l.presetTree(name, at, nil)
	if root == nil {
		return nil
	}
	s := l.section(root, root, "")
	for _, key := range presetHead {
		s.str(key)
	}
	p := &preset{mechanisms: l.mechanisms(s), params: s.get("params")}
	s.done()
	for _, key := range presetNeeds {
		if !p.has[key] {
			l.problem(root, "a preset needs the key %s; see docs/experiments.md for an example", key)
		}
	}
	l.checkComponents(p.params, "params")
	if l.found > before {
		return nil
	}
	for i := 0; p.params != nil && i < len(p.params.Content); i += 2 {
		if component := p.params.Content[i]; !slices.Contains(p.components(), component.Value) {
			l.problem(component, "params: the preset does not use %s%s", component.Value, catalog.Hint(component.Value, p.components()))
			return nil
		}
	}
	l.presets[name] = p
	return p
}

// presetTree reads a preset's file and lays it over the preset it extends.
func (l *loader) presetTree(name string, at *yaml.Node, extending []string) *yaml.Node {
	file := filepath.Join(l.configDir, "presets", name+".yaml")
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") {
		file = filepath.Join(filepath.Dir(l.file), name)
	}
	if slices.Contains(extending, name) {
		l.problem(at, "the preset %q extends itself, by way of %s; break the circle", name, strings.Join(extending, ", "))
		return nil
	}
	short := strings.TrimSuffix(filepath.Base(file), ".yaml")
	root, err := l.readFile(file, "preset:"+short)
	if errors.Is(err, fs.ErrNotExist) {
		l.problem(at, "there is no preset %q (%s)%s", name, file, catalog.Hint(name, l.presetNames()))
		return nil
	}
	if err != nil {
		l.fail(file, err)
		return nil
	}
	s := l.section(root, root, "")
	if text, n, ok := s.required("preset", short); ok && text != short {
		l.problem(n, "the preset calls itself %q, but its file is %s; give both the same name", text, filepath.Base(file))
	}
	text, n, ok := s.text("extends")
	if !ok {
		return root
	}
	base := l.presetTree(text, n, append(extending, name))
	if base == nil {
		return nil
	}
	return l.merge(base, root)
}

// presetNames lists the presets there are.
func (l *loader) presetNames() []string {
	files, _ := filepath.Glob(filepath.Join(l.configDir, "presets", "*.yaml"))
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".yaml")
	}
	return files
}

// components lists the names of the components in use.
func (m mechanisms) components() []string {
	names := []string{"host", "switch", "port"}
	for _, one := range m.all() {
		names = append(names, one.component.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// all lists the mechanisms in use, place by place.
func (m mechanisms) all() []mechanism {
	var list []mechanism
	for _, one := range []*mechanism{m.pathSelector, m.transport, m.congestionControl} {
		if one != nil {
			list = append(list, *one)
		}
	}
	return slices.Concat(list, m.queues, m.portAgents, m.receiverAgents)
}

// checkNeeds reports every mechanism in use whose partner is not.
func (l *loader) checkNeeds(m mechanisms) {
	names := m.components()
	for _, one := range m.all() {
		for _, need := range one.component.Needs {
			if slices.Contains(names, need) {
				continue
			}
			kind, key := "component", "mechanisms"
			if partner := l.catalog.Component(need); partner != nil {
				kind, key = strings.ReplaceAll(partner.Kind, "_", " "), "mechanisms."+slotOf(partner.Kind)
			}
			l.problem(one.at, "%s needs the %s %s, which is not there; add %s to %s", one.component.Name, kind, need, need, key)
		}
	}
}

// slotOf is the key of an experiment under which mechanisms of a kind stand.
func slotOf(kind string) string {
	switch kind {
	case catalog.KindQueue, catalog.KindPortAgent, catalog.KindReceiverAgent:
		return kind + "s"
	default:
		return kind
	}
}

// checkComponents checks a tree component -> parameter -> value, whether the
// components are in use or not.
func (l *loader) checkComponents(params *yaml.Node, name string) {
	if isNull(params) {
		return
	}
	if params.Kind != yaml.MappingNode {
		l.problem(params, "%s maps components to their parameters, as in {hpcc: {eta: 0.95}}; this is %s", name, describe(params))
		return
	}
	for i := 0; i < len(params.Content); i += 2 {
		key := params.Content[i]
		component := l.catalog.Component(key.Value)
		if component == nil {
			l.problem(key, "%s: there is no component %q%s", name, key.Value, catalog.Hint(key.Value, l.catalog.Names("")))
			continue
		}
		l.checkParams(params.Content[i+1], name+"."+key.Value, component)
	}
}

// checkParams checks a mapping parameter -> value of one component.
func (l *loader) checkParams(params *yaml.Node, name string, component *catalog.Component) {
	if isNull(params) {
		return
	}
	if params.Kind != yaml.MappingNode {
		l.problem(params, "%s maps parameters to values, as in {eta: 0.95}; this is %s", name, describe(params))
		return
	}
	for i := 0; i < len(params.Content); i += 2 {
		key := params.Content[i]
		param := component.Param(key.Value)
		if param == nil {
			l.problem(key, "%s: %s has no parameter %q%s", name, component.Name, key.Value, catalog.Hint(key.Value, component.ParamNames()))
			continue
		}
		l.value(params.Content[i+1], name+"."+key.Value, param)
	}
}

func (l *loader) value(n *yaml.Node, name string, param *catalog.Param) (any, bool) {
	text, ok := l.scalar(n, name)
	if !ok {
		return nil, false
	}
	value, err := param.Parse(text)
	if err != nil {
		l.problem(n, "%s: %v", name, err)
		return nil, false
	}
	return value, true
}

// resolve gives a component in a place all its parameters: the default, or
// what the last of the layers says. The layers have been checked.
func (l *loader) resolve(place string, component *catalog.Component, layers ...*yaml.Node) (scenario.Component, Effective) {
	made := scenario.Component{Type: component.Name, Params: map[string]any{}}
	var settings Effective
	for i := range component.Params {
		param := &component.Params[i]
		value, setting := param.Default, Setting{Place: place, Component: component.Name, Param: param.Name, Origin: "default"}
		for _, layer := range layers {
			if isNull(layer) || layer.Kind != yaml.MappingNode {
				continue
			}
			_, n := child(layer, param.Name)
			if n == nil || n.Kind != yaml.ScalarNode {
				continue
			}
			if v, err := param.Parse(n.Value); err == nil {
				value, setting.at, setting.Origin = v, n, l.origin(n)
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

// components resolves everything in use.
func (l *loader) components(m mechanisms, base, over *yaml.Node) (scenario.Components, Effective) {
	var effective Effective
	resolve := func(place string, component *catalog.Component, inline *yaml.Node) scenario.Component {
		layer := func(params *yaml.Node) *yaml.Node {
			if isNull(params) {
				return nil
			}
			_, n := child(params, component.Name)
			return n
		}
		made, settings := l.resolve(place, component, layer(base), inline, layer(over))
		effective = append(effective, settings...)
		return made
	}
	list := func(place string, all []mechanism) []scenario.Component {
		made := make([]scenario.Component, len(all))
		for i, one := range all {
			made[i] = resolve(fmt.Sprintf("%s[%d]", place, i), one.component, one.params)
		}
		return made
	}
	node := func(name string) scenario.Component {
		if component := l.catalog.Component(name); component != nil {
			return resolve(name, component, nil)
		}
		l.report(Problem{"catalog", "there is no component " + name + "; rebuild the engines and the harness from the same sources"})
		return scenario.Component{}
	}
	// The scenario of a default without parameters does not name it: what it says is what it said
	// before there was a choice.
	var transport *scenario.Component
	if m.transport != nil {
		if made := resolve("transport", m.transport.component, m.transport.params); made.Type != DefaultTransport || len(made.Params) > 0 {
			transport = &made
		}
	}
	return scenario.Components{
		Host:              node("host"),
		Switch:            node("switch"),
		Port:              node("port"),
		PathSelector:      resolve("path_selector", m.pathSelector.component, m.pathSelector.params),
		Queues:            list("queues", m.queues),
		PortAgents:        list("port_agents", m.portAgents),
		Transport:         transport,
		CongestionControl: resolve("congestion_control", m.congestionControl.component, m.congestionControl.params),
		ReceiverAgents:    list("receiver_agents", m.receiverAgents),
	}, effective
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
func (l *loader) derive(c *scenario.Components, e Effective, param string, value int64) {
	setting := e.setting("host", param)
	if setting == nil {
		return
	}
	p := l.catalog.Component("host").Param(param)
	c.Host.Params[param] = value
	setting.canonical, setting.Value, setting.Origin = value, p.Format(value), "derived"
}

// deriveClasses settles the number of classes, one per queue, and checks the
// classes that parameters name.
func (l *loader) deriveClasses(c *scenario.Components, e Effective) {
	classes := int64(len(c.Queues))
	if setting := e.setting("host", "classes"); setting != nil {
		if setting.at != nil && setting.canonical != classes {
			l.problem(setting.at, "host.classes is %s, but there are %d queues, one per class; give as many queues as classes", setting.Value, classes)
		}
		l.derive(c, e, "classes", classes)
	}
	for _, s := range e {
		class, ok := s.canonical.(int64)
		if !ok || !strings.HasSuffix(s.Param, "_class") || class < classes {
			continue
		}
		text := fmt.Sprintf("%s.%s is %d, but there are %d queues, one per class (0 to %d); name one of these classes or add a queue", s.Component, s.Param, class, classes, classes-1)
		if s.at != nil {
			l.problem(s.at, "%s", text)
		} else {
			l.report(Problem{l.file, text})
		}
	}
}

// framing is how this configuration puts payload into packets.
func framing(c *scenario.Components) topology.Framing {
	bytes := func(param string) int64 {
		n, _ := c.Host.Params[param].(int64)
		return n
	}
	return topology.Framing{MTU: bytes("mtu"), Header: bytes("header_bytes"), Ack: bytes("ack_bytes"), MinFrame: bytes("min_frame")}
}

// invalid says whether a name that is given was refused.
func (m mechanisms) invalid() bool {
	return m.has["path_selector"] && m.pathSelector == nil || m.has["transport"] && m.transport == nil || m.has["congestion_control"] && m.congestionControl == nil || m.has["queues"] && len(m.queues) == 0
}
