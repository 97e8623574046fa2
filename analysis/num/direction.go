package num

// direction solves the linearised conditions of the optimum. The caller gives
// prices, rates, slopes, and:
//
//	row          which links' prices may change
//	room         by link: the barrier's part of the slope of load over price,
//	             since the room may shrink too
//	excess       by link: by how much its load has to fall
//	lack         by pooled flow: its wanted rate less the sum of its rates
//	push, shift  by sub-flow of a pooled flow: its rate changes by
//	             push + shift (change of worth - change of path price)
//
// It sets step (prices), worthStep and rateStep (of pooled flows).
func (s *state) direction() {
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			continue
		}
		all, pushed := s.slope[flow], 0.0
		for sub := from; sub < to; sub++ {
			all += s.shift[sub]
			pushed += s.push[sub]
		}
		s.worthStep[flow] = (s.lack[flow] - pushed) / all // if no price changes
		for sub := from; sub < to; sub++ {
			change := s.push[sub] + float64(s.shift[sub]*s.worthStep[flow])
			for _, l := range s.of(sub) {
				s.excess[l] += change
			}
		}
	}
	rows := int32(0)
	for l := range s.row {
		if s.row[l] >= 0 {
			s.row[l] = rows
			rows++
		}
	}
	s.matrix.reset(int(rows))
	s.assemble()
	right := s.from[:0]
	for l, r := range s.row {
		if r >= 0 {
			s.matrix.add(r, r, s.room[l])
			right = append(right, s.excess[l])
		}
	}
	s.steps++
	s.matrix.factor()
	s.matrix.solve(right)
	for l, r := range s.row {
		s.step[l] = 0
		if r >= 0 {
			s.step[l] = right[r]
		}
	}
	s.pathSums(s.step, s.sumStep)
	for flow := range s.curves {
		from, to := s.first[flow], s.first[flow+1]
		if to-from == 1 {
			continue
		}
		all, moved := s.slope[flow], 0.0
		for sub := from; sub < to; sub++ {
			all += s.shift[sub]
			moved += float64(s.shift[sub] * s.sumStep[sub])
		}
		s.worthStep[flow] += moved / all
		for sub := from; sub < to; sub++ {
			s.rateStep[sub] = s.push[sub] + float64(s.shift[sub]*(s.worthStep[flow]-s.sumStep[sub]))
		}
	}
}
