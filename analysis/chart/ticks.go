package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A tickRoom is the length of an axis, about, and what a label takes of it.
type tickRoom struct {
	axis  vg.Length
	label func(string) vg.Length
}

// along is the room along an x axis, where labels stand side by side.
func along(axis vg.Length, style text.Style) tickRoom {
	return tickRoom{axis, func(label string) vg.Length { return style.Width(label) + 4 }}
}

// up is the room along a y axis, where digits stand above each other.
func up(axis vg.Length) tickRoom {
	return tickRoom{axis, func(string) vg.Length { return nameSize - 1 }}
}

// widest is what the widest of the labels takes.
func (r tickRoom) widest(list []plot.Tick) (most vg.Length) {
	for _, t := range list {
		most = max(most, r.label(t.Label))
	}
	return most
}

// linear are at most seven multiples of 1, 2 or 5 times a power of ten, fewer
// where their labels have no room.
func (r tickRoom) linear(low, high float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10(high-low))) - 1)
	for i := 0; ; i++ {
		var list []plot.Tick
		const rounding = 1e-9 // of the ends, which are ticks too; + 0 makes of -0 a 0
		if (high-low)/step <= 6 {
			for k := math.Ceil(low/step-rounding) + 0; k*step <= high+rounding*step; k++ {
				list = append(list, plot.Tick{Value: k * step, Label: tickLabel(k * step)})
			}
			if len(list) <= 2 || r.widest(list)*vg.Length((high-low)/step) <= r.axis {
				return list
			}
		}
		step *= []float64{2, 2.5, 2}[i%3] // 1, 2, 5, 10, 20, … times the power
	}
}

// logarithmic has ticks at 1, 2 and 5 times the powers of ten. Where they have
// no room only the powers have their number, or some of them.
func (r tickRoom) logarithmic(low, high float64) []plot.Tick {
	var list []plot.Tick
	first := math.Floor(math.Log10(low))
	for power := first; power <= math.Log10(high); power++ {
		for _, factor := range []float64{1, 2, 5} {
			if v := factor * math.Pow10(int(power)); v >= low && v <= high {
				list = append(list, plot.Tick{Value: v, Label: tickLabel(v)})
			}
		}
	}
	if len(list) < 2 { // from 2.2 to 4.8 there is none
		return r.linear(low, high)
	}
	decade := r.axis / vg.Length(math.Log10(high/low))
	widest := r.widest(list)
	if widest <= decade*vg.Length(math.Log10(2)) {
		return list
	}
	every := int(math.Ceil(float64(widest / decade)))
	for i, t := range list {
		power := math.Log10(t.Value)
		if whole := math.Round(power); math.Abs(power-whole) > 0.1 || int(whole)%every != 0 {
			list[i].Label = ""
		}
	}
	return list
}

// tickLabel is a tick's number. A short range far from 0 takes more digits than
// usual, without which ticks would have each other's number.
func tickLabel(v float64) string {
	const usual, exact = 6, 12
	label := strconv.FormatFloat(v, 'g', usual, 64)
	if short, err := strconv.ParseFloat(label, 64); err != nil || math.Abs(short-v) > 1e-11*math.Abs(v) {
		return strconv.FormatFloat(v, 'g', exact, 64)
	}
	return label
}
