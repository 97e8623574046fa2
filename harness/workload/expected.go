package workload

import (
	"context"
	"fmt"
	"iter"

	"fabriclab/harness/scenario"
)

// Expected is about how many flows a workload makes, 0 if only making them
// tells. It takes no time to say.
func Expected(g Generator) float64 {
	if known, ok := g.(interface{ Expected() float64 }); ok {
		return known.Expected()
	}
	return 0
}

// lookEvery is how many flows go by between two looks at the time.
const lookEvery = 1 << 14

// Bounded makes at most so many flows of a workload, ends when ctx is done, and
// tells now and then how many there have been.
func Bounded(ctx context.Context, g Generator, most int64, tell func(flows int64)) Generator {
	b := &bounded{g, ctx, most, tell}
	if loaded, ok := g.(Loaded); ok {
		return &boundedLoad{b, loaded}
	}
	return b
}

type bounded struct {
	Generator
	ctx  context.Context
	most int64
	tell func(flows int64)
}

// boundedLoad is that of a workload that was asked for a load.
type boundedLoad struct {
	*bounded
	of Loaded
}

// AskedLoad is that of the workload.
func (b *boundedLoad) AskedLoad() (AskedLoad, bool) { return b.of.AskedLoad() }

// HasConnections says whether the workload has persistent connections.
func (b *bounded) HasConnections() bool { return HasConnections(b.Generator) }

// HasDependencies says whether the flows of the workload wait for each other.
func (b *bounded) HasDependencies() bool { return HasDependencies(b.Generator) }

// Flows implements Generator.
func (b *bounded) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		n := int64(0)
		for f, err := range b.Generator.Flows(seed) {
			if n++; err == nil && n > b.most {
				err = fmt.Errorf("the workload makes more than %d flows; make fewer, or raise limits.flows", b.most)
			}
			if n%lookEvery == 0 && err == nil {
				if err = context.Cause(b.ctx); err == nil {
					b.tell(n)
				}
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// Pairs implements Generator.
func (b *bounded) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		n := 0
		for src, dst := range b.Generator.Pairs() {
			if n++; n%lookEvery == 0 && b.ctx.Err() != nil {
				return
			}
			if !yield(src, dst) {
				return
			}
		}
	}
}
