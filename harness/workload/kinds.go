package workload

import (
	"slices"

	"fabriclab/harness/scenario"
)

// Kind is flows that differ in nothing a host looks at before they start.
type Kind struct {
	Flow    scenario.Flow // one of them, of the smallest size
	Weights [2]float64    // the smallest and the largest
	Members int           // the most flows of a group to one receiver
	Part    int           // of a mix, in which they are
}

// kindKey is what kinds differ in. Hosts that are alike have one number.
type kindKey struct {
	src, dst, part                int
	class                         uint8
	persistent, closedLoop, stops bool
}

// Kinds lists the kinds of flows that there may be, whatever the seed. Hosts
// with the same number, from 0 up, are alike.
func Kinds(g Generator, like []int) ([]Kind, error) {
	k := kinds{like: like, index: map[kindKey]int{}}
	if m, is := unbounded(g).(*Mix); is {
		for i, part := range m.Parts {
			if err := k.read(part, i); err != nil {
				return nil, err
			}
		}
		return k.all, nil
	}
	return k.all, k.read(g, 0)
}

// Classes are those of the flows of these kinds, sorted.
func Classes(all []Kind) (classes []int) {
	for _, k := range all {
		if class := int(k.Flow.Class); !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	slices.Sort(classes)
	return classes
}

type kinds struct {
	like  []int // by host
	index map[kindKey]int
	all   []Kind
}

func (k *kinds) add(f scenario.Flow, part, members int) {
	key := kindKey{k.like[f.Src], k.like[f.Dst], part, f.Class, f.Persistent, f.ClosedLoop, f.StopPs >= 0}
	i, known := k.index[key]
	if !known {
		i = len(k.all)
		k.index[key] = i
		k.all = append(k.all, Kind{Flow: f, Part: part, Weights: [2]float64{f.Weight, f.Weight}})
	}
	one := &k.all[i]
	one.Weights = [2]float64{min(one.Weights[0], f.Weight), max(one.Weights[1], f.Weight)}
	one.Members = max(one.Members, members)
	if f.Size != 0 && (one.Flow.Size == 0 || f.Size < one.Flow.Size) {
		one.Flow.Size = f.Size
	}
}

// mostLookedAt is how many flows are made to see of which kinds they are.
const mostLookedAt = 20_000

// read adds those of a workload that is no mix.
func (k *kinds) read(g Generator, part int) error {
	switch w := unbounded(g).(type) {
	case *Poisson:
		k.template(g, w.Flow, w.Sizes, w.Connections, part, 0)
		return nil
	case *Permutation:
		k.template(g, w.Flow, w.Sizes, Connections{}, part, 0)
		return nil
	case *Incast:
		sizes := w.Sizes
		if w.Total > 0 {
			sizes = FixedSize(int64(max(1, w.Total/uint64(w.Senders))))
		}
		k.template(g, w.Flow, sizes, w.Connections, part, w.Senders)
		return nil
	}
	if c, is := unbounded(g).(*Collective); is { // a group is of one iteration, and they are alike
		one := *c
		one.Iterations = 1
		g = &one
	} else if Expected(unbounded(g)) > mostLookedAt && k.many(g, part) {
		return nil
	}
	type group struct{ number, dst uint32 }
	members := map[group]int{}
	for f, err := range g.Flows(0) {
		if err != nil {
			return err
		}
		if f.Src == f.Dst { // a task
			continue
		}
		if f.Group != 0 {
			members[group{f.Group, f.Dst}]++
		}
		k.add(f, part, members[group{f.Group, f.Dst}])
	}
	return nil
}

// many adds the flows of a workload that makes many, all alike. Of their groups
// it knows that they are large.
func (k *kinds) many(g Generator, part int) bool {
	switch w := unbounded(g).(type) {
	case *AllToAll:
		k.template(g, w.Flow, w.Sizes, Connections{}, part, len(w.sources))
	case *SemiDynamic:
		k.template(g, w.Flow, w.Sizes, Connections{}, part, w.Most)
	case *Jobs:
		k.template(g, w.Flow, w.Sizes, w.Connections, part, w.Writers*w.Blocks)
	default:
		return false
	}
	return true
}

// template adds the flows of a workload that are alike but for their hosts.
func (k *kinds) template(g Generator, f scenario.Flow, sizes *Sizes, c Connections, part, members int) {
	f.StopPs, f.Size = -1, 0
	if sizes != nil {
		f.Size = sizes.At(0)
	}
	f.Persistent, f.ClosedLoop = c.PerPair > 0, c.PerPair > 0 && c.ClosedLoop
	n := slices.Max(k.like) + 1
	seen, left := make([]bool, n*n), n*n
	for src, dst := range g.Pairs() { // there may be a million
		if pair := n*k.like[src] + k.like[dst]; !seen[pair] {
			seen[pair] = true
			f.Src, f.Dst = src, dst
			k.add(f, part, members)
			if left--; left == 0 {
				return
			}
		}
	}
}

func unbounded(g Generator) Generator {
	switch b := g.(type) {
	case *bounded:
		return b.Generator
	case *boundedLoad:
		return b.Generator
	}
	return g
}
