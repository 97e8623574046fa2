package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fabriclab/base/units"
)

// admission lets a run start when the memory that it is expected to take at its
// peak is free. One run may always go, however large it is.
type admission struct {
	available func() int64

	mu      sync.Mutex
	running map[*seat]bool
	changed chan struct{} // closed when a run has ended
}

// seat is a run that was let in.
type seat struct {
	expected int64 // bytes at the peak
	seen     int64 // largest use so far
}

func newAdmission(available func() int64) *admission {
	return &admission{available: available, running: map[*seat]bool{}, changed: make(chan struct{})}
}

// recheck is how often the machine is asked for its free memory by a run that
// waits: other programs take and leave memory, too.
const recheck = 500 * time.Millisecond

// enter waits until there is room for a run; wait is told once why.
func (a *admission) enter(ctx context.Context, expected int64, wait func(why string)) (*seat, error) {
	told := false
	for {
		s, why, changed := a.try(expected)
		if s != nil {
			return s, nil
		}
		if !told {
			told = true
			wait(why)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-changed:
		case <-time.After(recheck):
		}
	}
}

func (a *admission) try(expected int64) (s *seat, why string, changed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	free := a.available()
	for other := range a.running {
		free -= max(0, other.expected-other.seen) // it has not taken that yet
	}
	if len(a.running) > 0 && expected > free {
		return nil, fmt.Sprintf("waits for memory: it is expected to take %s, and %s are free or not yet taken by the runs before it",
			memoryText(expected), memoryText(max(0, free))), a.changed
	}
	s = &seat{expected: expected}
	a.running[s] = true
	return s, "", nil
}

// uses notes how much memory a run has taken so far.
func (a *admission) uses(s *seat, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.seen = max(s.seen, bytes)
}

// leave lets the next ones in.
func (a *admission) leave(s *seat) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, s)
	close(a.changed)
	a.changed = make(chan struct{})
}

// memoryText writes a size for people: no more digits than anybody reads.
func memoryText(bytes int64) string {
	for _, unit := range []int64{1e9, 1e6} {
		if bytes >= unit {
			return units.FormatBytes(bytes / (unit / 10) * (unit / 10))
		}
	}
	return units.FormatBytes(bytes)
}
