package workload

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"

	"fabriclab/base/random"
	"fabriclab/harness/scenario"
)

// Mix is several workloads side by side. The flows are numbered part by part
// and in the order of the parts at equal times; the numbers and groups of a part
// go on behind the largest of the parts before it, so that no two parts share
// one.
//
// Random streams have the name of a workload's type in theirs, so that the first
// part of a type is what it would be alone, and no type draws what another one
// does. Parts of the same type behind it have seeds of their own: with the same
// streams they would be copies of it, flow by flow.
type Mix struct{ Parts []Generator } // none is a Mix: NewMix

// NewMix makes a mix of workloads. The parts of one that is a mix itself take its
// place, so that no part has the streams of another one, however deep it stands.
func NewMix(parts []Generator) *Mix {
	m := &Mix{}
	for _, part := range parts {
		if inner, is := part.(*Mix); is {
			m.Parts = append(m.Parts, inner.Parts...)
		} else {
			m.Parts = append(m.Parts, part)
		}
	}
	return m
}

// Check looks for what no flow list can be made of.
func (m *Mix) Check() error {
	generated := -1
	for i, part := range m.Parts {
		switch {
		case part.Names() == nil:
			generated = i
		case generated >= 0:
			return fmt.Errorf("part %d is a list of flows behind part %d, which makes flows; lists come first, so that their flows keep their numbers", i, generated)
		}
	}
	return nil
}

// Names are those of the lists, which are the first parts.
func (m *Mix) Names() []string {
	var names []string
	for _, part := range m.Parts {
		names = append(names, part.Names()...)
	}
	return names
}

// Expected is about how many flows there are.
func (m *Mix) Expected() float64 {
	total := 0.0
	for _, part := range m.Parts {
		total += Expected(part)
	}
	return total
}

// Pairs yields the pairs of all parts.
func (m *Mix) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for _, part := range m.Parts {
			for src, dst := range part.Pairs() {
				if !yield(src, dst) {
					return
				}
			}
		}
	}
}

// source is a part whose next flow is known.
type source struct {
	next    scenario.Flow
	err     error
	more    bool
	advance func() (scenario.Flow, error, bool)

	part     int
	firstID  uint64
	ofGroups uint32
}

func (s *source) pull() {
	s.next, s.err, s.more = s.advance()
	id := s.firstID + uint64(s.next.ID)
	if id > math.MaxUint32 && s.err == nil {
		s.err = fmt.Errorf("part %d of the mix comes behind the number %d, and with its flow %d there is none left below %d; number the flows of files from 0", s.part, s.firstID-1, s.next.ID, uint64(math.MaxUint32)+1)
	}
	s.next.ID = uint32(id)
	if s.next.Group > 0 {
		s.next.Group += s.ofGroups
	}
	if len(s.next.After) > 0 && s.firstID > 0 {
		s.next.After = slices.Clone(s.next.After)
		for i := range s.next.After {
			s.next.After[i].On += uint32(s.firstID)
		}
	}
	s.next.Part = s.part
}

// seed is that of a part.
func (m *Mix) seed(part int, seed uint64) uint64 {
	before := uint64(0)
	for _, p := range m.Parts[:part] {
		if reflect.TypeOf(p) == reflect.TypeOf(m.Parts[part]) {
			before++
		}
	}
	if before == 0 {
		return seed
	}
	stream := random.New(seed, "parts", before)
	return stream.Next()
}

// numbered is a workload that knows how many flows and groups a seed has before it has
// drawn them. Flows are numbered from 0, groups from 1.
type numbered interface {
	Numbers(seed uint64) (flows uint64, groups uint32)
}

// numbersOf are how many numbers of flows and groups a part takes: of one that does not
// know, all flows are drawn.
func numbersOf(part Generator, seed uint64) (flows uint64, groups uint32, err error) {
	if n, ok := part.(numbered); ok {
		flows, groups = n.Numbers(seed)
		return flows, groups, nil
	}
	for f, err := range part.Flows(seed) {
		if err != nil {
			return 0, 0, err
		}
		flows, groups = max(flows, uint64(f.ID)+1), max(groups, f.Group)
	}
	return flows, groups, nil
}

// Flows yields the flow list of a seed.
func (m *Mix) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		sources := make([]source, len(m.Parts))
		var ids uint64
		var groups uint32
		for i, part := range m.Parts {
			own := m.seed(i, seed)
			advance, stop := iter.Pull2(part.Flows(own))
			defer stop()
			s := &sources[i]
			*s = source{advance: advance, part: i, firstID: ids, ofGroups: groups}
			s.pull()
			if i == len(m.Parts)-1 {
				break
			}
			of, most, err := numbersOf(part, own)
			if err != nil {
				yield(scenario.Flow{}, err)
				return
			}
			ids, groups = ids+of, groups+most
		}
		for {
			var first *source
			for i := range sources {
				if s := &sources[i]; s.more && (first == nil || s.next.StartPs < first.next.StartPs) {
					first = s
				}
			}
			if first == nil || !yield(first.next, first.err) {
				return
			}
			first.pull()
		}
	}
}

// HasConnections says whether a part has.
func (m *Mix) HasConnections() bool { return slices.ContainsFunc(m.Parts, HasConnections) }

// HasDependencies says whether a part has.
func (m *Mix) HasDependencies() bool { return slices.ContainsFunc(m.Parts, HasDependencies) }

// AskedLoad is that of the parts together that were asked for a load, as a share
// of all links that theirs are shares of, while all of them send. Sessions in a closed loop
// offer what they get: they are in it only where no other part was asked for one.
func (m *Mix) AskedLoad() (AskedLoad, bool) {
	var all AskedLoad
	for i, part := range m.Parts {
		loaded, ok := part.(Loaded)
		if !ok {
			continue
		}
		a, ok := loaded.AskedLoad()
		if !ok {
			continue
		}
		for j := range a.shares {
			a.shares[j].part = i
		}
		switch {
		case all.shares == nil || all.ClosedLoop && !a.ClosedLoop:
			all = a
		case a.ClosedLoop && !all.ClosedLoop:
		default:
			all.add(a)
		}
	}
	return all, all.shares != nil && all.FromPs < all.ToPs
}

// add adds another part. Loads of the same links are added.
func (a *AskedLoad) add(b AskedLoad) {
	capacity := a.CapacityBps
	if !maps.Equal(a.Links, b.Links) {
		a.Links = maps.Clone(a.Links)
		maps.Copy(a.Links, b.Links)
		bps := int64(0)
		for _, link := range a.Links {
			bps += link
		}
		capacity = float64(bps)
	}
	own, other := a.CapacityBps/capacity, b.CapacityBps/capacity
	a.Load = float64(a.Load*own) + float64(b.Load*other)
	a.CapacityBps = capacity
	a.FromPs, a.ToPs = max(a.FromPs, b.FromPs), min(a.ToPs, b.ToPs)
	for i := range a.shares {
		a.shares[i].load *= own
	}
	for _, share := range b.shares {
		share.load *= other
		a.shares = append(a.shares, share)
	}
}
