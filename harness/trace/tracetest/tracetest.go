// Package tracetest writes trace streams for tests: good ones and, by hand of
// the test, bad ones.
package tracetest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"fabriclab/harness/scenario"
	"fabriclab/harness/trace"
)

// Writer encodes a trace stream.
type Writer struct {
	out    io.Writer
	header trace.Header
	rows   []uint64
}

// NewWriter writes the stream's header.
func NewWriter(out io.Writer, header trace.Header) (*Writer, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	head := append([]byte(trace.Magic), binary.LittleEndian.AppendUint32(nil, uint32(len(text)))...)
	if _, err := out.Write(append(head, text...)); err != nil {
		return nil, err
	}
	return &Writer{out: out, header: header, rows: make([]uint64, len(header.Tables))}, nil
}

// Rows writes rows of a table as one block. Values are Go integers, floats or
// bools and are converted to the column's type.
func (w *Writer) Rows(table string, rows ...[]any) error {
	index := -1
	for i, t := range w.header.Tables {
		if t.Name == table {
			index = i
		}
	}
	if index < 0 {
		return fmt.Errorf("no table %q", table)
	}
	var payload []byte
	for c, column := range w.header.Tables[index].Columns {
		for _, row := range rows {
			payload = appendValue(payload, column.Type, row[c])
		}
	}
	w.rows[index] += uint64(len(rows))
	_, err := w.out.Write(Block(index, len(rows), payload))
	return err
}

// Block encodes one block with a right checksum.
func Block(table, rows int, payload []byte) []byte {
	var b bytes.Buffer
	b.WriteString("FBLK")
	for _, v := range []uint32{uint32(table), uint32(rows), uint32(len(payload)), crc32.ChecksumIEEE(payload)} {
		b.Write(binary.LittleEndian.AppendUint32(nil, v))
	}
	b.Write(payload)
	return b.Bytes()
}

// End writes the end block.
func (w *Writer) End() error {
	text, err := json.Marshal(map[string]any{"rows": w.rows})
	if err != nil {
		return err
	}
	b := []byte("FEND")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(text))
	_, err = w.out.Write(append(b, text...))
	return err
}

func appendValue(b []byte, kind string, value any) []byte {
	var bits uint64
	switch v := value.(type) {
	case int:
		bits = uint64(v)
		if kind == "f64" {
			bits = math.Float64bits(float64(v))
		}
	case float64:
		bits = math.Float64bits(v)
	case bool:
		if v {
			bits = 1
		}
	default:
		panic(fmt.Sprintf("tracetest: value %v of type %T", value, value))
	}
	switch kind {
	case "i64", "u64", "f64":
		return binary.LittleEndian.AppendUint64(b, bits)
	case "u32":
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	case "u16":
		return binary.LittleEndian.AppendUint16(b, uint16(bits))
	}
	return append(b, byte(bits))
}

// Scenario is a small scenario that names the nodes and links of the streams
// made by Header.
const Scenario = `{"format":"fabriclab-scenario","version":1,"name":"test","seed":1,"stop_ps":1000000,
"nodes":[{"id":0,"name":"sender0","kind":"host"},{"id":1,"name":"receiver0","kind":"host"},{"id":2,"name":"s1","kind":"switch","hash_salt":0},{"id":3,"name":"s2","kind":"switch","hash_salt":0}],
"links":[{"id":0,"a":0,"a_port":0,"b":2,"b_port":0,"rate_bps":100000000000,"delay_ps":1500000},
{"id":1,"a":2,"a_port":1,"b":3,"b_port":0,"rate_bps":100000000000,"delay_ps":1500000},
{"id":2,"a":2,"a_port":2,"b":3,"b_port":1,"rate_bps":100000000000,"delay_ps":1500000},
{"id":3,"a":3,"a_port":2,"b":1,"b_port":0,"rate_bps":100000000000,"delay_ps":1500000}]}`

// Names are those of the Scenario.
func Names() *trace.Names {
	var s scenario.Scenario
	if err := json.Unmarshal([]byte(Scenario), &s); err != nil {
		panic(err)
	}
	return trace.NewNames(s.Nodes, s.Links)
}

// Header is a stream header with the standard tables flows, queues and drops.
func Header() trace.Header {
	return trace.Header{Version: 1, Tables: []trace.Table{
		{Name: "flows", Title: "Flows", Scope: "flow", Columns: []trace.Column{
			{Name: "flow", Type: "u32", Unit: "1", Help: "flow id"},
			{Name: "group", Type: "u32", Unit: "1", Help: "job, incast or coflow"},
			{Name: "src", Type: "u32", Unit: "1", Help: "sender", Ref: "node"},
			{Name: "dst", Type: "u32", Unit: "1", Help: "receiver", Ref: "node"},
			{Name: "class", Type: "u8", Unit: "1", Help: "priority class of the data"},
			{Name: "measured", Type: "bool", Unit: "1", Help: "starts in the measuring window"},
			{Name: "size_bytes", Type: "u64", Unit: "B", Help: "payload; 0 = unlimited"},
			{Name: "start_ps", Type: "i64", Unit: "ps", Help: "start"},
			{Name: "end_ps", Type: "i64", Unit: "ps", Help: "last payload byte at the receiver; -1 = unfinished"},
			{Name: "sender_end_ps", Type: "i64", Unit: "ps", Help: "last byte acknowledged; -1"},
			{Name: "delivered_bytes", Type: "u64", Unit: "B", Help: "payload delivered"},
			{Name: "sent_bytes", Type: "u64", Unit: "B", Help: "payload sent"},
			{Name: "retransmitted_bytes", Type: "u64", Unit: "B", Help: "payload sent again"},
			{Name: "packets", Type: "u64", Unit: "1", Help: "data packets"},
			{Name: "finished", Type: "bool", Unit: "1", Help: "finished"},
		}},
		{Name: "queues", Title: "Queue lengths", Scope: "port", Columns: []trace.Column{
			{Name: "time_ps", Type: "i64", Unit: "ps", Help: "time of the sample"},
			{Name: "node", Type: "u32", Unit: "1", Help: "switch", Ref: "node"},
			{Name: "port", Type: "u16", Unit: "1", Help: "egress port"},
			{Name: "class", Type: "u8", Unit: "1", Help: "priority class"},
			{Name: "bytes", Type: "u64", Unit: "B", Help: "queue length"},
			{Name: "packets", Type: "u32", Unit: "1", Help: "queue length"},
			{Name: "max_bytes", Type: "u64", Unit: "B", Help: "largest length since the last sample"},
		}},
		{Name: "drops", Title: "Dropped packets", Scope: "port", Columns: []trace.Column{
			{Name: "time_ps", Type: "i64", Unit: "ps", Help: "time"},
			{Name: "node", Type: "u32", Unit: "1", Help: "switch", Ref: "node"},
			{Name: "port", Type: "u16", Unit: "1", Help: "egress port"},
			{Name: "class", Type: "u8", Unit: "1", Help: "priority class"},
			{Name: "flow", Type: "u32", Unit: "1", Help: "flow id"},
			{Name: "kind", Type: "u8", Unit: "1", Help: "kind of packet", Labels: []string{"data", "ack"}},
			{Name: "bytes", Type: "u32", Unit: "B", Help: "wire length"},
			{Name: "reason", Type: "u8", Unit: "1", Help: "why", Labels: []string{"tail", "red"}},
		}},
	}}
}

// Write writes a small valid stream: two flows (one unfinished), samples queue
// samples and one drop.
func Write(out io.Writer, samples int) error {
	w, err := NewWriter(out, Header())
	if err != nil {
		return err
	}
	if err := w.Rows("drops", []any{500, 2, 1, 1, 0, 0, 1048, 1}); err != nil {
		return err
	}
	for done := 0; done < samples; {
		var rows [][]any
		for ; done < samples && len(rows) < 8192; done++ {
			rows = append(rows, []any{done * 1000, 2, 1 + done%2, 1, (done * 7919) % 500000, done % 500, (done * 7919) % 600000})
		}
		if err := w.Rows("queues", rows...); err != nil {
			return err
		}
	}
	if err := w.Rows("flows",
		[]any{0, 0, 0, 1, 1, true, 1000, 100, 4000100, 8000000, 1000, 1000, 0, 1, true},
		[]any{1, 0, 0, 1, 1, false, 0, 200, -1, -1, 5000, 6000, 0, 6, false}); err != nil {
		return err
	}
	return w.End()
}
