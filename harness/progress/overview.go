package progress

import (
	"fmt"
	"strings"
	"time"
)

// Overview counts the runs of a sweep and foresees its end.
type Overview struct {
	counts  Counts
	started time.Time
	waiting map[string]float64 // runs that have not started -> expected seconds, 0 = unknown
	running map[string]working
	made    float64 // seconds that the runs took that were made
	widest  int     // most runs at a time
}

// working is a run at work.
type working struct {
	since time.Time
	last  Event
}

// NewOverview counts from nothing.
func NewOverview() *Overview {
	return &Overview{waiting: map[string]float64{}, running: map[string]working{}}
}

// Counts says what has become of the runs so far.
func (o *Overview) Counts() Counts { return o.counts }

// Event implements Sink.
func (o *Overview) Event(e Event) {
	if o.started.IsZero() {
		o.started = e.Time
	}
	switch e.Kind {
	case Queued:
		o.counts.Runs++
		o.waiting[e.Run] = e.ExpectedS
	case Started, Running, Deriving:
		w, known := o.running[e.Run]
		if !known {
			w.since = e.Time
		}
		w.last = e
		o.running[e.Run] = w
		o.widest = max(o.widest, len(o.running))
		delete(o.waiting, e.Run)
	case Retry:
		o.waiting[e.Run] = e.Time.Sub(o.running[e.Run].since).Seconds()
		delete(o.running, e.Run)
	case Done, Cached, Failed, Canceled:
		if w, known := o.running[e.Run]; known && e.Kind == Done {
			o.made += e.Time.Sub(w.since).Seconds()
		}
		delete(o.running, e.Run)
		delete(o.waiting, e.Run)
		switch e.Kind {
		case Done:
			o.counts.Done++
		case Cached:
			o.counts.Cached++
		case Failed:
			o.counts.Failed++
		case Canceled:
			o.counts.Canceled++
		}
	}
}

func (o *Overview) ended() int {
	return o.counts.Done + o.counts.Cached + o.counts.Failed + o.counts.Canceled
}

// Line says how the sweep goes, in one line.
func (o *Overview) Line(now time.Time) string {
	parts := []string{fmt.Sprintf("%d of %d runs done", o.counts.Done+o.counts.Cached, o.counts.Runs)}
	if o.counts.Cached > 0 {
		parts[0] += fmt.Sprintf(" (%d were valid)", o.counts.Cached)
	}
	parts = append(parts, fmt.Sprintf("%d running", len(o.running)))
	if o.counts.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", o.counts.Failed))
	}
	parts = append(parts, duration(now.Sub(o.started).Seconds()))
	left, ok := o.Left(now)
	drain := o.draining()
	switch {
	case ok && drain == 0:
		parts = append(parts, "about "+duration(left)+" left")
	case ok && left > 0:
		parts = append(parts, fmt.Sprintf("at least %s left, %d drain", duration(left), drain))
	case drain > 0:
		parts = append(parts, fmt.Sprintf("%d drain, and nothing tells for how long", drain))
	}
	return strings.Join(parts, ", ")
}

// Left is how long the sweep will go on, in seconds; ok is false while nothing
// tells.
func (o *Overview) Left(now time.Time) (seconds float64, ok bool) {
	mean, known := o.mean()
	work, longest := 0.0, 0.0
	for _, expected := range o.waiting {
		switch {
		case expected > 0:
			work += expected
		case known:
			work += mean
		default:
			return 0, false
		}
	}
	for _, w := range o.running {
		left := max(0, mean-now.Sub(w.since).Seconds())
		switch {
		case w.last.ETAS > 0:
			left = max(0, w.last.ETAS-now.Sub(w.last.Time).Seconds())
		case !known:
			return 0, false
		}
		work += left
		longest = max(longest, left)
	}
	return max(work/float64(max(1, o.widest)), longest), o.ended() < o.counts.Runs
}

// draining is how many runs wait for their last measured flows.
func (o *Overview) draining() int {
	n := 0
	for _, w := range o.running {
		if w.last.drains() {
			n++
		}
	}
	return n
}

// mean is how long a run takes: those that ended, or by their own account
// those at work.
func (o *Overview) mean() (seconds float64, known bool) {
	if o.counts.Done > 0 {
		return o.made / float64(o.counts.Done), true
	}
	n, sum := 0, 0.0
	for _, w := range o.running {
		if w.last.ETAS > 0 {
			n++
			sum += w.last.Time.Sub(w.since).Seconds() + w.last.ETAS
		}
	}
	return sum / float64(max(1, n)), n > 0
}
