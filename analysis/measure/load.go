package measure

import (
	"fmt"

	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "carried_share", Quantity: Share, Better: Higher,
		Title: "load carried / load offered in the window",
		From:  []string{"load"},
		Needs: []string{"window"}, Complete: true,
		Take: carriedShare,
	})
}

// carriedShare is the load carried over the load offered, of the bins in the window.
func carriedShare(x in) (float64, error) {
	var carried, offered float64
	columns := append(table.Ints("time_ps"), table.Column{Name: "carried_bps", Type: table.Float}, table.Column{Name: "offered_bps", Type: table.Float})
	err := table.Scan(x.dir, "load", columns, func(r *table.Rows) error {
		for i := range r.N {
			if x.window.Contains(r.Int(0, i)) {
				carried += r.Float(1, i)
				offered += r.Float(2, i)
			}
		}
		return nil
	})
	if err == nil && offered == 0 {
		err = inRun(x.dir, fmt.Errorf("no load was offered from %s", x.window))
	}
	return carried / offered, err
}
