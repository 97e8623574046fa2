package measure_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/measure"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table/tabletest"
	"fabriclab/base/catalog"
)

func TestSpan(t *testing.T) {
	dir := priced(t).Dir
	tables := spec.Tables{"prices": pricesTable, "flows": {Name: "flows", Columns: []catalog.Column{{Name: "size_bytes"}}}}
	f := &spec.Figure{Known: spec.Known{Tables: tables}}
	of := func(m spec.Measure) (series.Window, bool) {
		w, timed, err := measure.Span(f, m, spec.Run{Dir: dir, Judged: series.Window{From: 5e6, To: 9e6}})
		require.NoError(t, err)
		return w, timed
	}
	rows := spec.Measure{Kind: "table", Column: spec.Column{Table: "prices"}}
	w, timed := of(rows)
	assert.True(t, timed)
	assert.Equal(t, series.Window{From: 1e6, To: 4e6}, w, "what was recorded, where nothing is chosen")

	rows.Window = &spec.Window{Window: series.Window{From: 2e6, To: 3e6}}
	w, _ = of(rows)
	assert.Equal(t, series.Window{From: 2e6, To: 3e6}, w)

	rows.Window = &spec.Window{Name: spec.Measuring}
	w, _ = of(rows)
	assert.Equal(t, series.Window{From: 5e6, To: 9e6}, w, "the run's own")

	w, timed = of(spec.Measure{Kind: "converged"})
	assert.True(t, timed)
	assert.Equal(t, measure.Whole, w, "it could have a window and has none")

	f.Tables["packets"] = catalog.Table{Name: "packets", Columns: []catalog.Column{{Name: "time_ps"}}}
	tabletest.Write(t, dir, "packets", []packet{{TimePs: 3e6}, {TimePs: 9e6}})
	w, timed = of(spec.Measure{Kind: "flowlet_size"})
	assert.True(t, timed)
	assert.Equal(t, series.Window{From: 3e6, To: 9e6}, w, "of all packets that were recorded")

	_, timed = of(spec.Measure{Kind: "table", Column: spec.Column{Table: "flows"}})
	assert.False(t, timed, "its rows have no time")
	_, timed = of(spec.Measure{Kind: "fct_slowdown"})
	assert.False(t, timed, "of measured flows")
}
