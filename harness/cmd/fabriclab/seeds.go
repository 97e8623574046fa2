package main

import (
	"fmt"
	"strconv"
	"strings"
)

// seedsValue is a flag that takes seeds: 7, 1,2,3 or 1-5, and may be repeated.
type seedsValue struct {
	seeds *[]uint64
}

// maxSeeds bounds a range that was mistyped.
const maxSeeds = 100_000

func (v *seedsValue) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 53)
		if err != nil {
			return fmt.Errorf("%q is not a seed; give whole numbers, such as 7, 1,2,3 or 1-5", part)
		}
		to, err := strconv.ParseUint(high, 10, 53)
		if err != nil || to < from || to-from >= maxSeeds {
			return fmt.Errorf("%q is not a range of at most %d seeds; write it as 1-5", part, maxSeeds)
		}
		for seed := from; seed <= to; seed++ {
			*v.seeds = append(*v.seeds, seed)
		}
	}
	return nil
}

func (v *seedsValue) String() string {
	if v.seeds == nil || len(*v.seeds) == 0 {
		return ""
	}
	return strings.Trim(fmt.Sprint(*v.seeds), "[]")
}

func (v *seedsValue) Type() string { return "seeds" }
