package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Display is a Sink that has to be closed.
type Display interface {
	Sink
	io.Writer // text between the events, such as tables and warnings
	Close()
}

// New chooses how to show events on out: one block that is redrawn if it is a
// terminal, else lines.
func New(out *os.File) Display {
	fd := int(out.Fd())
	if os.Getenv("TERM") == "dumb" || !term.IsTerminal(fd) {
		return NewLines(out)
	}
	return newBlock(out, func() (width, height int) {
		width, height, err := term.GetSize(fd)
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	})
}

// JSON writes one JSON object per event and line.
type JSON struct {
	mu  sync.Mutex
	out io.Writer
}

// NewJSON writes events to out.
func NewJSON(out io.Writer) *JSON { return &JSON{out: out} }

// Event implements Sink.
func (j *JSON) Event(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	line, err := json.Marshal(e)
	if err != nil {
		line = fmt.Appendf(nil, `{"event":"warning","text":%q}`, err.Error())
	}
	// Progress is for watching only: nobody is left to tell if it fails.
	_, _ = j.out.Write(append(line, '\n'))
}

// Write drops texts for people.
func (j *JSON) Write(b []byte) (int, error) { return len(b), nil }

// Close implements Display.
func (j *JSON) Close() {}

const (
	// lineEvery is the time between two lines about a run that goes on.
	lineEvery = 10 * time.Second
	// overviewEvery is the time between two lines about the whole sweep.
	overviewEvery = 30 * time.Second
)

// Lines writes a line when a run ends or has something to say, and now and
// then one about a run that goes on and one about the sweep.
type Lines struct {
	mu       sync.Mutex
	out      io.Writer
	last     map[string]time.Time
	overview *Overview
	told     time.Time // of the sweep
}

// NewLines writes to out.
func NewLines(out io.Writer) *Lines {
	return &Lines{out: out, last: map[string]time.Time{}, overview: NewOverview()}
}

// Event implements Sink.
func (l *Lines) Event(e Event) {
	e = e.visible()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.overview.Event(e)
	if l.told.IsZero() {
		l.told = e.Time
	}
	if e.Time.Sub(l.told) >= overviewEvery && l.overview.counts.Runs > 1 {
		l.told = e.Time
		defer func() { fmt.Fprintln(l.out, l.overview.Line(e.Time)) }()
	}
	switch e.Kind {
	case Queued, Canceled: // those that Ctrl-C canceled are told of together
		return
	case Summary:
		fmt.Fprint(l.out, l.overview.canceled())
		return
	case Started:
		l.last[e.Run] = e.Time
		return
	case Running, Deriving:
		if e.Time.Sub(l.last[e.Run]) < lineEvery {
			return
		}
		l.last[e.Run] = e.Time
	}
	fmt.Fprintln(l.out, l.overview.prefix(e)+describe(e))
}

// Write implements Display.
func (l *Lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(visible(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close implements Display.
func (l *Lines) Close() {}

// prefix numbers the runs that end.
func (o *Overview) prefix(e Event) string {
	text := fmt.Sprintf("[%d/%d] ", o.ended(), o.counts.Runs)
	switch e.Kind {
	case Cached, Done, Failed:
		return text
	}
	return strings.Repeat(" ", len(text))
}

// canceled says how many runs were, in one line; "" if none.
func (o *Overview) canceled() string {
	if o.counts.Canceled == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d runs were canceled, %d are done\n", o.counts.Canceled, o.counts.Runs, o.counts.Done+o.counts.Cached)
}

// block shows the runs that are going on in a block of lines that is redrawn in
// place. Lines about runs that have ended scroll away above it.
type block struct {
	mu       sync.Mutex
	out      io.Writer
	size     func() (width, height int)
	order    []string
	running  map[string]Event
	drawn    int
	overview *Overview
	last     time.Time
	now      time.Time // of the last event
	closed   bool
}

func newBlock(out io.Writer, size func() (width, height int)) *block {
	return &block{out: out, size: size, running: map[string]Event{}, overview: NewOverview()}
}

// Event implements Sink.
func (b *block) Event(e Event) {
	e = e.visible()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overview.Event(e)
	b.now = e.Time
	switch e.Kind {
	case Summary:
		if text := b.overview.canceled(); text != "" {
			b.redraw(text)
		}
		return
	case Queued:
		b.redrawSometimes(e)
		return
	case Started, Running, Deriving:
		if _, known := b.running[e.Run]; !known {
			b.order = append(b.order, e.Run)
		}
		b.running[e.Run] = e
		b.redrawSometimes(e)
		return
	case Warning, Waiting, Submitted:
		b.redraw(b.overview.prefix(e) + describe(e) + "\n")
		return
	}
	delete(b.running, e.Run)
	for i, name := range b.order {
		if name == e.Run {
			b.order = append(b.order[:i], b.order[i+1:]...)
			break
		}
	}
	if e.Kind == Canceled { // told of together
		b.redrawSometimes(e)
		return
	}
	b.redraw(b.overview.prefix(e) + describe(e) + "\n")
}

// Write implements Display.
func (b *block) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.redraw(Visible(string(text)))
	return len(text), nil
}

// Close takes the block off the screen.
func (b *block) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.order, b.running, b.closed = nil, map[string]Event{}, true
	b.redraw("")
}

// redrawSometimes draws anew for an event of which there may be many.
func (b *block) redrawSometimes(e Event) {
	if e.Time.Sub(b.last) < 100*time.Millisecond {
		return
	}
	b.last = e.Time
	b.redraw("")
}

// redraw erases the block, prints text above it and draws it anew.
func (b *block) redraw(text string) {
	var s strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&s, "\x1b[%dA\r\x1b[J", b.drawn)
	}
	s.WriteString(text)
	b.drawn = 0
	if !b.closed && b.overview.ended() < b.overview.counts.Runs {
		width, height := b.size()
		shown := b.order
		if room := max(1, height-4); len(shown) > room {
			shown = shown[:room]
		}
		for _, name := range shown {
			s.WriteString(cut("  "+describe(b.running[name]), width) + "\n")
		}
		b.drawn = len(shown) + 1
		if more := len(b.order) - len(shown); more > 0 {
			s.WriteString(cut(fmt.Sprintf("  and %d more", more), width) + "\n")
			b.drawn++
		}
		s.WriteString(cut("  "+b.overview.Line(b.now), width) + "\n")
	}
	_, _ = io.WriteString(b.out, s.String())
}

func cut(line string, width int) string {
	runes := []rune(line)
	if len(runes) < width {
		return line
	}
	return string(runes[:max(0, width-2)]) + "…"
}

// describe says an event in one line.
func describe(e Event) string {
	switch e.Kind {
	case Cached:
		return e.Run + ": valid result found, not run again" + state(e)
	case Started:
		return e.Run + ": started"
	case Running:
		of := "of"
		if e.Ends {
			of = "of at most"
		}
		line := fmt.Sprintf("%s: %s %s %s, %s events/s", e.Run, SimTime(e.SimPS), of, SimTime(e.StopPS), short(e.EventsPerSec))
		if e.FlowsTotal > 0 {
			line += fmt.Sprintf(", %d of %d flows done", e.FlowsDone, e.FlowsTotal)
		}
		switch {
		case e.drains():
			line += ", drains since " + SimTime(e.WindowPS) + ", until its last measured flow has ended"
		case e.ETAS > 0 && e.Ends:
			line += ", " + duration(e.ETAS) + " to the end of the window, then it drains"
		case e.ETAS > 0:
			line += ", " + duration(e.ETAS) + " left"
		}
		return line
	case Deriving:
		return fmt.Sprintf("%s: %s, %s of at most %s", e.Run, e.Text, SimTime(e.SimPS), SimTime(e.StopPS))
	case Warning:
		return e.Run + ": warning: " + e.Text
	case Waiting, Submitted:
		return e.Run + ": " + e.Text
	case Retry:
		return fmt.Sprintf("%s: failed and is tried again (attempt %d): %s", e.Run, e.Attempt, e.Text)
	case Done:
		return fmt.Sprintf("%s: done in %s, %s events", e.Run, duration(e.WallS), short(float64(e.Events))) + state(e)
	case Failed:
		return e.Run + ": failed: " + e.Text
	}
	return e.Run + ": " + string(e.Kind)
}

// state says what of a run could not get on.
func state(e Event) string {
	if e.Text == "" {
		return ""
	}
	return ": " + e.Text
}

// SimTime writes a simulated time with the unit that fits.
func SimTime(ps int64) string {
	for _, unit := range []struct {
		name string
		ps   int64
	}{{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}} {
		if ps >= unit.ps || -ps >= unit.ps {
			return fmt.Sprintf("%.4g%s", float64(ps)/float64(unit.ps), unit.name)
		}
	}
	return fmt.Sprintf("%dps", ps)
}

func short(v float64) string {
	switch {
	case v >= 1e9:
		return fmt.Sprintf("%.3gG", v/1e9)
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	}
	return fmt.Sprintf("%.3g", v)
}

func duration(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.1fs", s)
	}
	return (time.Duration(s) * time.Second).String()
}
