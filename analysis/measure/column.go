package measure

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
	"fabriclab/base/catalog"
	"fabriclab/base/reader"
	"fabriclab/base/units"
)

func init() {
	register(Kind{
		Name: "table", Quantity: Any, Better: Neither,
		Title: "`stat` of any column of any table; see [below](#any-column-of-any-table)",
		Needs: []string{"stat"}, Allows: []string{"window", "percentile", "port"}, Stats: Stats, Read: readTable,
		Signed: true,
		Take:   ofColumn, Spread: columnValues,
	})
}

// Stats are the statistics of a measure of any column: those of stats.Of, and
// what depends on the rows' number and order.
var Stats = append(slices.Clone(stats.Names), "percentile", "sum", "count", "first", "last", "growth")

// Across are the statistics of groups' values.
var Across = append(slices.Clone(stats.Names), "sum")

const timeColumn = "time_ps"

// readTable reads what names a column of any table, and checks it where the
// tables are known.
func readTable(s *reader.Section, m *spec.Measure, f *spec.Figure) {
	s.Need("table", "queues")
	ReadColumn(s, &m.Column)
	m.By, m.Across = spec.ReadList(s, "by"), spec.ReadChoice(s, "across", Across)
	switch {
	case m.Stat == "":
	case m.Stat != "count" && m.Column.Column == "":
		s.Fail(fmt.Errorf("the statistic %s needs column", m.Stat))
	case m.Stat == "count" && m.Column.Column != "":
		s.Fail(reader.At("column", errors.New("count counts rows; take column out")))
	case m.Over != "" && m.Stat == "growth":
		s.Fail(reader.At("over", errors.New("growth is of a counter; take over out")))
	case (m.Stat == "percentile") != (m.Percentile != nil):
		s.Fail(reader.At("percentile", errors.New("the statistic percentile and the key percentile go together")))
	case (m.By == nil) != (m.Across == ""):
		s.Fail(errors.New("by and across go together: the columns by which rows are grouped, and the statistic of the groups' values"))
	case m.Stat == "count" && m.Unit != "1":
		s.Fail(reader.At("unit", fmt.Errorf("unit: a count is in 1, not in %s", m.Unit)))
	case m.Table != "":
		s.Fail(checkColumn(f, m.Column, m.Unit, m.Window != nil || m.Stat == "growth"))
	}
	if t, known := f.Tables[m.Table]; known {
		for _, name := range m.By {
			if t.Column(name) == nil {
				s.Fail(reader.At("by", fmt.Errorf("by: the table %s has no column %q%s", m.Table, name, catalog.Hint(name, t.ColumnNames()))))
			}
		}
	}
}

// ReadColumn reads which column of which table is meant.
func ReadColumn(s *reader.Section, c *spec.Column) {
	c.Table, c.Column, c.Over, c.Where = s.Str("table"), s.Str("column"), s.Str("over"), spec.ReadConditions(s, "where")
}

// checkColumn says what is wrong with a column, where the tables are known.
func checkColumn(f *spec.Figure, c spec.Column, unit string, timed bool) error {
	if f.Tables == nil {
		return nil
	}
	t, known := f.Tables[c.Table]
	if !known {
		return unknown("table", c.Table, slices.Sorted(maps.Keys(f.Tables)))
	}
	_, err := compileColumn(&t, c, unit, timed)
	return err
}

// A rowTest says of a row whether it counts.
type rowTest func(r *table.Rows, row int) bool

// A reading is a column made ready to be read.
type reading struct {
	columns []table.Column
	tests   []rowTest
	value   func(r *table.Rows, row int) (v float64, isNull bool) // nil without a column
	time    int                                                   // position of time_ps, -1 without
	scale   float64
}

// column adds a column to those that are read and returns its position.
func (rd *reading) column(c *catalog.Column) int {
	for i, known := range rd.columns {
		if known.Name == c.Name {
			return i
		}
	}
	rd.columns = append(rd.columns, table.Column{Name: c.Name, Type: typeOf(c)})
	return len(rd.columns) - 1
}

func typeOf(c *catalog.Column) table.Type {
	switch c.Type {
	case "string":
		return table.String
	case "bool":
		return table.Bool
	case "f64":
		return table.Float
	}
	return table.Int
}

// compileColumn makes a column of a stored table ready to be read in a unit.
func compileColumn(t *catalog.Table, c spec.Column, unit string, timed bool) (*reading, error) {
	rd := &reading{time: -1, scale: 1}
	find := func(name string) (*catalog.Column, error) {
		column := t.Column(name)
		if column == nil {
			return nil, fmt.Errorf("the table %s has no column %q%s", t.Name, name, catalog.Hint(name, t.ColumnNames()))
		}
		return column, nil
	}
	if c.Column != "" {
		column, err := find(c.Column)
		if err != nil {
			return nil, err
		}
		if rd.value, err = rd.reader(column); err != nil {
			return nil, err
		}
		if c.Over != "" {
			column, err = rd.over(column, c.Over, find)
		}
		if err != nil {
			return nil, fmt.Errorf("over: %w", err)
		}
		if rd.scale, err = scaleOf(column, unit); err != nil {
			return nil, fmt.Errorf("unit: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Where)) { // the same error each time
		condition := c.Where[name]
		column, err := find(name)
		if err != nil {
			return nil, fmt.Errorf("where: %w", err)
		}
		test, err := rd.test(column, condition)
		if err != nil {
			return nil, fmt.Errorf("where: %s: %w", name, err)
		}
		rd.tests = append(rd.tests, test)
	}
	if t.Column(timeColumn) != nil {
		rd.time = rd.column(t.Column(timeColumn))
	} else if timed {
		return nil, fmt.Errorf("the table %s has no column %s, so that there is no window, growth or series of it; choose rows with where", t.Name, timeColumn)
	}
	return rd, nil
}

// over divides the values by those of another column, row by row, and is the
// column that results: a share. A division by 0 has no value.
func (rd *reading) over(of *catalog.Column, name string, find func(string) (*catalog.Column, error)) (*catalog.Column, error) {
	by, err := find(name)
	if err != nil {
		return nil, err
	}
	if by.Unit != of.Unit {
		return nil, fmt.Errorf("the column %s is in %q and %s in %q; divide by one of the same unit", of.Name, of.Unit, by.Name, by.Unit)
	}
	value := rd.value
	divisor, err := rd.reader(by)
	if err != nil {
		return nil, err
	}
	rd.value = func(r *table.Rows, row int) (float64, bool) {
		v, isNull := value(r, row)
		d, none := divisor(r, row)
		return v / d, isNull || none || d == 0
	}
	return &catalog.Column{Name: of.Name + " over " + by.Name, Type: "f64", Unit: "1"}, nil
}

// scaleOf is how many of a column's unit one of the measure's is.
func scaleOf(c *catalog.Column, unit string) (float64, error) {
	quantities := map[string]Quantity{"ps": Time, "B": Bytes, "bit/s": Rate, "1": Share, "": Share}
	if q, known := quantities[c.Unit]; known {
		return Scale(q, unit)
	}
	if unit != c.Unit {
		return 0, fmt.Errorf("the column %s is in %s; write that", c.Name, c.Unit)
	}
	return 1, nil
}

func (rd *reading) reader(c *catalog.Column) (func(*table.Rows, int) (float64, bool), error) {
	at := rd.column(c)
	switch typeOf(c) {
	case table.String:
		return nil, fmt.Errorf("the column %s has texts; choose rows by it with where, and count them with stat: count", c.Name)
	case table.Bool:
		return func(r *table.Rows, row int) (float64, bool) {
			if r.Bool(at, row) {
				return 1, r.Null(at, row)
			}
			return 0, r.Null(at, row)
		}, nil
	case table.Float:
		return func(r *table.Rows, row int) (float64, bool) { return r.Float(at, row), r.Null(at, row) }, nil
	}
	return func(r *table.Rows, row int) (float64, bool) { return float64(r.Int(at, row)), r.Null(at, row) }, nil
}

// test makes a condition of a column ready. No value fulfils no condition.
func (rd *reading) test(c *catalog.Column, condition spec.Condition) (rowTest, error) {
	at := rd.column(c)
	holds, err := conditionOf(c, condition)
	if err != nil {
		return nil, err
	}
	return func(r *table.Rows, row int) bool { return !r.Null(at, row) && holds(r, at, row) }, nil
}

// conditionOf reads a condition by the type and the unit of its column.
func conditionOf(c *catalog.Column, condition spec.Condition) (func(r *table.Rows, at, row int) bool, error) {
	switch typeOf(c) {
	case table.String:
		holds, err := textCondition(c, condition)
		return func(r *table.Rows, at, row int) bool { return holds(r.String(at, row)) }, err
	case table.Bool:
		holds, err := valueCondition(condition, func(text string) (int, error) {
			if text != "true" && text != "false" {
				return 0, fmt.Errorf("%q is neither true nor false", text)
			}
			return len(text), nil // two different numbers
		})
		return func(r *table.Rows, at, row int) bool {
			return holds(len(strconv.FormatBool(r.Bool(at, row))))
		}, err
	case table.Float:
		holds, err := valueCondition(condition, func(text string) (float64, error) {
			if parse := quantityParser(c.Unit); parse != nil {
				v, err := parse(text)
				return float64(v), err
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return 0, fmt.Errorf("%q is not a number", text)
			}
			return v, nil
		})
		return func(r *table.Rows, at, row int) bool { return holds(r.Float(at, row)) }, err
	}
	parse := quantityParser(c.Unit)
	if parse == nil {
		parse = func(text string) (int64, error) {
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%q is not a whole number", text)
			}
			return v, nil
		}
	}
	holds, err := valueCondition(condition, parse)
	return func(r *table.Rows, at, row int) bool { return holds(r.Int(at, row)) }, err
}

// quantityParser reads values with their unit; nil for plain numbers.
func quantityParser(unit string) func(string) (int64, error) {
	return map[string]func(string) (int64, error){"ps": units.ParseTime, "B": units.ParseBytes, "bit/s": units.ParseRate}[unit]
}

func textCondition(c *catalog.Column, condition spec.Condition) (func(string) bool, error) {
	if condition.Sign != "" && condition.Sign != "!=" {
		return nil, fmt.Errorf("texts have no order; write a value, a list or != and a value")
	}
	for _, pattern := range condition.Values {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: %w", pattern, err)
		}
		if !strings.ContainsAny(pattern, "*?[\\") && len(c.Labels) > 0 && !slices.Contains(c.Labels, pattern) {
			return nil, fmt.Errorf("there is no %q%s", pattern, catalog.Hint(pattern, c.Labels))
		}
	}
	return func(text string) bool {
		return slices.ContainsFunc(condition.Values, func(p string) bool { return portMatches(p, text) }) == (condition.Sign == "")
	}, nil
}

func valueCondition[T cmp.Ordered](condition spec.Condition, parse func(string) (T, error)) (func(T) bool, error) {
	var values []T
	for _, text := range condition.Values {
		v, err := parse(text)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	switch condition.Sign {
	case "<":
		return func(v T) bool { return v < values[0] }, nil
	case "<=":
		return func(v T) bool { return v <= values[0] }, nil
	case ">":
		return func(v T) bool { return v > values[0] }, nil
	case ">=":
		return func(v T) bool { return v >= values[0] }, nil
	case "!=":
		return func(v T) bool { return v != values[0] }, nil
	}
	return func(v T) bool { return slices.Contains(values, v) }, nil
}

// counts says whether all tests hold.
func (rd *reading) counts(r *table.Rows, row int) bool {
	for _, holds := range rd.tests {
		if !holds(r, row) {
			return false
		}
	}
	return true
}

// open makes a column of a run's table ready; port, if any, is what the column
// link has to be.
func open(dir string, c spec.Column, port, unit string, timed bool) (*reading, *catalog.Table, error) {
	t, err := table.Describe(dir, c.Table)
	if err != nil {
		return nil, nil, err
	}
	if port != "" {
		where := map[string]spec.Condition{"link": {Values: []string{port}}}
		for name, condition := range c.Where {
			if name == "link" {
				return nil, nil, fmt.Errorf("port and where: link exclude each other")
			}
			where[name] = condition
		}
		c.Where = where
	}
	rd, err := compileColumn(t, c, unit, timed)
	return rd, t, inRun(dir, err)
}

// rowGroup is the rows of one group.
type rowGroup struct {
	values []float64
	rows   int
	before float64 // the last value before the window
}

// columnGroups reads the groups of a measure of any column, in the order of
// their first row; without by, all rows are one group.
func columnGroups(x in) ([]*rowGroup, *reading, error) {
	timed := x.m.Window != nil || x.m.Stat == "growth"
	rd, t, err := open(x.dir, x.m.Column, x.port, x.m.Unit, timed)
	if err != nil {
		return nil, nil, err
	}
	window := series.Window{From: math.MinInt64, To: math.MaxInt64}
	if x.m.Window != nil {
		window = x.window
	}
	var by []func(*table.Rows, int) string
	for _, name := range x.m.By {
		c := t.Column(name)
		if c == nil {
			return nil, nil, inRun(x.dir, fmt.Errorf("by: the table %s has no column %q%s", t.Name, name, catalog.Hint(name, t.ColumnNames())))
		}
		by = append(by, rd.text(c))
	}
	found := map[string]*rowGroup{}
	var groups []*rowGroup
	var key []string
	missing := 0
	err = table.Scan(x.dir, x.m.Table, rd.columns, func(r *table.Rows) error {
		for i := range r.N {
			if timed && r.Int(rd.time, i) > window.To || !rd.counts(r, i) {
				continue
			}
			key = key[:0]
			for _, text := range by {
				key = append(key, text(r, i))
			}
			name := strings.Join(key, "\x00")
			g := found[name]
			if g == nil {
				g = &rowGroup{}
				found[name] = g
				groups = append(groups, g)
			}
			v, isNull := 0.0, false
			if rd.value != nil {
				v, isNull = rd.value(r, i)
			}
			switch {
			case isNull:
				missing++
			case timed && r.Int(rd.time, i) <= window.From:
				g.before = v
			default:
				g.rows++
				g.values = append(g.values, v/rd.scale)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case len(groups) == 0:
		err = knownLink(x.dir, x.m.Where["link"])
	case missing > 0:
		return nil, nil, fmt.Errorf("run %s: %d rows of %s have no %s; leave them out with where", x.dir, missing, x.m.Table, x.m.Column.Column)
	}
	return groups, rd, err
}

// knownLink says whether the network has the port that a condition names.
func knownLink(dir string, link spec.Condition) error {
	if len(link.Values) != 1 || strings.ContainsAny(link.Values[0], "*?[\\") {
		return nil
	}
	network, err := table.ReadNetwork(dir)
	if err != nil {
		return err
	}
	_, err = network.Rate(link.Values[0])
	return err
}

// text is a column's value as a text.
func (rd *reading) text(c *catalog.Column) func(*table.Rows, int) string {
	at := rd.column(c)
	switch typeOf(c) {
	case table.String:
		return func(r *table.Rows, row int) string { return r.String(at, row) }
	case table.Bool:
		return func(r *table.Rows, row int) string { return strconv.FormatBool(r.Bool(at, row)) }
	case table.Float:
		return func(r *table.Rows, row int) string {
			return strconv.FormatFloat(r.Float(at, row), 'g', -1, 64)
		}
	}
	return func(r *table.Rows, row int) string { return strconv.FormatInt(r.Int(at, row), 10) }
}

// statistic is a group's value.
func (g *rowGroup) statistic(m spec.Measure, scale float64) (float64, error) {
	switch n := len(g.values); {
	case g.rows == 0 && m.By != nil:
		return math.NaN(), nil // it has rows before the window only, as others have behind it
	case m.Stat == "count":
		return float64(g.rows), nil
	case m.Stat == "sum":
		return stats.Sum(g.values), nil
	case n == 0:
		return math.NaN(), nil
	case m.Stat == "first":
		return g.values[0], nil
	case m.Stat == "last":
		return g.values[n-1], nil
	case m.Stat == "growth":
		return g.values[n-1] - g.before/scale, nil
	case m.Stat == "percentile":
		slices.Sort(g.values)
		return stats.Quantile(g.values, *m.Percentile/100), nil
	}
	return stats.Of(g.values, m.Stat)
}

// ofColumn is a statistic of any column of any table.
func ofColumn(x in) (float64, error) {
	values, err := columnStatistics(x)
	if err != nil {
		return 0, err
	}
	switch {
	case x.m.By == nil:
		return values[0], nil
	case x.m.Across == "sum":
		return stats.Sum(values), nil
	}
	return stats.Of(values, x.m.Across)
}

// columnStatistics are the groups' values. There is one or more.
func columnStatistics(x in) ([]float64, error) {
	groups, rd, err := columnGroups(x)
	if err != nil {
		return nil, err
	}
	if len(groups) == 0 && x.m.By == nil {
		groups = append(groups, &rowGroup{})
	}
	var values []float64
	for _, g := range groups {
		v, err := g.statistic(x.m, rd.scale)
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("run %s: no row of %s is meant; see its where and window", x.dir, x.m.Table)
	}
	return values, nil
}

// columnValues are what a measure of any column sums up: the groups' values, or
// without groups the rows'.
func columnValues(x in) ([]float64, error) {
	if x.m.By != nil {
		return columnStatistics(x)
	}
	groups, _, err := columnGroups(x)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	return groups[0].values, nil
}

// columnSeries is a column over time, in the series' unit.
func columnSeries(f *spec.Figure, s spec.Series, w series.Window, run spec.Run) (series.Series, error) {
	port := ""
	if s.Port != "" || s.PortBy != nil {
		var err error
		if port, err = portOf(f, s.Source, run); err != nil {
			return nil, err
		}
	}
	rd, _, err := open(run.Dir, s.Column, port, s.Unit, true)
	if err != nil {
		return nil, err
	}
	var out series.Series
	err = table.Scan(run.Dir, s.Table, rd.columns, func(r *table.Rows) error {
		for i := range r.N {
			if !w.Contains(r.Int(rd.time, i)) || !rd.counts(r, i) {
				continue
			}
			if v, isNull := rd.value(r, i); !isNull {
				out = append(out, series.Point{Time: r.Int(rd.time, i), Value: v / rd.scale})
			}
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("run %s: no row of %s from %s is meant; see its where", run.Dir, s.Table, w)
	}
	return out, err
}
