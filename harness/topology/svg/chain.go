package svg

import "fabriclab/harness/scenario"

// Where the name of a host stands.
const (
	nameBelow = iota
	nameLeft
	nameRight
)

// chain gives the switches from one end to the other where they form a line,
// as in a dumbbell: two or more, and every host on one of them.
func (d *drawing) chain() []uint32 {
	next := map[uint32][]uint32{}
	hostLinks := map[uint32]int{}
	var ends []uint32
	isSwitch := func(n uint32) bool { return d.nodes[n].Kind == scenario.Switch }
	switches := 0
	for i := range d.nodes {
		if isSwitch(uint32(i)) {
			switches++
		}
	}
	between := 0
	for _, l := range d.links {
		if isSwitch(l.A) && isSwitch(l.B) {
			next[l.A] = append(next[l.A], l.B)
			next[l.B] = append(next[l.B], l.A)
			between++
			continue
		}
		for _, n := range []uint32{l.A, l.B} {
			if !isSwitch(n) {
				hostLinks[n]++
			}
		}
	}
	for i := range d.nodes {
		n := uint32(i)
		switch {
		case !isSwitch(n) && hostLinks[n] != 1, isSwitch(n) && len(next[n]) > 2:
			return nil
		case isSwitch(n) && len(next[n]) == 1:
			ends = append(ends, n)
		}
	}
	if len(ends) != 2 || between != switches-1 {
		return nil
	}
	line := []uint32{ends[0]}
	for last := ends[0]; len(line) < switches; {
		neighbours := next[last]
		to := neighbours[0]
		if len(line) > 1 && to == line[len(line)-2] {
			if len(neighbours) < 2 {
				return nil // the other end: some switches hang elsewhere
			}
			to = neighbours[1]
		}
		line, last = append(line, to), to
	}
	return line
}

// placeChain puts the switches of a line side by side, the hosts of its ends
// beside them, one below the other, and those between below their switches.
func (d *drawing) placeChain(line []uint32) {
	const gap = 130 // between switches, and from the ends to their hosts
	hosts := map[uint32][]uint32{}
	side := 1
	for _, l := range d.links {
		for _, end := range [][2]uint32{{l.A, l.B}, {l.B, l.A}} {
			if d.nodes[end[0]].Kind == scenario.Host {
				hosts[end[1]] = append(hosts[end[1]], end[0])
				side = max(side, int(letter*float64(len(d.nodes[end[0]].Name)))+3*hostRadius)
			}
		}
	}
	left, right := hosts[line[0]], hosts[line[len(line)-1]]
	high := max(len(left), len(right), 4)
	top := d.head + margin
	middle := top + float64(hostGap*(high-1))/2
	d.width = max(leastWidth, float64(2*(margin+side)+gap*(len(line)+1)))
	d.height = top + float64(hostGap*(high-1)) + 90
	step := (d.width - float64(2*(margin+side))) / float64(len(line)+1)
	for i, s := range line {
		d.x[s], d.y[s] = float64(margin+side)+step*float64(i+1), middle
		d.level[s] = 1
		for k, h := range hosts[s] {
			off := float64(hostGap) * (float64(k) - float64(len(hosts[s])-1)/2)
			switch i {
			case 0:
				d.x[h], d.y[h], d.name[h] = float64(margin+side), middle+off, nameLeft
			case len(line) - 1:
				d.x[h], d.y[h], d.name[h] = d.width-float64(margin+side), middle+off, nameRight
			default:
				d.x[h], d.y[h] = d.x[s]+off, middle+rowHeight/2
			}
		}
	}
}
