package run

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"fabriclab/base/file"
)

const (
	// logPart is how much is kept of a log's beginning, and of its end, in bytes.
	logPart = 1 << 20
	// maxLine is the longest line read from a child; runners keep to 4 KiB.
	maxLine = 64 << 10
)

// capped is a log that keeps only its beginning and its end. Writing to it does
// not fail: the log is for people, and a full disk shows in the tables.
type capped struct {
	out  io.Writer
	part int

	mu   sync.Mutex
	head int    // bytes written
	tail []byte // what came behind the head, its end at least
	lost int64  // bytes that are in neither
}

// Write implements io.Writer.
func (c *capped) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(b)
	if room := min(n, c.part-c.head); room > 0 {
		_, _ = c.out.Write(b[:room])
		c.head += room
		b = b[room:]
	}
	if c.tail = append(c.tail, b...); len(c.tail) > 2*c.part {
		c.drop(len(c.tail) - c.part)
	}
	return n, nil
}

func (c *capped) drop(n int) {
	c.lost += int64(n)
	c.tail = append(c.tail[:0], c.tail[n:]...)
}

// finish writes the end, and how much is missing before it.
func (c *capped) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if extra := len(c.tail) - c.part; extra > 0 {
		c.drop(extra)
	}
	if c.lost > 0 {
		if end := bytes.IndexByte(c.tail, '\n'); end >= 0 { // the end begins with a whole line
			c.drop(end + 1)
		}
		_, _ = fmt.Fprintf(c.out, "\n%s%d bytes are left out here: a log keeps the first and the last %d\n", logMark, c.lost, c.part)
	}
	_, _ = c.out.Write(c.tail)
	c.tail = nil
}

// lines calls take for every line written to it. Lines beyond maxLine are cut.
type lines struct {
	take func(string)
	line []byte
	cut  int
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		part, behind, whole := bytes.Cut(rest, []byte("\n"))
		room := min(len(part), maxLine-len(l.line))
		l.line = append(l.line, part[:room]...)
		l.cut += len(part) - room
		if whole {
			l.flush()
		}
		rest = behind
	}
	return len(b), nil
}

// flushRest takes what has no end of line.
func (l *lines) flushRest() {
	if len(l.line) > 0 {
		l.flush()
	}
}

func (l *lines) flush() {
	text := string(l.line)
	if l.cut > 0 {
		text += fmt.Sprintf("… (%d bytes more)", l.cut)
	}
	l.line, l.cut = l.line[:0], 0
	l.take(text)
}

// lastLine is the last line on standard error in a log, which holds standard
// error as it came and everything else behind a mark.
func lastLine(path string) string {
	for _, line := range slices.Backward(lastLines(path, 2*logPart)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, logMark) {
			return line
		}
	}
	return ""
}

// lastLines are at most n lines from the end of a log, long ones cut short.
func lastLines(path string, n int) []string {
	text, err := endOf(path, 3*logPart)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		if len(line) > 400 {
			lines[i] = strings.ToValidUTF8(line[:400], "") + "…"
		}
	}
	return lines
}

// endOf are at most n bytes from the end of a file.
func endOf(path string, n int64) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > n {
		if _, err := f.Seek(-n, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, n))
}
