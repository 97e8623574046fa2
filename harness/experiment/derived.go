package experiment

import "fabriclab/base/catalog"

// Derived is a table that the harness computes for a run (harness/lab/oracle),
// and what of.
type Derived struct {
	Table string `json:"table"`
	// Utility, where it is named, stands in place of the flows' own.
	Utility string  `json:"utility,omitempty"`
	Alpha   float64 `json:"alpha,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
}

// The utilities that can be named, and their parameters where none are given.
const (
	own            = "own" // the experiment's
	alphaFair      = "alpha_fair"
	minFCT         = "fct_min"
	maxMin         = "max_min"
	defaultAlpha   = 1
	defaultEpsilon = 0.125
)

type derivableTables []catalog.Table

var derivable derivableTables

// RegisterDerived makes tables known that runs can have although no simulator
// traces them: the trace section may ask for them. For package initialisation.
func RegisterDerived(tables ...catalog.Table) { derivable = append(derivable, tables...) }

// DerivedTables are those that are known.
func DerivedTables() []catalog.Table { return derivable }

func (d derivableTables) names() []string {
	names := make([]string, len(d))
	for i, t := range d {
		names[i] = t.Name
	}
	return names
}

// derived reads what a derived table is of.
func (l *loader) derived(s *section, table string) Derived {
	d := Derived{Table: table}
	if utility := s.choice("utility", own, alphaFair, minFCT, maxMin); utility != own {
		d.Utility = utility
	}
	alpha, epsilon := s.float("alpha", defaultAlpha), s.float("epsilon", defaultEpsilon)
	for _, p := range []struct {
		key, of string
		value   float64
		into    *float64
	}{{"alpha", alphaFair, alpha, &d.Alpha}, {"epsilon", minFCT, epsilon, &d.Epsilon}} {
		if d.Utility == p.of {
			*p.into = p.value
		} else if n := s.get(p.key); n != nil {
			l.problem(n, "%s.%s is of utility: %s; give that, too, or leave %s out", s.path, p.key, p.of, p.key)
		}
	}
	s.done()
	return d
}
