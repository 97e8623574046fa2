package compare

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's XML that CI systems read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit XML: a suite for each experiment, and in it
// a case for each measure and one for its runs.
func (r *Report) JUnit(out io.Writer) error {
	all := junitSuites{Name: "fabriclab compare " + r.Base + " " + r.Head}
	for _, e := range r.Experiments {
		s := e.suite()
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func (e *Experiment) suite() junitSuite {
	s := junitSuite{Name: e.Name}
	runs := junitCase{Class: e.Name, Name: "runs"}
	if len(e.Lost) > 0 {
		runs.Failure = &junitMessage{fmt.Sprintf("%d runs of the base are missing", len(e.Lost)), strings.Join(e.Lost, "\n")}
	}
	s.Cases = append(s.Cases, runs)
	for i := 0; i < len(e.Rows); {
		c := junitCase{Class: e.Name, Name: e.Rows[i].Measure}
		var failed, other []string
		judged := false
		for ; i < len(e.Rows) && e.Rows[i].Measure == c.Name; i++ {
			r := e.Rows[i]
			judged = judged || r.Verdict != Changed || r.Failed
			switch {
			case r.Failed:
				failed = append(failed, r.line())
			case r.shown(false):
				other = append(other, r.line())
			}
		}
		switch {
		case len(failed) > 0:
			c.Failure = &junitMessage{fmt.Sprintf("%d points regress", len(failed)), strings.Join(failed, "\n")}
		case !judged:
			c.Skipped = &junitMessage{Message: "changed, with too few seeds for a verdict or within what seeds do"}
		}
		c.Output = strings.Join(other, "\n")
		s.Cases = append(s.Cases, c)
	}
	for _, c := range s.Cases {
		s.Tests++
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	return s
}

// line is a row as one line of text.
func (r *Row) line() string {
	text := strings.Join(strings.Fields(fmt.Sprintf("%s %s %s: %s -> %s %s %s n=%d",
		r.Measure, r.Point, r.Engine, r.mean(r.Base, r.BaseError), r.mean(r.Head, r.HeadError), r.change(), r.Verdict, r.Seeds)), " ")
	if r.Note != "" {
		text += " (" + r.Note + ")"
	}
	return text
}
