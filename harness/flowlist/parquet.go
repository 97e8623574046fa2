package flowlist

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"

	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
	"fabriclab/harness/workload"
)

// TableName is the flow list in a run directory, for people; File is its
// file.
const (
	TableName = "flow-list"
	File      = TableName + ".parquet"
	// DependencyTableName is beside it where flows wait for others.
	DependencyTableName = "flow-dependencies"
)

var dependencies = trace.Table{
	Name: DependencyTableName, Title: "What flows of the list wait for", Scope: "flow",
	Columns: []trace.Column{
		{Name: "flow", Type: "u32", Unit: "1", Help: "number of the flow that waits"},
		{Name: "after", Type: "u32", Unit: "1", Help: "number of the flow or task that it waits for"},
		{Name: "delay_ps", Type: "i64", Unit: "ps", Help: "for how long after the other one's end"},
	},
}

// ofMessages are the columns of lists in which a flow may be a message on a
// persistent connection.
var ofMessages = []trace.Column{
	{Name: "persistent", Type: "bool", Unit: "1", Help: "a message on the connection of its hosts, ports and class, which stays open"},
	{Name: "closed_loop", Type: "bool", Unit: "1", Help: "its start is by a clock of its connection that stands still while a message is under way"},
}

// tableOf is the table of a workload's flows.
func tableOf(flows workload.Generator) trace.Table {
	t := table
	if workload.HasConnections(flows) {
		t.Columns = append(slices.Clip(t.Columns), ofMessages...)
	}
	return t
}

// table has the columns that a workload of type file reads, so that a list
// can be edited and run.
var table = trace.Table{
	Name: TableName, Title: "The flow list: what was to be sent", Scope: "flow",
	Columns: []trace.Column{
		{Name: "flow", Type: "u32", Unit: "1", Help: "number of the flow"},
		{Name: "group", Type: "u32", Unit: "1", Help: "job, incast or coflow; 0 = none"},
		{Name: "src", Type: "u32", Unit: "1", Ref: "node", Help: "sending host"},
		{Name: "dst", Type: "u32", Unit: "1", Ref: "node", Help: "receiving host"},
		{Name: "class", Type: "u8", Unit: "1", Help: "priority class of the data packets"},
		{Name: "size_bytes", Type: "u64", Unit: "B", Help: "payload; 0 = unlimited"},
		{Name: "start_ps", Type: "i64", Unit: "ps", Help: "when the flow starts"},
		{Name: "stop_ps", Type: "i64", Unit: "ps", Help: "when the sender stops; -1 = never"},
		{Name: "src_port", Type: "u16", Unit: "1", Help: "UDP source port"},
		{Name: "dst_port", Type: "u16", Unit: "1", Help: "UDP destination port"},
		{Name: "weight", Type: "f64", Unit: "1", Help: "weight of the flow's share, where the transport knows weights"},
	},
}

// batchRows is how many rows are gathered before they are written.
const batchRows = 4096

// parquetList gathers flows column by column.
type parquetList struct {
	writer  *trace.TableWriter
	columns [][]byte // as in a block of a trace stream; behind table's may be ofMessages
	payload []byte
	rows    int
	after   *parquetList // what flows wait for; nil where none does
}

// newParquet creates a list at a path; with a writer given, its bytes go
// there, and nothing is created.
func newParquet(path string, l *List, to io.Writer) (*parquetList, error) {
	opt := trace.Options{Dir: filepath.Dir(path), Names: trace.NodeNames(l.Hosts)}
	if to != nil {
		opt.Create = func(string) (io.WriteCloser, error) { return nopCloser{to}, nil }
	}
	list, err := newTable(tableOf(l.Flows), opt)
	if err != nil || !workload.HasDependencies(l.Flows) {
		return list, err
	}
	if list.after, err = newTable(dependencies, opt); err != nil {
		return nil, errors.Join(err, list.close())
	}
	return list, nil
}

func newTable(t trace.Table, opt trace.Options) (*parquetList, error) {
	writer, err := trace.NewTableWriter(t, opt)
	if err != nil {
		return nil, err
	}
	return &parquetList{writer: writer, columns: make([][]byte, len(t.Columns))}, nil
}

// keep yields what flows yields, and keeps it.
func (p *parquetList) keep(flows iter.Seq2[scenario.Flow, error]) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for f, err := range flows {
			if err == nil {
				err = p.add(&f)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

func (p *parquetList) add(f *scenario.Flow) error {
	le, c := binary.LittleEndian, p.columns
	c[0] = le.AppendUint32(c[0], f.ID)
	c[1] = le.AppendUint32(c[1], f.Group)
	c[2] = le.AppendUint32(c[2], f.Src)
	c[3] = le.AppendUint32(c[3], f.Dst)
	c[4] = append(c[4], f.Class)
	c[5] = le.AppendUint64(c[5], f.Size)
	c[6] = le.AppendUint64(c[6], uint64(f.StartPs))
	c[7] = le.AppendUint64(c[7], uint64(f.StopPs))
	c[8] = le.AppendUint16(c[8], f.SrcPort)
	c[9] = le.AppendUint16(c[9], f.DstPort)
	c[10] = le.AppendUint64(c[10], math.Float64bits(f.Weight))
	if len(c) > len(table.Columns) {
		c[11] = append(c[11], bit(f.Persistent))
		c[12] = append(c[12], bit(f.ClosedLoop))
	}
	for _, d := range f.After {
		if err := p.after.addDependency(f.ID, d); err != nil {
			return err
		}
	}
	return p.added()
}

func (p *parquetList) addDependency(id uint32, d scenario.Dependency) error {
	le, c := binary.LittleEndian, p.columns
	c[0] = le.AppendUint32(c[0], id)
	c[1] = le.AppendUint32(c[1], d.On)
	c[2] = le.AppendUint64(c[2], uint64(d.DelayPs))
	return p.added()
}

// added counts a row.
func (p *parquetList) added() error {
	if p.rows++; p.rows < batchRows {
		return nil
	}
	return p.flush()
}

func bit(is bool) byte {
	if is {
		return 1
	}
	return 0
}

func (p *parquetList) flush() error {
	p.payload = p.payload[:0]
	for i, column := range p.columns {
		p.payload = append(p.payload, column...)
		p.columns[i] = column[:0]
	}
	rows := p.rows
	p.rows = 0
	return p.writer.WriteRows(p.payload, rows)
}

// finish makes a table of what was kept.
func (p *parquetList) finish() error {
	if err := p.flush(); err != nil {
		return err
	}
	if _, err := p.writer.Finish(); err != nil || p.after == nil {
		return err
	}
	return p.after.finish()
}

func (p *parquetList) close() error {
	if p.after == nil {
		return p.writer.Close()
	}
	return errors.Join(p.writer.Close(), p.after.close())
}

// writeParquet writes a list to a file that is open.
func writeParquet(to io.Writer, l *List, flows iter.Seq2[scenario.Flow, error]) error {
	if workload.HasDependencies(l.Flows) {
		return errors.New("flows that wait for others are written as .csv, where what they wait for is a column, or as .bin; end the file's name so")
	}
	list, err := newParquet(File, l, to)
	if err != nil {
		return err
	}
	for _, err := range list.keep(flows) {
		if err != nil {
			return err
		}
	}
	return list.finish()
}
