package progress

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Visible is a text for people in which nothing commands a terminal: control
// characters other than the end of a line and the tab are written out, as in
// \x1b. Names, titles and what simulators print may hold any.
func Visible(text string) string { return string(visible([]byte(text))) }

func visible(text []byte) []byte {
	if bytes.IndexFunc(text, isControl) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if isControl(r) {
			fmt.Fprintf(&b, "\\x%02x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

// isControl also takes what makes a terminal write from right to left.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

func (e Event) visible() Event {
	e.Run, e.Text, e.Dir, e.Log, e.Repeat = Visible(e.Run), Visible(e.Text), Visible(e.Dir), Visible(e.Log), Visible(e.Repeat)
	return e
}

// A VisibleWriter makes what is written to a file visible.
type VisibleWriter struct{ File *os.File }

// Write implements io.Writer.
func (w VisibleWriter) Write(b []byte) (int, error) {
	if _, err := w.File.Write(visible(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Show chooses how to show events on a writer: see New.
func Show(out io.Writer) Display {
	if w, ok := out.(VisibleWriter); ok {
		return New(w.File)
	}
	return NewLines(out)
}
