package num_test

import (
	"slices"

	"fabriclab/analysis/num"
	"fabriclab/base/random"
)

// What a drawn problem has.
const (
	pools     = 1 << iota // flows with up to five sub-flows
	bandwidth             // bandwidth functions, some parts nearly level
	mixed                 // an alpha for every flow
	wide                  // capacities from 1 Mb/s to 400 Gb/s
	minFCT                // sizes that differ by up to e^18
	weights

	everything = pools | bandwidth | mixed | wide | minFCT | weights
)

var (
	alphas     = []float64{0.125, 0.25, 0.5, 1, 1, 1, 2, 3, 5, 8}
	capacities = []float64{1e6, 1e7, 1e8, 1e9, 1e10, 4e10, 1e11, 4e11}
)

// draw makes a random problem of up to 12 links and 30 flows.
func draw(seed uint64, what int) *num.Problem {
	r := random.New(seed, "problem", uint64(what))
	p := &num.Problem{UnitBps: 1e6}
	for range 1 + r.Below(12) {
		c := 1e10 * float64(1+r.Below(4))
		if what&wide != 0 {
			c = capacities[r.Below(uint32(len(capacities)))]
		}
		p.Links = append(p.Links, num.Link{CapacityBps: c})
	}
	alpha := alphas[r.Below(uint32(len(alphas)))]
	for range 1 + r.Below(30) {
		if what&mixed != 0 {
			alpha = alphas[r.Below(uint32(len(alphas)))]
		}
		f := num.Flow{Utility: drawUtility(&r, what, alpha), Paths: [][]int{drawPath(&r, len(p.Links), 5)}}
		if what&pools != 0 && r.Below(2) == 0 {
			for range 1 + r.Below(4) {
				f.Paths = append(f.Paths, drawPath(&r, len(p.Links), 5))
			}
		}
		p.Flows = append(p.Flows, f)
	}
	return p
}

func drawUtility(r *random.Stream, what int, alpha float64) num.Utility {
	switch {
	case what&minFCT != 0 && r.Below(2) == 0:
		return num.MinFCT{Size: random.Exp(18 * r.Uniform())}
	case what&bandwidth != 0 && r.Below(2) == 0:
		b := num.BandwidthFunction{Points: []num.Share{{}}}
		for range 1 + r.Below(4) {
			last := b.Points[len(b.Points)-1]
			rise := 1e10 * r.Uniform()
			if r.Below(3) == 0 {
				rise = 1e7
			}
			b.Points = append(b.Points, num.Share{Fair: last.Fair + 0.1 + r.Uniform(), Bps: last.Bps + rise})
		}
		return b
	case what&weights != 0:
		return num.AlphaFair{Alpha: alpha, Weight: random.Exp(4*r.Uniform() - 2)}
	}
	return num.AlphaFair{Alpha: alpha}
}

// drawPath takes up to most different links.
func drawPath(r *random.Stream, links, most int) []int {
	hops := 1 + int(r.Below(uint32(min(links, most))))
	var path []int
	for len(path) < hops {
		if l := int(r.Below(uint32(links))); !slices.Contains(path, l) {
			path = append(path, l)
		}
	}
	return path
}

// mesh has 160 links of 10 to 40 Gb/s and flows over four of them.
func mesh(seed uint64, flows int, alpha float64) *num.Problem {
	r := random.New(seed, "mesh", 0)
	p := &num.Problem{}
	for range 160 {
		p.Links = append(p.Links, num.Link{CapacityBps: 1e10 * float64(1+r.Below(4))})
	}
	for range flows {
		var path []int
		for len(path) < 4 {
			if l := int(r.Below(160)); !slices.Contains(path, l) {
				path = append(path, l)
			}
		}
		p.Flows = append(p.Flows, num.Flow{Utility: num.AlphaFair{Alpha: alpha}, Paths: [][]int{path}})
	}
	return p
}
