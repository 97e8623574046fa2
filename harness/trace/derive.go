package trace

// FlowsTable is the table that gets the derived columns.
const FlowsTable = "flows"

// derivedColumns are added to the flows table by the harness.
var derivedColumns = []Column{
	{Name: "ideal_fct_ps", Type: "i64", Unit: "ps", Nullable: true, Help: "flow completion time in the empty network: payload and base headers, store and forward, line rate; null for a flow without an end"},
	{Name: "fct_ps", Type: "i64", Unit: "ps", Nullable: true, Help: "flow completion time, end_ps - start_ps; null if unfinished"},
	{Name: "slowdown", Type: "f64", Unit: "1", Nullable: true, Help: "fct_ps / ideal_fct_ps; null if unfinished"},
}

var linkColumn = Column{Name: "link", Type: "string", Unit: "1", Help: "the port as node->neighbour, with #n for the n-th parallel link"}

// Stored is the table as it stands in the Parquet file: labels and references
// are strings, the link and the derived columns are added.
func Stored(t Table) Table {
	s := t
	s.Sampled = false // how it was made
	s.Columns = nil
	for _, c := range t.Columns {
		if c.Ref != "" || len(c.Labels) > 0 {
			c.Type = "string"
		}
		s.Columns = append(s.Columns, c)
		if hasLink(t) && c.Name == "port" {
			s.Columns = append(s.Columns, linkColumn)
		}
	}
	if isFlows(t) {
		s.Columns = append(s.Columns, derivedColumns...)
	}
	return s
}

func hasLink(t Table) bool {
	node, port := index(t, "node"), index(t, "port")
	return node >= 0 && port >= 0 && t.Columns[node].Ref == "node" && t.Columns[port].Type == "u16" && index(t, "link") < 0
}

// isFlows says whether the table has what the derived columns need.
func isFlows(t Table) bool {
	if t.Name != FlowsTable {
		return false
	}
	for _, need := range []Column{{Name: "src", Type: "u32"}, {Name: "dst", Type: "u32"}, {Name: "size_bytes", Type: "u64"}, {Name: "start_ps", Type: "i64"}, {Name: "end_ps", Type: "i64"}} {
		if i := index(t, need.Name); i < 0 || t.Columns[i].Type != need.Type {
			return false
		}
	}
	return true
}
