package compare

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
	"fabriclab/base/yamlfile"
)

// Rules say how large a change of which measure counts, and what fails the
// comparison (docs/how-to/regression.md).
type Rules struct {
	// Confidence of the intervals, as a share.
	Confidence float64
	rules      []rule
}

// A rule holds for the measures and experiments it names. Later rules go before
// earlier ones, key by key.
type rule struct {
	Measures    []string
	Experiments []string
	Threshold   *spec.Percent
	Absolute    *float64
	Better      string
	Fail        string
}

// What fails the comparison.
const (
	failWorse   = "worse"
	failChanged = "changed"
	failNever   = "never"
)

// limits are the merged rules for one measure of one experiment.
type limits struct {
	threshold float64 // share of the base
	absolute  float64 // in the measure's unit
	better    measure.Better
	fail      string
}

// DefaultRules are the rules without a file: every significant change counts,
// worse ones fail, and what depends on the machine never does.
func DefaultRules() *Rules { return &Rules{Confidence: 0.95} }

// ReadRules reads rules from a YAML file.
func ReadRules(file string) (*Rules, error) {
	r := DefaultRules()
	if root, err := yamlfile.Read(file); err == nil && root == nil {
		return r, nil // the file is empty
	}
	s, err := reader.Read(file)
	if err != nil {
		return nil, fmt.Errorf("thresholds: %w", err)
	}
	if share := spec.ReadPercent(s, "confidence"); share != nil {
		r.Confidence = float64(*share)
		if r.Confidence < 0.5 || r.Confidence > 0.999 {
			s.Fail(reader.At("confidence", fmt.Errorf("confidence is %g %%; give one from 50%% to 99.9%%", 100*r.Confidence)))
		}
	}
	for _, at := range s.Sections("rules") {
		one := rule{
			Measures: spec.ReadList(at, "measures"), Experiments: spec.ReadList(at, "experiments"), Threshold: spec.ReadPercent(at, "threshold"),
			Absolute: spec.ReadNumber(at, "threshold_abs"), Better: spec.ReadChoice(at, "better", directions()),
			Fail: spec.ReadChoice(at, "fail", []string{failWorse, failChanged, failNever}),
		}
		at.Fail(one.check())
		at.Done()
		r.rules = append(r.rules, one)
	}
	s.Done()
	if err := s.F.Err(); err != nil {
		return nil, fmt.Errorf("thresholds: %w", err)
	}
	return r, nil
}

func (r rule) check() error {
	if len(r.Measures) == 0 {
		return errors.New(`it needs measures, such as ["fct_slowdown_*"], or ["*"] for all`)
	}
	for _, pattern := range slices.Concat(r.Measures, r.Experiments) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern: %w", pattern, err)
		}
	}
	if r.Absolute != nil && !(*r.Absolute >= 0) {
		return fmt.Errorf("threshold_abs is %g; it is 0 or more", *r.Absolute)
	}
	return nil
}

func directions() []string {
	return []string{measure.Neither.String(), measure.Lower.String(), measure.Higher.String()}
}

// matches says whether a pattern matches the name; without patterns all match.
func matches(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil || p == "*" // which does not match a slash
	})
}

func (r *Rules) of(experiment string, m *measure.Measure) limits {
	l := limits{better: m.Better, fail: failWorse}
	if m.Volatile {
		l.fail = failNever
	}
	for _, one := range r.rules {
		if !matches(one.Measures, m.Name) || !matches(one.Experiments, experiment) {
			continue
		}
		if one.Threshold != nil {
			l.threshold = float64(*one.Threshold)
		}
		if one.Absolute != nil {
			l.absolute = *one.Absolute
		}
		if one.Better != "" {
			l.better = measure.Better(slices.Index(directions(), one.Better))
		}
		if one.Fail != "" && (!m.Volatile || !slices.Contains(one.Measures, "*")) {
			l.fail = one.Fail
		}
	}
	return l
}
