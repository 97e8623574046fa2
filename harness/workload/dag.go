package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fabriclab/base/units"
	"fabriclab/harness/scenario"
	"fabriclab/harness/topology"
)

// DAG is a list of messages that wait for each other, and of tasks: a directed
// graph without cycles.
type DAG struct {
	flows      []scenario.Flow // sorted by (start, id)
	names      []string        // by id; nil where they have none
	persistent bool
}

// Bounds of a graph, which is held in memory.
const (
	MostMessages     = 2_000_000
	MostDependencies = 20_000_000
)

// A MessageError says which message of a graph is wrong.
type MessageError struct {
	ID  uint32
	Err error
}

func (e *MessageError) Error() string { return fmt.Sprintf("message %d: %v", e.ID, e.Err) }
func (e *MessageError) Unwrap() error { return e.Err }

// newDAG makes a graph of messages by id, which are 0, 1, 2, …; name says what
// they are called. The error is a *MessageError.
func newDAG(messages []scenario.Flow, name func(id uint32) string) (*DAG, error) {
	waitedFor := make([]uint32, len(messages)) // by the message of this number, less one, last
	for i := range messages {
		if err := checkAfter(messages, &messages[i], waitedFor, name); err != nil {
			return nil, &MessageError{uint32(i), err}
		}
	}
	if err := checkCycles(messages, name); err != nil {
		return nil, err
	}
	d := &DAG{flows: messages}
	for i := range messages {
		d.persistent = d.persistent || messages[i].Persistent
	}
	slices.SortFunc(d.flows, func(a, b scenario.Flow) int {
		return cmp.Or(cmp.Compare(a.StartPs, b.StartPs), cmp.Compare(a.ID, b.ID))
	})
	return d, nil
}

// checkAfter looks at what a message waits for.
func checkAfter(messages []scenario.Flow, m *scenario.Flow, waitedFor []uint32, name func(uint32) string) error {
	if len(m.After) > scenario.MaxDependencies {
		return fmt.Errorf("after: %d others are waited for; the engines hold %d: let a task wait for part of them", len(m.After), scenario.MaxDependencies)
	}
	if len(m.After) > 0 && m.StopPs != -1 {
		return errors.New("after: the message has a stop, which may come before it starts; leave stop or after out")
	}
	for _, d := range m.After {
		on := &messages[d.On]
		switch {
		case d.On == m.ID:
			return fmt.Errorf("after: it waits for itself")
		case waitedFor[d.On] == m.ID+1:
			return fmt.Errorf("after: %s is there twice; keep one", name(d.On))
		case !on.Task() && on.Size == 0:
			return fmt.Errorf("after: %s is unlimited, so it never ends; give it a size", name(d.On))
		case on.StopPs != -1:
			return fmt.Errorf("after: %s is stopped, so it may never end; leave its stop out", name(d.On))
		case on.Dst != m.Src && on.Src != m.Src:
			return fmt.Errorf("after: %s neither comes to the source of %s nor leaves it, and a host hears of others only over the network; have a message between the two hosts, and wait for it", name(d.On), name(m.ID))
		}
		waitedFor[d.On] = m.ID + 1
	}
	return nil
}

// checkCycles names a cycle, if there is one.
func checkCycles(messages []scenario.Flow, name func(uint32) string) error {
	waitsFor := make([]int32, len(messages))
	first := make([]int32, len(messages)+1)
	for _, m := range messages {
		waitsFor[m.ID] = int32(len(m.After))
		for _, d := range m.After {
			first[d.On+1]++
		}
	}
	for i := range messages {
		first[i+1] += first[i]
	}
	waiting := make([]uint32, first[len(messages)])
	next := slices.Clone(first)
	for _, m := range messages {
		for _, d := range m.After {
			waiting[next[d.On]] = m.ID
			next[d.On]++
		}
	}
	var over []uint32
	for id, n := range waitsFor {
		if n == 0 {
			over = append(over, uint32(id))
		}
	}
	for done := 0; done < len(over); done++ {
		id := over[done]
		for _, w := range waiting[first[id]:first[id+1]] {
			if waitsFor[w]--; waitsFor[w] == 0 {
				over = append(over, w)
			}
		}
	}
	if len(over) == len(messages) {
		return nil
	}
	// Back from any that is left to what it waits for, until one comes again.
	id := uint32(slices.IndexFunc(waitsFor, func(n int32) bool { return n > 0 }))
	var path []uint32
	at := map[uint32]int{} // place in the path
	for at[id] == 0 {
		path = append(path, id)
		at[id] = len(path)
		for _, d := range messages[id].After {
			if waitsFor[d.On] > 0 {
				id = d.On
				break
			}
		}
	}
	cycle := path[at[id]-1:]
	const most = 8
	var text strings.Builder
	for _, c := range cycle[:min(len(cycle), most)] {
		fmt.Fprintf(&text, "%s waits for ", name(c))
	}
	if len(cycle) > most {
		fmt.Fprintf(&text, "… (%d messages) … waits for ", len(cycle))
	}
	return &MessageError{id, fmt.Errorf("after: %s%s: none of them can ever start; take one of these out", text.String(), name(id))}
}

// OpenDAG reads a graph from a CSV or (ending in .parquet) a Parquet file. Its
// columns are those of a flow list, of which start may be missing, and
//   - id, a name, or flow, a number from 0 to the number of rows - 1;
//   - after: the ids of what the message waits for, with spaces or ; between
//     them, in Parquet also a list; ID+5us waits for 5 us longer;
//   - delay, or delay_ps: how long the message waits after all of them that say
//     nothing else.
//
// A row without dst is a task.
func OpenDAG(path string, host func(name string) (uint32, error), rules Rules) (_ *DAG, err error) {
	table, err := openRows(path)
	if err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	defer func() { err = errors.Join(err, table.close()) }()
	g := dagReader{path: path, table: table, ids: map[string]uint32{}}
	g.reader, err = newFlowReader(table, path, host, rules, "", "id", "after", "delay", "delay_ps")
	if err != nil {
		return nil, err
	}
	if err := g.read(); err != nil {
		return nil, err
	}
	messages, err := g.resolve()
	if err != nil {
		return nil, err
	}
	if !waits(messages) {
		messages = g.dropTasks(messages)
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("%s has only tasks, which send nothing; add a message", path)
	}
	d, err := newDAG(messages, g.name)
	var wrong *MessageError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s: %w", g.place(wrong.ID, "after"), wrong.Err)
	}
	if err == nil && g.reader.named == "id" {
		d.names = g.names
	}
	return d, err
}

// dagReader reads a graph: first all rows, then what they wait for.
type dagReader struct {
	path   string
	table  rows
	reader *flowReader
	ids    map[string]uint32
	rows   []dagRow

	// By id.
	messages []scenario.Flow
	names    []string
	of       []rowOf
}

// rowOf says which message of which row one is.
type rowOf struct{ row, nth uint32 }

// dagRow is what is kept of a row until all have been read.
type dagRow struct {
	after    string
	delay    int64
	messages int
	pairs    bool // message i waits for number i of each range
	places   [3]place
}

// keptPlaces are the columns whose places are kept.
var keptPlaces = [3]string{"after", "delay", ""} // "" names the message

func (g *dagReader) name(id uint32) string { return strconv.Quote(g.names[id]) }

// place is where a column of a message's row is.
func (g *dagReader) place(id uint32, column string) string {
	return position(g.path, g.rows[g.of[id].row].places[slices.Index(keptPlaces[:], column)])
}

func (g *dagReader) read() error {
	if g.reader.named == "" {
		return fmt.Errorf("%s: the column id is missing; every message has a name, or in the column flow a number", position(g.path, g.table.at(0)))
	}
	for {
		fields, err := g.table.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := g.row(fields); err != nil {
			return g.reader.at(err)
		}
	}
	if len(g.messages) == 0 {
		return fmt.Errorf("%s has no messages; it needs a row for each", g.path)
	}
	return g.number()
}

// separates the ids of a list.
func separates(r rune) bool { return r == ' ' || r == ';' }

// row reads the messages of a row.
func (g *dagReader) row(fields []string) error {
	row, err := g.reader.row(fields)
	if err != nil {
		return err
	}
	kept := dagRow{after: strings.Clone(g.reader.value(fields, "after")), pairs: row.pairs}
	if kept.delay, err = g.delay(fields); err != nil {
		return err
	}
	for i, column := range keptPlaces {
		kept.places[i] = g.table.at(g.reader.column(cmp.Or(column, g.reader.named)))
	}
	g.rows = append(g.rows, kept)
	return g.reader.each(uint32(len(g.messages)), row, func(m scenario.Flow, nth int, name string) error {
		switch {
		case name == "" || strings.ContainsFunc(name, separates) || strings.Contains(name, "+"):
			return &FlowError{"id", fmt.Errorf("%q is no id; it has a letter or more, and no space, semicolon or plus sign", name)}
		case len(g.messages) == MostMessages:
			return fmt.Errorf("there are more than %d messages, which are held in memory; make it fewer", MostMessages)
		}
		if before, known := g.ids[name]; known {
			return &FlowError{"id", fmt.Errorf("%q is the message of %s, too; every message has an id of its own", name, g.place(before, ""))}
		}
		if err := g.check(m); err != nil {
			return err
		}
		name = strings.Clone(name)
		g.ids[name] = uint32(len(g.messages))
		g.messages, g.names = append(g.messages, m), append(g.names, name)
		g.of = append(g.of, rowOf{uint32(len(g.rows) - 1), uint32(nth)})
		g.rows[len(g.rows)-1].messages++
		return nil
	})
}

// delay is how long a row's messages wait after what they wait for.
func (g *dagReader) delay(fields []string) (delay int64, err error) {
	if text := g.reader.value(fields, "delay_ps"); text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil || int64(n) > units.MaxTime {
			return 0, &FlowError{"delay_ps", fmt.Errorf("%q is no whole number of picoseconds up to 100 days", text)}
		}
		delay = int64(n)
	}
	if text := g.reader.value(fields, "delay"); text != "" {
		if delay, err = units.ParseTime(text); err != nil {
			return 0, &FlowError{"delay", err}
		}
	}
	return delay, nil
}

func (g *dagReader) check(m scenario.Flow) error {
	switch {
	case m.ClosedLoop:
		return &FlowError{"closed_loop", errors.New("messages of a graph wait for what after says; leave closed_loop out")}
	case !m.Task():
		return g.reader.rules.Check(m)
	case m.Size != 0:
		return &FlowError{"dst", errors.New("source and destination are the same host, and the message has a size; leave the size out if it is a task, which sends nothing")}
	}
	m.Dst++ // the other rules are those of flows
	return g.reader.rules.Check(m)
}

// number puts the messages in the order of their numbers, where they have some.
func (g *dagReader) number() error {
	if g.reader.named != "flow" {
		return nil
	}
	order := make([]int, len(g.messages))
	taken := make([]bool, len(g.messages))
	for i, m := range g.messages {
		at := g.place(uint32(i), "")
		if int(m.ID) >= len(g.messages) {
			return fmt.Errorf("%s: flow: %d is not one of 0 to %d, the numbers of %d messages", at, m.ID, len(g.messages)-1, len(g.messages))
		}
		if taken[m.ID] { // 1 and 01
			return fmt.Errorf("%s: flow: %d is the number of the message of %s, too; every message has a number of its own", at, m.ID, g.place(uint32(order[m.ID]), ""))
		}
		order[m.ID], taken[m.ID] = i, true
	}
	g.messages, g.names, g.of = pick(g.messages, order), pick(g.names, order), pick(g.of, order)
	for i, name := range g.names {
		g.ids[name] = uint32(i)
	}
	return nil
}

// pick takes the items in these places.
func pick[T any](list []T, places []int) []T {
	picked := make([]T, len(places))
	for i, from := range places {
		picked[i] = list[from]
	}
	return picked
}

// resolve finds what the messages wait for.
func (g *dagReader) resolve() ([]scenario.Flow, error) {
	total := 0
	for i := range g.messages {
		m := &g.messages[i]
		m.Measured = m.Measured && !m.Task()
		row := &g.rows[g.of[i].row]
		for item := range strings.FieldsFuncSeq(row.after, separates) {
			before := len(m.After)
			if err := g.wait(m, row, int(g.of[i].nth), item); err != nil {
				return nil, fmt.Errorf("%s: after: %w", g.place(uint32(i), "after"), err)
			}
			if total += len(m.After) - before; total > MostDependencies {
				return nil, fmt.Errorf("messages %s: they wait for more than %d others in all, which are held in memory; let tasks wait for many, and the messages for the tasks", g.path, MostDependencies)
			}
		}
		if row.delay > 0 && len(m.After) == 0 {
			return nil, fmt.Errorf("%s: delay: the message waits for none, so there is nothing to count it from; write when it starts, or what it waits for", g.place(uint32(i), "delay"))
		}
	}
	return g.messages, nil
}

// waits says whether a message waits for another. Without one tasks do nothing,
// and the engines know of none: they are left out, and the others numbered anew.
func waits(messages []scenario.Flow) bool {
	return slices.ContainsFunc(messages, func(m scenario.Flow) bool { return len(m.After) > 0 })
}

// dropTasks leaves the messages.
func (g *dagReader) dropTasks(messages []scenario.Flow) []scenario.Flow {
	var kept []int
	for i := range messages {
		if !messages[i].Task() {
			messages[i].ID = uint32(len(kept))
			kept = append(kept, i)
		}
	}
	g.names, g.of = pick(g.names, kept), pick(g.of, kept)
	return pick(messages, kept)
}

// wait has a message of a row wait for an item of its list.
func (g *dagReader) wait(m *scenario.Flow, row *dagRow, nth int, item string) error {
	name, text, longer := strings.Cut(item, "+")
	delay := row.delay
	if longer {
		var err error
		if delay, err = units.ParseTime(text); err != nil {
			return fmt.Errorf("%q: %w", item, err)
		}
	}
	names, err := topology.Expand(name)
	if err != nil {
		return err
	}
	if row.pairs && len(names) > 1 {
		if len(names) != row.messages {
			return fmt.Errorf("%q are %d messages, and this row stands for %d; by pairs, name as many, or leave the range out", name, len(names), row.messages)
		}
		names = names[nth : nth+1]
	}
	for _, name := range names {
		on, known := g.ids[name]
		if !known {
			return fmt.Errorf("there is no message %q", name)
		}
		m.After = append(m.After, scenario.Dependency{On: on, DelayPs: delay})
	}
	return nil
}

// Flows yields the graph; it is the same for every seed.
func (d *DAG) Flows(uint64) iter.Seq2[scenario.Flow, error] { return flowsOf(d.flows) }

// flowsOf yields a list.
func flowsOf(flows []scenario.Flow) iter.Seq2[scenario.Flow, error] {
	return func(yield func(scenario.Flow, error) bool) {
		for _, f := range flows {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Expected is about how many flows there are.
func (d *DAG) Expected() float64 { return float64(len(d.flows)) }

// Pairs yields the pairs of hosts in the graph, each once.
func (d *DAG) Pairs() iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		seen := map[[2]uint32]bool{}
		for _, f := range d.flows {
			pair := [2]uint32{f.Src, f.Dst}
			if seen[pair] || f.Task() {
				continue
			}
			seen[pair] = true
			if !yield(f.Src, f.Dst) {
				return
			}
		}
	}
}

// Names are the messages' ids, where they have names.
func (d *DAG) Names() []string { return d.names }

// HasConnections says whether a message is on a persistent connection.
func (d *DAG) HasConnections() bool { return d.persistent }

// HasDependencies says that messages may wait for each other.
func (d *DAG) HasDependencies() bool { return true }

// HasDependencies says whether the flows of a workload may wait for each other.
func HasDependencies(g Generator) bool {
	w, ok := g.(interface{ HasDependencies() bool })
	return ok && w.HasDependencies()
}
