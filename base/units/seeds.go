package units

import (
	"fmt"
	"strconv"
	"strings"
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
