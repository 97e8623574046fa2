package measure

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "flowlet_size", Quantity: Bytes, Better: Lower,
		Title: "a gap longer than `gap` ends a flowlet; the size such that flowlets up to it hold `percentile` % of all bytes (CONGA's Figure 5); record the hosts' ports",
		From:  []string{"packets"},
		Needs: []string{"gap", "percentile"},
		Take:  flowletSize, Spread: flowletSizes,
	})
}

// FlowletSizes are the bytes on the wire of all flowlets of a run: the packets of a
// flow between gaps longer than gap, in ps. A flow is followed at the first
// port that is seen to send one of its data packets.
func FlowletSizes(dir string, gap int64) ([]int64, error) {
	type state struct {
		port string
		last int64
		size int64
	}
	open := map[int64]*state{}
	var order []*state // the same bytes whatever the order of the map
	var sizes []int64
	columns := append(table.Ints("time_ps", "flow", "bytes"),
		table.Column{Name: "link", Type: table.String}, table.Column{Name: "event", Type: table.String}, table.Column{Name: "kind", Type: table.String})
	err := table.Scan(dir, "packets", columns, func(r *table.Rows) error {
		for i := range r.N {
			if !r.Is(4, i, "dequeue") || !r.Is(5, i, "data") {
				continue
			}
			at, flow := r.Int(0, i), r.Int(1, i)
			s := open[flow]
			if s == nil {
				s = &state{port: r.String(3, i), last: at}
				open[flow] = s
				order = append(order, s)
			}
			if !r.Is(3, i, s.port) {
				continue
			}
			if at-s.last > gap {
				sizes = append(sizes, s.size)
				s.size = 0
			}
			s.last, s.size = at, s.size+r.Int(2, i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range order {
		sizes = append(sizes, s.size)
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("run %s: packets has no data packet that leaves a port; record the hosts' ports under trace.packets.ports", dir)
	}
	return sizes, nil
}

// BytesPercentile is the size up to which flowlets hold so many per cent of all
// bytes; the sizes are sorted by it.
func BytesPercentile(sizes []int64, percent float64) int64 {
	slices.Sort(sizes)
	values := make([]float64, len(sizes))
	for i, size := range sizes {
		values[i] = float64(size)
	}
	return int64(stat.Quantile(percent/100, stat.Empirical, values, values)) // each weighs as much as it is long
}

func flowletSize(x in) (float64, error) {
	sizes, err := FlowletSizes(x.dir, int64(x.m.Gap))
	if err != nil {
		return 0, err
	}
	return float64(BytesPercentile(sizes, *x.m.Percentile)), nil
}

// flowletSizes are the sizes that shares of the bytes, from 0.1 to 100 % in
// equal steps, do not exceed: as many of each size as it has bytes.
func flowletSizes(x in) ([]float64, error) {
	sizes, err := FlowletSizes(x.dir, int64(x.m.Gap))
	if err != nil {
		return nil, err
	}
	const steps = 1000
	values := make([]float64, 0, steps)
	for i := 1; i <= steps; i++ {
		values = append(values, float64(BytesPercentile(sizes, 100*float64(i)/steps)))
	}
	return values, nil
}
