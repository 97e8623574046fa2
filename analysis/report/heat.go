package report

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/heat"
)

// A Map is the network of a run with how busy its links were.
type Map struct {
	Run  string // its name
	Heat *heat.Map
	// Drawing is an SVG picture with a path for each port of Heat that has the
	// number of the port as data-port, is painted with Colour of the mean and
	// titled with Busy of it.
	Drawing []byte
}

// heatStops are the colours of idle, a quarter, half, three quarters and all:
// the busier the darker, so that it can be read in grey.
var heatStops = [][3]float64{{223, 228, 232}, {253, 204, 138}, {252, 141, 89}, {215, 48, 31}, {90, 0, 16}}

// noColour is that of a port without a sample.
const noColour = "#b5bdc4"

// Colour is that of a share of what a link can carry.
func Colour(share float64) string {
	if math.IsNaN(share) {
		return noColour
	}
	at := float64(halfPercent(share)) / 200 * float64(len(heatStops)-1) // as the script has it
	i := min(int(at), len(heatStops)-2)
	part := at - float64(i)
	var rgb [3]int
	for k := range rgb {
		rgb[k] = int(math.Floor(heatStops[i][k] + part*(heatStops[i+1][k]-heatStops[i][k]) + 0.5))
	}
	return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
}

// Busy says how busy a port was.
func Busy(port string, share float64) string {
	if math.IsNaN(share) {
		return port + ": not recorded"
	}
	return fmt.Sprintf("%s: %s %%", port, percent(halfPercent(share)))
}

// Shares are kept in half per cent; noShare is a port without a sample.
const noShare = 255

func halfPercent(share float64) byte {
	if math.IsNaN(share) {
		return noShare
	}
	return byte(math.Floor(200*min(max(share, 0), 1) + 0.5))
}

func percent(half byte) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(half)/2), ".0") }

type mapView struct {
	Anchor, Run, When, Busiest string
	Drawing                    template.HTML
	Stops                      []stop
	Data                       mapData
}

// A stop is a place on the scale in per cent, and its colour.
type stop struct {
	At     int
	Colour string
}

// mapData is a map for the page's script.
type mapData struct {
	Stops [][3]float64  `json:"stops"`
	None  string        `json:"none"` // colour of ports without a sample
	Ports int           `json:"ports"`
	Times chart.Numbers `json:"times"`
	Unit  string        `json:"unit"`
	Mean  string        `json:"mean"`  // base64: half per cent of each port
	Steps string        `json:"steps"` // the same, step by step
}

func newMap(anchor string, m Map) mapView {
	v := mapView{Anchor: anchor, Run: m.Run, Drawing: template.HTML(m.Drawing)}
	for i := range heatStops {
		at := 100 * i / (len(heatStops) - 1)
		v.Stops = append(v.Stops, stop{at, Colour(float64(at) / 100)})
	}
	h := m.Heat
	last := h.Times[len(h.Times)-1]
	unit, ps := "ns", 1e3
	for _, u := range []struct {
		name string
		ps   float64
	}{{"µs", 1e6}, {"ms", 1e9}, {"s", 1e12}} {
		if float64(last) >= u.ps {
			unit, ps = u.name, u.ps
		}
	}
	v.Data = mapData{Stops: heatStops, None: noColour, Ports: len(h.Ports), Unit: unit, Mean: coded(h.Mean), Steps: coded(slices.Concat(h.Steps...))}
	for _, t := range h.Times {
		v.Data.Times = append(v.Data.Times, float64(t)/ps)
	}
	v.When = fmt.Sprintf("mean of %s to %s %s", claims.Num(v.Data.Times[0]), claims.Num(float64(last)/ps), unit)
	v.Busiest = busiest(h.Ports, h.Mean)
	return v
}

func coded(shares []float64) string {
	cells := make([]byte, len(shares))
	for i, s := range shares {
		cells[i] = halfPercent(s)
	}
	return base64.StdEncoding.EncodeToString(cells)
}

// busiest names the busiest ports, which the eye finds hard in a large network.
func busiest(ports []string, shares []float64) string {
	order := make([]int, 0, len(ports))
	for i, s := range shares {
		if halfPercent(s) != noShare {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(halfPercent(shares[b]), halfPercent(shares[a])) })
	var names []string
	for _, i := range order[:min(5, len(order))] {
		names = append(names, fmt.Sprintf("%s %s %%", ports[i], percent(halfPercent(shares[i]))))
	}
	return strings.Join(names, ", ")
}
