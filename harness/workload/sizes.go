package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/file"
	"fabriclab/base/yamlfile"
)

// Sizes is a distribution of flow sizes: the cumulative probability is linear
// between knots.
type Sizes struct {
	Name, Title, Source string

	size, probability []float64 // of the knots
}

// FixedSize is the distribution with one size.
func FixedSize(size int64) *Sizes {
	return &Sizes{size: []float64{float64(size), float64(size)}, probability: []float64{0, 1}}
}

// ReadSizes reads a table of knots (docs/workloads.md).
func ReadSizes(path string) (*Sizes, error) {
	data, err := file.ReadAtMost(path, yamlfile.MaxBytes)
	if err == nil && numbers.Match(data) {
		return columns(path, string(data))
	}
	if err == nil {
		_, err = yamlfile.Parse(path, data) // for the places of its errors
	}
	if err != nil {
		return nil, err
	}
	var table struct {
		Workload string       `yaml:"workload"`
		Title    string       `yaml:"title"`
		Source   string       `yaml:"source"`
		Knots    [][2]float64 `yaml:"knots"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&table); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s; docs/workloads.md shows what a table looks like", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if short := strings.TrimSuffix(filepath.Base(path), ".yaml"); table.Workload != short {
		return nil, fmt.Errorf("%s: the workload calls itself %q, but its file is %s; give both the same name", path, table.Workload, filepath.Base(path))
	}
	s := &Sizes{Name: table.Workload, Title: table.Title, Source: table.Source}
	for _, knot := range table.Knots {
		s.size = append(s.size, knot[0])
		s.probability = append(s.probability, knot[1])
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: knots: %w", path, err)
	}
	return s, nil
}

// numbers are what tables of other simulators begin with.
var numbers = regexp.MustCompile(`^\s*(#.*\s+)*[0-9.+eE]+(\s|$)`)

// columns reads a table of two columns, size and cumulative probability, which
// goes up to 1 or, in per cent, to 100.
func columns(path, text string) (*Sizes, error) {
	s := &Sizes{Name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	s.Title, s.Source = s.Name, filepath.Base(path)
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s:%d: the line has %d words; a table has two columns, the size in bytes and the cumulative probability, up to 1 or in per cent; or write it as knots (docs/workloads.md)", path, i+1, len(words))
		}
		for k, to := range []*[]float64{&s.size, &s.probability} {
			x, err := strconv.ParseFloat(words[k], 64)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %q is no number", path, i+1, words[k])
			}
			*to = append(*to, x)
		}
	}
	switch last := s.probability[len(s.probability)-1]; last {
	case 1:
	case 100:
		for i := range s.probability {
			s.probability[i] /= 100
		}
	default:
		return nil, fmt.Errorf("%s: the last cumulative probability is %v; it is 1, or 100 in per cent", path, last)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// largest is the largest size of a flow in a table: 1 PB.
const largest = 1e15

func (s *Sizes) check() error {
	last := len(s.size) - 1
	if last < 1 {
		return fmt.Errorf("a table has two knots or more, from probability 0 to 1; this one has %d", last+1)
	}
	for i, size := range s.size {
		p := s.probability[i]
		switch {
		case !(size >= 0 && size <= largest && size == math.Trunc(size)):
			return fmt.Errorf("the size of knot %d is %v; a size is a whole number of bytes, from 0 to %g", i+1, size, float64(largest))
		case !(p >= 0 && p <= 1):
			return fmt.Errorf("the probability of knot %d is %v; it is between 0 and 1", i+1, p)
		case i > 0 && (size < s.size[i-1] || p < s.probability[i-1]):
			return fmt.Errorf("knot %d (%v, %v) is below knot %d (%v, %v); sizes and probabilities only grow", i+1, size, p, i, s.size[i-1], s.probability[i-1])
		}
	}
	if s.probability[0] != 0 || s.probability[last] != 1 || s.size[last] < 1 {
		return fmt.Errorf("they go from probability %v to %v and up to %v B; they go from probability 0 to 1, and up to 1 B or more", s.probability[0], s.probability[last], s.size[last])
	}
	return nil
}

// At is the size below which a share u of the flows are, for u in [0, 1):
// rounded to whole bytes, and at least 1.
func (s *Sizes) At(u float64) uint64 {
	i := sort.Search(len(s.probability), func(i int) bool { return s.probability[i] > u })
	low, high := s.size[i-1], s.size[i]
	x := low + (high-low)*(u-s.probability[i-1])/(s.probability[i]-s.probability[i-1])
	return max(1, uint64(x+0.5))
}

// Mean is the mean size in bytes.
func (s *Sizes) Mean() float64 {
	return s.integrate(func(a, b float64) float64 { return (a + b) / 2 })
}

// Largest is the largest size in bytes.
func (s *Sizes) Largest() float64 { return s.size[len(s.size)-1] }

// meanSquare is the mean of the squared size.
func (s *Sizes) meanSquare() float64 {
	return s.integrate(func(a, b float64) float64 {
		return (float64(a*a) + float64(a*b) + float64(b*b)) / 3
	})
}

// integrate adds up what each piece between two knots has, by its
// probability. The conversions keep products from being fused with sums, so
// that the sum is the same on every machine.
func (s *Sizes) integrate(of func(a, b float64) float64) float64 {
	sum := 0.0
	for i := 1; i < len(s.size); i++ {
		sum += float64((s.probability[i] - s.probability[i-1]) * of(s.size[i-1], s.size[i]))
	}
	return sum
}
