package num_test

import (
	"fabriclab/analysis/num"
	"fmt"
	"os"
	"strconv"
	"testing"
)

func TestDbg(t *testing.T) {
	what, _ := strconv.Atoi(os.Getenv("WHAT"))
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	p := anyProblem(uint64(seed), what)
	for i, l := range p.Links {
		fmt.Println("link", i, l.CapacityBps)
	}
	for i, f := range p.Flows {
		fmt.Printf("flow %d %v %v\n", i, f.Utility, f.Paths)
	}
	s, err := num.Solve(p, nil)
	fmt.Println(s, err)
}
