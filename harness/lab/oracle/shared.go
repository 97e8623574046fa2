package oracle

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"fabriclab/analysis/num"
	"fabriclab/harness/scenario"
)

// mostShared is how many flows' completions are kept for other runs, 16 B each.
const mostShared = 1 << 23

// Shared keeps what became of the flows of a network, for the runs that differ
// only in what the oracle does not see, as the schemes of a figure do. It may
// be used by several runs at once.
type Shared struct {
	group singleflight.Group // two runs that end together wait for one computation
	mu    sync.Mutex
	kept  []completions // the last one used is last
	most  int           // flows kept
}

type completions struct {
	key  string
	done []num.Completion // nobody changes it
}

// NewShared is without any.
func NewShared() *Shared { return &Shared{most: mostShared} }

// key is another one for every input of completions that differs.
func (o *Oracle) key(flows []scenario.Flow, arrivals []num.Arrival) string {
	h := sha256.New()
	end := &o.point.Scenario
	fmt.Fprintf(h, "%t %g %t %d %#v %#v\n", o.utility.Name == MaxMin, o.utility.AckShare, end.StopWhenFlowsFinish, end.StopPs, o.paths.links, o.paths.changes)
	for i := range arrivals {
		fmt.Fprintf(h, "%t %#v\n", flows[i].Measured, arrivals[i]) // with the types of utilities, and numbers to their last digit
	}
	return string(h.Sum(nil))
}

// completions are those kept under a key, or else what compute finds.
func (s *Shared) completions(key string, compute func() ([]num.Completion, error)) ([]num.Completion, error) {
	done, err, _ := s.group.Do(key, func() (any, error) {
		if done, ok := s.take(key); ok {
			return done, nil
		}
		done, err := compute()
		if err == nil {
			s.keep(completions{key, done})
		}
		return done, err
	})
	if err != nil {
		return nil, err
	}
	return done.([]num.Completion), nil
}

func (s *Shared) take(key string) ([]num.Completion, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(c completions) bool { return c.key == key })
	if i < 0 {
		return nil, false
	}
	c := s.kept[i]
	s.kept = append(slices.Delete(s.kept, i, i+1), c)
	return c.done, true
}

// keep adds completions and lets go of those not used for the longest time.
func (s *Shared) keep(c completions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, c)
	flows := 0
	for i, c := range slices.Backward(s.kept) {
		if flows += len(c.done); flows > s.most {
			s.kept = slices.Delete(s.kept, 0, i+1)
			return
		}
	}
}
