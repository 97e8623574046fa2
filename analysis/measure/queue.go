package measure

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"fabriclab/analysis/series"
	"fabriclab/analysis/stats"
	"fabriclab/analysis/table"
)

func init() {
	register(Kind{
		Name: "queue_peak", Quantity: Bytes, Better: Lower,
		Title: "highest queue in the window, peaks between samples included",
		From:  []string{"queues.max_bytes"},
		Needs: []string{"port", "class", "window"}, Counts: true,
		Take: ofQueue(QueueSamples.Peak),
	})
	register(Kind{
		Name: "queue_mean", Quantity: Bytes, Better: Lower,
		Title: "mean of the sampled queue",
		From:  []string{"queues.bytes"},
		Needs: []string{"port", "class", "window"},
		Take:  ofQueue(QueueSamples.Mean), Spread: queueSamples,
	})
	register(Kind{
		Name: "queue_percentile", Quantity: Bytes, Better: Lower,
		Title: "`percentile` (0-100) of the sampled queue",
		From:  []string{"queues.bytes"},
		Needs: []string{"port", "class", "window", "percentile"},
		Take: func(x in) (float64, error) {
			return ofQueue(func(s QueueSamples) float64 { return s.Percentile(*x.m.Percentile) })(x)
		}, Spread: queueSamples,
	})
	register(Kind{
		Name: "queue_ports", Quantity: Bytes, Better: Lower,
		Title: "mean queue of each of the `ports` (patterns such as `spine*->leaf*` too), then `stat` over the ports",
		From:  []string{"queues.bytes"},
		Needs: []string{"ports", "class", "window", "stat"},
		Take:  statOf(queueMeans), Spread: queueMeans,
	})
}

// QueueSamples are one queue's samples: its length at each, and its highest length
// since the one before.
type QueueSamples struct {
	Bytes    series.Series
	MaxBytes series.Series
}

// Queue reads the samples of the queue of a class at a port in the window. No
// sample at all is an error.
func Queue(dir, port string, class int64, w series.Window) (QueueSamples, error) {
	var s QueueSamples
	var others []int64 // classes of the port
	columns := append(table.Ints("time_ps", "class", "bytes", "max_bytes"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(dir, "queues", columns, func(r *table.Rows) error {
		for i := range r.N {
			if r.Int(1, i) != class && r.Is(4, i, port) && !slices.Contains(others, r.Int(1, i)) {
				others = append(others, r.Int(1, i))
			}
			if t := r.Int(0, i); w.Contains(t) && r.Int(1, i) == class && r.Is(4, i, port) {
				s.Bytes = append(s.Bytes, series.Point{Time: t, Value: float64(r.Int(2, i))})
				s.MaxBytes = append(s.MaxBytes, series.Point{Time: t, Value: float64(r.Int(3, i))})
			}
		}
		return nil
	})
	if err == nil && len(s.Bytes) == 0 {
		advice := "name the port under trace.queues.ports"
		if len(others) > 0 {
			advice = fmt.Sprintf("the port has samples of class %s; class: data is that of the data packets", strings.Trim(fmt.Sprint(others), "[]"))
		}
		err = fmt.Errorf("run %s: queues has no sample of %s class %d from %s; %s", dir, port, class, w, advice)
	}
	return s, err
}

// QueueMeans are the mean sampled lengths of the queues of a class at all sampled
// ports whose names match a pattern (spine*->leaf*), in the order of the names.
// A pattern that matches none is an error.
func QueueMeans(dir string, patterns []string, class int64, w series.Window) ([]float64, error) {
	sums, counts := map[string]float64{}, map[string]float64{}
	ports := newMatcher(patterns)
	columns := append(table.Ints("time_ps", "class", "bytes"), table.Column{Name: "link", Type: table.String})
	err := table.Scan(dir, "queues", columns, func(r *table.Rows) error {
		for i := range r.N {
			if !w.Contains(r.Int(0, i)) || r.Int(1, i) != class {
				continue
			}
			if port := r.String(3, i); ports.wants(port) {
				sums[port] += float64(r.Int(2, i))
				counts[port]++
			}
		}
		return nil
	})
	if err == nil && len(ports.unmatched) > 0 {
		err = fmt.Errorf("run %s: queues has no sample of class %d from %s at a port that matches %s; name the ports under trace.queues.ports", dir, class, w, strings.Join(ports.unmatched, ", "))
	}
	if err != nil {
		return nil, err
	}
	means := make([]float64, 0, len(sums))
	for _, port := range slices.Sorted(maps.Keys(sums)) {
		means = append(means, sums[port]/counts[port])
	}
	return means, nil
}

// matcher finds the ports that match a pattern, and the patterns that no port has matched.
type matcher struct {
	patterns, unmatched []string
	known               map[string]bool // by name, whether it matches
}

func newMatcher(patterns []string) *matcher {
	return &matcher{patterns: patterns, unmatched: slices.Clone(patterns), known: map[string]bool{}}
}

func (m *matcher) wants(port string) bool {
	want, known := m.known[port]
	if !known {
		matches := func(pattern string) bool { return portMatches(pattern, port) }
		m.unmatched = slices.DeleteFunc(m.unmatched, matches)
		want = slices.ContainsFunc(m.patterns, matches)
		m.known[port] = want
	}
	return want
}

func portMatches(pattern, port string) bool {
	ok, err := path.Match(pattern, port)
	return ok && err == nil
}

// Peak is the highest length, between samples too.
func (s QueueSamples) Peak() float64 {
	return slices.MaxFunc(s.MaxBytes, func(a, b series.Point) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	}).Value
}

// Mean is the mean of the sampled lengths.
func (s QueueSamples) Mean() float64 { return s.Bytes.Mean() }

// Percentile is that of the sampled lengths, p from 0 to 100.
func (s QueueSamples) Percentile(p float64) float64 {
	values := s.Bytes.Values()
	slices.Sort(values)
	return stats.Quantile(values, p/100)
}

func ofQueue(of func(QueueSamples) float64) func(in) (float64, error) {
	return func(x in) (float64, error) {
		s, err := Queue(x.dir, x.port, x.class, x.window)
		if err != nil {
			return 0, err
		}
		return of(s), nil
	}
}

func queueSamples(x in) ([]float64, error) {
	s, err := Queue(x.dir, x.port, x.class, x.window)
	return s.Bytes.Values(), err
}

// queueMeans are the means of the queues of all ports that match.
func queueMeans(x in) ([]float64, error) {
	return QueueMeans(x.dir, x.m.Ports, x.class, x.window)
}
