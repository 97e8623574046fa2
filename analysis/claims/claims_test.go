package claims_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/analysis/claims"
	"fabriclab/analysis/series"
	"fabriclab/analysis/spec"
	"fabriclab/base/reader"
)

const head = `
dimensions:
  mechanism: {path: preset, names: {hpcc: HPCC, fncc: FNCC, fncc-nolhcs: FNCC without LHCS}}
  rate: {path: topology.rate}
measures:
  peak: {kind: queue_peak, unit: KB}
  fair: {kind: fair_time, unit: us}
claims:
  - {id: c, text: t, source: s, `

var matrix = claims.Matrix{"preset": {"hpcc", "fncc", "fncc-nolhcs"}, "topology.rate": {"100Gbps", "200Gbps"}}

func figure(t *testing.T, claim string) *spec.Figure {
	t.Helper()
	s, err := reader.Parse("x.yaml", []byte(head+claim+"}\n"))
	require.NoError(t, err)
	f := spec.Read(s)
	f.Measures = spec.ReadMap(s, "measures", func(m *reader.Section) spec.Measure {
		return spec.Measure{Kind: m.Str("kind"), Unit: m.Str("unit")}
	})
	for _, c := range spec.ReadClaims(s) {
		f.Claims = append(f.Claims, c.Claim)
	}
	require.NoError(t, s.F.Err())
	return f
}

func runs(engines []string, seeds ...uint64) []spec.Run {
	var out []spec.Run
	for _, rate := range matrix["topology.rate"] {
		for _, preset := range matrix["preset"] {
			for _, engine := range engines {
				for _, seed := range seeds {
					out = append(out, spec.Run{Labels: map[string]string{"preset": preset, "topology.rate": rate}, Engine: engine, Seed: seed})
				}
			}
		}
	}
	return out
}

// values gives peak and fair by mechanism, plus step for every seed above 1.
func lookup(list []spec.Run, values map[string]float64, step map[string]float64) claims.Lookup {
	return func(measure string, run int) (float64, error) {
		r := list[run]
		key := measure + "." + r.Labels["preset"]
		v, ok := values[key]
		if !ok {
			return 0, errors.New("no sample in the window")
		}
		if r.Seed == 1 {
			return v, nil
		}
		return v + step[key]*float64(r.Seed-1), nil
	}
}

func TestVerdicts(t *testing.T) {
	never := math.Inf(1)
	at100 := "where: {rate: 100Gbps}, by: mechanism, "
	for _, c := range []struct {
		name, claim string
		values      map[string]float64
		step        map[string]float64
		seeds       []uint64
		verdict     string
		measured    any
		note        string
	}{
		{"order holds", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 150}, nil, []uint64{1}, claims.Reproduced, "FNCC 100 KB, HPCC 150 KB", ""},
		{"greater", at100 + `measure: peak, order: ["hpcc > fncc"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 150}, nil, []uint64{1}, claims.Reproduced, "HPCC 150 KB, FNCC 100 KB", ""},
		{"order reversed", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 160, "peak.hpcc": 150}, nil, []uint64{1}, claims.Deviates, "FNCC 160 KB, HPCC 150 KB", ""},
		{"equal deviates", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 150, "peak.hpcc": 150}, nil, []uint64{1}, claims.Deviates, "FNCC 150 KB, HPCC 150 KB", ""},
		{"all zero deviates", at100 + `measure: peak, order: ["fncc < hpcc", "fncc < fncc-nolhcs"]`,
			map[string]float64{"peak.fncc": 0, "peak.hpcc": 0, "peak.fncc-nolhcs": 0}, nil, []uint64{1}, claims.Deviates, "FNCC 0 KB, HPCC 0 KB, FNCC without LHCS 0 KB", ""},
		{"never is later than anything", at100 + `measure: fair, order: ["fncc < hpcc"]`,
			map[string]float64{"fair.fncc": 320, "fair.hpcc": never}, nil, []uint64{1}, claims.Reproduced, "FNCC 320 µs, HPCC never", ""},
		{"two nevers are equal", at100 + `measure: fair, order: ["fncc < hpcc"]`,
			map[string]float64{"fair.fncc": never, "fair.hpcc": never}, nil, []uint64{1}, claims.Deviates, "FNCC never, HPCC never", ""},
		{"order in every seed", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 150}, map[string]float64{"peak.fncc": 30}, []uint64{1, 2, 3}, claims.Inconclusive, "FNCC 130 ± 75 KB, HPCC 150 KB", "ns3, seed 3: FNCC 160 is not below HPCC 150."},
		{"order in few of many seeds", at100 + `measure: peak, order: ["fncc < hpcc", "fncc < fncc-nolhcs"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 125, "peak.fncc-nolhcs": 200}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2, 3, 4, 5, 6}, claims.Inconclusive, "FNCC 125 ± 20 KB, HPCC 125 KB, FNCC without LHCS 200 KB", "FNCC is not below HPCC in 3 of 6 runs, by most with ns3, seed 6: 150 against 125."},
		{"order in most seeds, and in the mean", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 145}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2, 3, 4, 5, 6}, claims.Reproduced, "FNCC 125 ± 20 KB, HPCC 145 KB", "FNCC is not below HPCC in 1 of 6 runs, by most with ns3, seed 6: 150 against 145. In 5 of 6 seeds, and by the means of the differences."},
		{"order in one seed, and the mean against it", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 100, "peak.hpcc": 105}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2, 3, 4, 5, 6}, claims.Deviates, "FNCC 125 ± 20 KB, HPCC 105 KB", "FNCC is not below HPCC in 5 of 6 runs, by most with ns3, seed 6: 150 against 105. In 1 of 6 seeds, and by the means of the differences."},
		{"truth in few of many seeds", at100 + `holds: peak.fncc < 115`,
			map[string]float64{"peak.fncc": 100}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2, 3, 4, 5, 6}, claims.Inconclusive, "peak FNCC 125 ± 20 KB", "Not in 4 of 6 runs."},
		{"truth in one seed, and the mean against it", at100 + `holds: peak.fncc < 105`,
			map[string]float64{"peak.fncc": 100}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2, 3, 4, 5, 6}, claims.Deviates, "peak FNCC 125 ± 20 KB", "Not in 5 of 6 runs. In 1 of 6 seeds, and by the means of the differences."},
		{"truth with a division by 0", at100 + `holds: peak.hpcc / peak.fncc > 10`,
			map[string]float64{"peak.fncc": 0, "peak.hpcc": 3}, nil, []uint64{1}, claims.NotEvaluated, nil, "peak.hpcc / peak.fncc > 10 has no value (ns3, seed 1)."},
		{"truth with a never below", at100 + `holds: fair.fncc / fair.hpcc < 1/2`,
			map[string]float64{"fair.fncc": 320, "fair.hpcc": never}, nil, []uint64{1}, claims.Reproduced, "fair FNCC 320 µs, fair HPCC never", ""},
		{"a ratio to never is outside", at100 + `value: 1 - fair.fncc / fair.hpcc, expected: 1, unit: "1", tolerance: 25%`,
			map[string]float64{"fair.fncc": 320, "fair.hpcc": never}, nil, []uint64{1}, claims.NotEvaluated, nil, "1 - fair.fncc / fair.hpcc has no value (ns3, seed 1; fair FNCC 320 µs, fair HPCC never)."},
		{"a number that is such a ratio", at100 + `value: fair.fncc / fair.hpcc, expected: 0.1, unit: "1", tolerance_abs: 0.2`,
			map[string]float64{"fair.fncc": 320, "fair.hpcc": never}, nil, []uint64{1}, claims.Deviates, claims.JSONNumber(never), ""},
		{"chain needs every link", at100 + `measure: peak, order: ["fncc < fncc-nolhcs < hpcc"]`,
			map[string]float64{"peak.fncc": 100, "peak.fncc-nolhcs": 200, "peak.hpcc": 150}, nil, []uint64{1}, claims.Deviates, "FNCC 100 KB, FNCC without LHCS 200 KB, HPCC 150 KB", ""},

		{"order of several measures", at100 + `measure: [peak, fair], order: ["fncc < hpcc", "fncc < fncc-nolhcs"]`,
			map[string]float64{"peak.fncc": 1, "peak.hpcc": 2, "peak.fncc-nolhcs": 3, "fair.fncc": 1, "fair.hpcc": 2, "fair.fncc-nolhcs": 2}, nil, []uint64{1}, claims.Reproduced, "holds for 2 of 2 measures", ""},
		{"order has to hold of each", at100 + `measure: [peak, fair], order: ["fncc < hpcc", "fncc < fncc-nolhcs"]`,
			map[string]float64{"peak.fncc": 1, "peak.hpcc": 2, "peak.fncc-nolhcs": 3, "fair.fncc": 2, "fair.hpcc": 3, "fair.fncc-nolhcs": 2}, nil, []uint64{1}, claims.Deviates, "holds for 1 of 2 measures, not for fair (FNCC 2 µs, HPCC 3 µs, FNCC without LHCS 2 µs)", ""},
		{"in no seed of both", at100 + `measure: [peak, fair], order: ["fncc < hpcc"]`, // of peak in seed 2 only, of fair in seed 1 only
			map[string]float64{"peak.fncc": 1, "peak.hpcc": 1, "fair.fncc": 1, "fair.hpcc": 2}, map[string]float64{"peak.hpcc": 1, "fair.fncc": 2}, []uint64{1, 2}, claims.Inconclusive, "holds in every seed for 0 of 2 measures, not for peak (FNCC 1 KB, HPCC 1.5 ± 6.4 KB), fair (FNCC 2 ± 13 µs, HPCC 2 µs)", "ns3, seed 1: not for peak. ns3, seed 2: not for fair."},
		{"of each in some seeds", at100 + `measure: [peak, fair], order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 1, "peak.hpcc": 2, "fair.fncc": 1, "fair.hpcc": 2}, map[string]float64{"fair.fncc": 2}, []uint64{1, 2}, claims.Inconclusive, "holds in every seed for 1 of 2 measures, not for fair (FNCC 2 ± 13 µs, HPCC 2 µs)", "ns3, seed 2: not for fair."},
		{"one of several not measured", at100 + `measure: [peak, fair], order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 1, "peak.hpcc": 2}, nil, []uint64{1}, claims.NotEvaluated, nil, "fair cannot be measured"},

		{"number inside", at100 + `value: 100 * (1 - peak.fncc / peak.hpcc), expected: 40, unit: "%"`,
			map[string]float64{"peak.fncc": 70, "peak.hpcc": 100}, nil, []uint64{1}, claims.Reproduced, 30.0, ""}, // 25 % of 40 is 10
		{"number outside", at100 + `value: 100 * (1 - peak.fncc / peak.hpcc), expected: 40, unit: "%"`,
			map[string]float64{"peak.fncc": 70.1, "peak.hpcc": 100}, nil, []uint64{1}, claims.Deviates, 29.9, ""},
		{"own tolerance", at100 + `value: peak.fncc, expected: 100, unit: KB, tolerance: 5%`,
			map[string]float64{"peak.fncc": 106}, nil, []uint64{1}, claims.Deviates, 106.0, ""},
		{"absolute tolerance", at100 + `value: fair.fncc - 300, expected: 0, unit: us, tolerance_abs: 5`,
			map[string]float64{"fair.fncc": 305}, nil, []uint64{1}, claims.Reproduced, 5.0, ""},
		{"no identifier", at100 + `value: 'peak["fncc-nolhcs"]', expected: 100, unit: KB`,
			map[string]float64{"peak.fncc-nolhcs": 100}, nil, []uint64{1}, claims.Reproduced, 100.0, ""},
		{"mean over seeds", at100 + `value: peak.fncc, expected: 100, unit: KB, tolerance: 5%`,
			map[string]float64{"peak.fncc": 96}, map[string]float64{"peak.fncc": 6}, []uint64{1, 2, 3}, claims.Inconclusive, 102.0, ""}, // t(2) 4.303 * 6 / sqrt 3
		{"interval inside", at100 + `value: peak.fncc, expected: 100, unit: KB, tolerance: 5%`,
			map[string]float64{"peak.fncc": 99}, map[string]float64{"peak.fncc": 1}, []uint64{1, 2, 3}, claims.Reproduced, 100.0, ""},
		{"interval outside", at100 + `value: peak.fncc, expected: 100, unit: KB, tolerance: 5%`,
			map[string]float64{"peak.fncc": 109}, map[string]float64{"peak.fncc": 1}, []uint64{1, 2, 3}, claims.Deviates, 110.0, ""},
		{"comes in some seeds", at100 + `value: fair.fncc, expected: 320, unit: us`,
			map[string]float64{"fair.fncc": 320}, map[string]float64{"fair.fncc": never}, []uint64{1, 2}, claims.Inconclusive, "never", "Never in 1 of 2 seeds."},
		{"division by zero", at100 + `value: peak.hpcc / peak.fncc, expected: 2`,
			map[string]float64{"peak.hpcc": 100, "peak.fncc": 0}, nil, []uint64{1}, claims.NotEvaluated, nil, "has no value"},
		{"less than anything", at100 + `value: 100 * (1 - fair.fncc / fair.hpcc), expected: 20`,
			map[string]float64{"fair.fncc": never, "fair.hpcc": 320}, nil, []uint64{1}, claims.NotEvaluated, nil, "has no value (ns3, seed 1; fair FNCC never, fair HPCC 320 µs)."},
		{"order in no seed", at100 + `measure: peak, order: ["fncc < hpcc"]`,
			map[string]float64{"peak.fncc": 160, "peak.hpcc": 150}, map[string]float64{"peak.fncc": 10}, []uint64{1, 2}, claims.Deviates, "FNCC 165 ± 64 KB, HPCC 150 KB", "ns3, seed 2: FNCC 170 is not below HPCC 150."},
		{"never is outside", at100 + `value: fair.fncc, expected: 300, unit: us`,
			map[string]float64{"fair.fncc": never}, nil, []uint64{1}, claims.Deviates, "never", ""},
		{"undefined", at100 + `value: peak.fncc / peak.hpcc, expected: 1`,
			map[string]float64{"peak.fncc": 0, "peak.hpcc": 0}, nil, []uint64{1}, claims.NotEvaluated, nil, "has no value"},

		{"truth", at100 + `holds: never(fair.fncc)`, map[string]float64{"fair.fncc": never}, nil, []uint64{1}, claims.Reproduced, "fair FNCC never", ""},
		{"untruth", at100 + `holds: never(fair.fncc)`, map[string]float64{"fair.fncc": 320}, nil, []uint64{1}, claims.Deviates, "fair FNCC 320 µs", ""},
		{"truth in every seed", at100 + `holds: peak.fncc < 120`,
			map[string]float64{"peak.fncc": 100}, map[string]float64{"peak.fncc": 15}, []uint64{1, 2, 3}, claims.Inconclusive, "peak FNCC 115 ± 37 KB", "Not for ns3, seed 3."},

		{"not measured", at100 + `measure: peak, order: ["fncc < hpcc"], note: why`,
			map[string]float64{"peak.fncc": 100}, nil, []uint64{1}, claims.NotEvaluated, nil, "why. peak cannot be measured: no sample in the window."},
		{"other scale", at100 + `holds: never(fair.fncc), scales: [paper]`,
			map[string]float64{"fair.fncc": never}, nil, []uint64{1}, claims.NotEvaluated, nil, "Not at scale quick; run it with SCALE=paper."},
		{"ambiguous", `by: mechanism, holds: never(fair.fncc)`,
			map[string]float64{"fair.fncc": never}, nil, []uint64{1}, claims.NotEvaluated, nil, "2 runs fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := figure(t, c.claim)
			list := runs([]string{"ns3"}, c.seeds...)
			got, err := claims.Evaluate(f, list, lookup(list, c.values, c.step), "quick")
			require.NoError(t, err)
			require.Len(t, got, 1)
			assert.Equal(t, c.verdict, got[0].Verdict)
			assert.Equal(t, c.measured, got[0].Measured)
			if c.note == "" {
				assert.Empty(t, got[0].Note)
			} else {
				assert.Contains(t, got[0].Note, c.note)
			}
			if c.name != "ambiguous" {
				assert.NoError(t, claims.Check(f, f.Claims[0], matrix))
			}
		})
	}
}

func TestEachAndNotes(t *testing.T) {
	f := figure(t, `each: [rate], by: mechanism, measure: peak, order: ["fncc < hpcc"], note: Always,
      notes: [{where: {rate: 200Gbps}, verdict: deviates, text: Known}, {verdict: reproduced, text: Never},
              {where: {rate: 200Gbps}, scales: [quick], text: Short}, {scales: [paper], text: Long}]`)
	require.NoError(t, claims.Check(f, f.Claims[0], matrix))
	list := runs([]string{"ns3"}, 1)
	got, err := claims.Evaluate(f, list, lookup(list, map[string]float64{"peak.fncc": 2, "peak.hpcc": 1}, nil), "quick")
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "c/100Gbps", got[0].ID)
	assert.Equal(t, "Always.", got[0].Note)
	assert.Equal(t, "c/200Gbps", got[1].ID)
	assert.Equal(t, "Always. Known. Short.", got[1].Note)
	assert.Equal(t, "FNCC < HPCC", got[1].Expected)
	assert.Equal(t, "strict in every seed", got[1].Tolerance)

	none, err := claims.Evaluate(f, nil, nil, "quick")
	require.NoError(t, err)
	require.Len(t, none, 1, "without any run the claim is still listed")
	assert.Equal(t, "c", none[0].ID)
	assert.Equal(t, claims.NotEvaluated, none[0].Verdict)
	assert.Equal(t, "Always. there is no run for it.", none[0].Note)
}

func TestMissingRun(t *testing.T) {
	f := figure(t, `where: {rate: 100Gbps}, by: mechanism, measure: peak, order: ["fncc < hpcc"]`)
	list := runs([]string{"ns3"}, 1)[1:] // hpcc at 100 Gb/s failed
	got, err := claims.Evaluate(f, list, lookup(list, map[string]float64{"peak.fncc": 2, "peak.hpcc": 1}, nil), "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.NotEvaluated, got[0].Verdict)
	assert.Equal(t, "there is no run with mechanism = hpcc (ns3, seed 1).", got[0].Note)
}

func TestEngines(t *testing.T) {
	f := figure(t, `where: {rate: 100Gbps}, by: mechanism, value: peak.fncc, expected: 100, unit: KB, tolerance: 5%`)
	list := runs([]string{"ns3", "omnet"}, 1, 2)
	by := func(ns3, omnet float64) claims.Lookup {
		return func(_ string, run int) (float64, error) {
			return map[string]float64{"ns3": ns3, "omnet": omnet}[list[run].Engine], nil
		}
	}
	got, err := claims.Evaluate(f, list, by(100, 104), "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.Reproduced, got[0].Verdict)
	got, err = claims.Evaluate(f, list, by(90, 110), "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.Deviates, got[0].Verdict, "the mean of both is 100, but neither is near")
	assert.InDelta(t, 90, got[0].Measured, 0, "of one engine, as its interval is")
}

func TestCheck(t *testing.T) {
	at100 := "where: {rate: 100Gbps}, by: mechanism, "
	for _, c := range []struct{ claim, want string }{
		{`by: mechanism, holds: never(fair.fncc)`, "the matrix has several values of topology.rate"},
		{`where: {rate: 10Gbps}, by: mechanism, holds: never(fair.fncc)`, `the matrix has no rate = "10Gbps"; did you mean "100Gbps"?`},
		{`where: {speed: 10Gbps}, by: mechanism, holds: never(fair.fncc)`, `unknown dimension "speed"`},
		{`where: {rate: 100Gbps}, each: [rate], by: mechanism, holds: never(fair.fncc)`, "dimension rate is used twice"},
		{at100 + `holds: never(fair.fnc)`, `the matrix has no mechanism = "fnc"; did you mean "fncc"?`},
		{at100 + `holds: never(fare.fncc)`, `unknown measure "fare"; did you mean "fair"?`},
		{at100 + `holds: never(fair)`, "which fair? write fair.<value of mechanism>"},
		{at100 + `holds: 1 < 2`, "uses no measure"},
		{at100 + `holds: fair.fncc`, "expected bool"},
		{at100 + `holds: 'fair.fncc <'`, "expression"},
		{at100 + `value: fair.fncc`, "value needs expected"},
		{at100 + `value: fair.fncc, expected: 0`, "expected 0 needs tolerance_abs"},
		{at100 + `value: fair.fncc, expected: 1, tolerance: 5%, tolerance_abs: 1`, "exclude each other"},
		{at100 + `value: fair.fncc, expected: 1, tolerance_abs: -1`, "negative"},
		{at100 + `value: fair.fncc, expected: 1, holds: never(fair.fncc)`, "exactly one of"},
		{`mean_over: {rate: 100Gbps}, by: mechanism, holds: never(fair.fncc)`, "mean_over belongs to value"},
		{at100 + `mean: geometric, value: fair.fncc, expected: 1`, "mean belongs to mean_over"},
		{`mean_over: {rate: [100Gbps, 200Gbps]}, mean: geometrical, by: mechanism, value: fair.fncc, expected: 1`, `mean is "geometrical"; did you mean "geometric"?`},
		{at100 + `mean_over: {rate: [100Gbps]}, value: fair.fncc, expected: 1`, "dimension rate is used twice"},
		{`mean_over: {rate: [100Gbps, 20Gbps]}, by: mechanism, value: fair.fncc, expected: 1`, `mean_over: the matrix has no rate = "20Gbps"`},
		{`mean_over: {speed: [1, 2]}, by: mechanism, value: fair.fncc, expected: 1`, `unknown dimension "speed"`},
		{at100 + `measure: fair`, "exactly one of"},
		{at100 + `holds: never(fair.fncc), unit: us`, "belong to value"},
		{at100 + `holds: never(fair.fncc), measure: fair`, "measure belongs to order"},
		{at100 + `order: ["fncc < hpcc"]`, "order needs measure and by"},
		{at100 + `measure: fare, order: ["fncc < hpcc"]`, `unknown measure "fare"`},
		{at100 + `measure: fair, order: ["fncc"]`, `not of the form "a < b < c"`},
		{at100 + `measure: fair, order: ["fncc < < hpcc"]`, `not of the form`},
		{at100 + `measure: fair, order: ["fncc < fncc"]`, "with itself"},
		{at100 + `measure: fair, order: ["fncc < hpc"]`, `did you mean "hpcc"?`},
		{at100 + `holds: never(fair.fncc), scales: [papers]`, `did you mean "paper"?`},
		{at100 + `holds: never(fair.fncc), notes: [{verdict: deviate}]`, `did you mean "deviates"?`},
		{at100 + `holds: never(fair.fncc), notes: [{where: {rate: 100Gbps}}]`, "not made for each rate"},
		{at100 + `holds: never(fair.fncc), notes: [{scales: [papr]}]`, `did you mean "paper"?`},
	} {
		f := figure(t, c.claim)
		assert.ErrorContains(t, claims.Check(f, f.Claims[0], matrix), c.want, c.claim)
	}
}

// What a claim compares and what it comes to has one unit, as far as it is known.
func TestUnits(t *testing.T) {
	for claim, want := range map[string]string{
		`value: fair.fncc, expected: 0.3, unit: ms`:                                   `the value is in "us", and unit is "ms"; write unit: "us"`,
		`value: fair.fncc, expected: 300`:                                             `the value is in "us", and unit is ""`,
		`value: share.fncc, expected: 1, unit: "1"`:                                   `the value is in "%"`,
		`value: share.fncc, expected: 1`:                                              `the value is in "%"`,
		`value: fair.fncc - 300, expected: 1, unit: ms`:                               `the value is in "us"`,
		`value: "abs(fair.fncc - fair.hpcc)", expected: 1, unit: ms`:                  `the value is in "us"`,
		`value: fair.fncc / fair.hpcc, expected: 1, unit: us`:                         `the value is in "1", and unit is "us"`,
		`value: 1 - fair.fncc / fair.hpcc, expected: 1, unit: "%"`:                    `the value is in "1", and unit is "%"`,
		`value: "fair.fncc > 300 ? fair.fncc : late.fncc", expected: 1, unit: us`:     `fair.fncc is in us, and late.fncc in ms`,
		`value: fair.fncc / late.hpcc, expected: 1`:                                   `fair.fncc is in us, and late.hpcc in ms; measure both in one unit`,
		`holds: fair.fncc > late.hpcc`:                                                `expression "fair.fncc > late.hpcc": fair.fncc is in us, and late.hpcc in ms`,
		`holds: 'fair["fncc-nolhcs"] == late.hpcc'`:                                   `is in us, and late.hpcc in ms`,
		`holds: never(fair.fncc) && fair.fncc + 1 < late.hpcc`:                        `fair.fncc + 1 is in us, and late.hpcc in ms`,
		`holds: "max(fair.fncc, fair.hpcc, late.hpcc) < 1"`:                           `late.hpcc in ms`,
		`holds: "max([fair.fncc, late.hpcc]) < 1"`:                                    `late.hpcc in ms`,
		`holds: 'fair.fncc < fair.hpcc', control: {measure: {fair: late}}`:            ``,
		`holds: 'peak.fncc / fair.fncc < 2'`:                                          ``,
		`value: fair.fncc, expected: 300, unit: us, control: {measure: {fair: late}}`: `control: the value is in "ms", and without it in "us"`,
		`holds: peak.fncc < big.hpcc`:                                                 `peak.fncc is in KB, and big.hpcc in MB`,
		`value: fair.fncc - 300, expected: 1, unit: us`:                               ``,
		`value: fair.fncc / fair.hpcc, expected: 1`:                                   ``,
		`value: 100 * (fair.fncc / fair.hpcc), expected: 1, unit: "%"`:                ``,
		`value: 100 * (1 - fair.fncc / fair.hpcc), expected: 1`:                       ``,
		`value: 100 * share.fncc, expected: 1, unit: Gb/s`:                            ``,
		`value: 1000 * late.fncc - fair.fncc, expected: 1, unit: us`:                  ``,
		`value: "(fair.fncc + fair.hpcc) / 2 / fair.hpcc", expected: 1`:               ``,
		`value: "fair.fncc > 300 ? 1 : 0", expected: 1`:                               ``,
		`holds: "min(fair.fncc, 300) < 2 * fair.hpcc && peak.fncc < 5"`:               ``,
		`measure: [fair, late, peak], order: ["fncc < hpcc"]`:                         ``,
	} {
		f := figure(t, "where: {rate: 100Gbps}, by: mechanism, "+claim)
		for name, unit := range map[string]string{"late": "ms", "share": "%", "big": "MB"} {
			f.Measures.Names = append(f.Measures.Names, name)
			f.Measures.Items[name] = spec.Measure{Kind: "table", Unit: unit}
		}
		err := claims.Check(f, f.Claims[0], matrix)
		if want == "" {
			assert.NoError(t, err, claim)
		} else {
			assert.ErrorContains(t, err, want, claim)
		}
	}
}

func TestJSONAndTable(t *testing.T) {
	results := []claims.Result{
		{ID: "a", Text: "x is the first", Source: "Figure 1", Expected: "x < y", Measured: "x 1, y 2", Tolerance: "strict in every seed", Verdict: claims.Reproduced},
		{ID: "b", Text: "y is 7", Source: "Figure 1", Expected: 7.0, Measured: nil, Unit: "%", Tolerance: "± 25 %", Verdict: claims.NotEvaluated, Note: "Not at scale quick."},
		{ID: "c", Text: "z is 5", Source: "Figure 1", Expected: 5.0, Measured: 8.25, Unit: "us", Tolerance: "± 25 %", Verdict: claims.Deviates},
	}
	data, err := json.Marshal(results[1])
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"b","text":"y is 7","source":"Figure 1","expected":7,"measured":null,"unit":"%","tolerance":"± 25 %","verdict":"not-evaluated","note":"Not at scale quick."}`, string(data))

	text := claims.Render(results)
	for _, want := range []string{"paper", "measured", "verdict", "8.25 µs", "5 µs", "7 %", "x is the first", "1 reproduced, 1 deviates, 0 inconclusive, 1 not-evaluated"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "x < y", "the sentence stands there, not the expression")
	assert.Empty(t, claims.Render(nil), "without claims there is no table")
	for _, line := range strings.Split(text, "\n") {
		assert.LessOrEqual(t, len([]rune(line)), 120, "fits a terminal")
	}
}

func TestNum(t *testing.T) {
	for v, want := range map[float64]string{312.345: "312.3", 0.00012345: "0.0001234", 1234567: "1235000", 0: "0", math.Inf(1): "never", -2.5: "-2.5"} {
		assert.Equal(t, want, claims.Num(v))
	}
}

// TestChecksAreCountedApart: what checks the set-up is judged like the rest, and
// what is superseded is not judged.
func TestChecksAreCountedApart(t *testing.T) {
	const order = `each: [rate], by: mechanism, measure: peak, order: ["fncc < hpcc"]`
	list := runs([]string{"ns3"}, 1)
	at := lookup(list, map[string]float64{"peak.fncc": 1, "peak.hpcc": 2}, nil)
	got, err := claims.Evaluate(figure(t, order+`, check: of the set-up`), list, at, "quick")
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "of the set-up", got[0].Check)
	assert.Equal(t, claims.Reproduced, got[0].Verdict)
	assert.Equal(t, "0 reproduced, 0 deviates, 0 inconclusive, 0 not-evaluated; 2 of the set-up", claims.Count(got).String())

	got, err = claims.Evaluate(figure(t, order+`, superseded: {reason: no steady state, last: deviates}`), list, at, "quick")
	require.NoError(t, err)
	assert.Empty(t, got)

	for text, want := range map[string]string{
		order + `, superseded: {last: deviates}`:                                                      "superseded needs reason",
		order + `, superseded: {by: d, reason: wrong, last: deviates}`:                                `superseded by "d", which is no claim of this figure`,
		order + `, superseded: {by: c, reason: wrong, last: deviates}`:                                "superseded by itself",
		order + `, control: {exchange: [fncc]}`:                                                       "exchange takes two values of mechanism",
		order + `, control: {exchange: [fncc, hpc]}`:                                                  `the matrix has no mechanism = "hpc"`,
		order + `, control: {none: hard, where: {rate: 200Gbps}}`:                                     "exactly one of exchange, instead, measure, where, reading and none",
		order + `, control: {measure: {peak: pea}}`:                                                   `did you mean "peak"?`,
		order + `, control: {where: {rate: 200Gbps}}`:                                                 "the claim is made for each rate",
		`where: {rate: 100Gbps, mechanism: fncc}, holds: peak > 1, control: {exchange: [fncc, hpcc]}`: "the claim has none",
	} {
		f := figure(t, text)
		require.ErrorContains(t, claims.Check(f, f.Claims[0], matrix), want)
	}
}

// TestControls: a claim that holds with its control too cannot fail, and is found.
func TestControls(t *testing.T) {
	list := runs([]string{"ns3"}, 1)
	at := lookup(list, map[string]float64{"peak.fncc": 1, "peak.hpcc": 2, "peak.fncc-nolhcs": 3, "fair.fncc": 3}, nil)
	for claim, want := range map[string]struct {
		under  string
		passes bool
	}{
		`by: mechanism, where: {rate: 100Gbps}, measure: peak, order: ["fncc < hpcc"], control: {exchange: [fncc, hpcc]}`:       {claims.Deviates, false},
		`by: mechanism, where: {rate: 100Gbps}, measure: peak, order: ["fncc < hpcc"], control: {instead: {fncc: fncc-nolhcs}}`: {claims.Deviates, false},
		`by: mechanism, where: {rate: 100Gbps}, holds: peak.fncc < 10, control: {exchange: [fncc, hpcc]}`:                       {claims.Reproduced, true},
		`where: {rate: 100Gbps, mechanism: fncc}, holds: peak < 2, control: {where: {mechanism: hpcc}}`:                         {claims.Deviates, false},
		`where: {rate: 100Gbps, mechanism: fncc}, holds: peak < 2, control: {measure: {peak: fair}}`:                            {claims.Deviates, false},
		`by: mechanism, where: {rate: 100Gbps}, measure: peak, order: ["fncc < hpcc"], control: {reading: {table: late}}`:       {claims.NotEvaluated, false},
	} {
		f := figure(t, claim)
		require.NoError(t, claims.Check(f, f.Claims[0], matrix), claim)
		got, err := claims.Controls(f, list, at, "quick", func(string, string) ([]spec.Run, claims.Lookup, error) { return nil, nil, errors.New("there is none") })
		require.NoError(t, err, claim)
		require.Len(t, got, 1, claim)
		assert.Equal(t, want.under, got[0].Under, claim)
		assert.Equal(t, want.passes, got[0].Passes(), claim)
	}
}

// What a claim comes to under its control is in its result: only one that deviates there
// has shown that it can fail.
func TestResultsHaveTheirControls(t *testing.T) {
	list := runs([]string{"ns3"}, 1, 2, 3, 4, 5)
	for i := range list {
		if list[i].Labels["topology.rate"] == "400Gbps" {
			list[i].Unsettled = "it drifts"
		}
	}
	//nolint:unparam // claims.Evaluate wants it so
	at := func(_ string, i int) (float64, error) {
		if r := list[i]; r.Labels["topology.rate"] == "200Gbps" && r.Labels["preset"] == "fncc" && r.Seed == 3 {
			return 9, nil
		}
		return map[string]float64{"fncc": 1, "hpcc": 2, "fncc-nolhcs": 3}[list[i].Labels["preset"]], nil
	}
	for claim, want := range map[string]string{
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {exchange: [fncc, hpcc]}`:                claims.Deviates,
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {instead: {hpcc: fncc-nolhcs}}`:          claims.Reproduced,
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {where: {rate: 200Gbps}}`:                claims.Inconclusive,
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {where: {rate: 400Gbps}}`:                claims.NotEvaluated,
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {reading: {table: late}}`:                "reading table=late",
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc < peak.hpcc, control: {none: it is a bound}`:                   "",
		`where: {rate: 100Gbps}, by: mechanism, holds: peak.fncc > peak.hpcc, control: {exchange: [fncc, hpcc]}`:                "",
		`where: {rate: 100Gbps}, by: mechanism, measure: peak, order: ["fncc < hpcc"], control: {instead: {fncc: fncc-nolhcs}}`: claims.Deviates,
	} {
		got, err := claims.Evaluate(figure(t, claim), list, at, "quick")
		require.NoError(t, err, claim)
		require.Len(t, got, 1, claim)
		assert.Equal(t, want, got[0].Control, claim)
	}
}

// An order of which each seed misses another pair is judged by the means; one of which a
// pair never holds deviates.
func TestOrdersPairByPair(t *testing.T) {
	f := figure(t, `where: {rate: 100Gbps}, by: mechanism, measure: [peak, fair], order: ["fncc < hpcc", "fncc < fncc-nolhcs"]`)
	list := runs([]string{"ns3"}, 1, 2, 3, 4, 5, 6, 7, 8)
	pair := map[string]uint64{"peak hpcc": 1, "peak fncc-nolhcs": 2, "fair hpcc": 3, "fair fncc-nolhcs": 4}
	judged := func(value func(pair, seed uint64) float64) string {
		got, err := claims.Evaluate(f, list, func(measure string, i int) (float64, error) {
			r := list[i]
			if r.Labels["preset"] == "fncc" {
				return 100, nil
			}
			return value(pair[measure+" "+r.Labels["preset"]], r.Seed), nil
		}, "quick")
		require.NoError(t, err)
		return got[0].Verdict
	}
	off := func(missed bool, value float64) float64 {
		if missed {
			return 99.9
		}
		return value
	}
	assert.Equal(t, claims.Reproduced, judged(func(pair, seed uint64) float64 { return off(pair == seed, 101+float64(seed%2)/10) }))
	assert.Equal(t, claims.Inconclusive, judged(func(pair, seed uint64) float64 { return off(pair == seed, 101+float64(seed%2)*90) }))
	assert.Equal(t, claims.Deviates, judged(func(pair, _ uint64) float64 { return off(pair == 3, 101) }))
}

// TestMeanOver: a number that is an average over points, seed by seed.
func TestMeanOver(t *testing.T) {
	const claim = `mean_over: {rate: [100Gbps, 200Gbps]}, by: mechanism, value: peak.hpcc / peak.fncc, expected: 3, tolerance: 10%`
	list := runs([]string{"ns3"}, 1, 2)
	ratio := map[string]float64{"100Gbps": 2, "200Gbps": 4} // a mean of 3, where the ratio of the means would be 3.33
	//nolint:unparam // claims.Evaluate wants it so
	peak := func(_ string, run int) (float64, error) {
		r := list[run]
		if r.Labels["preset"] == "fncc" {
			return 1 / ratio[r.Labels["topology.rate"]], nil
		}
		return 1 + 0.1*float64(r.Seed-1), nil
	}
	f := figure(t, claim)
	require.NoError(t, claims.Check(f, f.Claims[0], matrix))
	got, err := claims.Evaluate(f, list, peak, "quick")
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, 3.15, got[0].Measured, "3 with the first seed, 3.3 with the second")
	assert.Positive(t, got[0].Interval)

	geometric := figure(t, claim+", mean: geometric")
	require.NoError(t, claims.Check(geometric, geometric.Claims[0], matrix))
	got, err = claims.Evaluate(geometric, list, peak, "quick")
	require.NoError(t, err)
	assert.InDelta(t, 1.05*math.Sqrt(2*4), got[0].Measured, 1e-5)

	largest := figure(t, `mean_over: {rate: [100Gbps, 200Gbps]}, mean: largest, by: mechanism, value: peak.hpcc / peak.fncc, expected: 3`)
	got, err = claims.Evaluate(largest, list, peak, "quick")
	require.NoError(t, err)
	assert.InDelta(t, 4.2, got[0].Measured, 1e-5, "4 with the first seed, 4.4 with the second")

	negative := func(m string, run int) (float64, error) {
		v, err := peak(m, run)
		return -v, err
	}
	minus := figure(t, `mean_over: {rate: [100Gbps, 200Gbps]}, mean: geometric, by: mechanism, value: peak.fncc, expected: 3, unit: KB`)
	got, err = claims.Evaluate(minus, list, negative, "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.NotEvaluated, got[0].Verdict)
	assert.Contains(t, got[0].Note, "no geometric mean")

	one := list[:len(list)/2] // no run at 200 Gb/s
	got, err = claims.Evaluate(f, one, peak, "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.NotEvaluated, got[0].Verdict)
	assert.Contains(t, got[0].Note, "there is no run for it")

	other := slices.Clone(list)
	for i, r := range other {
		if r.Labels["topology.rate"] == "200Gbps" && r.Seed == 2 {
			other[i].Seed = 3
		}
	}
	got, err = claims.Evaluate(f, other, peak, "quick")
	require.NoError(t, err)
	assert.Contains(t, got[0].Note, "do not have the same seeds")

	list[0].Unsettled = "it takes 3ms to settle" // FNCC or HPCC at one of the rates
	got, err = claims.Evaluate(f, list, peak, "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.NotEvaluated, got[0].Verdict)
	assert.Contains(t, got[0].Note, "not in steady state")
}

// TestUnsettled: what was measured before the network had settled is no
// verdict, except at points that the claim names.
func TestUnsettled(t *testing.T) {
	const claim = `where: {rate: 100Gbps}, by: mechanism, measure: peak, order: ["fncc < hpcc"]`
	list := runs([]string{"ns3"}, 1)
	for i := range list {
		if list[i].Labels["preset"] == "hpcc" {
			list[i].Unsettled = "it takes 3ms to settle"
		}
	}
	values := map[string]float64{"peak.fncc": 1, "peak.hpcc": 2}
	got, err := claims.Evaluate(figure(t, claim), list, lookup(list, values, nil), "quick")
	require.NoError(t, err)
	assert.Equal(t, claims.NotEvaluated, got[0].Verdict)
	assert.Contains(t, got[0].Note, "the network was not in steady state (ns3, mean of the seeds): it takes 3ms to settle")

	for unsettled, want := range map[string]string{
		"{mechanism: hpcc}":                          claims.Reproduced,
		"{mechanism: [fncc, hpcc], rate: [100Gbps]}": claims.Reproduced,
		"{mechanism: fncc}":                          claims.NotEvaluated,
		"{mechanism: hpcc, rate: 400Gbps}":           claims.NotEvaluated,
		"{}":                                         claims.NotEvaluated,
	} {
		got, err := claims.Evaluate(figure(t, claim+", unsettled: "+unsettled), list, lookup(list, values, nil), "quick")
		require.NoError(t, err)
		assert.Equal(t, want, got[0].Verdict, unsettled)
	}
}

func TestMeasuredHasItsInterval(t *testing.T) {
	f := figure(t, `where: {rate: 100Gbps}, by: mechanism, value: peak.fncc, expected: 100, unit: KB`)
	list := runs([]string{"ns3"}, 1, 2, 3)
	got, err := claims.Evaluate(f, list, lookup(list, map[string]float64{"peak.fncc": 99}, map[string]float64{"peak.fncc": 1}), "quick")
	require.NoError(t, err)
	assert.Equal(t, "100 ± 2.5 KB", got[0].MeasuredText()) // t(2) 4.303 * 1 / sqrt 3
	assert.Equal(t, "100 KB", got[0].PaperText())
	list = runs([]string{"ns3"}, 1)
	got, err = claims.Evaluate(f, list, lookup(list, map[string]float64{"peak.fncc": 99}, nil), "quick")
	require.NoError(t, err)
	assert.Equal(t, "99 KB", got[0].MeasuredText())
}

// TestMeasuredWhereJudged: of a point that carries a load only the window counts
// whose steady state was checked.
func TestMeasuredWhereJudged(t *testing.T) {
	figure := func(window, more string) *spec.Figure {
		f := figure(t, `where: {rate: 100Gbps}, by: mechanism, measure: peak, order: ["fncc < hpcc"]`+more)
		s, err := reader.Parse("x.yaml", []byte("window: "+window))
		require.NoError(t, err)
		peak := f.Measures.Items["peak"]
		peak.Window = spec.ReadWindow(s, "window", f)
		f.Measures.Items["peak"] = peak
		return f
	}
	list := runs([]string{"ns3"}, 1)
	judge := func(f *spec.Figure) claims.Result {
		got, err := claims.Evaluate(f, list, lookup(list, map[string]float64{"peak.fncc": 1, "peak.hpcc": 2}, nil), "quick")
		require.NoError(t, err)
		return got[0]
	}
	early := figure("[1ms, 4ms]", "")
	assert.Equal(t, claims.Reproduced, judge(early).Verdict, "the point carries no load")
	for i := range list {
		list[i].Judged = series.Window{From: 2e9, To: 5e9}
	}
	got := judge(early)
	assert.Equal(t, claims.NotEvaluated, got.Verdict)
	assert.Contains(t, got.Note, "peak is of 1ms to 4ms, and steady state was checked from 2ms to 5ms only")
	assert.Equal(t, claims.NotEvaluated, judge(figure("[2ms, 6ms]", "")).Verdict)
	assert.Equal(t, claims.Reproduced, judge(figure("[2ms, 5ms]", "")).Verdict)
	assert.Equal(t, claims.Reproduced, judge(figure("[2ms, 5000001ns]", "")).Verdict, "the run drains for a nanosecond")
	assert.Equal(t, claims.NotEvaluated, judge(figure("[2ms, 5000002ns]", "")).Verdict)
	assert.Equal(t, claims.Reproduced, judge(figure("[1ms, 4ms]", ", unsettled: {mechanism: [fncc, hpcc]}")).Verdict)
}

// TestTermsThatAreNoNumber: what a term without a value is compared with, or goes
// into, decides nothing.
func TestTermsThatAreNoNumber(t *testing.T) {
	never := math.Inf(1)
	list := runs([]string{"ns3"}, 1)
	const difference, ratio = "fair.fncc - fair.hpcc", "fair.fncc / fair.hpcc"
	for claim, want := range map[string]string{ // the term that has no value, or the verdict
		`holds: '!(fair.fncc - fair.hpcc > 5)'`:                                                  difference,
		`holds: 'fair.fncc - fair.hpcc <= 5'`:                                                    difference,
		`holds: 'not (2 * (fair.fncc - fair.hpcc) in 0..5)'`:                                     difference,
		`holds: 'fair.fncc / fair.hpcc != 1'`:                                                    ratio,
		`holds: 'fair.fncc / fair.hpcc < 0.5'`:                                                   ratio,
		`holds: 'peak.fncc * fair.hpcc != 1'`:                                                    "peak.fncc * fair.hpcc",
		`holds: 'abs(fair.fncc - fair.hpcc) != 1'`:                                               difference,
		`holds: 'sum([fair.fncc, -fair.hpcc]) != 1'`:                                             "sum([fair.fncc, -fair.hpcc])",
		`holds: 'reduce([fair.fncc, fair.hpcc], #acc - #) != 1'`:                                 "#acc - #",
		`value: 'min(fair.fncc / fair.hpcc, 1)', expected: 1, unit: "1"`:                         ratio,
		`value: 'max(fair.fncc - fair.hpcc, 0)', expected: 0, unit: us, tolerance_abs: 1`:        difference,
		`value: 'fair.fncc - fair.hpcc > 5 ? 1 : 0', expected: 0, unit: "1", tolerance_abs: 0.1`: difference,
		`value: 'min(peak.fncc / peak.hpcc, 1)', expected: 1, unit: "1"`:                         "peak.fncc / peak.hpcc",
		`value: 'fair.fncc - fair.hpcc', expected: 0, unit: us, tolerance_abs: 1`:                "",

		`holds: 'never(fair.fncc) || fair.fncc - fair.hpcc > 5'`:                   claims.Reproduced, // is not asked
		`holds: 'never(fair.fncc + fair.hpcc)'`:                                    claims.Reproduced,
		`holds: 'fair.fncc - 5 >= fair.hpcc + 5'`:                                  claims.Reproduced,
		`value: '(fair.fncc / fair.hpcc)', expected: 1, unit: "1"`:                 claims.Deviates, // outside every tolerance
		`value: 'min(fair.fncc, 3 + 2 * 4)', expected: 11, unit: us`:               claims.Reproduced,
		`holds: '[peak.fncc, 7][0 + 1] == 7 && sum([1, 2]) == 3 && fair.fncc > 1'`: claims.Reproduced,
	} {
		f := figure(t, "where: {rate: 100Gbps}, by: mechanism, "+claim)
		at := lookup(list, map[string]float64{"fair.fncc": never, "fair.hpcc": never, "peak.fncc": 0, "peak.hpcc": 0}, nil)
		got, err := claims.Evaluate(f, list, at, "quick")
		require.NoError(t, err, claim)
		if slices.Contains(claims.Verdicts, want) {
			assert.Equal(t, want, got[0].Verdict, claim)
			continue
		}
		assert.Equal(t, claims.NotEvaluated, got[0].Verdict, claim)
		if want != "" {
			want = ", as " + want + " has none"
		}
		assert.Contains(t, got[0].Why, " has no value"+want+" (ns3, seed 1", claim)
	}
}

// A truth that some seeds have is judged comparison by comparison.
func TestTruthsByMeans(t *testing.T) {
	list := runs([]string{"ns3"}, 1, 2, 3, 4, 5, 6, 7, 8)
	at := func(_ string, run int) (float64, error) {
		seed := float64(list[run].Seed)
		switch list[run].Labels["preset"] {
		case "fncc": // 8.5 ± 4.5, 15.25 on the mean
			return 8.5 + seed + 3*math.Mod(seed, 2), nil
		case "hpcc": // 14, 15, 14, …
			return 14 + math.Mod(seed, 2), nil
		}
		return 20, nil
	}
	at100 := "where: {rate: 100Gbps}, by: mechanism, "
	for _, c := range []struct{ holds, want string }{
		{"peak.fncc < peak.hpcc + 3", claims.Reproduced},
		{"peak.hpcc + 3 > peak.fncc", claims.Reproduced},
		{"peak.fncc > 16.5 - 5 && peak.hpcc < 16", claims.Reproduced},
		{"peak.hpcc < 16 && (peak.fncc <= 10.5 || peak.fncc > 17)", claims.Deviates},
		{"not (peak.fncc <= 10.5)", claims.Reproduced},
		{"peak.fncc < peak.hpcc", claims.Inconclusive},
		{"peak.fncc < peak.hpcc || peak.fncc > 11.5", claims.Reproduced},
		{"peak.fncc < peak.hpcc && peak.fncc < 10.5", claims.Deviates},
		{"peak.fncc < peak.hpcc && peak.hpcc < 16", claims.Inconclusive},
		{"peak.hpcc != 14", claims.Inconclusive},                                              // no comparison that has a distance
		{`peak.fncc == peak.hpcc || 1 / (peak["fncc-nolhcs"] - 20) > 0`, claims.NotEvaluated}, // of a part in some seeds only
	} {
		results, err := claims.Evaluate(figure(t, at100+"holds: '"+c.holds+"'"), list, at, "quick")
		require.NoError(t, err, c.holds)
		assert.Equal(t, c.want, results[0].Verdict, "%s: %s %s", c.holds, results[0].Measured, results[0].Note)
	}
	results, err := claims.Evaluate(figure(t, at100+"holds: peak.fncc < peak.hpcc + 3"), list, at, "quick")
	require.NoError(t, err)
	assert.Contains(t, results[0].Note, "In 7 of 8 seeds, and by the means of the differences.")
}
