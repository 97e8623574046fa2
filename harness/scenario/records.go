package scenario

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// Flow is one record of flows.bin.
type Flow struct {
	ID       uint32
	Src, Dst uint32 // node ids of hosts
	Group    uint32 // 0 = none
	Size     uint64 // payload bytes, 0 = unlimited
	StartPs  int64
	StopPs   int64 // -1 = never
	SrcPort  uint16
	DstPort  uint16
	Class    uint8
	Measured bool
	Weight   float64
	// Persistent: a message on the connection of its hosts, ports and class,
	// which stays open.
	Persistent bool
	// ClosedLoop: StartPs is by a clock of the message's connection that stands
	// still while a message is under way.
	ClosedLoop bool

	// After is what the flow waits for. Where a flow of the list waits, all are
	// numbered 0, 1, 2, … in any order.
	After []Dependency

	Part int // of a mix of workloads; the engines are not told
}

// Task says whether it is no flow but a task: it sends nothing, and is over
// when it starts, so that others can wait for all that it has waited for.
func (f *Flow) Task() bool { return f.Src == f.Dst }

// Dependency is another flow that a flow waits for, and for a time after its
// end: the arrival of its last byte, where it comes to the flow's source, or
// the acknowledgement of all of it, where it leaves this host. A flow waits
// for no others.
type Dependency struct {
	On      uint32 // number of the other flow
	DelayPs int64
}

// MaxDependencies is how many flows a flow may wait for.
const MaxDependencies = math.MaxUint16

// Route is one record of routes.bin: an equal-cost next hop of a switch
// towards a host.
type Route struct {
	Node  uint32 // a switch
	Dst   uint32 // a host
	Port  uint16 // egress port of Node
	Order uint16 // position among the equal-cost next hops
}

const (
	headerSize = 32
	flowSize   = 64
	routeSize  = 16

	dependencySize  = 16
	perContinuation = flowSize / dependencySize // what a flow waits for is in records behind its own
)

// Flags of a flow.
const (
	flagMeasured = 1 << iota
	flagPersistent
	flagClosedLoop
)

var (
	flowMagic  = [8]byte([]byte("FABFLOW1"))
	routeMagic = [8]byte([]byte("FABROUT1"))
)

func (f *Flow) put(b *[flowSize]byte) {
	le := binary.LittleEndian
	*b = [flowSize]byte{}
	le.PutUint32(b[0:], f.ID)
	le.PutUint32(b[4:], f.Src)
	le.PutUint32(b[8:], f.Dst)
	le.PutUint32(b[12:], f.Group)
	le.PutUint64(b[16:], f.Size)
	le.PutUint64(b[24:], uint64(f.StartPs))
	le.PutUint64(b[32:], uint64(f.StopPs))
	le.PutUint16(b[40:], f.SrcPort)
	le.PutUint16(b[42:], f.DstPort)
	b[44] = f.Class
	if f.Measured {
		b[45] |= flagMeasured
	}
	if f.Persistent {
		b[45] |= flagPersistent
	}
	if f.ClosedLoop {
		b[45] |= flagClosedLoop
	}
	le.PutUint16(b[46:], uint16(len(f.After)))
	le.PutUint64(b[48:], math.Float64bits(f.Weight))
}

// putDependencies fills a record with the first of these, at most perContinuation.
func putDependencies(b *[flowSize]byte, after []Dependency) {
	*b = [flowSize]byte{}
	for i, d := range after[:min(len(after), perContinuation)] {
		binary.LittleEndian.PutUint32(b[i*dependencySize:], d.On)
		binary.LittleEndian.PutUint64(b[i*dependencySize+8:], uint64(d.DelayPs))
	}
}

// getDependencies reads as many of a record as are still missing.
func (f *Flow) getDependencies(b *[flowSize]byte, missing int) error {
	for i := range perContinuation {
		at := b[i*dependencySize : (i+1)*dependencySize]
		if i >= missing || binary.LittleEndian.Uint32(at[4:]) != 0 {
			if [dependencySize]byte(at) != [dependencySize]byte{} {
				return errors.New("a reserved field that is not 0")
			}
			continue
		}
		f.After = append(f.After, Dependency{On: binary.LittleEndian.Uint32(at), DelayPs: int64(binary.LittleEndian.Uint64(at[8:]))})
	}
	return nil
}

func (f *Flow) get(b *[flowSize]byte) error {
	le := binary.LittleEndian
	if b[45]&^(flagMeasured|flagPersistent|flagClosedLoop) != 0 || le.Uint64(b[56:]) != 0 {
		return errors.New("unknown flags or a reserved field that is not 0")
	}
	*f = Flow{
		ID: le.Uint32(b[0:]), Src: le.Uint32(b[4:]), Dst: le.Uint32(b[8:]), Group: le.Uint32(b[12:]),
		Size: le.Uint64(b[16:]), StartPs: int64(le.Uint64(b[24:])), StopPs: int64(le.Uint64(b[32:])),
		SrcPort: le.Uint16(b[40:]), DstPort: le.Uint16(b[42:]),
		Class: b[44], Measured: b[45]&flagMeasured != 0, Persistent: b[45]&flagPersistent != 0, ClosedLoop: b[45]&flagClosedLoop != 0,
		Weight: math.Float64frombits(le.Uint64(b[48:])),
	}
	return nil
}

// follows says whether f may stand behind previous in a flow list.
func (f *Flow) follows(previous *Flow) bool {
	return f.StartPs > previous.StartPs || f.StartPs == previous.StartPs && f.ID > previous.ID
}

func (r *Route) put(b *[routeSize]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], r.Node)
	le.PutUint32(b[4:], r.Dst)
	le.PutUint16(b[8:], r.Port)
	le.PutUint16(b[10:], r.Order)
	le.PutUint32(b[12:], 0)
}

func (r *Route) get(b *[routeSize]byte) error {
	le := binary.LittleEndian
	if le.Uint32(b[12:]) != 0 {
		return errors.New("a reserved field that is not 0")
	}
	*r = Route{Node: le.Uint32(b[0:]), Dst: le.Uint32(b[4:]), Port: le.Uint16(b[8:]), Order: le.Uint16(b[10:])}
	return nil
}

func (r *Route) follows(previous *Route) bool {
	switch {
	case r.Node != previous.Node:
		return r.Node > previous.Node && r.Order == 0
	case r.Dst != previous.Dst:
		return r.Dst > previous.Dst && r.Order == 0
	}
	return r.Order == previous.Order+1
}

// WriteFlows streams a flow list, which must be sorted by (start, id).
func WriteFlows(w io.WriteSeeker, flows iter.Seq2[Flow, error]) error {
	return writeRecords(w, flowMagic, flowSize, func(out *bufio.Writer) (counts, error) { return putFlows(out, flows) })
}

// WriteRoutes streams routes, which must be sorted by (node, dst, order).
func WriteRoutes(w io.WriteSeeker, routes iter.Seq[Route]) error {
	return writeRecords(w, routeMagic, routeSize, func(out *bufio.Writer) (counts, error) { return putRoutes(out, routes) })
}

// FlowsDigest is the SHA-256 of a flow list's records.
func FlowsDigest(flows iter.Seq2[Flow, error]) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	out := bufio.NewWriter(h)
	if _, err := putFlows(out, flows); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// RoutesDigest is the SHA-256 of the routes' records.
func RoutesDigest(routes iter.Seq[Route]) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	out := bufio.NewWriter(h)
	if _, err := putRoutes(out, routes); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// counts stand in a file's header.
type counts struct {
	all      uint64
	measured uint64 // of a flow list; 0 in other files
	more     uint32 // records of a flow list that continue the one before
}

// putFlows writes records, without a header, and flushes.
func putFlows(out *bufio.Writer, flows iter.Seq2[Flow, error]) (n counts, err error) {
	var previous Flow
	var b [flowSize]byte
	for f, err := range flows {
		if err != nil {
			return n, err
		}
		if n.all > 0 && !f.follows(&previous) {
			return n, fmt.Errorf("flow %d (start %d ps) stands behind flow %d (start %d ps); flows are sorted by start, then id", f.ID, f.StartPs, previous.ID, previous.StartPs)
		}
		previous = f
		f.put(&b)
		if _, err := out.Write(b[:]); err != nil {
			return n, err
		}
		n.all++
		if f.Measured {
			n.measured++
		}
		if len(f.After) > MaxDependencies {
			return n, fmt.Errorf("flow %d waits for %d others; the engines hold %d", f.ID, len(f.After), MaxDependencies)
		}
		for after := f.After; len(after) > 0; after = after[min(len(after), perContinuation):] {
			if n.more == math.MaxUint32 {
				return n, fmt.Errorf("flow %d and those before it wait for more than a flow list holds", f.ID)
			}
			putDependencies(&b, after)
			if _, err := out.Write(b[:]); err != nil {
				return n, err
			}
			n.more++
		}
	}
	return n, out.Flush()
}

func putRoutes(out *bufio.Writer, routes iter.Seq[Route]) (n counts, err error) {
	var previous Route
	var b [routeSize]byte
	for r := range routes {
		if n.all > 0 && !r.follows(&previous) {
			return n, fmt.Errorf("route %+v stands behind %+v; routes are sorted by node, destination, order", r, previous)
		}
		previous = r
		r.put(&b)
		if _, err := out.Write(b[:]); err != nil {
			return n, err
		}
		n.all++
	}
	return n, out.Flush()
}

// writeRecords writes a header, the records, and then the counts into the
// header: how many there are is known only at the end of the stream.
func writeRecords(w io.WriteSeeker, magic [8]byte, size uint32, put func(*bufio.Writer) (counts, error)) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var header [headerSize]byte
	copy(header[:], magic[:])
	binary.LittleEndian.PutUint32(header[8:], size)
	if _, err := out.Write(header[:]); err != nil {
		return err
	}
	n, err := put(out)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(header[12:], n.more)
	binary.LittleEndian.PutUint64(header[16:], n.all)
	binary.LittleEndian.PutUint64(header[24:], n.measured)
	if _, err := w.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = w.Write(header[:])
	return err
}

// ReadFlows streams a flow list; it stops behind the first error.
func ReadFlows(r io.Reader) iter.Seq2[Flow, error] {
	return func(yield func(Flow, error) bool) {
		var b [flowSize]byte
		var f, previous Flow
		waitsFor, over := 0, false
		readRecords(r, flowMagic, b[:], func(i uint64, err error) bool {
			switch {
			case err != nil:
			case len(f.After) < waitsFor:
				err = f.getDependencies(&b, waitsFor-len(f.After))
			default:
				err = f.get(&b)
				waitsFor = int(binary.LittleEndian.Uint16(b[46:]))
				if err == nil && i > 0 && !f.follows(&previous) {
					err = errors.New("flows are not sorted by start, then id")
				}
				previous = f
			}
			if err != nil {
				over = true
				yield(Flow{}, fmt.Errorf("flow list, record %d: %w", i, err))
				return false
			}
			if len(f.After) == waitsFor && !yield(f, nil) {
				over = true
			}
			return !over
		})
		if !over && len(f.After) < waitsFor {
			yield(Flow{}, fmt.Errorf("flow list: it ends before all that flow %d waits for", f.ID))
		}
	}
}

// ReadRoutes streams routes; it stops behind the first error.
func ReadRoutes(r io.Reader) iter.Seq2[Route, error] {
	return func(yield func(Route, error) bool) {
		var b [routeSize]byte
		var route, previous Route
		readRecords(r, routeMagic, b[:], func(i uint64, err error) bool {
			if err == nil {
				err = route.get(&b)
			}
			if err == nil && i > 0 && !route.follows(&previous) {
				err = errors.New("routes are not sorted by node, destination, order")
			}
			if err != nil {
				yield(Route{}, fmt.Errorf("routes, record %d: %w", i, err))
				return false
			}
			previous = route
			return yield(route, nil)
		})
	}
}

// readRecords reads record after record into b and calls next for each, and
// once with an error if the file is not what it should be.
func readRecords(r io.Reader, magic [8]byte, b []byte, next func(i uint64, err error) bool) {
	in := bufio.NewReaderSize(r, 1<<16)
	var header [headerSize]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		next(0, fmt.Errorf("header: %w", err))
		return
	}
	le := binary.LittleEndian
	if [8]byte(header[:8]) != magic || le.Uint32(header[8:]) != uint32(len(b)) || magic != flowMagic && le.Uint32(header[12:]) != 0 || le.Uint64(header[24:]) > le.Uint64(header[16:]) {
		next(0, fmt.Errorf("header % x is not that of a %s file with records of %d bytes", header, magic, len(b)))
		return
	}
	count := le.Uint64(header[16:]) + uint64(le.Uint32(header[12:]))
	for i := range count {
		if _, err := io.ReadFull(in, b); err != nil {
			next(i, fmt.Errorf("the header says %d records: %w", count, err))
			return
		}
		if !next(i, nil) {
			return
		}
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		next(count, fmt.Errorf("more behind the %d records of the header", count))
	}
}
