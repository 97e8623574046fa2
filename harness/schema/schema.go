// Package schema makes the JSON Schemas of the files that people write, for
// editors and other tools (docs/how-to/editors.md). They are made of what
// validation itself asks for: experiment.Describe for the sections, the catalog
// for the parameters of components and for trace tables.
package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/harness/computed"
	"fabriclab/harness/experiment"
	"fabriclab/harness/topology"
)

type object = map[string]any

// Names are the schemas there are.
var Names = []string{"experiment", "preset", "sizes"}

// Make makes a schema; figure is that of the figure section.
func Make(name string, c *catalog.Catalog, figure map[string]any) (map[string]any, error) {
	m := &maker{catalog: c, about: experiment.Describe(c), definitions: object{}}
	var s object
	switch name {
	case "experiment":
		s = m.experiment(figure)
	case "preset":
		s = m.preset()
	case "sizes":
		s = sizes()
	default:
		return nil, fmt.Errorf("there is no schema %q%s", name, catalog.Hint(name, Names))
	}
	s["$schema"] = "http://json-schema.org/draft-07/schema#" // what editors know best
	s["title"] = "fabriclab " + name
	if len(m.definitions) > 0 {
		s["definitions"] = m.definitions
	}
	return s, nil
}

type maker struct {
	catalog     *catalog.Catalog
	about       experiment.Description
	definitions object
}

// reference defines a schema once, and refers to it.
func (m *maker) reference(name string, content func() object) object {
	if _, known := m.definitions[name]; !known {
		m.definitions[name] = object{} // it may refer to itself
		m.definitions[name] = content()
	}
	return object{"$ref": "#/definitions/" + name}
}

func (m *maker) experiment(figure object) object {
	point := m.point(true)
	partial := m.point(false)
	properties := object{
		"include": object{
			"description": "files with keys that several experiments share, such as topology and workload; relative to this file, which is laid over them",
			"anyOf":       []object{{"type": "string"}, {"type": "array", "items": object{"type": "string"}, "minItems": 1}},
		},
		"name": text("id of the experiment: its path below configs/ without .yaml"), "title": text("what it is about"), "source": text("paper, section and figure"),
		"seeds": object{
			"description": "seeds, and ranges of them such as 1-5; default [1]",
			"anyOf":       []object{seed, {"type": "array", "items": seed, "minItems": 1, "uniqueItems": true}},
		},
		"engines": object{
			"type": "array", "items": object{"enum": experiment.Engines}, "minItems": 1, "uniqueItems": true,
			"description": "simulators that every point runs on; default [" + experiment.Engines[0] + "]",
		},
		"matrix": m.matrix(),
		"readings": object{
			"type": "object", "description": "what the paper leaves open: the sentence that does, and values by name with what each sets; the first is the nearest to the text, and the default",
			"additionalProperties": object{
				"type":       []string{"object", "null"},
				"properties": object{"source": text("the sentence that leaves it open")}, "additionalProperties": object{"type": []string{"object", "null"}},
			},
		},
		"scales": object{
			"type":                 "object",
			"description":          "laid over the rest, key by key, at the scale asked for; the default scale is " + experiment.DefaultScale,
			"additionalProperties": m.scale(partial),
		},
		"figure": figure,
		"limits": limits(),
	}
	figure["description"] = "what is measured, drawn and claimed (docs/claims.md)"
	if !slices.Equal(slices.Sorted(maps.Keys(properties)), slices.Sorted(slices.Values(m.about.Head))) {
		panic(fmt.Sprintf("the schema has the keys %v, validation %v", slices.Sorted(maps.Keys(properties)), m.about.Head))
	}
	maps.Copy(properties, partial)
	// What the matrix or a scale may set need not be in the file itself.
	elsewhere := []object{{"required": []string{"include"}}, {"required": []string{"matrix"}}, {"required": []string{"scales"}}}
	for _, kind := range computed.Kinds() { // has what it needs in a section of its own
		elsewhere = append(elsewhere, object{"required": []string{kind.Key}})
	}
	whole := object{"not": object{"anyOf": elsewhere}}
	// A value may be added to a reading of an included file.
	readings := object{"readings": object{"additionalProperties": object{"required": []string{"source"}, "minProperties": 3}}}
	return object{
		"type": "object", "properties": properties, "additionalProperties": false,
		"anyOf": []object{{"required": []string{"include"}}, {"properties": readings}},
		"if":    whole, "then": object{"properties": point, "required": []string{"topology", "workload", "preset", "run"}},
	}
}

// limits are what an experiment may come to.
func limits() object {
	properties := object{}
	for key, what := range map[string]string{
		"points": "combinations of the matrix; default 10000", "runs": "points, engines and seeds together; default 1000000",
		"links": "links of a topology; default 500000", "routes": "next hops of all switches towards all hosts; default 200000000",
		"flows": "flows of a workload; default 20000000",
	} {
		properties[key] = object{"type": "integer", "minimum": 1, "description": what}
	}
	return object{
		"type": "object", "properties": properties, "additionalProperties": false,
		"description": "raises (or lowers) how large an experiment may be; what is larger is taken for a slip of the pen",
	}
}

// scale is what a scale may change.
func (m *maker) scale(point object) object {
	properties := object{"figure": object{"type": "object"}, "matrix": object{"type": "object"}}
	for _, key := range []string{"title", "source", "seeds", "engines", "limits"} {
		properties[key] = object{}
	}
	maps.Copy(properties, point)
	return laidOver(object{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false})
}

// laidOver lets null stand at the keys of a section that is laid over another one: it
// takes them away.
func laidOver(section object) object {
	properties, _ := section["properties"].(object)
	for key, value := range properties {
		if one := value.(object); one["const"] == nil {
			nullable := object{"anyOf": []object{one, {"type": "null"}}}
			if about := one["description"]; about != nil {
				nullable["description"] = about
			}
			properties[key] = nullable
		}
	}
	rules, _ := section["allOf"].([]object)
	for _, rule := range rules {
		laidOver(rule["then"].(object))
	}
	return section
}

// point are the keys of a point; complete ones have what is required.
func (m *maker) point(complete bool) object {
	suffix, part := "-part", laidOver
	if complete {
		suffix, part = "", func(section object) object { return section }
	}
	properties := object{
		"topology": m.reference("topology"+suffix, func() object { return part(topologies(m.about.Topologies, complete)) }),
		"workload": m.reference("workload"+suffix, func() object { return part(schemas(complete).ByKind("workload", "type", m.about.Workloads)) }),
		"network": object{
			"description": "port.pfc by its name: lossless or lossy, for all presets or for each by name",
			"anyOf":       []object{{"enum": []string{"lossless", "lossy"}}, {"type": "object", "additionalProperties": object{"enum": []string{"lossless", "lossy"}}}},
		},
		"preset": object{"type": []string{"string", "number"}, "description": "a named set of mechanisms, configs/presets/NAME.yaml, or ./file.yaml beside the experiment"},
		"params": m.reference("params", m.params),
		"nodes": m.reference("nodes", func() object {
			keys := m.slots()
			keys["params"] = object{"$ref": "#/definitions/params"}
			set := object{"type": "object", "minProperties": 1, "properties": keys, "additionalProperties": false, "description": "what these nodes have instead of the rest"}
			return object{"type": []string{"object", "null"}, "additionalProperties": set, "description": help["nodes"]}
		}),
		"run":   m.reference("run"+suffix, func() object { return part(m.run(complete)) }),
		"trace": m.reference("trace"+suffix, func() object { return m.trace(complete) }),
	}
	for _, kind := range computed.Kinds() {
		properties[kind.Key] = m.reference(kind.Key+suffix, func() object {
			s := schemas(complete).Section(kind.Key, m.about.Computed[kind.Key])
			s["description"] = kind.Help[""]
			for key, property := range s["properties"].(object) {
				property.(object)["description"] = kind.Help[key]
			}
			return part(s)
		})
	}
	maps.Copy(properties, m.slots())
	if !slices.Equal(slices.Sorted(maps.Keys(properties)), slices.Sorted(slices.Values(m.about.Point))) {
		panic(fmt.Sprintf("the schema has the keys %v, validation %v", slices.Sorted(maps.Keys(properties)), m.about.Point))
	}
	return properties
}

// schemas makes the schemas of sections; those of points may lack what a scale or
// the matrix sets.
func schemas(complete bool) reader.Schemas { return reader.Schemas{Help: helps(), Complete: complete} }

// helps is help with that of the types of topologies and workloads, and their lists.
func helps() map[string]string {
	all := maps.Clone(help)
	add := func(path, name, title string, own map[string]string) {
		if all[path+".type"] != "" {
			all[path+".type"] += "; "
		}
		all[path+".type"] += name + ": " + title
		for key, text := range own {
			if known := all[path+"."+key]; known != "" {
				text = known + "; " + text
			}
			all[path+"."+key] = text
		}
	}
	for _, k := range topology.Kinds() {
		add("topology", k.Name, k.Title, k.Help)
	}
	for _, w := range experiment.Workloads() {
		add("workload", w.Name, w.Title, w.Help)
	}
	return all
}

// topologies are those of all types. What fails is a link or a host.
func topologies(types map[string]reader.Keys, complete bool) object {
	s := schemas(complete)
	s.Refine = func(path string, one object) {
		if path == "topology.failures" {
			one["oneOf"] = []object{{"required": []string{"link"}}, {"required": []string{"host"}, "not": object{"required": []string{"detect"}}}}
		}
	}
	return s.ByKind("topology", "type", types)
}

var (
	word = reader.Word()
	seed = object{"anyOf": []object{{"type": "integer", "minimum": 0, "maximum": int64(1) << 53}, {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?$"}}}
)

func text(help string) object { return object{"type": "string", "description": help} }

// component is the parameters of a component, with all that is known of them.
func (m *maker) component(c *catalog.Component) object {
	return m.reference("params-"+c.Name, func() object {
		properties := object{}
		for i := range c.Params {
			p := &c.Params[i]
			s := p.Schema()
			unit := ""
			if p.Unit != "" && p.Unit != "1" {
				unit = " (" + p.Unit + ")"
			}
			text := p.Help + unit + "; default " + p.Format(p.Default)
			if r := p.Range(); r != "" {
				text += "; " + r
			}
			for _, r := range p.Relations {
				text += "; " + r.Rule()
			}
			if p.Live {
				text += "; can change during a run"
			}
			s["description"] = text + ". " + p.Source
			s["default"] = p.Written(p.Default)
			properties[p.Name] = s
		}
		return object{"type": []string{"object", "null"}, "description": c.Title + ". " + c.Source, "properties": properties, "additionalProperties": false}
	})
}

func (m *maker) params() object {
	properties := object{}
	for i := range m.catalog.Components {
		c := &m.catalog.Components[i]
		properties[c.Name] = m.component(c)
	}
	return object{"type": []string{"object", "null"}, "description": "component -> parameter -> value; over the preset's", "properties": properties, "additionalProperties": false}
}

// slots are the keys of the catalog's table.
func (m *maker) slots() object {
	properties := object{}
	for i := range m.catalog.Slots {
		slot := &m.catalog.Slots[i]
		one := m.mechanism(slot.Kind)
		about := slot.Help + "; " + slot.Place()
		if slot.Default != "" {
			about += "; default " + slot.Default
		}
		s := object{"allOf": []object{one}, "description": about}
		if slot.List() {
			s = object{"type": "array", "items": one, "description": about}
		}
		if slot.Count == catalog.PerClass {
			s["minItems"] = 1
		}
		properties[slot.Key] = s
	}
	return properties
}

// mechanism is a mechanism of a kind: its name, or its name with parameters of
// this one place.
func (m *maker) mechanism(kind string) object {
	return m.reference("mechanism-"+kind, func() object {
		names := m.catalog.Names(kind)
		if len(names) == 0 {
			return object{"not": object{}} // there is none yet
		}
		var forms []object
		for _, name := range names {
			forms = append(forms, object{
				"properties": object{"type": object{"const": name}, "params": m.component(m.catalog.Component(name))},
				"required":   []string{"type"}, "additionalProperties": false,
			})
		}
		return object{"anyOf": []object{{"enum": names}, {"type": "object", "oneOf": forms}}}
	})
}

func (m *maker) run(complete bool) object {
	s := schemas(complete).Section("run", m.about.Run)
	s["description"] = help["run"]
	if complete {
		s["oneOf"] = []object{{"required": []string{"stop"}}, {"required": []string{"measure", "drain"}}}
	}
	return s
}

func (m *maker) trace(complete bool) object {
	properties := object{}
	for _, t := range m.catalog.Tables {
		s := schemas(complete).Section("trace", m.about.Tables[t.Name])
		s["description"] = t.Title
		if !complete {
			s["type"] = []string{"object", "null"}
		}
		properties[t.Name] = s
	}
	for _, t := range experiment.OracleTables() {
		s := schemas(complete).Section("trace", m.about.Oracle)
		s["description"] = t.Title
		if !complete {
			s["type"] = []string{"object", "null"}
		}
		properties[t.Name] = s
	}
	return object{"type": []string{"object", "null"}, "description": help["trace"], "properties": properties, "additionalProperties": false}
}

// matrix has the axes; where an axis is a parameter, its values are checked.
func (m *maker) matrix() object {
	spread := m.reference("range", func() object {
		properties := object{}
		for _, key := range m.about.Range {
			properties[key] = object{"type": []string{"string", "number"}, "description": help["range."+key]}
		}
		return object{"type": "object", "properties": properties, "required": []string{"from", "to"}, "additionalProperties": false}
	})
	named := m.reference("named", func() object {
		set := object{"type": "object"} // {} is the file as it is
		return object{"type": "object", "minProperties": 1, "additionalProperties": set, "description": "names, and what each sets: {path: value}"}
	})
	axis := func(value object) object {
		return object{"anyOf": []object{{"type": "array", "items": value, "minItems": 1}, spread, named}}
	}
	properties := object{
		"engine":  axis(object{"enum": experiment.Engines}),
		"preset":  axis(word),
		"zip":     object{"type": []string{"object", "array"}, "description": "axes that go in step: the first values together, the second ones, …"},
		"exclude": object{"type": "array", "items": object{"type": "object"}, "minItems": 1, "description": "points with these labels are left out"},
		"include": object{"type": "array", "items": object{"type": "object"}, "minItems": 1, "description": "further points"},
	}
	for i := range m.catalog.Components {
		c := &m.catalog.Components[i]
		m.component(c) // defines it
		for _, p := range c.Params {
			value := m.reference("axis-"+c.Name+"."+p.Name, func() object {
				return axis(object{"$ref": "#/definitions/params-" + c.Name + "/properties/" + p.Name})
			})
			properties[c.Name+"."+p.Name] = value
			properties["params."+c.Name+"."+p.Name] = value
		}
	}
	// What begins like a parameter is one; all else is a path below topology,
	// workload and the like, or the name of named sets.
	names := object{"anyOf": []object{
		{"enum": slices.Sorted(maps.Keys(properties))},
		{"not": object{"pattern": `^(params\.|(` + strings.Join(m.catalog.Names(""), "|") + `)\.)`}},
	}}
	return object{
		"type": []string{"object", "null"}, "properties": properties, "propertyNames": names,
		"additionalProperties": axis(object{}),
		"description":          "axes; every combination of their values is a point (docs/experiments.md, Matrix)",
	}
}

func (m *maker) preset() object {
	properties := laidOver(object{"properties": m.slots()})["properties"].(object)
	for _, key := range m.about.Preset {
		properties[key] = object{"type": []string{"string", "number"}, "description": help["preset."+key]}
	}
	properties["network"] = object{"enum": []string{"lossless", "lossy"}, "description": "the class of network that it is for: with PFC at switches, or without"}
	properties["params"] = m.params()
	return object{"type": "object", "properties": properties, "additionalProperties": false, "required": []string{"preset"}}
}

// sizes is a table of flow sizes.
func sizes() object {
	return object{
		"type": "object", "additionalProperties": false, "required": []string{"workload", "knots"},
		"properties": object{
			"workload": text("the file's name without .yaml"), "title": text("what it is"), "source": text("where it was published"),
			"knots": object{
				"type": "array", "minItems": 2, "description": "size in bytes, cumulative probability; linear between them",
				"items": object{
					"type": "array", "minItems": 2, "maxItems": 2,
					"items": []object{{"type": "number", "minimum": 0}, {"type": "number", "minimum": 0, "maximum": 1}},
				},
			},
		},
	}
}
