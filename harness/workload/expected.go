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
	switch g := g.(type) {
	case *List:
		return float64(len(g.flows))
	case *DAG:
		return float64(len(g.flows))
	case *Collective:
		return g.expected()
	case *Poisson:
		total := 0.0
		for i := range g.Capacity {
			total += float64(g.ToPs-g.FromPs) / g.gap(i)
		}
		return total
	case *Incast:
		if g.Load != 0 {
			return float64(g.Senders) * float64(g.ToPs-g.StartPs) / g.gap()
		}
		return float64(g.Senders) * float64(g.Events)
	case *Permutation:
		return float64(len(g.Sources))
	case *AllToAll:
		return float64(len(g.sources)) * float64(len(g.destinations))
	case *SemiDynamic:
		return float64(g.Step) * float64(g.Events)
	case *Jobs:
		return float64(g.Writers) * float64(g.Blocks) * float64(g.Copies-1)
	case *Mix:
		total := 0.0
		for _, part := range g.Parts {
			total += Expected(part)
		}
		return total
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
