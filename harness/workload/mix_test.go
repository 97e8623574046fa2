package workload

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// TestMix: the parts go on side by side, each as it would alone; numbers and
// groups of the parts do not meet.
func TestMix(t *testing.T) {
	list, err := NewList([]Entry{{Name: "a", Flow: scenario.Flow{Src: 0, Dst: 1, StartPs: 40, StopPs: -1, Size: 9, Group: 2}, Count: 1}, {Name: "b", Flow: scenario.Flow{Src: 1, Dst: 0, StartPs: 5, StopPs: -1}, Count: 1}})
	require.NoError(t, err)
	c, rules := common(1000, FixedSize(7))
	incast := &Incast{Sources: hosts(0, 4), Receivers: hosts(0, 4), Senders: 2, Events: 3, IntervalPs: 30, Common: c} // at 5, 35 and 65
	all := &AllToAll{anyToAny(t, 2), c}                                                                               // at 5
	m := &Mix{Parts: []Generator{list, incast, all}}
	require.NoError(t, m.Check())
	assert.Equal(t, []string{"a", "b"}, m.Names())

	type row struct {
		id, group uint32
		at        int64
		part      int
	}
	var rows []row
	for f, err := range m.Flows(1) {
		require.NoError(t, err)
		require.NoError(t, rules.Check(f))
		rows = append(rows, row{f.ID, f.Group, f.StartPs, f.Part})
	}
	assert.Equal(t, []row{
		{1, 0, 5, 0}, {2, 3, 5, 1}, {3, 3, 5, 1}, {8, 6, 5, 2}, {9, 6, 5, 2}, // the list's groups go up to 2, the incast's to 5
		{4, 4, 35, 1}, {5, 4, 35, 1}, {0, 2, 40, 0}, {6, 5, 65, 1}, {7, 5, 65, 1},
	}, rows)

	pairs := map[[2]uint32]bool{}
	for src, dst := range m.Pairs() {
		pairs[[2]uint32{src, dst}] = true
	}
	assert.Len(t, pairs, 12, "all of the incast, which has those of the others")

	require.ErrorContains(t, (&Mix{Parts: []Generator{all, list}}).Check(), "part 1 is a list of flows behind part 0")
	for f := range m.Flows(1) { // a reader that stops early
		assert.Equal(t, uint32(1), f.ID)
		break
	}
}

// TestMixOfLikeParts: a part is no copy of one of its type before it, and parts of
// other types are what they are alone.
func TestMixOfLikeParts(t *testing.T) {
	of := func(g Generator, part int) (starts []int64) {
		for f, err := range g.Flows(3) {
			require.NoError(t, err)
			if f.Part == part {
				starts = append(starts, f.StartPs)
			}
		}
		return starts
	}
	first, rules := poisson(t, 8, 0.5, FixedSize(10_000), units.Millisecond)
	second, _ := poisson(t, 8, 0.5, FixedSize(10_000), units.Millisecond)
	third, _ := poisson(t, 8, 0.5, FixedSize(10_000), units.Millisecond)
	all := &AllToAll{anyToAny(t, 3), Common{Sizes: FixedSize(1e9), StartPs: rules.FromPs, Rules: rules}}
	m := &Mix{Parts: []Generator{all, first, second, third}}
	assert.Equal(t, of(first, 0), of(m, 1))
	seen := map[int64]int{}
	for part := 1; part <= 3; part++ {
		starts := of(m, part)
		assert.NotEmpty(t, starts)
		for _, at := range starts {
			seen[at]++
		}
	}
	for at, flows := range seen {
		require.Equal(t, 1, flows, "flows at %d ps", at)
	}
}

// TestMixBehindGaps: the numbers of a part begin behind the largest one of the file before
// it, and flows are known by their parts.
func TestMixBehindGaps(t *testing.T) {
	file, err := open(t, "flow,start_ps,src,dst,size_bytes\n7,5,h0,h1,100\n5,12,h1,h2,200\n")
	require.NoError(t, err)
	p, rules := poisson(t, 4, 0.5, FixedSize(10_000), units.Millisecond)
	m := &Mix{Parts: []Generator{file, p}}
	tally := Tally{}
	ids := map[uint32]bool{}
	for f, err := range tally.Count(m.Flows(3)) {
		require.NoError(t, err)
		require.False(t, ids[f.ID], "flow %d is there twice", f.ID)
		ids[f.ID] = true
	}
	assert.True(t, ids[5] && ids[7] && ids[8] && !ids[6])
	tally.Compare(m, rules)
	ofLoad := tally.OfLoad(m)
	for f := range m.Flows(3) {
		require.Equal(t, f.Size == 10_000, ofLoad(f.ID), "flow %d", f.ID)
	}

	far, err := open(t, "flow,start_ps,src,dst,size_bytes\n4294967290,5,h0,h1,100\n")
	require.NoError(t, err)
	err = counted(&Mix{Parts: []Generator{far, p}})
	assert.ErrorContains(t, err, "part 1 of the mix comes behind the number 4294967290")
}

// TestNumbersOfTheirOwn: whoever writes a list hears of two flows with one number.
func TestNumbersOfTheirOwn(t *testing.T) {
	p, _ := poisson(t, 4, 0.5, FixedSize(10_000), units.Millisecond)
	err := counted(twice{p})
	assert.ErrorContains(t, err, "two flows the number 0")
}

type twice struct{ *Poisson }

func (w twice) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for range 2 {
			for f, err := range w.Poisson.Flows(seed) {
				if !yield(f, err) {
					return
				}
			}
		}
	}
}

// counted says what is wrong with a workload's flows when they are counted.
func counted(g Generator) error {
	tally := Tally{}
	for _, err := range tally.Count(g.Flows(1)) {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestMixOfMixes: a part is no copy of one of its type that stands deeper, and the list is
// that of all parts side by side.
func TestMixOfMixes(t *testing.T) {
	first, _ := poisson(t, 8, 0.5, FixedSize(10_000), units.Millisecond)
	second, _ := poisson(t, 8, 0.5, FixedSize(10_000), units.Millisecond)
	all := func(m *Mix) (flows []scenario.Flow) {
		for f, err := range m.Flows(3) {
			require.NoError(t, err)
			flows = append(flows, f)
		}
		return flows
	}
	nested := NewMix([]Generator{NewMix([]Generator{first}), second})
	assert.Equal(t, all(&Mix{Parts: []Generator{first, second}}), all(nested))
	starts := map[int64]bool{}
	for _, f := range all(nested) {
		require.False(t, starts[f.StartPs], "two flows start at %d ps", f.StartPs)
		starts[f.StartPs] = true
	}
}

// BenchmarkMix draws lists of incasts beside long flows, as Dart's figures have them.
func BenchmarkMix(b *testing.B) {
	m := incastsBesidePoisson(b, 10*units.Millisecond)
	flows := 0
	for i := range b.N {
		for range m.Flows(uint64(i)) {
			flows++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(flows), "ns/flow")
}

// TestNumbersBeforehand: what is said beforehand is what is drawn.
func TestNumbersBeforehand(t *testing.T) {
	m := incastsBesidePoisson(t, 20*units.Millisecond)
	events := *m.Parts[0].(*Incast)
	events.Load, events.Events, events.IntervalPs = 0, 7, units.Millisecond
	for _, part := range append(m.Parts, &events) {
		for seed := range uint64(3) {
			flows, groups := uint64(0), uint32(0)
			for f, err := range part.Flows(seed) {
				require.NoError(t, err)
				flows, groups = flows+1, max(groups, f.Group)
			}
			require.Positive(t, flows)
			n, g, err := numbersOf(part, seed)
			require.NoError(t, err)
			assert.Equal(t, flows, n)
			assert.Equal(t, groups, g)
		}
	}
}

func incastsBesidePoisson(t testing.TB, toPs int64) *Mix {
	long, rules := poisson(t, 1024, 0.09, FixedSize(1_000_000), toPs)
	return &Mix{Parts: []Generator{&Incast{
		Sources: hosts(0, 1024), Receivers: hosts(0, 1024), Senders: 16, JitterPs: 100 * units.Microsecond, Load: 0.24, CapacityBps: 1024 * 2.5e9, ToPs: toPs,
		Common: Common{Sizes: FixedSize(8192), Rules: rules},
	}, long}}
}

// TestMixLoad: the load offered is that of the part that was asked for one.
func TestMixLoad(t *testing.T) {
	p, rules := poisson(t, 8, 0.5, FixedSize(10_000), 20*units.Millisecond)
	c := Common{Sizes: FixedSize(1e9), StartPs: rules.FromPs, Flow: scenario.Flow{Class: 1}, Rules: rules}
	alone := Tally{}
	for range alone.Count(p.Flows(3)) { //nolint:revive // counted as they go by
	}
	alone.Compare(p, rules)
	for _, m := range []*Mix{
		{Parts: []Generator{p, &AllToAll{anyToAny(t, 3), c}}},
		{Parts: []Generator{&AllToAll{anyToAny(t, 3), c}, p}},
	} {
		both := Tally{}
		for range both.Count(m.Flows(3)) { //nolint:revive // counted as they go by
		}
		both.Compare(m, rules)
		assert.Equal(t, alone.Load, both.Load)
		assert.Equal(t, alone.MeasuredBytes+6e9, both.MeasuredBytes)
		ofLoad := both.OfLoad(m)
		for f := range m.Flows(3) {
			require.Equal(t, f.Size == 10_000, ofLoad(f.ID), "flow %d", f.ID)
		}
	}
	assert.Nil(t, alone.OfLoad(p), "all are")
	two := Tally{}
	two.Compare(&Mix{Parts: []Generator{p, p}}, rules)
	assert.InDelta(t, 1, two.Load.Asked, 1e-12, "two loads of the same links")
	later := *p
	later.FromPs++
	two = Tally{}
	two.Compare(&Mix{Parts: []Generator{p, &later}}, rules)
	assert.InDelta(t, 1, two.Load.Asked, 1e-12, "while both send")
	later.FromPs = p.ToPs
	later.ToPs = 2 * p.ToPs
	two = Tally{}
	two.Compare(&Mix{Parts: []Generator{p, &later}}, rules)
	assert.Nil(t, two.Load, "one load after the other is none together")
}

func TestJobs(t *testing.T) {
	c, rules := common(1000, FixedSize(64))
	racks := [][]uint32{hosts(0, 4), hosts(4, 8)}
	j := &Jobs{Hosts: hosts(0, 8), Racks: racks, Sources: hosts(0, 8), Writers: 7, Blocks: 40, Copies: 3, IntervalPs: 10, Common: c}
	require.NoError(t, j.Check())
	list := flows(t, j, rules, 1)
	require.Len(t, list, 7*40*2)
	writers, kept := map[uint32]int{}, map[uint32]int{}
	for i := 0; i < len(list); i += 2 {
		first, second := list[i], list[i+1]
		writers[first.Src]++
		kept[second.Dst]++
		assert.Equal(t, first.Dst, second.Src, "from copy to copy")
		assert.NotEqual(t, first.Src/4, first.Dst/4, "the second copy is in another rack")
		assert.Equal(t, second.Src/4, second.Dst/4, "the third in the second one's")
		for _, f := range list[i : i+2] {
			assert.Equal(t, []any{uint32(1), int64(5 + i/14*10), uint64(64)}, []any{f.Group, f.StartPs, f.Size})
		}
	}
	assert.Len(t, writers, 7)
	assert.Len(t, kept, 8)
	for _, blocks := range writers {
		assert.Equal(t, 40, blocks)
	}
	assert.NotEqual(t, list, flows(t, j, rules, 2))

	j.Racks, j.Copies = nil, 8 // any hosts: every host keeps a copy of every block
	list = flows(t, j, rules, 1)
	require.Len(t, list, 7*40*7)
	for i := 0; i < len(list); i += 7 {
		has := map[uint32]bool{list[i].Src: true}
		for _, f := range list[i : i+7] {
			assert.True(t, has[f.Src] && !has[f.Dst])
			has[f.Dst] = true
		}
	}

	for want, change := range map[string]func(*Jobs){
		"9 writers are asked for among 8 hosts":                    func(j *Jobs) { j.Writers = 9 },
		"9 copies of a block are asked for":                        func(j *Jobs) { j.Copies = 9 },
		"there is one group":                                       func(j *Jobs) { j.Racks, j.Copies = racks[:1], 3 },
		"group 1 has one host":                                     func(j *Jobs) { j.Racks, j.Copies = [][]uint32{hosts(0, 7), {7}}, 3 },
		"the last block starts at 1.175ns, but the run stops at 1": func(j *Jobs) { j.IntervalPs = 30 },
	} {
		wrong := *j
		change(&wrong)
		assert.ErrorContains(t, wrong.Check(), want)
	}
}
