// Package svg draws a network: hosts below, switches in rows above them by
// their distance from the hosts, extra hosts above the switches they hang on;
// a dumbbell or chain from left to right. Links are coloured by rate and delay.
// The same network gives the same bytes.
package svg

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// Sizes, in pixels.
const (
	hostGap    = 26  // between hosts
	leastWidth = 480 // of the page
	rowHeight  = 110
	margin     = 40
	headHeight = 30 // of the title and of a line of the legend
	hostRadius = 5
	boxHeight  = 18
	letter     = 6.2 // about the width of one
)

// Okabe and Ito's palette, for kinds of links in the order in which they
// occur.
var palette = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// A kind is a rate and a delay that links have.
type kind struct{ rate, delay int64 }

func (k kind) String() string { return units.FormatRate(k.rate) + ", " + units.FormatTime(k.delay) }

type drawing struct {
	nodes  []scenario.Node
	links  []scenario.Link
	usual  []uint32   // hosts that stand below, not above the switches
	below  [][]uint32 // by node: neighbours that are nearer to the hosts
	level  []int      // by node: hops to the nearest host that is not an extra one
	x, y   []float64
	name   []int // by node: where a host's name stands
	width  float64
	height float64
	head   float64 // height of what stands above the drawing
	kinds  []kind
	b      strings.Builder

	gap     float64 // between hosts in a row
	slope   float64 // a row is at least this part of the width high
	crowded bool    // hosts have no names
}

// Draw draws a network.
func Draw(t *topology.Topology, title string) []byte {
	d := newDrawing(t.Nodes, t.Links, t.UsualHosts())
	for _, l := range t.Links {
		if k := (kind{l.RateBps, l.DelayPs}); !slices.Contains(d.kinds, k) {
			d.kinds = append(d.kinds, k)
		}
	}
	d.head = float64(headHeight * (1 + len(d.kinds)))
	d.layOut()
	d.write(title)
	return []byte(d.b.String())
}

func newDrawing(nodes []scenario.Node, links []scenario.Link, usual []uint32) *drawing {
	n := len(nodes)
	return &drawing{nodes: nodes, links: links, usual: usual, x: make([]float64, n), y: make([]float64, n), name: make([]int, n), gap: hostGap}
}

// layOut gives everything its place.
func (d *drawing) layOut() {
	d.levels()
	if line := d.chain(); line != nil {
		d.placeChain(line)
	} else {
		d.place()
	}
}

// levels finds how far every node is from the hosts.
func (d *drawing) levels() {
	neighbours := make([][]uint32, len(d.nodes))
	for _, l := range d.links {
		neighbours[l.A] = append(neighbours[l.A], l.B)
		neighbours[l.B] = append(neighbours[l.B], l.A)
	}
	hops := topology.Hops(len(d.nodes), d.usual, func(node uint32, visit func(uint32)) {
		for _, n := range neighbours[node] {
			if d.nodes[n].Kind == scenario.Switch {
				visit(n)
			}
		}
	})
	d.level = make([]int, len(d.nodes))
	for i, n := range hops {
		if d.level[i] = int(n); n == topology.Unreachable {
			d.level[i] = -1
		}
	}
	for i, n := range d.nodes {
		if n.Kind == scenario.Host && d.level[i] < 0 {
			for _, at := range neighbours[i] {
				d.level[i] = max(d.level[i], d.level[at]+1)
			}
		}
	}
	d.below = make([][]uint32, len(d.nodes))
	for i, list := range neighbours {
		for _, n := range list {
			if d.level[n] < d.level[i] {
				d.below[i] = append(d.below[i], n)
			}
		}
	}
}

// place puts hosts side by side, switch by switch, switches with hosts above
// theirs, and the others evenly over the width, near those below them.
func (d *drawing) place() {
	top := slices.Max(d.level)
	rows := make([][]uint32, top+1)
	for i := range d.nodes {
		if d.level[i] >= 0 { // a switch that lost all its links has no place
			rows[d.level[i]] = append(rows[d.level[i]], uint32(i))
		}
	}
	hosts := 0
	placed := map[uint32]bool{} // a host with several links hangs on several switches
	for _, tor := range rows[1] {
		for _, host := range d.below[tor] {
			if placed[host] {
				continue
			}
			placed[host] = true
			d.x[host] = margin + d.gap*(float64(hosts)+0.5)
			hosts++
		}
	}
	longest := 0
	for _, row := range rows[1:] {
		for _, n := range row {
			longest = max(longest, len(d.nodes[n].Name))
		}
	}
	box := letter*float64(longest) + 10
	d.width = max(leastWidth, d.gap*float64(hosts)+2*margin)
	for _, row := range rows[1:] {
		d.width = max(d.width, (box+8)*float64(len(row))+2*margin)
	}
	stretch := (d.width - 2*margin) / (d.gap * float64(hosts))
	for _, host := range rows[0] {
		d.x[host] = margin + (d.x[host]-margin)*stretch
	}
	for level, row := range rows[1:] {
		mean := map[uint32]float64{}
		for _, n := range row {
			for _, below := range d.below[n] {
				mean[n] += d.x[below] / float64(len(d.below[n]))
			}
		}
		slices.SortStableFunc(row, func(a, b uint32) int { return cmp.Compare(mean[a], mean[b]) })
		for i, n := range row {
			d.x[n] = mean[n]
			if level > 0 {
				d.x[n] = margin + (d.width-2*margin)*(float64(i)+0.5)/float64(len(row))
			}
		}
	}
	row := max(rowHeight, d.slope*d.width)
	bottom := d.head + float64(top)*row + margin
	d.height = bottom + 90
	for i, level := range d.level {
		d.y[i] = bottom - float64(level)*row
	}
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

func (d *drawing) open() {
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %[1]g %[2]g" font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="11">`, d.width, d.height)
	d.printf(`<rect width="100%%" height="100%%" fill="white"/>`)
}

func (d *drawing) write(title string) {
	d.open()
	d.printf(`<text x="%d" y="22" font-size="15">%s</text>`, margin/2, escaped(title))
	for i, k := range d.kinds {
		n := 0
		for _, l := range d.links {
			if l.RateBps == k.rate && l.DelayPs == k.delay {
				n++
			}
		}
		y := headHeight*(i+1) + 14
		d.printf(`<line x1="%d" y1="%d" x2="%d" y2="%[2]d" stroke="%[4]s" stroke-width="2"/>`, margin/2, y, margin/2+24, palette[i%len(palette)])
		d.printf(`<text x="%d" y="%d">%d links of %s</text>`, margin/2+32, y+4, n, k)
	}
	for i, beside := range d.beside() {
		l := d.links[i]
		k := kind{l.RateBps, l.DelayPs}
		d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-opacity="0.6"><title>%s - %s: %s</title></line>`,
			d.x[l.A]+beside, d.y[l.A], d.x[l.B]+beside, d.y[l.B], palette[slices.Index(d.kinds, k)%len(palette)],
			escaped(d.nodes[l.A].Name), escaped(d.nodes[l.B].Name), k)
	}
	d.writeNodes()
	d.printf(`</svg>`)
}

// beside is how far each link lies beside the straight line: parallel ones
// lie side by side.
func (d *drawing) beside() []float64 {
	parallel := map[[2]uint32]int{}
	var list []float64
	for _, l := range d.links {
		pair := [2]uint32{min(l.A, l.B), max(l.A, l.B)}
		list = append(list, 5*float64(parallel[pair]))
		parallel[pair]++
	}
	return list
}

func (d *drawing) writeNodes() {
	for i, n := range d.nodes {
		x, y := d.x[i], d.y[i]
		switch {
		case d.level[i] < 0:
		case n.Kind == scenario.Host:
			d.printf(`<circle cx="%.1f" cy="%.1f" r="%g" fill="#222"/>`, x, y, min(hostRadius, d.gap/3))
			if d.crowded {
				continue
			}
			if d.name[i] != nameBelow {
				anchor, aside := "end", -2.0*hostRadius
				if d.name[i] == nameRight {
					anchor, aside = "start", 2*hostRadius
				}
				d.printf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x+aside, y+4, anchor, escaped(n.Name))
				continue
			}
			if d.level[i] > 0 {
				d.printf(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x, y-10, escaped(n.Name))
				continue
			}
			d.printf(`<text x="%.1f" y="%.1f" transform="rotate(60 %[1]g %[2]g)">%[3]s</text>`, x-2, y+14, escaped(n.Name))
		default:
			w := letter*float64(len(n.Name)) + 10
			d.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="3" fill="#f4f4f4" stroke="#222"/>`, x-w/2, y-boxHeight/2, w, boxHeight)
			d.printf(`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, x, y+4, escaped(n.Name))
		}
	}
}
