package bench

import (
	"fmt"
	"io"
	"slices"
	"time"

	"fabriclab/analysis/num"
	"fabriclab/base/random"
)

// optimumSpeed is what it takes to find an optimum.
type optimumSpeed struct {
	Flows int     `json:"flows"`
	Links int     `json:"links"`
	Alpha float64 `json:"alpha"`
	// The shortest of several, and the systems of equations solved on average:
	// from nothing, and from the optimum before with one flow replaced.
	ColdS     float64 `json:"cold_s"`
	WarmS     float64 `json:"warm_s"`
	ColdSteps int     `json:"cold_steps"`
	WarmSteps int     `json:"warm_steps"`
}

// The oracle's size in NUMFabric's semi-dynamic runs, about, and how often it
// is measured.
const (
	optimumFlows = 500
	optimumLinks = 160
	optimumTimes = 20
)

// optimumSpeeds measures alpha-fair flows over four links each, drawn at
// random among links of 10 to 40 Gb/s.
func optimumSpeeds() ([]optimumSpeed, error) {
	var all []optimumSpeed
	for _, alpha := range []float64{0.125, 1, 8} {
		r := random.New(1, "optimum", 0)
		p := &num.Problem{}
		for range optimumLinks {
			p.Links = append(p.Links, num.Link{CapacityBps: 1e10 * float64(1+r.Below(4))})
		}
		flow := func() num.Flow {
			var path []int
			for len(path) < 4 {
				if l := int(r.Below(optimumLinks)); !slices.Contains(path, l) {
					path = append(path, l)
				}
			}
			return num.Flow{Utility: num.AlphaFair{Alpha: alpha}, Paths: [][]int{path}}
		}
		for range optimumFlows {
			p.Flows = append(p.Flows, flow())
		}
		s := optimumSpeed{Flows: optimumFlows, Links: optimumLinks, Alpha: alpha}
		var before *num.Solution
		for i := range optimumTimes {
			cold, coldS, err := timed(p, nil)
			if err != nil {
				return nil, err
			}
			if before == nil {
				before = cold
			}
			p.Flows[i] = flow()
			warm, warmS, err := timed(p, before)
			if err != nil {
				return nil, err
			}
			before = warm
			if i == 0 || coldS < s.ColdS {
				s.ColdS = coldS
			}
			if i == 0 || warmS < s.WarmS {
				s.WarmS = warmS
			}
			s.ColdSteps += cold.Steps
			s.WarmSteps += warm.Steps
		}
		s.ColdSteps /= optimumTimes
		s.WarmSteps /= optimumTimes
		all = append(all, s)
	}
	return all, nil
}

func timed(p *num.Problem, from *num.Solution) (*num.Solution, float64, error) {
	begin := time.Now()
	s, err := num.Solve(p, from)
	return s, time.Since(begin).Seconds(), err
}

func (s optimumSpeed) show(out io.Writer) {
	fmt.Fprintf(out, "optimum of %d flows on %d links, alpha %g: %.1f ms (%d steps), from the one before with one flow replaced %.1f ms (%d steps)\n",
		s.Flows, s.Links, s.Alpha, 1e3*s.ColdS, s.ColdSteps, 1e3*s.WarmS, s.WarmSteps)
}
