package workload

// GroupAbove looks for a group with more than so many flows to one receiver,
// and says in which part of a mix it is. Groups have the same sizes whatever
// the seed.
func GroupAbove(g Generator, most int) (part int, found bool, err error) {
	switch known := unbounded(g).(type) {
	case *Poisson, *Permutation:
		return 0, false, nil
	case *Incast:
		return 0, known.Senders > most, nil
	case *Mix:
		for i, of := range known.Parts {
			if _, found, err := GroupAbove(of, most); found || err != nil {
				return i, found, err
			}
		}
		return 0, false, nil
	}
	type group struct{ number, dst uint32 }
	sizes := map[group]int{}
	for f, err := range g.Flows(0) {
		if err != nil {
			return 0, false, err
		}
		if f.Group == 0 {
			continue
		}
		to := group{f.Group, f.Dst}
		if sizes[to]++; sizes[to] > most {
			return 0, true, nil
		}
	}
	return 0, false, nil
}

func unbounded(g Generator) Generator {
	switch b := g.(type) {
	case *bounded:
		return b.Generator
	case *boundedLoad:
		return b.Generator
	}
	return g
}
