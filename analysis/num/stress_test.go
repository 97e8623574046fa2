package num_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"fabriclab/analysis/num"
	"fabriclab/harness/random"
)

var alphas = []float64{0.125, 0.25, 0.5, 1, 1, 1, 2, 3, 5, 8}

// anyProblem draws links, flows and utilities; what is a set of bits: 1 pooled, 2 bandwidth functions,
// 4 mixed alphas, 8 wide capacities, 16 minimal FCT, 32 weights.
func anyProblem(seed uint64, what int) *num.Problem {
	r := random.New(seed, "any", uint64(what))
	p := &num.Problem{UnitBps: 1e6}
	links := 1 + int(r.Below(12))
	for range links {
		c := 1e10 * float64(1+r.Below(4))
		if what&8 != 0 {
			c = []float64{1e6, 1e7, 1e8, 1e9, 1e10, 4e10, 1e11, 4e11}[r.Below(8)]
		}
		p.Links = append(p.Links, num.Link{CapacityBps: c})
	}
	path := func() []int {
		hops := 1 + int(r.Below(uint32(min(links, 5))))
		var path []int
		for len(path) < hops {
			l := int(r.Below(uint32(links)))
			ok := true
			for _, x := range path {
				ok = ok && x != l
			}
			if ok {
				path = append(path, l)
			}
		}
		return path
	}
	alpha := alphas[r.Below(uint32(len(alphas)))]
	for range 1 + r.Below(30) {
		a := alpha
		if what&4 != 0 {
			a = alphas[r.Below(uint32(len(alphas)))]
		}
		var u num.Utility = num.AlphaFair{Alpha: a}
		if what&32 != 0 {
			u = num.AlphaFair{Alpha: a, Weight: random.Exp(4*r.Uniform() - 2)}
		}
		if what&16 != 0 && r.Below(2) == 0 {
			u = num.MinFCT{Size: random.Exp(18 * r.Uniform())}
		}
		if what&2 != 0 && r.Below(2) == 0 {
			b := num.BandwidthFunction{Points: []num.Share{{}}}
			for range 1 + r.Below(4) {
				last := b.Points[len(b.Points)-1]
				rise := 1e10 * r.Uniform()
				if r.Below(3) == 0 {
					rise = 1e4
				}
				b.Points = append(b.Points, num.Share{Fair: last.Fair + 0.1 + r.Uniform(), Bps: last.Bps + rise})
			}
			u = b
		}
		f := num.Flow{Utility: u, Paths: [][]int{path()}}
		if what&1 != 0 && r.Below(2) == 0 {
			for range 1 + r.Below(4) {
				f.Paths = append(f.Paths, path())
			}
		}
		p.Flows = append(p.Flows, f)
	}
	return p
}

func TestStress(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("STRESS"))
	for what := range 8 {
		bad, steps, most, worst := 0, 0, 0, 0.
		b := time.Now()
		var slowest time.Duration
		for seed := range uint64(n) {
			p := anyProblem(seed, what)
			bb := time.Now()
			s, err := num.Solve(p, nil)
			slowest = max(slowest, time.Since(bb))
			if err != nil {
				bad++
				if bad < 2 {
					fmt.Println(what, seed, err)
				}
				continue
			}
			if s.Residual.Worst() > 1e-11 {
				fmt.Println(what, seed, s.Residual, s.Steps)
			}
			worst = max(worst, s.Residual.Worst())
			steps += s.Steps
			most = max(most, s.Steps)
		}
		fmt.Println(what, "bad", bad, "of", n, "steps", steps/max(n, 1), "most", most, "worst", worst, time.Since(b), slowest)
	}
}
