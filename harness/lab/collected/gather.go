package collected

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"fabriclab/analysis/collect"
	"fabriclab/analysis/sheet"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/table"
	"fabriclab/base/catalog"
	"fabriclab/harness/lab"
	"fabriclab/harness/lab/plan"
	"fabriclab/harness/store"
	"fabriclab/harness/trace"
)

// Gather writes one table of all runs of an experiment or of a results folder
// as one, with the labels and the effective parameters in which the runs differ
// before each row.
func Gather(ctx context.Context, lab *lab.Lab, out io.Writer, format trace.Format, name, tableName string, s plan.Selection, take Taking) (rows int64, runs int, err error) {
	dirs := map[string]string{} // by scenario, engine and seed
	key := func(r collect.Run) string {
		return fmt.Sprint(r.Experiment, " ", r.Scenario, " ", r.Engine, " ", r.Seed)
	}
	tables := map[string]bool{}
	found, err := sweep(ctx, lab, name, s, take, func(dir string, m *store.Manifest, labels map[string]string, _ *spec.Figure, depth store.Depth) (collect.Run, error) {
		r, err := verified(dir, m, labels, depth)
		if err != nil {
			return r, err
		}
		for file := range m.Outputs {
			if name, is := strings.CutSuffix(file, ".parquet"); is {
				tables[name] = true
			}
		}
		if _, has := m.Outputs[tableName+".parquet"]; has {
			dirs[key(r)] = dir
		}
		return r, nil
	})
	if err != nil {
		return 0, 0, err
	}
	without := 0
	all := len(found)
	found = slices.DeleteFunc(found, func(r collect.Run) bool {
		_, has := dirs[key(r)]
		if !has {
			without++
		}
		return !has
	})
	if len(found) == 0 {
		return 0, 0, fmt.Errorf("none of the %d runs has a table %q%s (tables are asked for under `trace:` in the experiment)", all, tableName, catalog.Hint(tableName, slices.Sorted(maps.Keys(tables))))
	}
	if without > 0 {
		fmt.Fprintf(lab.Err, "warning: %d of %d runs have no table %s and are left out\n", without, all, tableName)
	}
	collect.Differing(found)
	t, err := trace.Open(dirs[key(found[0])], tableName)
	if err != nil {
		return 0, 0, err
	}
	var own []string
	for _, c := range t.Table.Columns {
		own = append(own, c.Name)
	}
	if err := t.Close(); err != nil {
		return 0, 0, err
	}
	columns, cells := collect.Places(found, own)
	withClass := take.DataClass && slices.Contains(own, "class")
	if withClass {
		columns = append(columns, sheet.Column{Name: collect.DataClass, Kind: sheet.Integer})
	}
	var parts []trace.Part
	for _, r := range found {
		values := cells(r)
		if withClass {
			class, err := dataClass(dirs[key(r)])
			if err != nil {
				return 0, 0, err
			}
			values = append(values, class)
		}
		parts = append(parts, trace.Part{Dir: dirs[key(r)], Place: placeValues(values)})
	}
	rows, err = trace.Gather(out, format, tableName, placeColumns(columns), parts)
	return rows, len(found), err
}

// dataClass is the class of the data packets of the run in dir.
func dataClass(dir string) (uint64, error) {
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return 0, err
	}
	class, err := network.DataClass()
	return uint64(class), err
}

// placeColumns are the columns before those of the table.
func placeColumns(columns []sheet.Column) []trace.Column {
	var out []trace.Column
	for _, c := range columns {
		kind := map[sheet.Kind]string{sheet.Integer: "u64", sheet.Number: "f64"}[c.Kind]
		if kind == "" {
			kind = "string"
		}
		out = append(out, trace.Column{Name: c.Name, Type: kind, Nullable: c.Kind == sheet.OptionalText || c.Kind == sheet.Number})
	}
	return out
}

func placeValues(cells []any) []parquet.Value {
	values := make([]parquet.Value, len(cells))
	for i, c := range cells {
		values[i] = parquet.ValueOf(c)
	}
	return values
}
