package measure

import "fabriclab/analysis/table"

func init() {
	register(Kind{
		Name: "drops", Quantity: Count, Better: Lower,
		Title: "packets dropped in the window",
		From:  []string{"drops"},
		Needs: []string{"window"}, Complete: true,
		Take: drops,
	})
}

func drops(x in) (float64, error) {
	n := 0
	err := table.Scan(x.dir, "drops", table.Ints("time_ps"), func(r *table.Rows) error {
		for i := range r.N {
			if x.window.Contains(r.Int(0, i)) {
				n++
			}
		}
		return nil
	})
	return float64(n), err
}
