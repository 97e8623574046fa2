// Package num computes what a network could give its flows: the exact optimum
// of network utility maximisation (NUM), max-min fairness, and the completion
// times that flows would have if they got the optimum at every moment.
//
// The problem (Kelly, Maulloo, Tan 1998; NUMFabric, section 2):
//
//	maximise sum_i U_i(y_i)   y_i = sum of the rates of flow i's sub-flows
//	so that  sum of the rates on link l <= c_l,   rates >= 0
//
// Each sub-flow has a path of its own; a flow with one path is the common
// case. Solve finds rates and link prices that meet the conditions of Karush,
// Kuhn and Tucker; how far they are from it is Residual. Water gives max-min
// fairness, Fluid solves anew at every arrival and departure.
//
// Rates are bit/s. Only sums, products, quotients and square roots are used,
// each rounded for itself, so results are the same bits on every machine.
// The package knows nothing of runs and engines.
package num

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Link is a link in one direction.
type Link struct {
	Name        string
	CapacityBps float64
}

// Flow has a utility of the sum of its sub-flows' rates.
type Flow struct {
	Name    string
	Utility Utility
	Paths   [][]int // of each sub-flow the links it takes, as places in Problem.Links
	Acks    [][]int // of each sub-flow the links that its ACKs take (BesideAcks)
}

// Problem is a network with its flows.
type Problem struct {
	Links []Link
	Flows []Flow
	// UnitBps is the unit in which the utilities take rates; 0 is 1 bit/s. It
	// changes the prices, and the rates only where flows of different
	// utilities meet.
	UnitBps float64
}

// Solution is an optimum.
type Solution struct {
	Totals []float64   // by flow: the sum of its sub-flows' rates, bit/s
	Rates  [][]float64 // by flow and sub-flow, bit/s
	Prices []float64   // by link: utility per Problem.UnitBps of rate
	// Residual is how far it is from the exact optimum.
	Residual Residual
	// Steps is how many systems of linear equations it took.
	Steps int
}

// unit is Problem.UnitBps with its default.
func (p *Problem) unit() float64 {
	if p.UnitBps == 0 {
		return 1
	}
	return p.UnitBps
}

// name is how messages call a flow or a link.
func name(kind, name string, i int) string {
	if name == "" {
		return fmt.Sprintf("%s %d", kind, i)
	}
	return fmt.Sprintf("%s %s", kind, name)
}

// Check refuses problems without an optimum, and says why.
func (p *Problem) Check() error {
	var problems []error
	if u := p.unit(); !(u > 0) || math.IsInf(u, 1) {
		problems = append(problems, fmt.Errorf("the unit of rates is %g bit/s; it must be above 0 and finite", p.UnitBps))
	}
	for i, l := range p.Links {
		if !(l.CapacityBps > 0) || math.IsInf(l.CapacityBps, 1) {
			problems = append(problems, fmt.Errorf("%s has the capacity %g bit/s; give it one above 0, or take it out of all paths",
				name("link", l.Name, i), l.CapacityBps))
		}
	}
	for i, f := range p.Flows {
		if err := p.checkFlow(f); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name("flow", f.Name, i), err))
		}
	}
	return errors.Join(problems...)
}

func (p *Problem) checkFlow(f Flow) error {
	if f.Utility == nil {
		return errors.New("it has no utility; give it one")
	}
	if err := f.Utility.check(); err != nil {
		return err
	}
	return p.checkPaths(f)
}

func (p *Problem) checkPaths(f Flow) error {
	if len(f.Paths) == 0 {
		return errors.New("it has no path; give it at least one sub-flow with a path")
	}
	for j, path := range f.Paths {
		if len(path) == 0 {
			return fmt.Errorf("sub-flow %d has no path; list the links it takes, or leave the sub-flow out", j)
		}
		for k, l := range path {
			if l < 0 || l >= len(p.Links) {
				return fmt.Errorf("sub-flow %d takes link %d, which does not exist; links are 0 to %d", j, l, len(p.Links)-1)
			}
			if slices.Contains(path[:k], l) {
				return fmt.Errorf("sub-flow %d takes %s twice; a path has no loop", j, name("link", p.Links[l].Name, l))
			}
		}
	}
	return nil
}
