package num_test

import (
	"fmt"
	"testing"
	"time"

	"fabriclab/analysis/num"
	"fabriclab/harness/random"
)

func mesh(seed uint64, flows, links, hops int) *num.Problem {
	r := random.New(seed, "mesh", 0)
	p := &num.Problem{}
	for range links {
		p.Links = append(p.Links, num.Link{CapacityBps: 1e10 * float64(1+r.Below(4))})
	}
	for range flows {
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
		p.Flows = append(p.Flows, num.Flow{Utility: num.AlphaFair{Alpha: 1}, Paths: [][]int{path}})
	}
	return p
}

func TestTry(t *testing.T) {
	for _, a := range []float64{0.125, 0.5, 1, 2, 8} {
		p := mesh(1, 500, 160, 4)
		for i := range p.Flows {
			p.Flows[i].Utility = num.AlphaFair{Alpha: a}
		}
		b := time.Now()
		s, err := num.Solve(p, nil)
		fmt.Println(a, time.Since(b), err)
		if err == nil {
			fmt.Println(s.Steps, s.Residual)
			b := time.Now()
			p.Flows = p.Flows[1:]
			s, err = num.Solve(p, s)
			fmt.Println("warm", time.Since(b), err)
			if err == nil {
				fmt.Println(s.Steps, s.Residual)
			}
		}
	}
}
