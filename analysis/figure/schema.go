package figure

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/fct"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/units"
)

// Schema is the JSON Schema of a figure section. Its keys are the fields that
// the section is decoded into, and kinds, units and what a kind needs come from
// the tables that it is checked with.
func Schema() map[string]any {
	s := schemaOf(reflect.TypeFor[spec.Figure]())
	properties := s["properties"].(object)
	measures := properties["measures"].(object)["additionalProperties"].(object)
	properties["measures"].(object)["propertyNames"] = object{"pattern": identifier.String()}
	refine(measures, object{
		"kind": object{"enum": measure.Kinds(), "description": "what is measured (docs/claims.md)"},
		"unit": text("unit of the value, also within expressions"),
		"text": text("what it is, for tables"),
		"stat": object{"enum": measure.Stats}, "across": object{"enum": measure.Across}, "method": object{"enum": measure.Methods()}, "count": object{"enum": []string{"wire", "payload"}},
		"percentile": object{"type": "number", "minimum": 0, "maximum": 100}, "share": object{"type": "number", "minimum": 0, "maximum": 1},
	})
	measures["required"] = []string{"kind", "unit"}
	measures["allOf"] = measureRules(slices.Sorted(maps.Keys(measures["properties"].(object))))

	refine(properties["dimensions"].(object)["additionalProperties"].(object), object{"path": text("a path of the matrix, or a name of one of its axes")})
	properties["dimensions"].(object)["additionalProperties"].(object)["required"] = []string{"path"}

	claim := properties["claims"].(object)["items"].(object)
	variable := object{"type": "string", "pattern": `^\$[a-z][a-z0-9_]*$`} // of a claim's for
	number := []object{{"type": "number"}, variable}
	claim["required"] = []string{"id", "text", "source"}
	claim["oneOf"] = []object{
		{"required": []string{"order", "measure", "by"}}, {"required": []string{"value", "expected"}}, {"required": []string{"holds"}},
	}
	refine(claim, object{
		"for": object{
			"type": "array", "minItems": 1, "description": "the claim is made once for each entry, with its values instead of $name",
			"items": object{"type": "object", "minProperties": 1, "propertyNames": object{"pattern": "^[a-z][a-z0-9_]*$"}, "additionalProperties": object{"type": []string{"string", "number"}}},
		},
		"id": text("name of the claim"), "text": text("the paper's statement as a fact"), "source": text("where it stands"),
		"by":            text("the dimension compared: queue_peak.hpcc is the measure of the run with that value"),
		"measure":       object{"description": "what order is about; of a list, it has to hold for each"},
		"value":         text("an expression over measures"),
		"expected":      object{"anyOf": number, "description": "the paper's number, in unit"},
		"mean_over":     object{"description": "{dimension: values}: value is the mean of what it comes to at each of these points"},
		"mean":          object{"enum": claims.Means, "description": "which mean mean_over takes; arithmetic if absent"},
		"holds":         text("an expression that is true or false"),
		"unsettled":     object{"description": "{dimension: value or values}: points beyond saturation by design, of which it is judged although they have not settled"},
		"check":         text("what of the set-up the claim checks; it decides no statement of the paper"),
		"superseded":    object{"description": "{by: claim, reason: …, last: …}: what was wrong with the claim, and what it came to; it is judged no more"},
		"control":       object{"description": "for what the claim has to fail: {exchange: [a, b]}, {instead: {a: b}}, {where: {dimension: value}}, {reading: {name: value}} or {none: why}"},
		"tolerance":     object{"anyOf": []object{{"type": "string", "pattern": percent}, variable}, "description": "how far the value may be from expected; default 25%"},
		"tolerance_abs": object{"anyOf": number, "description": "how far the value may be from expected, in unit"},
	})
	claim["if"] = object{"properties": object{"expected": variable}, "required": []string{"expected"}}
	claim["then"] = object{"required": []string{"for"}}
	notes := claim["properties"].(object)["notes"].(object)["items"].(object)
	refine(notes, object{"verdict": object{"enum": claims.Verdicts}})

	plots := properties["plots"].(object)["items"].(object)
	plots["required"] = []string{"id", "kind"}
	refine(plots, object{
		"id":    object{"type": "string", "pattern": fileName.String(), "description": "becomes the name of the files"},
		"kind":  object{"enum": plotKinds, "description": "time: series over time; bars, sweep: a measure over x; fct: slowdown by flow size; cdf: its distribution, or that of a measure"},
		"stats": object{"type": "array", "items": object{"enum": fct.Names}},
	})
	series := plots["properties"].(object)["series"].(object)["items"].(object)
	series["required"] = []string{"kind", "unit"}
	kinds := measure.SeriesKinds()
	refine(series, object{"kind": object{"enum": slices.Sorted(maps.Keys(kinds))}})
	var rules []object
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[kind] != nil {
			rules = append(rules, when(kind, object{"properties": object{"unit": object{"enum": kinds[kind]}}}))
		}
	}
	series["allOf"] = rules
	return s
}

type object = map[string]any

func text(help string) object { return object{"type": "string", "description": help} }

// refine replaces properties that the type alone says too little of.
func refine(s, by object) {
	maps.Copy(s["properties"].(object), by)
}

func when(kind string, then object) object {
	return object{"if": object{"properties": object{"kind": object{"const": kind}}, "required": []string{"kind"}}, "then": then}
}

// measureRules say of every kind which keys it needs and takes, and its units.
func measureRules(keys []string) []object {
	var rules []object
	for _, kind := range measure.Kinds() {
		r := measure.RuleOf(kind)
		allowed := slices.Concat([]string{"kind", "text", "unit"}, r.Needs, r.Allows)
		if slices.Contains(allowed, "port") {
			allowed = append(allowed, "port_by")
		}
		properties := object{}
		if r.Units != nil {
			properties["unit"] = object{"enum": r.Units}
		}
		if r.Stats != nil {
			properties["stat"] = object{"enum": r.Stats}
		}
		for _, key := range keys {
			if !slices.Contains(allowed, key) {
				properties[key] = false
			}
		}
		then := object{"properties": properties}
		var needs []string
		for _, need := range r.Needs {
			if need == "port" {
				then["oneOf"] = []object{{"required": []string{"port"}}, {"required": []string{"port_by"}}}
			} else {
				needs = append(needs, need)
			}
		}
		if needs != nil {
			then["required"] = needs
		}
		rules = append(rules, when(kind, then))
	}
	return rules
}

const percent = `^[0-9]+(\.[0-9]+)? *%$`

// schemaOf is the schema of what the type is decoded from.
func schemaOf(t reflect.Type) object {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[spec.Time]():
		return object{"anyOf": []object{{"const": 0}, {"type": "string", "pattern": units.TimePattern}}}
	case reflect.TypeFor[spec.Size]():
		return object{"anyOf": []object{{"const": 0}, {"type": "string", "pattern": units.BytesPattern}}}
	case reflect.TypeFor[spec.Class]():
		return object{"anyOf": []object{{"const": "data"}, {"type": "integer", "minimum": 0, "maximum": 255}}}
	case reflect.TypeFor[spec.Percent]():
		return object{"type": "string", "pattern": percent}
	case reflect.TypeFor[spec.Condition]():
		value := object{"type": []string{"string", "number", "boolean"}}
		return object{
			"description": "the value of the column, one of a list, or one behind <, <=, >, >= or !=; of texts also a pattern such as spine*->leaf*",
			"anyOf":       []object{value, {"type": "array", "items": value, "minItems": 1}},
		}
	case reflect.TypeFor[spec.Values]():
		return object{"anyOf": []object{{"type": "string"}, {"type": "array", "items": object{"type": "string"}, "minItems": 1}}}
	case reflect.TypeFor[spec.Window]():
		time := schemaOf(reflect.TypeFor[spec.Time]())
		return object{
			"description": "[from, to], such as [300us, 700us], or the name of a window",
			"anyOf":       []object{{"type": "string"}, {"type": "array", "items": time, "minItems": 2, "maxItems": 2}},
		}
	}
	if strings.HasPrefix(t.Name(), "Ordered[") {
		items, _ := t.FieldByName("Items")
		return object{"type": "object", "additionalProperties": schemaOf(items.Type.Elem())}
	}
	switch t.Kind() {
	case reflect.Struct:
		properties := object{}
		fields(t, properties)
		return object{"type": "object", "properties": properties, "additionalProperties": false}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Int64, reflect.Int:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Bool:
		return object{"type": "boolean"}
	}
	return object{"type": []string{"string", "number", "boolean"}} // as text
}

func fields(t reflect.Type, into object) {
	for i := range t.NumField() {
		field := t.Field(i)
		switch name, option, _ := strings.Cut(field.Tag.Get("yaml"), ","); {
		case option == "inline":
			fields(field.Type, into)
		case name != "-":
			into[name] = schemaOf(field.Type)
		}
	}
}
