// Package compare says what changed between two sets of results, measure by
// measure: exactly where results are deterministic, and by a test over seeds
// (docs/how-to/regression.md).
package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/stats"
)

// A Set is one side of a comparison.
type Set struct {
	Name string // as shown
	Runs []collect.Run
}

// Verdict on a measure at a point.
type Verdict string

// The verdicts.
const (
	Same      Verdict = "same"      // exactly, with every seed
	Unchanged Verdict = "unchanged" // no difference that counts
	Changed   Verdict = "changed"   // deterministic results differ; whether for better or worse beyond chance is not known
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Lost      Verdict = "lost" // the base has values, the head has not
	New       Verdict = "new"  // the other way round
)

// Report is the outcome of a comparison.
type Report struct {
	Base        string        `json:"base"`
	Head        string        `json:"head"`
	Confidence  float64       `json:"confidence"`
	FewestSeeds int           `json:"fewest_seeds"`
	Experiments []*Experiment `json:"experiments"`
	Failed      bool          `json:"failed"`
}

// Experiment is the comparison of one experiment.
type Experiment struct {
	Name  string   `json:"name"`
	Pairs int      `json:"pairs"` // runs on both sides
	Lost  []string `json:"lost,omitempty"`
	New   []string `json:"new,omitempty"`
	// Parameters that differ between the sides.
	Parameters []Parameter `json:"parameters,omitempty"`
	// Rows are grouped by measure.
	Rows   []*Row `json:"rows"`
	Failed bool   `json:"failed"`
}

// Parameter is what runs were made under that differs between the sides: the scale, the
// reading, an effective parameter or a value of --set.
type Parameter struct {
	Name string `json:"name"`
	Base string `json:"base"`
	Head string `json:"head"`
	Runs int    `json:"runs"` // that differ so
}

// Row is a measure at a point on an engine.
type Row struct {
	Measure   string  `json:"measure"`
	Unit      string  `json:"unit"`
	Better    string  `json:"better"`
	Exact     bool    `json:"deterministic"`
	Point     string  `json:"point"`
	Engine    string  `json:"engine"`
	Seeds     int     `json:"seeds"` // that both sides have
	Base      Number  `json:"base"`  // means over these seeds
	Head      Number  `json:"head"`
	BaseError Number  `json:"base_error"` // half width of the mean's confidence interval (95 %)
	HeadError Number  `json:"head_error"`
	Change    Number  `json:"change"` // mean difference
	Low       Number  `json:"low"`    // its confidence interval
	High      Number  `json:"high"`
	Verdict   Verdict `json:"verdict"`
	Note      string  `json:"note,omitempty"`
	Failed    bool    `json:"failed"`
	// Unjudged: it changed, with too few seeds for a verdict.
	Unjudged bool `json:"unjudged,omitempty"`
}

// place identifies a run on either side.
type place struct {
	experiment, point, engine string
	seed                      uint64
}

// placeOf is a run's place, the same however its labels are written.
func placeOf(r collect.Run) place {
	return place{r.Experiment, point(r, collect.SameValue), r.Engine, r.Seed}
}

// shown is a run's place as people read it.
func shown(r collect.Run) place { return place{r.Experiment, asWritten(r), r.Engine, r.Seed} }

func asWritten(r collect.Run) string { return point(r, func(value string) string { return value }) }

func point(r collect.Run, value func(string) string) string {
	labels := slices.Clone(r.Labels)
	slices.SortFunc(labels, func(a, b collect.Label) int { return strings.Compare(a.Path, b.Path) })
	for i := range labels {
		labels[i].Value = value(labels[i].Value)
	}
	return collect.Run{Labels: labels}.Point()
}

// scenarioOf is a run's place by its scenario, not its labels.
func scenarioOf(r collect.Run) place {
	return place{r.Experiment, "scenario " + r.Scenario, r.Engine, r.Seed}
}

func (p place) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s seed %d", p.experiment, p.point, p.engine, p.seed)), " ")
}

// index finds runs by their place, and refuses two in the same one.
func (s Set) index() (map[place]collect.Run, error) {
	runs := map[place]collect.Run{}
	for _, r := range s.Runs {
		p := placeOf(r)
		if other, twice := runs[p]; twice {
			return nil, fmt.Errorf("%s has two results of %s, of the scenarios %s and %s: of two scales or readings, of runs with --set, or of an older experiment; compare a folder that has one of them", s.Name, shown(r), other.Scenario, r.Scenario)
		}
		runs[p] = r
	}
	return runs, nil
}

// Compare compares what both sides have in common, and says what only one of
// them has.
func Compare(base, head Set, rules *Rules) (*Report, error) {
	before, err := base.index()
	if err != nil {
		return nil, err
	}
	after, err := head.index()
	if err != nil {
		return nil, err
	}
	c := &comparison{rules: rules, found: map[pairsKey]*pairs{}, pairs: map[*Experiment][]*pairs{}, report: &Report{Base: base.Name, Head: head.Name, Confidence: rules.Confidence, FewestSeeds: FewestSeeds(rules.Confidence)}}
	// Points with the same scenario and several labels share one run, which has
	// the labels of the first point.
	twinsBefore, twinsAfter := byScenario(base.Runs), byScenario(head.Runs)
	for _, r := range base.Runs {
		e, p := c.experiment(r.Experiment), placeOf(r)
		other, both := after[p]
		if !both {
			other, both = twinsAfter[scenarioOf(r)]
		}
		if both {
			e.Pairs++
			c.pair(e, p, r, other)
			e.differ(r.Under(), other.Under())
			e.differ(r.Params, other.Params)
			given, now := sets(r, other)
			e.differ(given, now)
		} else {
			e.Lost = append(e.Lost, shown(r).String())
		}
	}
	for _, r := range head.Runs {
		if !has(before, placeOf(r)) && !has(twinsBefore, scenarioOf(r)) {
			e := c.experiment(r.Experiment)
			e.New = append(e.New, shown(r).String())
		}
	}
	if len(c.report.Experiments) == 0 {
		return nil, fmt.Errorf("%s and %s have no results", base.Name, head.Name)
	}
	nothing := true
	for _, e := range c.report.Experiments {
		c.judge(e)
		c.report.Failed = c.report.Failed || e.Failed
		nothing = nothing && e.Pairs == 0
	}
	c.report.Failed = c.report.Failed || nothing // what is called a comparison and compares no run
	return c.report, nil
}

func byScenario(runs []collect.Run) map[place]collect.Run {
	all := map[place]collect.Run{}
	for _, r := range runs {
		all[scenarioOf(r)] = r
	}
	return all
}

func has(m map[place]collect.Run, p place) bool {
	_, ok := m[p]
	return ok
}

type comparison struct {
	rules  *Rules
	report *Report
	found  map[pairsKey]*pairs
	pairs  map[*Experiment][]*pairs // in the order of the base's runs
}

type pairsKey struct{ experiment, measure, point, engine string }

// pairs are the values of a measure at a point, by seed.
type pairs struct {
	measure       *measure.Measure
	point, engine string
	base, head    []measure.Value
}

func (c *comparison) experiment(name string) *Experiment {
	for _, e := range c.report.Experiments {
		if e.Name == name {
			return e
		}
	}
	e := &Experiment{Name: name}
	c.report.Experiments = append(c.report.Experiments, e)
	return e
}

// differ notes the parameters of two runs that are not the same.
func (e *Experiment) differ(base, head []collect.Label) {
	values := map[string]string{}
	for _, p := range head {
		values[p.Path] = p.Value
	}
	for _, p := range base {
		now, known := values[p.Path]
		if !known || now == p.Value {
			continue
		}
		i := slices.IndexFunc(e.Parameters, func(o Parameter) bool { return o.Name == p.Path && o.Base == p.Value && o.Head == now })
		if i < 0 {
			i = len(e.Parameters)
			e.Parameters = append(e.Parameters, Parameter{Name: p.Path, Base: p.Value, Head: now})
		}
		e.Parameters[i].Runs++
	}
}

// notGiven marks a value that --set gave on the other side only.
const notGiven = "the experiment's own"

// sets are the values of --set of two runs, with the same paths, without
// parameters.
func sets(base, head collect.Run) (given, now []collect.Label) {
	known := slices.Concat(base.Labels, base.Params)
	for _, pair := range []struct {
		from, to []collect.Label
		list     *[]collect.Label
	}{{base.Sets, head.Sets, &now}, {head.Sets, base.Sets, &given}} {
		*pair.list = append(*pair.list, pair.to...)
		for _, s := range pair.from {
			if !slices.ContainsFunc(pair.to, func(o collect.Label) bool { return o.Path == s.Path }) {
				*pair.list = append(*pair.list, collect.Label{Path: s.Path, Value: notGiven})
			}
		}
	}
	isParam := func(s collect.Label) bool {
		return slices.ContainsFunc(known, func(p collect.Label) bool { return p.Path == strings.TrimPrefix(s.Path, "params.") })
	}
	return slices.DeleteFunc(given, isParam), slices.DeleteFunc(now, isParam)
}

// pair adds the values of two runs. A measure that only one side knows is left
// out: it was added or removed, and says nothing about the results.
func (c *comparison) pair(e *Experiment, p place, base, head collect.Run) {
	after := map[string]measure.Value{}
	for _, v := range head.Values {
		after[v.Measure.Name] = v
	}
	for _, b := range base.Values {
		h, known := after[b.Measure.Name]
		if !known || h.Measure.Unit != b.Measure.Unit {
			continue
		}
		key := pairsKey{e.Name, b.Measure.Name, p.point, p.engine}
		list := c.found[key]
		if list == nil {
			list = &pairs{measure: h.Measure, point: asWritten(base), engine: p.engine}
			c.found[key] = list
			c.pairs[e] = append(c.pairs[e], list)
		}
		list.base, list.head = append(list.base, b), append(list.head, h)
	}
}

// judge makes the rows of an experiment, those of a measure together.
func (c *comparison) judge(e *Experiment) {
	e.Failed = len(e.Lost) > 0
	list := c.pairs[e]
	order := map[string]int{}
	for _, p := range list {
		if _, known := order[p.measure.Name]; !known {
			order[p.measure.Name] = len(order)
		}
	}
	slices.SortStableFunc(list, func(a, b *pairs) int { return order[a.measure.Name] - order[b.measure.Name] })
	for _, p := range list {
		l := c.rules.of(e.Name, p.measure)
		row := p.row(e.Name, l, c.rules.Confidence)
		if row == nil {
			continue
		}
		switch l.fail {
		case failWorse:
			row.Failed = row.Verdict == Worse || row.Verdict == Lost
		case failChanged:
			row.Failed = row.Verdict != Same && row.Verdict != Unchanged
		}
		row.Unjudged = row.Unjudged && !row.Failed && l.fail != failNever
		e.Failed = e.Failed || row.Failed
		e.Rows = append(e.Rows, row)
	}
}

// row judges one measure at one point; nil if neither side has a value.
func (p *pairs) row(experiment string, l limits, confidence float64) *Row {
	r := &Row{
		Measure: p.measure.Name, Unit: p.measure.Unit, Better: l.better.String(), Exact: !p.measure.Volatile, Point: p.point, Engine: p.engine,
		BaseError: none, HeadError: none, Low: none, High: none,
	}
	var base, head, differences []float64
	lost, won, never := 0, 0, 0
	reason := ""
	for i, b := range p.base {
		h := p.head[i]
		switch {
		case b.Err != nil && h.Err != nil:
		case h.Err != nil:
			lost++
			reason = h.Err.Error()
		case b.Err != nil:
			won++
		default:
			base, head = append(base, b.Value), append(head, h.Value)
			d := h.Value - b.Value
			if b.Value == h.Value { // both may be never
				d = 0
			}
			if math.IsInf(d, 0) {
				never++
			}
			differences = append(differences, d)
		}
	}
	r.Seeds = len(base)
	r.Base, r.BaseError = spread(base)
	r.Head, r.HeadError = spread(head)
	r.Change = none
	same := !slices.ContainsFunc(differences, func(d float64) bool { return d != 0 })
	switch {
	case lost > 0:
		r.Verdict, r.Note = Lost, fmt.Sprintf("no value with %d of %d seeds: %s", lost, len(p.base), reason)
		return r
	case won > 0 && same:
		r.Verdict, r.Note = New, fmt.Sprintf("the base has no value with %d of %d seeds", won, len(p.base))
		return r
	case len(base) == 0:
		return nil
	case same:
		r.Change, r.Verdict = 0, Unchanged
		if r.Exact {
			r.Verdict = Same
		}
		return r
	case never > 0:
		p.never(r, differences, never, l, confidence)
	default:
		r.Change = Number(stats.Mean(differences))
		if len(base) > 1 && constant(base) && constant(head) {
			r.Note = "the seeds make no difference"
		}
		p.test(r, differences, experiment, l, confidence)
	}
	if won > 0 {
		r.Note = strings.TrimSuffix(fmt.Sprintf("the base has no value with %d of %d seeds; %s", won, len(p.base), r.Note), "; ")
	}
	return r
}

func constant(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] })
}

// never judges times that never come on one side with some seeds. They have no
// mean, but if all seeds agree on the sign it is not chance.
func (p *pairs) never(r *Row, differences []float64, n int, l limits, confidence float64) {
	r.Verdict, r.Note = Changed, fmt.Sprintf("never on one side only, with %d of %d seeds", n, len(differences))
	higher := !slices.ContainsFunc(differences, func(d float64) bool { return !(d > 0) })
	lower := !slices.ContainsFunc(differences, func(d float64) bool { return !(d < 0) })
	r.Unjudged = len(differences) < FewestSeeds(confidence)
	switch {
	case r.Unjudged || l.better == measure.Neither:
	case higher && l.better == measure.Lower, lower && l.better == measure.Higher:
		r.Verdict = Worse
	case higher, lower:
		r.Verdict = Better
	}
}

// test judges differences that are not all 0.
func (p *pairs) test(r *Row, differences []float64, experiment string, l limits, confidence float64) {
	r.Verdict = Unchanged
	if r.Exact {
		r.Verdict = Changed
	}
	if fewest := FewestSeeds(confidence); len(differences) < fewest {
		r.Unjudged = r.Exact
		r.Note = fmt.Sprintf("no verdict with %d of the %d seeds it takes", len(differences), fewest)
		return
	}
	low, high := interval(differences, confidence, draws, experiment+" "+p.measure.Name+" "+p.point+" "+p.engine)
	r.Low, r.High = Number(low), Number(high)
	switch size := math.Abs(float64(r.Change)); {
	case low <= 0 && high >= 0:
		r.Note = "within what seeds do"
	case size <= l.absolute || !math.IsInf(float64(r.Base), 0) && size <= l.threshold*math.Abs(float64(r.Base)):
		r.Note = "below the threshold"
	case l.better == measure.Neither:
		r.Verdict = Changed
	case (r.Change > 0) == (l.better == measure.Higher):
		r.Verdict = Better
	default:
		r.Verdict = Worse
	}
}

// spread is the mean over the seeds, and half the width of its interval.
func spread(values []float64) (mean, half Number) {
	if len(values) == 0 {
		return none, none
	}
	m, h := stats.Mean95(values)
	if math.IsInf(m, 0) {
		return Number(m), none
	}
	return Number(m), Number(h)
}

// JSON writes the whole report.
func (r *Report) JSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
