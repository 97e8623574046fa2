// Package columns writes plain tables for the terminal: cells between tabs are
// aligned, two spaces apart. (Tables with lines, which also wrap, are
// go-pretty's.)
package columns

import (
	"io"
	"text/tabwriter"
)

// New writes tables whose cells are aligned on the left. The table is out when
// it is flushed.
func New(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 0, 0, 2, ' ', 0) }

// Right writes tables whose cells are aligned on the right, each with a tab
// behind it.
func Right(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
}
