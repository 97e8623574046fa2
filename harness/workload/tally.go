package workload

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"fabriclab/harness/scenario"
)

// AskedLoad is what a generator was asked for as a load.
type AskedLoad struct {
	Load         float64
	CapacityBps  float64 // of which the load is a share, all sources together
	FromPs, ToPs int64   // when flows arrive
	ClosedLoop   bool    // what waits for another message is not offered yet
	// Links are those that it is a share of: their bit/s, by the host or switch whose they are.
	Links map[uint32]int64

	shares []loadShare // what it is made up of
}

// loadShare is the load of one part of a mix: arrivals, each of so many bytes
// in the mean, of one flow or of all that start together.
type loadShare struct {
	part             int // of the mix
	load             float64
	fromPs, toPs     int64 // when its flows arrive
	mean, meanSquare float64
}

// Loaded is a Generator that may have been asked for a load.
type Loaded interface {
	Generator
	AskedLoad() (AskedLoad, bool)
}

// Tally is what a flow list came to. Unlimited flows count no bytes.
type Tally struct {
	Flows         uint64       `json:"flows"`
	Bytes         uint64       `json:"bytes"`
	MeasuredFlows uint64       `json:"measured_flows"`
	MeasuredBytes uint64       `json:"measured_bytes"`
	Unlimited     uint64       `json:"unlimited_flows,omitempty"` // of all flows
	Load          *OfferedLoad `json:"load,omitempty"`

	behind []uint64 // measured bytes of a mix by part, without the first one
	ends   []uint64 // by part, one more than its largest number; 0 where it has none
	ids    idSet
}

// OfferedLoad compares the load that was asked for with the one of the
// measured flows. StandardError is how far a random flow list of this length
// is off, as a rule: one standard deviation of Offered.
type OfferedLoad struct {
	Asked         float64 `json:"asked"`
	Offered       float64 `json:"offered"`
	StandardError float64 `json:"standard_error"`
}

// Count yields what flows yields and counts it in the tally, which is
// complete when all flows have gone by.
func (t *Tally) Count(flows iter.Seq2[scenario.Flow, error]) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for f, err := range flows {
			if err == nil && !t.ids.add(f.ID) {
				err = fmt.Errorf("the workload gives two flows the number %d; every flow has a number of its own, by which results name it", f.ID)
			}
			if err == nil {
				t.ends = append(t.ends, make([]uint64, max(0, f.Part+1-len(t.ends)))...)
				t.ends[f.Part] = max(t.ends[f.Part], uint64(f.ID)+1)
			}
			if err == nil && !f.Task() {
				t.Flows++
				t.Bytes += f.Size
				if f.Size == 0 {
					t.Unlimited++
				}
				if f.Measured {
					t.MeasuredFlows++
					t.MeasuredBytes += f.Size
					if f.Part > 0 {
						t.behind = append(t.behind, make([]uint64, max(0, f.Part-len(t.behind)))...)
						t.behind[f.Part-1] += f.Size
					}
				}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Compare sets the tally's load, if the flows are of a generator that was
// asked for one.
func (t *Tally) Compare(g Generator, rules Rules) {
	loaded, ok := g.(Loaded)
	if !ok {
		return
	}
	asked, ok := loaded.AskedLoad()
	if !ok {
		return
	}
	load := OfferedLoad{Asked: asked.Load}
	variance := 0.0
	for _, s := range asked.shares {
		seconds := float64(min(rules.ToPs, s.toPs)-max(rules.FromPs, s.fromPs)) / 1e12
		if !(seconds > 0) {
			return
		}
		capacity := asked.CapacityBps * seconds / 8 // bytes
		load.Offered += float64(t.measuredOf(s.part)) / capacity
		arrivals := s.load * capacity / s.mean
		deviation := float64(s.load * math.Sqrt(s.meanSquare/arrivals) / s.mean)
		variance += float64(deviation * deviation)
	}
	load.StandardError = math.Sqrt(variance)
	t.Load = &load
}

// OfLoad says which flows, by their numbers, are of the parts of a mix that were
// asked for a load. A job beside them, or a list, is none of it. Nil: all are.
func (t *Tally) OfLoad(g Generator) func(flow uint32) bool {
	loaded, ok := g.(Loaded)
	if !ok || len(t.ends) < 2 {
		return nil
	}
	asked, _ := loaded.AskedLoad()
	return func(flow uint32) bool {
		p := slices.IndexFunc(t.ends, func(end uint64) bool { return uint64(flow) < end }) // flows are numbered part by part
		return slices.ContainsFunc(asked.shares, func(s loadShare) bool { return s.part == p })
	}
}

// measuredOf is how many measured bytes there are of a part of a mix; without
// a mix all flows are of part 0.
func (t *Tally) measuredOf(part int) uint64 {
	switch {
	case part > len(t.behind):
		return 0
	case part > 0:
		return t.behind[part-1]
	}
	first := t.MeasuredBytes
	for _, bytes := range t.behind {
		first -= bytes
	}
	return first
}
