package workload

import (
	"fmt"
	"iter"

	"fabriclab/harness/topology"
)

// MostJoined is how many flows one row of a list may stand for.
const MostJoined = 2_000_000

// Hosts finds the hosts that a name with ranges stands for.
func Hosts(name string, host func(name string) (uint32, error)) ([]uint32, error) {
	names, err := topology.Expand(name)
	if err != nil {
		return nil, err
	}
	ids := make([]uint32, len(names))
	for i, one := range names {
		if ids[i], err = host(one); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Join yields the sources and destinations of the flows that one row stands
// for: from each to each but itself, or by pairs, from the first to the first
// and so on. The error is a *FlowError.
func Join(sources, destinations []uint32, pairs bool) (iter.Seq2[uint32, uint32], error) {
	if len(sources) == 1 || len(destinations) == 1 {
		pairs = false // one host makes a pair with each of the others
	}
	joined, err := topology.Join(sources, destinations, pairs)
	if err != nil {
		return nil, &FlowError{"join", err}
	}
	n := len(sources) * len(destinations)
	if !pairs && n > MostJoined {
		return nil, &FlowError{"src", fmt.Errorf("each of %d hosts to each of %d are more than %d flows; make it several rows, or a workload that makes them", len(sources), len(destinations), MostJoined)}
	}
	if pairs || n == 1 {
		return joined, nil
	}
	return func(yield func(uint32, uint32) bool) {
		for src, dst := range joined {
			if src != dst && !yield(src, dst) {
				return
			}
		}
	}, nil
}
