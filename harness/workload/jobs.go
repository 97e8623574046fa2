package workload

import (
	"fmt"
	"iter"

	"fabriclab/base/random"
	"fabriclab/base/units"
	"fabriclab/harness/scenario"
)

// Jobs is the write job of a replicated file system such as HDFS. Every writer
// writes some blocks. The first copy of a block stays at its writer; the
// second goes from there to another host, the third from that one to yet
// another one, and so on. The transfers of a block start together, as blocks
// are passed on while they arrive, and none waits for another one. All flows
// are of group 1.
type Jobs struct {
	Hosts   []uint32   // that keep copies
	Racks   [][]uint32 // they again by rack; nil = racks do not matter
	Sources []uint32   // among which the writers are drawn
	Writers int
	Blocks  int // per writer
	Copies  int // of a block, its writer's included
	// IntervalPs is the time between two blocks of a writer.
	IntervalPs int64
	Common
	Connections
}

// Check looks for what no flow list can be made of.
func (j *Jobs) Check() error {
	if j.Writers > len(j.Sources) {
		return fmt.Errorf("%d writers are asked for among %d hosts; ask for fewer or name more sources", j.Writers, len(j.Sources))
	}
	if others := len(j.Hosts) - 1; j.Copies-1 > others {
		return fmt.Errorf("%d copies of a block are asked for, each at another host, but a writer has only %d other hosts; ask for fewer", j.Copies, others)
	}
	if j.Racks != nil {
		if len(j.Racks) < 2 {
			return fmt.Errorf("there is one group; the second copy of a block goes to another group than its writer's, so there have to be two or more")
		}
		for i, rack := range j.Racks {
			if j.Copies > 2 && len(rack) < 2 {
				return fmt.Errorf("group %d has one host; the third copy of a block goes to another host of the second one's group", i)
			}
		}
	}
	if j.Blocks > 1 && j.IntervalPs > (units.MaxTime-j.StartPs)/int64(j.Blocks) {
		return fmt.Errorf("%d blocks %s apart take more than 100 days", j.Blocks, units.FormatTime(j.IntervalPs))
	}
	if err := j.checkConnections(); err != nil {
		return err
	}
	return j.checkStart("the last block", j.StartPs+int64(j.Blocks-1)*j.IntervalPs)
}

// Expected is about how many flows there are.
func (j *Jobs) Expected() float64 {
	return float64(j.Writers) * float64(j.Blocks) * float64(j.Copies-1)
}

// Pairs yields the ways from writers to hosts, and from host to host.
func (j *Jobs) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		for _, from := range [][]uint32{j.Sources, j.Hosts} {
			for src, dst := range (&Permutation{Sources: from, Destinations: j.Hosts}).Pairs() {
				if !yield(src, dst) {
					return
				}
			}
		}
	}
}

// Flows yields the flow list of a seed.
func (j *Jobs) Flows(seed uint64) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		draw, sizes := random.New(seed, "jobs.copies", 0), random.New(seed, "jobs.sizes", 0)
		connections := random.New(seed, "jobs.connections", 0)
		writers := append([]uint32(nil), j.Sources...)
		whom := random.New(seed, "jobs.writers", 0)
		shuffle(writers, j.Writers, &whom)
		rack := map[uint32]int{}
		for i, hosts := range j.Racks {
			for _, host := range hosts {
				rack[host] = i
			}
		}
		copies := make([]uint32, 0, j.Copies)
		free := make([]uint32, 0, len(j.Hosts))
		id := uint32(0)
		for block := range j.Blocks {
			at := j.StartPs + int64(block)*j.IntervalPs
			for _, writer := range writers[:j.Writers] {
				size := j.Sizes.At(sizes.Uniform())
				copies = append(copies[:0], writer)
				for len(copies) < j.Copies {
					free = free[:0]
					for _, host := range j.Hosts {
						if j.mayKeep(host, copies, rack) {
							free = append(free, host)
						}
					}
					last := copies[len(copies)-1]
					next := free[draw.Below(uint32(len(free)))]
					f := j.flow(id, last, next, 1, at, nil)
					f.Size = size
					j.assignConnection(&f, &connections)
					if !yield(f, nil) {
						return
					}
					id++
					copies = append(copies, next)
				}
			}
		}
	}
}

// mayKeep says whether a host may keep the next copy: none twice, the second
// one in another rack than the writer, the third one in the second one's.
func (j *Jobs) mayKeep(host uint32, copies []uint32, rack map[uint32]int) bool {
	for _, has := range copies {
		if has == host {
			return false
		}
	}
	switch {
	case j.Racks == nil:
		return true
	case len(copies) == 1:
		return rack[host] != rack[copies[0]]
	case len(copies) == 2:
		return rack[host] == rack[copies[1]]
	}
	return true
}
