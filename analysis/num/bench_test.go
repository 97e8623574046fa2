package num_test

import (
	"fmt"
	"testing"

	"fabriclab/analysis/num"
	"fabriclab/base/random"
)

// BenchmarkCold finds the optimum of 500 flows on 160 links from nothing.
func BenchmarkCold(b *testing.B) {
	for _, alpha := range []float64{0.125, 1, 2, 8} {
		b.Run(fmt.Sprintf("alpha=%g", alpha), func(b *testing.B) {
			p := mesh(1, 500, alpha)
			for b.Loop() {
				if _, err := num.Solve(p, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOneFlowChanged begins from the optimum before: flow after flow is
// replaced by another one.
func BenchmarkOneFlowChanged(b *testing.B) {
	for _, alpha := range []float64{0.125, 1, 2, 8} {
		b.Run(fmt.Sprintf("alpha=%g", alpha), func(b *testing.B) {
			p, others := mesh(1, 500, alpha), mesh(2, 500, alpha)
			before, err := num.Solve(p, nil)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				k := i % len(p.Flows)
				p.Flows[k], others.Flows[k] = others.Flows[k], p.Flows[k]
				if before, err = num.Solve(p, before); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPools is NUMFabric's Figure 8: 64 flows with 8 sub-flows each over
// 8 leaves and 16 spines.
func BenchmarkPools(b *testing.B) {
	p := figure8(1, 8)
	for b.Loop() {
		if _, err := num.Solve(p, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMaxMin(b *testing.B) {
	p := mesh(1, 500, 1)
	for b.Loop() {
		if _, err := num.MaxMin(p); err != nil {
			b.Fatal(err)
		}
	}
}

// leafSpine has flows between the 16 hosts at each of 8 leaves over 4 spines,
// the network of NUMFabric's section 6: a Poisson process at a load of 0.8, with
// sizes that are fourth powers of exponential variables.
func leafSpine(seed uint64, untilPs int64) ([]num.Link, []num.Arrival) {
	const hosts, leaves, spines = 128, 8, 4
	var all []num.Link
	for range 2 * hosts {
		all = append(all, num.Link{CapacityBps: 10e9})
	}
	for range 2 * leaves * spines {
		all = append(all, num.Link{CapacityBps: 40e9})
	}
	r := random.New(seed, "leaf-spine", 0)
	const bytes = 1e5 // on average
	gap := bytes * 8e12 / (0.8 * hosts * 10e9)
	var arrivals []num.Arrival
	for at := 0.; ; {
		at += float64(gap * r.Exponential())
		if at >= float64(untilPs) {
			return all, arrivals
		}
		src := int(r.Below(hosts))
		dst := int(r.Below(hosts - 1))
		if dst >= src {
			dst++
		}
		path := []int{src}
		if src/16 != dst/16 {
			spine := int(r.Below(spines))
			path = append(path, 2*hosts+src/16*spines+spine, 2*hosts+leaves*spines+dst/16*spines+spine)
		}
		x := r.Exponential()
		arrivals = append(arrivals, num.Arrival{
			Flow: num.Flow{Name: fmt.Sprint(len(arrivals)), Utility: num.AlphaFair{Alpha: 1, Weight: 1}, Paths: [][]int{append(path, hosts+dst)}},
			AtPs: int64(at), Bytes: 1 + x*x*x*x*bytes/24, StopPs: -1,
		})
	}
}

// BenchmarkFluid is the first 0.5 ms of such flows, about 1000 optima.
func BenchmarkFluid(b *testing.B) {
	const untilPs = 5e8
	links, arrivals := leafSpine(1, untilPs)
	for b.Loop() {
		if _, err := num.Fluid(links, nil, 1e6, arrivals, untilPs, num.Solve, func(num.Interval) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
