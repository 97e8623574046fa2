package workload

import "slices"

// Fixed says whether a workload's flow list is the same for every seed.
func Fixed(g Generator) bool {
	switch g := g.(type) {
	case *List, *File, *DAG:
		return true
	case *Mix:
		return !slices.ContainsFunc(g.Parts, func(part Generator) bool { return !Fixed(part) })
	case *bounded:
		return Fixed(g.Generator)
	}
	return false
}
