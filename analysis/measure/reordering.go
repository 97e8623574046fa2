package measure

import (
	"fmt"

	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "reordering", Quantity: Share, Better: Lower,
		Title:  "data packets that arrive while an earlier byte is missing / data packets sent",
		From:   []string{"flows"},
		Allows: []string{"min_size", "max_size"},
		Take:   reordering,
	})
}

// reordering is the share of the data packets that came out of order.
func reordering(x in) (float64, error) {
	columns := append(table.Ints("size_bytes", "packets", "reordered"), table.Column{Name: "measured", Type: table.Bool})
	var packets, reordered int64
	err := table.Scan(x.dir, "flows", columns, func(r *table.Rows) error {
		for i := range r.N {
			if size := r.Int(0, i); r.Bool(3, i) && size >= int64(x.m.MinSize) && size < x.maxSize() {
				packets += r.Int(1, i)
				reordered += r.Int(2, i)
			}
		}
		return nil
	})
	if err == nil && packets == 0 {
		err = inRun(x.dir, fmt.Errorf("there are no packets of measured flows"))
	}
	return float64(reordered) / float64(packets), err
}
