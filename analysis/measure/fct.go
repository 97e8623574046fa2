package measure

import (
	"math"

	"fabriclab/analysis/fct"
)

func init() {
	register(Kind{
		Name: "fct_slowdown", Quantity: Share, Better: Lower, Least: 1,
		Title: "`stat` (mean, median, p90, p95, p99, p99.9, min, max) of FCT / ideal FCT of the measured flows with `min_size` ≤ size < `max_size`",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"min_size", "max_size"},
		Take: statOfFlows(slowdowns), Spread: ofFlows(slowdowns),
	})
	register(Kind{
		Name: "fct", Quantity: Time, Better: Lower,
		Title: "`stat` of the FCT of the measured flows with `min_size` ≤ size < `max_size`",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"min_size", "max_size"},
		Take: statOfFlows(times), Spread: ofFlows(times),
	})
	register(Kind{
		Name: "log_rate", Quantity: Share, Better: Higher,
		Title: "`stat` of log2 of size / FCT in bit/s; the mean is Flowtune's fairness score per flow",
		From:  []string{"flows"},
		Needs: []string{"stat"}, Allows: []string{"min_size", "max_size"},
		Signed: true,
		Take:   statOfFlows(logRates), Spread: ofFlows(logRates),
	})
	register(Kind{
		Name: "fct_normalised", Quantity: Share, Better: Lower, Least: 1,
		Title:  "sum of FCTs / sum of ideal FCTs (CONGA's \"overall average FCT\")",
		From:   []string{"flows"},
		Allows: []string{"min_size", "max_size"},
		Take:   fctNormalised,
	})
}

// flows are the measured flows of the run.
func (x in) flows() (*fct.Flows, error) {
	if x.t.flows == nil || x.t.dir != x.dir {
		flows, err := fct.Read(x.dir, false)
		if err != nil {
			return nil, err
		}
		x.t.dir, x.t.flows = x.dir, flows
	}
	return x.t.flows, nil
}

func (x in) maxSize() int64 {
	if x.m.MaxSize == 0 {
		return math.MaxInt64
	}
	return int64(x.m.MaxSize)
}

func slowdowns(x in) (fct.Sample, error) { return x.sample((*fct.Flows).Slowdowns) }

func times(x in) (fct.Sample, error) { return x.sample((*fct.Flows).Times) }

func logRates(x in) (fct.Sample, error) { return x.sample((*fct.Flows).LogRates) }

// sample is a number of each of the measured flows of the measure's sizes.
func (x in) sample(of func(f *fct.Flows, from, to int64) fct.Sample) (fct.Sample, error) {
	flows, err := x.flows()
	if err != nil {
		return fct.Sample{}, err
	}
	return of(flows, int64(x.m.MinSize), x.maxSize()), nil
}

// once takes a sample, or gives the one that was taken last: a measure's
// statistic and the flows behind it are asked for one after the other.
func (x in) once(sample func(in) (fct.Sample, error)) (fct.Sample, error) {
	key := sampleKey{x.dir, x.m.Kind, int64(x.m.MinSize), int64(x.m.MaxSize)}
	if x.t.sampled.key == key {
		return x.t.sampled.from, nil
	}
	s, err := sample(x)
	if err == nil {
		x.t.sampled.key, x.t.sampled.from = key, s
	}
	return s, err
}

// statOfFlows is the measure's statistic of a number of flows.
func statOfFlows(sample func(in) (fct.Sample, error)) func(in) (float64, error) {
	return func(x in) (float64, error) {
		s, err := x.once(sample)
		if err != nil {
			return 0, err
		}
		v, err := s.Of(x.m.Stat)
		return v, inRun(x.dir, err)
	}
}

// ofFlows are the numbers of flows, those of unfinished ones beyond all others.
func ofFlows(sample func(in) (fct.Sample, error)) func(in) ([]float64, error) {
	return func(x in) ([]float64, error) {
		s, err := x.once(sample)
		if err != nil {
			return nil, err
		}
		values, err := s.All()
		return values, inRun(x.dir, err)
	}
}

func fctNormalised(x in) (float64, error) {
	flows, err := x.flows()
	if err != nil {
		return 0, err
	}
	v, err := flows.Normalised(int64(x.m.MinSize), x.maxSize())
	return v, inRun(x.dir, err)
}
