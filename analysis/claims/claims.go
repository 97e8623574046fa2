// Package claims judges what a paper claims against what was measured
// (docs/claims.md): reproduced, deviates, inconclusive or not-evaluated.
package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/base/catalog"
	"fabriclab/base/units"
)

// DefaultTolerance is how far a number may be from the paper's, relatively.
const DefaultTolerance = 0.25

// A Result is a claim and its verdict. Expected and Measured are numbers (in
// Unit) or text; Measured is nil when not evaluated. Interval is half the width
// of a number's 95 % confidence interval over the seeds, if there is one.
type Result struct {
	ID        string  `json:"id"`
	Text      string  `json:"text"`
	Source    string  `json:"source"`
	Expected  any     `json:"expected"`
	Measured  any     `json:"measured"`
	Interval  float64 `json:"interval,omitempty"`
	Unit      string  `json:"unit,omitempty"`
	Tolerance string  `json:"tolerance"`
	// Within is the span that reproduces a number.
	Within  *[2]float64 `json:"within,omitempty"`
	Verdict string      `json:"verdict"`
	// Check says what of the set-up the claim checks: it decides no statement.
	Check string `json:"check,omitempty"`
	Note  string `json:"note"`
	// Why it was not evaluated.
	Why string `json:"why,omitempty"`
	// Elsewhere: the claim is for another scale.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Control is the verdict under its control, of a claim that is reproduced; of one
	// whose control is a reading, that (ByReading). "" of others.
	Control string `json:"control,omitempty"`
}

// Lookup is the value of a measure in a run (an index into the runs); +Inf is
// never.
type Lookup func(measure string, run int) (float64, error)

// A Matrix is the values of each matrix path.
type Matrix map[string][]string

// Check says what is wrong with a claim, before any run. Without a matrix,
// values of dimensions are not checked.
func Check(f *spec.Figure, c spec.Claim, matrix Matrix) error {
	if c.ID == "" || c.Text == "" || c.Source == "" {
		return fmt.Errorf("a claim needs id, text and source")
	}
	dimensions := append(slices.Clone(c.Each), c.By)
	for dimension := range c.MeanOver {
		dimensions = append(dimensions, dimension)
	}
	if err := CheckPlace(f, matrix, c.Where, dimensions...); err != nil {
		return err
	}
	if err := checkForm(c); err != nil {
		return err
	}
	refs, _, err := parse(f, c)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if err := checkValue(f, matrix, c.By, ref.Value); err != nil {
			return err
		}
	}
	if err := checkScales(c.Scales); err != nil {
		return err
	}
	if err := checkRole(f, c, matrix); err != nil {
		return err
	}
	if err := checkPoints(f, matrix, c.Unsettled); err != nil {
		return fmt.Errorf("unsettled: %w", err)
	}
	if err := checkPoints(f, matrix, c.MeanOver); err != nil {
		return fmt.Errorf("mean_over: %w", err)
	}
	for _, n := range c.Notes {
		if err := checkScales(n.Scales); err != nil {
			return err
		}
		if n.Verdict != "" && !slices.Contains(Verdicts, n.Verdict) {
			return fmt.Errorf("unknown verdict %q%s", n.Verdict, catalog.Hint(n.Verdict, Verdicts))
		}
		if err := checkSome(f, c, matrix, "a note is", n.Where); err != nil {
			return err
		}
	}
	return checkUnits(f, c)
}

// checkPoints checks that the dimensions and their values exist.
func checkPoints(f *spec.Figure, matrix Matrix, points spec.Points) error {
	for dimension, values := range points {
		if _, err := f.Dimensions.Get("dimension", dimension); err != nil {
			return err
		}
		for _, value := range values {
			if err := checkValue(f, matrix, dimension, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkSome checks what is for some values of the claim's `each` only.
func checkSome(f *spec.Figure, c spec.Claim, matrix Matrix, what string, where map[string]string) error {
	for dimension, value := range where {
		if !slices.Contains(c.Each, dimension) {
			return fmt.Errorf("%s for %s = %s, but the claim is not made for each %s", what, dimension, value, dimension)
		}
		if err := checkValue(f, matrix, dimension, value); err != nil {
			return err
		}
	}
	return nil
}

func checkScales(scales []string) error {
	for _, s := range scales {
		if s != "quick" && s != "paper" {
			return fmt.Errorf("unknown scale %q%s", s, catalog.Hint(s, []string{"quick", "paper"}))
		}
	}
	return nil
}

// CheckPlace checks that the dimensions exist, that where's values do, and
// that no dimension of the matrix with several values is left open.
func CheckPlace(f *spec.Figure, matrix Matrix, where map[string]string, dimensions ...string) error {
	used := map[string]bool{}
	use := func(d string) error {
		dimension, err := f.Dimensions.Get("dimension", d)
		if err == nil && used[dimension.Path] {
			err = fmt.Errorf("dimension %s is used twice", d)
		}
		if err == nil {
			used[dimension.Path] = true
		}
		return err
	}
	for _, d := range dimensions {
		if d == "" {
			continue
		}
		if err := use(d); err != nil {
			return err
		}
	}
	for d, value := range where {
		if err := use(d); err != nil {
			return err
		}
		if err := checkValue(f, matrix, d, value); err != nil {
			return err
		}
	}
	var open []string
	for path, values := range matrix {
		if len(values) > 1 && !used[path] {
			open = append(open, path)
		}
	}
	if len(open) > 0 {
		slices.Sort(open)
		return fmt.Errorf("the matrix has several values of %s, and nothing says which are meant: name it under dimensions and use it", strings.Join(open, " and of "))
	}
	return nil
}

func checkValue(f *spec.Figure, matrix Matrix, dimension, value string) error {
	if matrix == nil || dimension == "" {
		return nil
	}
	values := matrix[f.Dimensions.Items[dimension].Path]
	if !slices.Contains(values, value) {
		return fmt.Errorf("the matrix has no %s = %q%s", dimension, value, catalog.Hint(value, values))
	}
	return nil
}

func checkForm(c spec.Claim) error {
	forms := 0
	for _, given := range []bool{len(c.Order) > 0, c.Value != "", c.Holds != ""} {
		if given {
			forms++
		}
	}
	number := c.Value != ""
	switch {
	case forms != 1:
		return fmt.Errorf("a claim has exactly one of order, value and holds")
	case len(c.Order) > 0 && (len(c.Measure) == 0 || c.By == ""):
		return fmt.Errorf("order needs measure and by")
	case len(c.Order) == 0 && len(c.Measure) > 0:
		return fmt.Errorf("measure belongs to order")
	case number && c.Expected == nil:
		return fmt.Errorf("value needs expected, the paper's number")
	case !number && (c.Expected != nil || c.Unit != "" || c.Tolerance != nil || c.ToleranceAbs != nil):
		return fmt.Errorf("expected, unit and tolerance belong to value")
	case !number && len(c.MeanOver) > 0:
		return fmt.Errorf("mean_over belongs to value")
	case c.Mean != "" && len(c.MeanOver) == 0:
		return fmt.Errorf("mean belongs to mean_over")
	case c.Mean != "" && !slices.Contains(Means, c.Mean):
		return fmt.Errorf("mean is %q%s", c.Mean, catalog.Hint(c.Mean, Means))
	case c.Tolerance != nil && c.ToleranceAbs != nil:
		return fmt.Errorf("tolerance and tolerance_abs exclude each other")
	case number && *c.Expected == 0 && c.ToleranceAbs == nil:
		return fmt.Errorf("a share of 0 is 0: expected 0 needs tolerance_abs")
	case c.ToleranceAbs != nil && !(*c.ToleranceAbs >= 0):
		return fmt.Errorf("tolerance_abs %g is negative", *c.ToleranceAbs)
	}
	return nil
}

// A judge turns the values of one run set (one engine and seed) into what is
// remembered of it.
type judge struct {
	pairs  [][2]reference // order: first must be below second
	number *expression
	holds  *truth
}

// parse finds what a claim compares, and the measures it needs for that, in
// the order in which they are shown.
func parse(f *spec.Figure, c spec.Claim) (refs []reference, j judge, err error) {
	switch {
	case c.Value != "":
		j.number, err = compile(f, c.Value, c.By, expr.AsFloat64(), ratio)
		if err == nil {
			refs = j.number.refs
		}
	case c.Holds != "":
		j.holds, err = compileTruth(f, c.Holds, c.By)
		if err == nil {
			refs = j.holds.refs
		}
	default:
		for _, name := range c.Measure {
			if _, err := f.Measures.Get("measure", name); err != nil {
				return nil, j, err
			}
			if err := j.order(name, c.Order, &refs); err != nil {
				return nil, j, err
			}
		}
	}
	if err == nil && len(refs) == 0 {
		err = fmt.Errorf("expression %q uses no measure, so nothing measured could change it", c.Value+c.Holds)
	}
	return refs, j, err
}

// order adds what the chains say of a measure.
func (j *judge) order(measure string, chains []string, refs *[]reference) error {
	for _, chain := range chains {
		values, signs, err := parseChain(chain)
		if err != nil {
			return err
		}
		for i, v := range values {
			ref := reference{measure, v}
			if !slices.Contains(*refs, ref) {
				*refs = append(*refs, ref)
			}
			if i == 0 {
				continue
			}
			pair := [2]reference{{measure, values[i-1]}, ref}
			if signs[i-1] == '>' {
				pair[0], pair[1] = pair[1], pair[0]
			}
			if pair[0] == pair[1] {
				return fmt.Errorf("order %q compares %s with itself", chain, v)
			}
			j.pairs = append(j.pairs, pair)
		}
	}
	return nil
}

// parseChain reads "a < b < c".
func parseChain(chain string) (values []string, signs []rune, err error) {
	for _, part := range strings.FieldsFunc(chain, func(r rune) bool { return r == '<' || r == '>' }) {
		values = append(values, strings.TrimSpace(part))
	}
	for _, r := range chain {
		if r == '<' || r == '>' {
			signs = append(signs, r)
		}
	}
	if len(values) < 2 || len(signs) != len(values)-1 || slices.Contains(values, "") {
		return nil, nil, fmt.Errorf("order %q is not of the form \"a < b < c\"", chain)
	}
	return values, signs, nil
}

// Evaluate judges all claims of a figure at a scale, those left out that are
// superseded.
func Evaluate(f *spec.Figure, runs []spec.Run, lookup Lookup, scale string) ([]Result, error) {
	var results []Result
	for _, c := range f.Claims {
		if c.Superseded != nil {
			continue
		}
		of, err := evaluate(f, c, runs, lookup, scale)
		if err != nil {
			return nil, err
		}
		if err := underControl(f, c, runs, lookup, scale, of); err != nil {
			return nil, err
		}
		results = append(results, of...)
	}
	return results, nil
}

// evaluate judges a claim at each of its places.
func evaluate(f *spec.Figure, c spec.Claim, runs []spec.Run, lookup Lookup, scale string) ([]Result, error) {
	refs, j, err := parse(f, c)
	if err != nil {
		return nil, fmt.Errorf("claim %s: %w", c.ID, err)
	}
	e := evaluation{f: f, c: c, refs: refs, judge: j, runs: runs, lookup: lookup, scale: scale}
	places := e.places()
	if len(places) == 0 { // no run at all: the claim is still listed
		places = []map[string]string{{}}
	}
	var results []Result
	for _, place := range places {
		results = append(results, e.at(place))
	}
	return results, nil
}

type evaluation struct {
	f      *spec.Figure
	c      spec.Claim
	refs   []reference
	judge  judge
	runs   []spec.Run
	lookup Lookup
	scale  string
}

// places are the combinations of `each`'s values, on top of `where`.
func (e *evaluation) places() []map[string]string {
	var matching []spec.Run
	for _, r := range e.runs {
		if spec.Matches(e.f.Values(r), e.c.Where) {
			matching = append(matching, r)
		}
	}
	places := []map[string]string{{}}
	for _, d := range e.c.Each {
		places = spread(places, d, e.f.ValuesOf(d, matching))
	}
	return places
}

// spread is each place with each of the dimension's values.
func spread(places []map[string]string, dimension string, values []string) []map[string]string {
	var all []map[string]string
	for _, place := range places {
		for _, value := range values {
			with := maps.Clone(place)
			with[dimension] = value
			all = append(all, with)
		}
	}
	return all
}

// A replicate is what is run again: the same points with another seed or on
// another engine.
type replicate struct {
	engine string
	seed   uint64
}

func (r replicate) String() string { return fmt.Sprintf("%s, seed %d", r.engine, r.seed) }

func (e *evaluation) at(place map[string]string) Result {
	c := e.c
	r := Result{ID: c.ID, Text: c.Text, Source: c.Source, Unit: c.Unit, Check: c.Check}
	for _, d := range c.Each {
		if value, ok := place[d]; ok {
			r.ID += "/" + value
		}
	}
	r.Expected, r.Tolerance = e.expected()
	if c.Expected != nil {
		r.Within = &[2]float64{*c.Expected - Limit(c), *c.Expected + Limit(c)}
	}
	var notes []string
	if !AppliesAt(e.scale, c.Scales) {
		r.Verdict, r.Elsewhere = NotEvaluated, true
		notes = append(notes, fmt.Sprintf("Not at scale %s; run it with SCALE=%s.", e.scale, c.Scales[0]))
	} else if points, replicates, err := e.points(place); err != nil {
		r.Verdict = NotEvaluated
		notes = append(notes, sentence(err.Error()))
	} else {
		o := e.judged(points, replicates)
		r.Verdict, r.Measured, r.Interval, notes = o.verdict, o.measured, o.interval, o.notes
	}
	if r.Verdict == NotEvaluated && !r.Elsewhere {
		r.Why = strings.Join(notes, " ")
	}
	if c.Note != "" {
		notes = append([]string{sentence(c.Note)}, notes...)
	}
	for _, n := range c.Notes {
		if spec.Matches(place, n.Where) && (n.Verdict == "" || n.Verdict == r.Verdict) && AppliesAt(e.scale, n.Scales) {
			notes = append(notes, sentence(n.Text))
		}
	}
	r.Note = strings.Join(notes, " ")
	return r
}

// AppliesAt says whether a scale is one of these; without any, every scale is.
func AppliesAt(scale string, scales []string) bool {
	return len(scales) == 0 || slices.Contains(scales, scale)
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// expected is what the paper says, and how near it must be.
func (e *evaluation) expected() (any, string) {
	c := e.c
	switch {
	case c.Holds != "":
		return c.Holds, "true in every seed"
	case c.Value == "":
		chains := make([]string, len(c.Order))
		for i, chain := range c.Order {
			values, signs, _ := parseChain(chain)
			chains[i] = e.name(values[0])
			for k, sign := range signs {
				chains[i] += " " + string(sign) + " " + e.name(values[k+1])
			}
		}
		text := strings.Join(chains, ", ")
		if len(c.Measure) > 1 {
			text += fmt.Sprintf(", of each of %d measures", len(c.Measure))
		}
		return text, "strict in every seed"
	case c.ToleranceAbs != nil:
		return *c.Expected, strings.TrimSpace("± " + Num(*c.ToleranceAbs) + " " + measure.Label(c.Unit))
	}
	return *c.Expected, "± " + Num(100*tolerance(c)) + " %"
}

func tolerance(c spec.Claim) float64 {
	if c.Tolerance != nil {
		return float64(*c.Tolerance)
	}
	return DefaultTolerance
}

// Limit is how far a number may be from the paper's, in its unit. The claim has
// one.
func Limit(c spec.Claim) float64 {
	if c.ToleranceAbs != nil {
		return *c.ToleranceAbs
	}
	return math.Abs(*c.Expected) * tolerance(c)
}

func (e *evaluation) name(value string) string { return e.f.Dimensions.Items[e.c.By].Name(value) }

// A sample is the claim's measures at a point, of one seed on one engine.
type sample = map[reference]float64

// points are the samples at a place: for each point of mean_over, or for the
// one there is, those of every seed and engine.
func (e *evaluation) points(place map[string]string) (points [][]sample, replicates []replicate, err error) {
	places := []map[string]string{place}
	for _, dimension := range slices.Sorted(maps.Keys(e.c.MeanOver)) {
		places = spread(places, dimension, e.c.MeanOver[dimension])
	}
	for i, at := range places {
		samples, here, err := e.values(at)
		if err != nil {
			return nil, nil, err
		}
		if i > 0 && !slices.Equal(here, replicates) {
			return nil, nil, fmt.Errorf("the points of mean_over do not have the same seeds and engines")
		}
		points, replicates = append(points, samples), here
	}
	return points, replicates, nil
}

// values are the claim's measures at a place, for every seed and engine.
func (e *evaluation) values(place map[string]string) ([]sample, []replicate, error) {
	index := map[replicate]map[string][]int{}
	var replicates []replicate
	for i, r := range e.runs {
		values := e.f.Values(r)
		if !spec.Matches(values, e.c.Where) || !spec.Matches(values, place) {
			continue
		}
		rep := replicate{r.Engine, r.Seed}
		if index[rep] == nil {
			index[rep] = map[string][]int{}
			replicates = append(replicates, rep)
		}
		by := values[e.c.By] // "" without by
		index[rep][by] = append(index[rep][by], i)
	}
	if len(replicates) == 0 {
		return nil, nil, fmt.Errorf("there is no run for it")
	}
	slices.SortFunc(replicates, func(a, b replicate) int {
		if a.engine != b.engine {
			return strings.Compare(a.engine, b.engine)
		}
		return cmp.Compare(a.seed, b.seed)
	})
	out := make([]sample, len(replicates))
	for i, rep := range replicates {
		out[i] = sample{}
		for _, ref := range e.refs {
			found := index[rep][ref.Value]
			switch {
			case len(found) == 0:
				return nil, nil, fmt.Errorf("there is no run with %s = %s (%s)", e.c.By, ref.Value, rep)
			case len(found) > 1:
				return nil, nil, fmt.Errorf("%d runs fit (%s); say which with where, each or by", len(found), rep)
			}
			if err := e.steady(e.runs[found[0]], ref.Measure); err != nil {
				return nil, nil, err
			}
			v, err := e.lookup(ref.Measure, found[0])
			if err != nil {
				return nil, nil, fmt.Errorf("%s cannot be measured: %w", ref.Measure, err)
			}
			out[i][ref] = v
		}
	}
	return out, replicates, nil
}

// drained is how long runs go on after their window that are to end with it: a run
// has to drain for some time.
const drained = units.Nanosecond

// steady says why what a measure takes of a run is not of a network in steady
// state. A point that carries a load has one window that was judged, and the
// measure's own has to lie in it.
func (e *evaluation) steady(r spec.Run, name string) error {
	if e.c.MayDrift(e.f.Values(r)) {
		return nil
	}
	if r.Unsettled != "" {
		return fmt.Errorf("the network was not in steady state (%s, mean of the seeds): %s; warm up for longer", r.Engine, r.Unsettled)
	}
	if r.Judged == (series.Window{}) {
		return nil
	}
	m := e.f.Measures.Items[name]
	w, timed, err := measure.Span(e.f, m, r)
	if err == nil && timed && (w.From < r.Judged.From || w.To > r.Judged.To+drained) {
		span := "the whole run"
		if w != measure.Whole {
			span = units.FormatTime(w.From) + " to " + units.FormatTime(w.To)
		}
		err = fmt.Errorf("%s is of %s, and steady state was checked from %s to %s only: give the measure a window within that, or change the run's", name,
			span, units.FormatTime(r.Judged.From), units.FormatTime(r.Judged.To))
	}
	return err
}

// An outcome is what is found out about a claim at a place.
type outcome struct {
	verdict  string
	measured any
	interval float64
	notes    []string
}

func (e *evaluation) judged(points [][]sample, replicates []replicate) outcome {
	values := points[0] // there is no other one, but of a number
	switch {
	case e.judge.number != nil:
		return e.number(points, replicates)
	case e.judge.holds != nil:
		return e.truth(values, replicates)
	}
	held := 0
	var notes []string
	several := len(e.c.Measure) > 1
	missed := map[string]bool{} // measures of which the order does not hold in every seed
	misses := make([]int, len(e.judge.pairs))
	for i, v := range values {
		var here []string // those of this seed
		for k, p := range e.judge.pairs {
			if v[p[0]] < v[p[1]] {
				continue
			}
			misses[k]++
			if len(values) > 1 && len(values) <= manyRuns && !several {
				notes = append(notes, fmt.Sprintf("%s: %s %s is not below %s %s.", replicates[i], e.name(p[0].Value), Num(v[p[0]]), e.name(p[1].Value), Num(v[p[1]])))
			}
			if name := p[0].Measure; !slices.Contains(here, name) {
				here = append(here, name)
			}
			missed[p[0].Measure] = true
		}
		switch {
		case len(here) == 0:
			held++
		case len(values) > 1 && several:
			notes = append(notes, fmt.Sprintf("%s: not for %s.", replicates[i], strings.Join(here, ", ")))
		}
	}
	if len(values) > manyRuns && !several {
		notes = e.furthest(values, replicates)
	}
	o := outcome{verdict: Inconclusive, notes: notes}
	switch {
	case held == len(values):
		o.verdict = Reproduced
	case slices.Contains(misses, len(values)): // one pair never
		o.verdict = Deviates
	default:
		if o.verdict = e.inTheMean(values, replicates); o.verdict != Inconclusive {
			o.notes = append(o.notes, byMeans(held, len(values)))
		}
	}
	if several {
		o.measured = e.showMissed(missed, values, replicates)
	} else {
		o.measured = e.show(e.refs, values, replicates)
	}
	return o
}

// inTheMean judges an order that some seeds have and others not, by the differences
// of each pair, seed by seed: all of their confidence intervals are below 0, or one
// is above. A time that comes in some seeds only has no mean.
func (e *evaluation) inTheMean(values []sample, replicates []replicate) string {
	type side struct {
		engine string
		pair   int
	}
	differences := map[side][]float64{}
	for i, v := range values {
		for j, p := range e.judge.pairs {
			at := side{replicates[i].engine, j}
			differences[at] = append(differences[at], v[p[0]]-v[p[1]])
		}
	}
	var verdicts []string
	for _, list := range differences {
		verdicts = append(verdicts, belowZero(list))
	}
	return overall(verdicts)
}

// showMissed says of how many measures an order holds, and writes those of
// which it does not.
func (e *evaluation) showMissed(missed map[string]bool, values []sample, replicates []replicate) string {
	in := ""
	if len(values) > 1 {
		in = " in every seed"
	}
	text := fmt.Sprintf("holds%s for %d of %d measures", in, len(e.c.Measure)-len(missed), len(e.c.Measure))
	var parts []string
	for _, name := range e.c.Measure {
		if missed[name] {
			of := slices.DeleteFunc(slices.Clone(e.refs), func(r reference) bool { return r.Measure != name })
			parts = append(parts, fmt.Sprintf("%s (%s)", name, e.show(of, values, replicates)))
		}
	}
	if len(parts) > 0 {
		text += ", not for " + strings.Join(parts, ", ")
	}
	return text
}

func (e *evaluation) number(points [][]sample, replicates []replicate) outcome {
	byEngine := map[string][]float64{}
	for i, rep := range replicates {
		var numbers []float64
		for _, values := range points {
			x, err := e.judge.number.run(values[i], e.c.By)
			number, ok := x.(float64)
			if err != nil || !ok || math.IsNaN(number) || math.IsInf(number, -1) || math.IsInf(number, 1) && !e.comesNever(values[i]) {
				return notEvaluated(fmt.Sprintf("%s (%s; %s).", e.judge.number.noValue(e.c.Value, err), rep, e.show(e.refs, values, replicates)))
			}
			if number < 0 && e.c.Mean == Geometric {
				return notEvaluated(fmt.Sprintf("%s is negative, and such numbers have no geometric mean (%s; %s).", e.c.Value, rep, e.show(e.refs, values, replicates)))
			}
			numbers = append(numbers, number)
		}
		mean := stats.Mean(numbers)
		switch e.c.Mean {
		case Geometric:
			mean = stats.GeometricMean(numbers)
		case Largest:
			mean = slices.Max(numbers)
		}
		if math.IsNaN(mean) {
			return notEvaluated(fmt.Sprintf("%s is 0 at some points and comes never at others, which has no geometric mean (%s).", e.c.Value, rep))
		}
		byEngine[rep.engine] = append(byEngine[rep.engine], mean)
	}
	var verdicts []string
	for _, list := range byEngine {
		verdicts = append(verdicts, ofNumber(list, *e.c.Expected, Limit(e.c)))
	}
	list := byEngine[replicates[0].engine] // the interval is of this engine, so the mean is, too
	o := outcome{verdict: overall(verdicts), measured: JSONNumber(stats.Mean(list))}
	switch nevers := never(list); {
	case nevers > 0 && nevers < len(list):
		o.notes = append(o.notes, fmt.Sprintf("Never in %d of %d seeds.", nevers, len(list)))
	case nevers == 0 && len(list) > 1:
		_, half := stats.Mean95(list)
		o.interval = round(half, 2)
	}
	return o
}

func notEvaluated(why string) outcome {
	return outcome{verdict: NotEvaluated, notes: []string{why}}
}

// comesNever is whether something that a claim uses does not come. Without it an
// infinite number is a division by zero, of which nothing can be said.
func (e *evaluation) comesNever(values sample) bool {
	return slices.ContainsFunc(e.refs, func(r reference) bool { return math.IsInf(values[r], 1) })
}

// manyRuns is how many runs of a point are named one by one where a claim does
// not hold.
const manyRuns = 5

// furthest says of each pair in how many runs the order does not hold, and where
// it is missed by most.
func (e *evaluation) furthest(values []sample, replicates []replicate) (notes []string) {
	for _, p := range e.judge.pairs {
		missed, worst := 0, 0
		for i, v := range values {
			if v[p[0]] < v[p[1]] {
				continue
			}
			if missed == 0 || v[p[0]]-v[p[1]] > values[worst][p[0]]-values[worst][p[1]] {
				worst = i
			}
			missed++
		}
		if missed > 0 {
			v := values[worst]
			notes = append(notes, fmt.Sprintf("%s is not below %s in %d of %d runs, by most with %s: %s against %s.",
				e.name(p[0].Value), e.name(p[1].Value), missed, len(values), replicates[worst], Num(v[p[0]]), Num(v[p[1]])))
		}
	}
	return notes
}

func (e *evaluation) truth(values []sample, replicates []replicate) outcome {
	held := 0
	var notes []string
	for i, v := range values {
		x, err := e.judge.holds.run(v, e.c.By)
		holds, ok := x.(bool)
		switch {
		case err != nil || !ok:
			return notEvaluated(fmt.Sprintf("%s (%s).", e.judge.holds.noValue(e.c.Holds, err), replicates[i]))
		case holds:
			held++
		case len(values) > 1:
			notes = append(notes, fmt.Sprintf("Not for %s.", replicates[i]))
		}
	}
	switch missed := len(values) - held; {
	case missed == len(values) && missed > 1:
		notes = []string{fmt.Sprintf("In none of %d runs.", missed)}
	case missed > 0 && len(values) > manyRuns:
		notes = []string{fmt.Sprintf("Not in %d of %d runs.", missed, len(values))}
	}
	verdict := ofSeeds(held, len(values))
	if verdict == Inconclusive {
		verdict = e.truthInTheMean(values, replicates)
		if verdict != Inconclusive {
			notes = append(notes, byMeans(held, len(values)))
		}
	}
	return outcome{verdict: verdict, measured: e.show(e.refs, values, replicates), notes: notes}
}

// truthInTheMean judges a truth that some seeds have and others not, engine by engine.
func (e *evaluation) truthInTheMean(values []sample, replicates []replicate) string {
	byEngine := map[string][]sample{}
	for i, v := range values {
		byEngine[replicates[i].engine] = append(byEngine[replicates[i].engine], v)
	}
	var verdicts []string
	for _, seeds := range byEngine {
		verdicts = append(verdicts, e.judge.holds.verdict(seeds, e.c.By))
	}
	return overall(verdicts)
}

// byMeans is the note of what the means decide.
func byMeans(held, seeds int) string {
	return fmt.Sprintf("In %d of %d seeds, and by the means of the differences.", held, seeds)
}

// show writes measures that a claim used, as means over the first engine's seeds,
// and with several the 95 % confidence interval.
func (e *evaluation) show(refs []reference, values []sample, replicates []replicate) string {
	parts := make([]string, len(refs))
	for i, ref := range refs {
		var first []float64
		for j, v := range values {
			if replicates[j].engine == replicates[0].engine {
				first = append(first, v[ref])
			}
		}
		mean, half := stats.Mean95(first)
		parts[i] = PlusMinus(mean, half)
		if unit := measure.Label(e.f.Measures.Items[ref.Measure].Unit); unit != "" && !math.IsInf(mean, 0) {
			parts[i] += " " + unit
		}
		if e.c.By != "" {
			parts[i] = e.name(ref.Value) + " " + parts[i]
		}
		if len(e.c.Order) == 0 {
			parts[i] = ref.Measure + " " + parts[i]
		}
	}
	return strings.Join(parts, ", ")
}

// PlusMinus writes a mean and half the width of its confidence interval, which
// is 0 or NaN where there is none.
func PlusMinus(mean, half float64) string {
	if half > 0 && !math.IsInf(half, 0) {
		return Num(mean) + " ± " + Num(round(half, 2))
	}
	return Num(mean)
}

// Num writes a number with four significant digits, and infinity as never.
func Num(v float64) string {
	if math.IsInf(v, 1) {
		return "never"
	}
	return strconv.FormatFloat(round(v, 4), 'f', -1, 64)
}

// JSONNumber is a number with six significant digits, and infinity as "never".
func JSONNumber(v float64) any {
	if math.IsInf(v, 1) {
		return "never"
	}
	return round(v, 6)
}

func round(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}
