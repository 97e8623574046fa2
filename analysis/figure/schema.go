package figure

import (
	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

type object = map[string]any

// help is what keys mean beside their kinds (docs/claims.md).
var help = map[string]string{
	"dimensions.path": "a path of the matrix, or a name of one of its axes",
	"measures.kind":   "what is measured (docs/claims.md)", "measures.unit": "unit of the value, also within expressions", "measures.text": "what it is, for tables",
	"claims.for": "the claim is made once for each entry, with its values instead of $name",
	"claims.id":  "name of the claim", "claims.text": "the paper's statement as a fact", "claims.source": "where it stands",
	"claims.by":            "the dimension compared: queue_peak.hpcc is the measure of the run with that value",
	"claims.measure":       "what order is about; of a list, it has to hold for each",
	"claims.value":         "an expression over measures",
	"claims.expected":      "the paper's number, in unit",
	"claims.mean_over":     "{dimension: values}: value is the mean of what it comes to at each of these points",
	"claims.mean":          "which mean mean_over takes; arithmetic if absent",
	"claims.holds":         "an expression that is true or false",
	"claims.unsettled":     "{dimension: value or values}: points beyond saturation by design, of which it is judged although they have not settled",
	"claims.check":         "what of the set-up the claim checks; it decides no statement of the paper",
	"claims.superseded":    "what was wrong with the claim, and what it came to; it is judged no more",
	"claims.control":       "for what the claim has to fail: {exchange: [a, b]}, {instead: {a: b}}, {measure: {a: b}}, {where: {dimension: value}}, {reading: {name: value}} or {none: why}",
	"claims.tolerance":     "how far the value may be from expected; default 25%",
	"claims.tolerance_abs": "how far the value may be from expected, in unit",
	"plots.id":             "becomes the name of the files",
}

// Schema is the JSON Schema of a figure section: what its readers ask for.
func Schema() map[string]any {
	about := reader.Schemas{Help: help, Complete: true, Refine: refine}
	f := &spec.Figure{}
	measures, plots := map[string]reader.Keys{}, map[string]reader.Keys{}
	for _, kind := range measure.Kinds() {
		measures[kind] = reader.Interview("measures", map[string]string{"kind": kind}, func(_ *reader.Forest, s *reader.Section) { measure.ReadOne(s, f) })
	}
	series := map[string]reader.Keys{}
	for _, kind := range measure.SeriesKinds() {
		series[kind] = reader.Interview("plots.series", map[string]string{"kind": kind}, func(_ *reader.Forest, s *reader.Section) { measure.ReadSeries(s, f) })
	}
	kinds := "what is shown. "
	for _, kind := range PlotKinds() {
		kinds += kind + ": " + TitleOf(kind) + "; "
		plots[kind] = reader.Interview("plots", map[string]string{"kind": kind}, func(_ *reader.Forest, s *reader.Section) { readPlot(s, f, nil) })
	}
	all := about.ByKind("plots", "kind", plots)
	ofSeries := object{"type": "array", "minItems": 1, "items": about.ByKind("plots.series", "kind", series)}
	all["properties"].(object)["series"] = ofSeries
	all["properties"].(object)["kind"].(object)["description"] = kinds
	dimension := about.Section("dimensions", reader.Interview("dimensions", nil, func(_ *reader.Forest, s *reader.Section) { spec.ReadDimension(s) }))
	claim := about.Section("claims", reader.Interview("claims", nil, func(_ *reader.Forest, s *reader.Section) { spec.ReadClaim(s) }))
	list := func(of object) object { return object{"type": "array", "items": of} }
	return object{"type": "object", "additionalProperties": false, "properties": object{
		"dimensions": object{"type": "object", "additionalProperties": dimension},
		"windows":    object{"type": "object", "additionalProperties": spec.WindowSchema()},
		"measures":   object{"type": "object", "propertyNames": object{"pattern": identifier.String()}, "additionalProperties": about.ByKind("measures", "kind", measures)},
		"claims":     list(claim),
		"plots":      list(all),
	}}
}

// refine says what keys alone do not.
func refine(path string, s object) {
	properties := s["properties"].(object)
	switch path {
	case "plots":
		properties["id"].(object)["pattern"] = fileName.String()
		if _, has := properties["series"]; has {
			properties["series"] = object{} // they have kinds of their own
		}
	case "claims.notes":
		properties["verdict"] = object{"enum": claims.Verdicts}
	case "claims":
		variable := object{"type": "string", "pattern": `^\$[a-z][a-z0-9_]*$`} // of a claim's for
		properties["mean"].(object)["enum"] = claims.Means
		s["oneOf"] = []object{
			{"required": []string{"order", "measure", "by"}}, {"required": []string{"value", "expected"}}, {"required": []string{"holds"}},
		}
		s["if"] = object{"properties": object{"expected": variable}, "required": []string{"expected"}}
		s["then"] = object{"required": []string{"for"}}
	}
}
