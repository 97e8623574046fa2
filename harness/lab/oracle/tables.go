package oracle

import (
	"encoding/binary"
	"math"
	"slices"

	"fabriclab/analysis/num"
	"fabriclab/harness/experiment"
	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
)

// Names of the tables.
const (
	RatesTable = experiment.OptimalRates
	LinksTable = experiment.OptimalLinks
	FlowsTable = experiment.OptimalFlows
)

// Names are those of all tables.
var Names = []string{RatesTable, LinksTable, FlowsTable}

// tableOf is a table; the links' names are those of the network.
func tableOf(name string, links []num.Link) trace.Table {
	tables := experiment.OracleTables()
	t := tables[slices.IndexFunc(tables, func(t trace.Table) bool { return t.Name == name })]
	for i := range t.Columns {
		if t.Columns[i].Labels != nil {
			t.Columns[i].Labels = make([]string, len(links))
			for k, l := range links {
				t.Columns[i].Labels[k] = l.Name
			}
		}
	}
	return t
}

// sheet gathers rows of a table.
type sheet struct {
	writer  *trace.TableWriter
	columns [][]byte
	rows    int
}

// batchRows is how many rows are gathered before they are written.
const batchRows = 4096

// add appends a row, its values in the order and of the types of the columns.
func (s *sheet) add(values ...any) error {
	le := binary.LittleEndian
	for i, v := range values {
		c := s.columns[i]
		switch v := v.(type) {
		case bool:
			bit := byte(0)
			if v {
				bit = 1
			}
			c = append(c, bit)
		case uint32:
			c = le.AppendUint32(c, v)
		case int64:
			c = le.AppendUint64(c, uint64(v))
		case uint64:
			c = le.AppendUint64(c, v)
		case float64:
			c = le.AppendUint64(c, math.Float64bits(v))
		}
		s.columns[i] = c
	}
	if s.rows++; s.rows < batchRows {
		return nil
	}
	return s.flush()
}

func (s *sheet) flush() error {
	var payload []byte
	for i, c := range s.columns {
		payload = append(payload, c...)
		s.columns[i] = c[:0]
	}
	rows := s.rows
	s.rows = 0
	return s.writer.WriteRows(payload, rows)
}

// tables are those of a computation; nil are those that are not wanted.
type tables struct {
	rates, links, flows *sheet
	goodput             float64
	latency             func(f *scenario.Flow) (int64, error)
}

func newTables(o *Oracle, names []string, create func(trace.Table) (*trace.TableWriter, error)) (*tables, error) {
	t := &tables{goodput: o.point.Framing().Goodput(), latency: o.latency}
	for _, one := range []struct {
		sheet **sheet
		name  string
	}{{&t.rates, RatesTable}, {&t.links, LinksTable}, {&t.flows, FlowsTable}} {
		if !slices.Contains(names, one.name) {
			continue
		}
		table := tableOf(one.name, o.paths.links)
		w, err := create(table)
		if err != nil {
			return nil, err
		}
		*one.sheet = &sheet{writer: w, columns: make([][]byte, len(table.Columns))}
	}
	return t, nil
}

func (t *tables) interval(flows []scenario.Flow, i num.Interval) error {
	for k, f := range i.Flows {
		if t.rates == nil {
			break
		}
		rate := i.Solution.Totals[k]
		if err := t.rates.add(i.FromPs, i.ToPs, flows[f].ID, rate, rate*t.goodput); err != nil {
			return err
		}
	}
	for l, price := range i.Solution.Prices {
		if price > 0 && t.links != nil {
			if err := t.links.add(i.FromPs, uint32(l), price); err != nil {
				return err
			}
		}
	}
	return nil
}

// end writes what became of the flows and ends the tables.
func (t *tables) end(flows []scenario.Flow, done []num.Completion) error {
	for i, f := range flows {
		if t.flows == nil {
			break
		}
		fct := int64(-1)
		if done[i].EndPs >= 0 {
			latency, err := t.latency(&f)
			if err != nil {
				return err
			}
			fct = done[i].EndPs - f.StartPs + latency
		}
		if err := t.flows.add(f.ID, f.Src, f.Dst, f.Measured, f.Size, f.StartPs, done[i].EndPs, done[i].Bytes, fct); err != nil {
			return err
		}
	}
	for _, s := range []*sheet{t.rates, t.links, t.flows} {
		if s == nil {
			continue
		}
		if err := s.flush(); err != nil {
			return err
		}
		if _, err := s.writer.Finish(); err != nil {
			return err
		}
	}
	return nil
}
