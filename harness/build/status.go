package build

import (
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// Status says every few seconds which of a build's steps are done and about
// how long the others take.
func Status(out io.Writer) io.Writer { return &statusWriter{out: out, now: time.Now} }

type statusWriter struct {
	out         io.Writer
	now         func() time.Time
	begin, last time.Time
	before      int // steps that were done when it began
}

const statusEvery = 3 * time.Second

func (w *statusWriter) Write(b []byte) (int, error) {
	line, _, _ := strings.Cut(string(b), "\n")
	var done, of int
	if _, err := fmt.Sscanf(line, "[%d/%d]", &done, &of); err != nil {
		return len(b), nil // it is not about a step
	}
	now := w.now()
	if w.begin.IsZero() || done <= w.before { // the first step, or the first of another build
		w.begin, w.last, w.before = now, now, done
		if of == 1 {
			return len(b), nil
		}
		_, err := fmt.Fprintf(w.out, "  building: %d steps\n", of)
		return len(b), err
	}
	if now.Sub(w.last) < statusEvery {
		return len(b), nil
	}
	w.last = now
	left := now.Sub(w.begin) * time.Duration(of-done) / time.Duration(done-w.before)
	_, err := fmt.Fprintf(w.out, "  building: %d of %d steps, about %s left (%s)\n", done, of, left.Round(time.Second), path.Base(line))
	return len(b), err
}
