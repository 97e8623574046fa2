package figure

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fabriclab/analysis/chart"
	"fabriclab/analysis/claims"
	"fabriclab/analysis/measure"
	"fabriclab/analysis/sheet"
	"fabriclab/analysis/spec"
	"fabriclab/base/file"
)

// Input is what a figure is made from.
type Input struct {
	ID string // of the experiment, such as fncc/fig10
	// Reading is what the paper leaves open and is not taken as by default, such as
	// table=live; "" is the default.
	Reading string
	// Readings are those that the experiment has beside the default.
	Readings []string
	// Sets are the values that differ from the experiment's, path=value; nil: none.
	Sets   []string
	Title  string
	Source string
	Scale  string
	// Command makes the figure.
	Command string
	Figure  *spec.Figure
	// Width of the pictures in inches, 0: as they come. Bare ones have no title.
	Width float64
	Bare  bool
	// Runs are all runs of the experiment in the order of the matrix, those
	// that failed too (with Err).
	Runs []spec.Run
	// Loads are those of the points of which a load is asked, in the order of
	// the matrix.
	Loads []Load
}

// Folder is where a figure is below the folder of figures. One that is not the
// experiment's own has a folder of its own: ID@READING or ID@set,PATH=VALUE.
func Folder(id, reading string, sets []string) string {
	var parts []string
	if reading != "" {
		parts = append(parts, reading)
	}
	if len(sets) > 0 {
		parts = append(parts, "set", setsName(sets))
	}
	if parts == nil {
		return id
	}
	return id + "@" + strings.Join(parts, ",")
}

// longestName is how long the name of a folder may be made by --set.
const longestName = 80

// setsName is a file name of its own for values. Where it cannot hold all of them
// it ends in their hash.
func setsName(sets []string) string {
	all := strings.Join(sets, ",")
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\:*?\"'<>|[]{}() \t\n", r) {
			return '_'
		}
		return r
	}, all)
	if name == all && len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(strings.Join(sets, "\n")))
	return strings.ToValidUTF8(name[:min(len(name), longestName)], "") + "-" + hex.EncodeToString(sum[:4])
}

// Outcome is what came out.
type Outcome struct {
	Dir     string   // where the files are
	Reading string   // of the paper, where it is not the default
	Sets    []string // values that differ from the experiment's
	Claims  []claims.Result
	// Missing says which lines of plots could not be drawn, and why.
	Missing []string
}

// String is the outcome for the terminal: the table of claims, what is
// missing, and where the files are.
func (o *Outcome) String() string {
	var b strings.Builder
	if o.Reading != "" {
		fmt.Fprintf(&b, "reading %s\n", o.Reading)
	}
	if len(o.Sets) > 0 {
		fmt.Fprintf(&b, "with %s: not the experiment's own, so no statement is judged by it\n", strings.Join(o.Sets, " "))
	}
	b.WriteString(claims.Render(o.Claims))
	for _, m := range o.Missing {
		fmt.Fprintf(&b, "not drawn: %s\n", m)
	}
	fmt.Fprintf(&b, "%s\n", filepath.Join(o.Dir, "summary.md"))
	return b.String()
}

// Judged are the claims of a figure and the values of its measures.
type Judged struct {
	Claims []claims.Result
	Lookup claims.Lookup
}

// Judge measures the runs and judges the claims.
func Judge(in Input) (*Judged, error) {
	values := takeAll(in.Figure, in.Runs)
	results, err := claims.Evaluate(in.Figure, in.Runs, values.lookup, in.Scale)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", in.ID, err)
	}
	return &Judged{results, values.lookup}, nil
}

// Evaluate measures the runs, judges the claims and writes
// resultsDir/figures/<id>/, replacing it as a whole. The bytes written depend
// on the runs alone.
func Evaluate(in Input, resultsDir string) (*Outcome, error) {
	values := takeAll(in.Figure, in.Runs)
	results, err := claims.Evaluate(in.Figure, in.Runs, values.lookup, in.Scale)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", in.ID, err)
	}
	for i := range results { // the same bytes wherever the results are
		results[i].Note = strings.ReplaceAll(results[i].Note, resultsDir+string(filepath.Separator), "")
	}
	out := &Outcome{Dir: filepath.Join(resultsDir, "figures", filepath.FromSlash(Folder(in.ID, in.Reading, in.Sets))), Reading: in.Reading, Sets: in.Sets, Claims: results}
	var drawings []*drawing
	for _, p := range in.Figure.Plots {
		d := paint(in.Figure, p, in.Runs, values.lookup)
		if d.Empty() {
			out.Missing = append(out.Missing, p.ID+": no run is where it looks (its where, of a matrix that --set has narrowed)")
			continue
		}
		d.Width, d.Bare = in.Width, in.Bare
		for i, n := range d.Notes {
			d.Notes[i] = strings.ReplaceAll(n, resultsDir+string(filepath.Separator), "")
		}
		for i := range d.Missing {
			d.Missing[i] = strings.ReplaceAll(d.Missing[i], resultsDir+string(filepath.Separator), "")
		}
		drawings = append(drawings, d)
		out.Missing = append(out.Missing, d.Missing...)
	}
	err = file.ReplaceFolder(out.Dir, func(dir string) error {
		if err := writeJSON(filepath.Join(dir, claimsFile), results); err != nil {
			return err
		}
		if err := writeMeasures(dir, in, values); err != nil {
			return err
		}
		for _, d := range drawings {
			if err := writeDrawing(dir, d); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "summary.md"), []byte(summary(in, resultsDir, values, results, drawings)), 0o666); err != nil {
			return err
		}
		return writeRecord(dir, record(in, resultsDir, drawings))
	})
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", in.ID, err)
	}
	return out, nil
}

// taken are the values of all measures in all runs.
type taken map[string][]value

type value struct {
	v     float64
	err   error
	flows int // that it sums up, of measures of flows
}

func takeAll(f *spec.Figure, runs []spec.Run) taken {
	t := taken{}
	for _, name := range f.Measures.Names {
		t[name] = make([]value, len(runs))
	}
	taker := measure.NewTaker(f)
	for i, r := range runs {
		for _, name := range f.Measures.Names {
			m := f.Measures.Items[name]
			v, err := taker.Take(m, r)
			t[name][i] = value{v: v, err: err}
			if measure.OfFlows(m.Kind) && (err == nil || measure.IsBound(err)) {
				of, _ := taker.Spread(m, r) // an error here is the value's error, err
				t[name][i].flows = len(of)
			}
		}
	}
	return t
}

// flows are the fewest and the most flows that the values of a measure sum up.
func (t taken) flows(measure string) (fewest, most int) {
	for _, x := range t[measure] {
		if x.flows > 0 {
			if fewest == 0 {
				fewest = x.flows
			}
			fewest, most = min(fewest, x.flows), max(most, x.flows)
		}
	}
	return fewest, most
}

func (t taken) lookup(measure string, run int) (float64, error) {
	x := t[measure][run]
	return x.v, x.err
}

func writeJSON(path string, v any) error {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

// pictures are the formats in which a plot is drawn, by the ending of the file.
var pictures = map[string]func(chart.Figure) ([]byte, error){"svg": chart.SVG, "png": chart.PNG, "pdf": chart.PDF}

func writeDrawing(dir string, d *drawing) error {
	for ending, render := range pictures {
		data, err := render(d.Figure)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, d.ID+"."+ending), data, 0o666); err != nil {
			return err
		}
	}
	t := sheet.Sheet{Columns: []sheet.Column{
		{Name: "plot"}, {Name: "row"}, {Name: "column"}, {Name: "line"}, {Name: "engine"}, {Name: "seed", Kind: sheet.Integer},
		{Name: "x", Kind: sheet.Number}, {Name: "x_unit"}, {Name: "y", Kind: sheet.Number}, {Name: "y_unit"},
		{Name: "error", Kind: sheet.Number}}}
	d.All(func(p *chart.Panel, l *chart.Line) {
		for _, point := range l.Points {
			var seed, half any
			if point.Error > 0 {
				half = point.Error
			}
			if l.Seed != nil {
				seed = *l.Seed
			}
			t.Rows = append(t.Rows, []any{d.ID, p.Row, p.Column, l.Key, l.Engine, seed, point.X, d.XUnit, point.Y, d.YUnit, half})
		}
	})
	return t.Write(dir, d.ID)
}

func writeMeasures(dir string, in Input, values taken) error {
	t := sheet.Sheet{Columns: []sheet.Column{{Name: "measure"}, {Name: "text"}, {Name: "unit"}}}
	for _, d := range in.Figure.Dimensions.Names {
		t.Columns = append(t.Columns, sheet.Column{Name: d})
	}
	t.Columns = append(t.Columns, sheet.Column{Name: "engine"}, sheet.Column{Name: "seed", Kind: sheet.Integer}, sheet.Column{Name: "value", Kind: sheet.Number})
	for _, name := range in.Figure.Measures.Names {
		m := in.Figure.Measures.Items[name]
		for i, r := range in.Runs {
			row := []any{name, m.Text, m.Unit}
			dimensions := in.Figure.Values(r)
			for _, d := range in.Figure.Dimensions.Names {
				row = append(row, dimensions[d])
			}
			var v any
			if x := values[name][i]; x.err == nil {
				v = x.v
			}
			t.Rows = append(t.Rows, append(row, r.Engine, r.Seed, v))
		}
	}
	return t.Write(dir, "measures")
}

func shortNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return claims.Num(v)
}
