package experiment

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/reader"
	"fabriclab/base/units"
)

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
		seeds, err := units.ParseSeeds(text)
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
