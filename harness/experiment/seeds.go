package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
)

// maxSeeds bounds a range that was mistyped.
const maxSeeds = 100_000

// ParseSeeds reads seeds as they are written in experiments and on the command
// line: 7, or a range such as 1-5.
func ParseSeeds(text string) ([]uint64, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	from, err := strconv.ParseUint(low, 10, 53)
	if err != nil {
		return nil, fmt.Errorf("%q is not a seed; give whole numbers, such as 7, or a range, such as 1-5", text)
	}
	to, err := strconv.ParseUint(high, 10, 53)
	if err != nil || to < from || to-from >= maxSeeds {
		return nil, fmt.Errorf("%q is not a range of at most %d seeds; write it as 1-5", text, maxSeeds)
	}
	seeds := make([]uint64, 0, to-from+1)
	for seed := from; seed <= to; seed++ {
		seeds = append(seeds, seed)
	}
	return seeds, nil
}

// seeds reads the key seeds: a list of seeds and ranges, or one of them.
func (l *loader) seeds(s *reader.Section) []uint64 {
	n := s.Get("seeds")
	if n == nil {
		return []uint64{1}
	}
	items := []*yaml.Node{n}
	if n.Kind != yaml.ScalarNode {
		items = s.Items("seeds")
	}
	var all []uint64
	known := map[uint64]bool{}
	for _, item := range items {
		text, ok := l.Scalar(item, "seeds")
		if !ok {
			continue
		}
		seeds, err := ParseSeeds(text)
		if err != nil {
			l.Problem(item, "seeds: %v", err)
		}
		if i := slices.IndexFunc(seeds, func(seed uint64) bool { return known[seed] }); i >= 0 {
			l.Problem(item, "seeds: %d is here twice; keep one", seeds[i])
		}
		for _, seed := range seeds {
			known[seed] = true
		}
		all = append(all, seeds...)
	}
	return all
}
