package file

import (
	"bytes"
	"fmt"
	"io"
)

// MaxLine is the length in bytes that a line of a table may have: no list of
// flows comes near it, and whoever reads a line keeps all of it.
const MaxLine = 1 << 20

// ShortLines reads on until a line is longer than MaxLine.
func ShortLines(r io.Reader) io.Reader { return &shortLines{r: r, line: 1} }

type shortLines struct {
	r          io.Reader
	line, long int
}

func (s *shortLines) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		if s.long += end; s.long > MaxLine {
			return 0, fmt.Errorf("line %d is longer than %d bytes; is this a table, a line for each row?", s.line, MaxLine)
		}
		if end < len(rest) {
			s.line, s.long = s.line+1, 0
			end++
		}
		rest = rest[end:]
	}
	return n, err
}
