package reader

import (
	"fmt"
	"maps"
	"slices"

	"fabriclab/base/catalog"
	"fabriclab/base/units"
)

// Schemas makes JSON Schemas of sections.
type Schemas struct {
	Help     map[string]string // what keys mean, by path
	Complete bool              // what is required has to be there
	// Refine says of a section what its keys alone do not; nil: nothing.
	Refine func(path string, schema map[string]any)
}

type object = map[string]any

// Word is the schema of a text, which may look like a number.
func Word() map[string]any { return object{"type": []string{"string", "number"}} }

// Section is the schema of a mapping.
func (s Schemas) Section(path string, keys Keys) map[string]any {
	properties := object{}
	var required []string
	var oneOf []object
	for _, k := range keys {
		properties[k.Name] = s.value(path+"."+k.Name, k)
		switch {
		case k.Required && k.Shape.Or != "":
			oneOf = []object{{"required": []string{k.Name}}, {"required": []string{k.Shape.Or}}}
		case k.Required:
			required = append(required, k.Name)
		}
	}
	one := object{"type": "object", "properties": properties, "additionalProperties": false}
	if s.Complete && required != nil {
		one["required"] = required
	}
	if s.Complete && oneOf != nil {
		one["oneOf"] = oneOf
	}
	if s.Refine != nil {
		s.Refine(path, one)
	}
	return one
}

// ByKind is the schema of a mapping whose other keys depend on one of them: it
// lists the keys of all kinds, and says for each kind which of them it takes.
func (s Schemas) ByKind(path, by string, kinds map[string]Keys) map[string]any {
	union := object{}
	var rules []object
	names := slices.Sorted(maps.Keys(kinds))
	for _, name := range names {
		keys := s.Section(path, kinds[name])
		properties := keys["properties"].(object)
		for key, one := range properties {
			if key == by {
				continue
			}
			if known, is := union[key]; is && fmt.Sprint(known) != fmt.Sprint(one) {
				one = object{"description": s.Help[path+"."+key]} // as the kind says
			}
			union[key] = one
		}
		properties[by] = object{"const": name}
		delete(keys, "type")
		rules = append(rules, object{"if": object{"properties": object{by: object{"const": name}}, "required": []string{by}}, "then": keys})
	}
	union[by] = object{"enum": names, "description": s.Help[path+"."+by]}
	one := object{"type": "object", "description": s.Help[path], "properties": union, "additionalProperties": false, "allOf": rules}
	if s.Complete {
		one["required"] = []string{by}
	}
	return one
}

// value is what may stand at a key of a section.
func (s Schemas) value(path string, k Key) object {
	var one object
	switch k.Shape.Kind {
	case KindOwn:
		one = maps.Clone(k.Shape.Schema)
	case KindParam:
		one = k.Shape.Param.Schema()
	case KindTime:
		one = catalog.QuantitySchema(units.TimePattern, true)
	case KindRate:
		one = catalog.QuantitySchema(units.RatePattern, !k.Shape.NoZero)
	case KindBytes:
		one = catalog.QuantitySchema(units.BytesPattern, true)
	case KindSize:
		one = object{"anyOf": []object{{"const": "unlimited"}, catalog.QuantitySchema(units.BytesPattern, false)}}
	case KindTexts:
		one = object{"type": "array", "items": Word(), "minItems": 1}
	case KindTextLists:
		one = object{"type": "array", "minItems": 1, "items": object{"type": "array", "items": Word(), "minItems": 1}}
	case KindRefs:
		suffix := "-part"
		if s.Complete {
			suffix = ""
		}
		one = object{"type": "array", "minItems": 1, "items": object{"$ref": "#/definitions/" + k.Shape.Ref + suffix}}
	case KindTextMap:
		one = object{"type": "object", "minProperties": 1, "additionalProperties": Word()}
	case KindTextOrTexts:
		one = object{"anyOf": []object{Word(), {"type": "array", "items": Word(), "minItems": 1}}}
	case KindTextsOrMappings:
		items := object{"anyOf": []object{Word(), s.Section(path, k.Items)}}
		one = object{"anyOf": []object{Word(), {"type": "array", "minItems": 1, "items": items}}}
	case KindList:
		one = object{"type": "array", "minItems": 1}
		if k.Items != nil {
			one["items"] = s.Section(path, k.Items)
		}
	case KindMapping:
		one = object{"type": "object"}
		if k.Items != nil {
			one = s.Section(path, k.Items)
		}
	default:
		one = Word()
	}
	if text := s.Help[path]; text != "" {
		one["description"] = text
	}
	return one
}
