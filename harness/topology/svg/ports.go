package svg

import (
	"fmt"
	"math"
	"slices"

	"fabriclab/base/portname"
	"fabriclab/harness/scenario"
)

// On a page that shows all of the drawing, hosts stand so near to each other
// that they fit its width, without names where these would lie on each other.
const (
	pageWidth = 1120
	leastGap  = 4
	nameGap   = 14
	pageSlope = 0.12
)

// A Stroke is how a port looks: the half of its link that is at its node.
type Stroke struct {
	ID     int // data-port of its path; none if it is negative
	Colour string
	Dashes string
	Title  string
}

// DrawPorts draws a network in which the two halves of every link have colours
// of their own: each is the port of the node that it is at, by its name
// (base/portname).
func DrawPorts(nodes []scenario.Node, links []scenario.Link, look func(port string) Stroke) []byte {
	d := newDrawing(nodes, links, usual(nodes, links))
	d.gap = min(hostGap, max(leastGap, pageWidth/float64(max(1, len(d.usual)))))
	d.slope = pageSlope
	d.layOut()
	d.crowded = d.gap < nameGap
	d.open()
	var names portname.Counter
	d.printf(`<g fill="none" stroke-width="3.5">`)
	for i, beside := range d.beside() {
		l := d.links[i]
		for _, ends := range [][2]uint32{{l.A, l.B}, {l.B, l.A}} {
			d.half(look(names.Next(nodes[ends[0]].Name, nodes[ends[1]].Name)), ends, beside)
		}
	}
	d.printf(`</g>`)
	d.writeNodes()
	d.printf(`</svg>`)
	return []byte(d.b.String())
}

// half draws the half of a link at the first of its ends. A gap parts it from
// the other one.
func (d *drawing) half(s Stroke, ends [2]uint32, beside float64) {
	const gap = 1.5
	x, y := d.x[ends[0]]+beside, d.y[ends[0]]
	dx, dy := d.x[ends[1]]-d.x[ends[0]], d.y[ends[1]]-d.y[ends[0]]
	part := 0.5 - gap/max(math.Hypot(dx, dy), 4*gap)
	attributes := ""
	if s.ID >= 0 {
		attributes += fmt.Sprintf(` data-port="%d"`, s.ID)
	}
	if s.Dashes != "" {
		attributes += fmt.Sprintf(` stroke-dasharray="%s"`, s.Dashes)
	}
	d.printf(`<path%s stroke="%s" d="M%.1f %.1fL%.1f %.1f"><title>%s</title></path>`, attributes, s.Colour, x, y, x+part*dx, y+part*dy, escaped(s.Title))
}

// usual are the hosts but for extra ones, which a scenario does not tell: the
// last hosts whose links, several, go to switches without other hosts.
func usual(nodes []scenario.Node, links []scenario.Link) []uint32 {
	at := make([][]uint32, len(nodes)) // by host: its switches; by switch: its hosts
	var hosts []uint32
	for i, n := range nodes {
		if n.Kind == scenario.Host {
			hosts = append(hosts, uint32(i))
		}
	}
	for _, l := range links {
		if (nodes[l.A].Kind == scenario.Host) != (nodes[l.B].Kind == scenario.Host) {
			at[l.A], at[l.B] = append(at[l.A], l.B), append(at[l.B], l.A)
		}
	}
	for n := len(hosts); n > 1; n-- {
		host := hosts[n-1]
		shared := func(s uint32) bool { return slices.ContainsFunc(at[s], func(h uint32) bool { return h < host }) }
		if len(at[host]) < 2 || slices.ContainsFunc(at[host], shared) {
			return hosts[:n]
		}
	}
	return hosts
}
