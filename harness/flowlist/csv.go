package flowlist

import (
	"bufio"
	"encoding/csv"
	"io"
	"iter"
	"strconv"

	"fabriclab/harness/scenario"
	"fabriclab/harness/workload"
)

// after is what a flow waits for, as a workload of type dag reads it.
func after(others []scenario.Dependency) string {
	var text []byte
	for i, d := range others {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendUint(text, uint64(d.On), 10)
		if d.DelayPs > 0 {
			text = append(strconv.AppendInt(append(text, '+'), d.DelayPs, 10), "ps"...)
		}
	}
	return string(text)
}

// writeCSV writes the columns of the Parquet list as text; weights have as
// many digits as it takes to read the same number back.
func writeCSV(out io.Writer, l *List, flows iter.Seq2[scenario.Flow, error]) error {
	buffer := bufio.NewWriterSize(out, 256<<10)
	w := csv.NewWriter(buffer)
	columns := tableOf(l.Flows).Columns
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.Name
	}
	waits := workload.HasDependencies(l.Flows)
	if waits {
		row = append(row, "after")
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for f, err := range flows {
		if err != nil {
			return err
		}
		src, err := host(l.Hosts, f.Src)
		if err != nil {
			return err
		}
		dst, err := host(l.Hosts, f.Dst)
		if err != nil {
			return err
		}
		number := func(n uint64) string { return strconv.FormatUint(n, 10) }
		size := number(f.Size)
		if f.Size == 0 && !f.Task() {
			size = "unlimited"
		}
		row = append(row[:0],
			number(uint64(f.ID)), number(uint64(f.Group)), src, dst, number(uint64(f.Class)), size,
			strconv.FormatInt(f.StartPs, 10), strconv.FormatInt(f.StopPs, 10),
			number(uint64(f.SrcPort)), number(uint64(f.DstPort)), strconv.FormatFloat(f.Weight, 'g', -1, 64))
		if len(columns) > len(table.Columns) {
			row = append(row, strconv.FormatBool(f.Persistent), strconv.FormatBool(f.ClosedLoop))
		}
		if waits {
			row = append(row, after(f.After))
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return buffer.Flush()
}
