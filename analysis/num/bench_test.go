package num_test

import (
	"fmt"
	"testing"

	"fabriclab/analysis/num"
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
