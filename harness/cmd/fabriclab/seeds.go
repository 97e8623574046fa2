package main

import (
	"fmt"
	"strings"

	"fabriclab/base/units"
)

// seedsValue is a flag that takes seeds: 7, 1,2,3 or 1-5, and may be repeated.
type seedsValue struct {
	seeds *[]uint64
}

func (v *seedsValue) Set(text string) error {
	known := map[uint64]bool{}
	for _, seed := range *v.seeds {
		known[seed] = true
	}
	for part := range strings.SplitSeq(text, ",") {
		seeds, err := units.ParseSeeds(part)
		if err != nil {
			return err
		}
		for _, seed := range seeds {
			if known[seed] {
				return fmt.Errorf("seed %d is here twice; keep one", seed)
			}
			known[seed] = true
		}
		*v.seeds = append(*v.seeds, seeds...)
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
