package page

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"fabriclab/analysis/figure"
	"fabriclab/analysis/heat"
	"fabriclab/analysis/report"
	"fabriclab/base/file"
	"fabriclab/harness/scenario"
	"fabriclab/harness/store"
	"fabriclab/harness/topology/svg"
)

// What a page has of maps at most, so that it stays small.
const (
	mostMaps     = 3 // of a section
	mostMapBytes = 1_500_000
	mostMapLinks = 1024
	mostShares   = 40_000 // of a map: ports times steps
)

const linksTable = "links"

// A mapper draws the maps of a page, as long as there is room.
type mapper struct {
	depth store.Depth
	bytes int
}

// of draws how busy the links were in the first runs of a section that have a
// table of several ports, one run of each point. It also says what is left out.
func (p *mapper) of(runs []storedRun, dimensions []figure.Dimension) (drawn []report.Map, missing []string) {
	var points []map[string]string
	left := 0
	for _, r := range runs {
		if r.manifest == nil {
			continue
		}
		rows := r.manifest.Outputs[linksTable+".parquet"].Rows
		switch again := slices.ContainsFunc(points, func(labels map[string]string) bool { return maps.Equal(labels, r.labels) }); {
		case rows == nil || *rows == 0:
			continue
		case again || len(points) == mostMaps || p.bytes >= mostMapBytes:
			left++
			continue
		}
		name := fmt.Sprintf("%s, seed %d", r.name(dimensions), r.seed)
		m, err := p.draw(r)
		switch {
		case err != nil:
			missing = append(missing, fmt.Sprintf("how busy the links were, %s: %v", name, err))
		case m == nil:
			continue
		default:
			m.Run = name
			drawn = append(drawn, *m)
			p.bytes += len(m.Drawing) + 4*len(m.Heat.Ports)*len(m.Heat.Steps)/3
		}
		points = append(points, r.labels)
	}
	if left > 0 {
		missing = append(missing, fmt.Sprintf("how busy the links were in %d more runs, to keep the page small; one alone: bin/fabriclab report FOLDER -o FILE, with the folder of the run", left))
	}
	return drawn, missing
}

// draw gives nothing where only one port was recorded: a curve shows it better.
func (p *mapper) draw(r storedRun) (*report.Map, error) {
	for _, name := range []string{scenario.File, linksTable + ".parquet"} {
		if _, err := r.manifest.VerifyFile(r.dir, name, p.depth); err != nil {
			return nil, err
		}
	}
	text, err := file.Read(filepath.Join(r.dir, scenario.File))
	if err != nil {
		return nil, fmt.Errorf("reading its scenario: %w", err)
	}
	s, err := scenario.Decode(text)
	if err != nil {
		return nil, err
	}
	if len(s.Links) > mostMapLinks {
		return nil, fmt.Errorf("its network has %d links, a map at most %d", len(s.Links), mostMapLinks)
	}
	h, err := heat.Read(r.dir, mostShares)
	if err != nil || len(h.Ports) < 2 {
		return nil, err
	}
	place := map[string]int{}
	for i, port := range h.Ports {
		place[port] = i
	}
	drawing := svg.DrawPorts(s.Nodes, s.Links, func(port string) svg.Stroke {
		i, recorded := place[port]
		if !recorded {
			return svg.Stroke{ID: -1, Colour: report.Colour(math.NaN()), Dashes: "2 3", Title: report.Busy(port, math.NaN())}
		}
		return svg.Stroke{ID: i, Colour: report.Colour(h.Mean[i]), Title: report.Busy(port, h.Mean[i])}
	})
	return &report.Map{Heat: h, Drawing: drawing}, nil
}
