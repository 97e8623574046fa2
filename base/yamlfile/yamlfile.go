// Package yamlfile reads YAML with bounds on what it may take, and says of all
// that is wrong where it is.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/file"
)

// Bounds of a file. What is larger belongs into a table (CSV, Parquet).
const (
	MaxBytes = 8 << 20
	// MaxDepth is how deep lists and mappings may be nested.
	MaxDepth = 64
	// MaxNodes is how many keys, values, lists and mappings there may be, with
	// what aliases stand for counted each time.
	MaxNodes = 1_000_000
)

// An Error says what is wrong with a file, and where.
type Error struct {
	File         string
	Line, Column int // from 1 on
	Text         string
}

func (e *Error) Error() string { return e.Position() + ": " + e.Text }

// Position is the place as file:line:column.
func (e *Error) Position() string { return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column) }

// Read reads a file with one document and returns its root, nil if the document
// is empty. What is wrong with its content is an *Error.
func Read(path string) (*yaml.Node, error) {
	text, err := file.ReadAtMost(path, MaxBytes)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads a text with one document; name is what messages call it.
func Parse(name string, text []byte) (*yaml.Node, error) {
	at := func(line, column int, format string, args ...any) error {
		return &Error{File: name, Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
	}
	if err := checkCharacters(text, at); err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntax(text, err, at)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		line := secondDocument(text, document.Line)
		return nil, at(line, 1, "a second YAML document begins here; keep one per file")
	}
	if len(document.Content) != 1 {
		return nil, nil
	}
	root := document.Content[0]
	w := &walk{at: at, sizes: map[*yaml.Node]int{}}
	if _, err := w.size(root, 1); err != nil {
		return nil, err
	}
	return root, nil
}

// checkCharacters refuses what is no UTF-8 and control characters, of which
// the YAML library does not say where they are.
func checkCharacters(text []byte, at func(int, int, string, ...any) error) error {
	line, column := 1, 1
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return at(line, column, "the byte 0x%02x is no UTF-8; save the file as UTF-8", text[i])
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff, r == 0xfeff && i > 0:
			return at(line, column, "the control character U+%04X has no place in YAML; take it out", r)
		}
		column++
		i += n
	}
	return nil
}

var (
	lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	// bracketOf is a text with brackets that has no quotes.
	bracketOf = regexp.MustCompile(`[\s{,:]([A-Za-z][A-Za-z0-9_-]*\[[^\], ]*\][A-Za-z0-9_-]*)`)
	anchorOf  = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntax gives an error of the YAML library a place. The library tells a line,
// but not of errors in the first one, and not of unknown anchors.
func syntax(text []byte, err error, at func(int, int, string, ...any) error) error {
	message := strings.Join(strings.Fields(err.Error()), " ")
	line, column := 1, 0
	if found := lineOf.FindStringSubmatch(message); found != nil {
		message = message[len(found[0]):]
		line, _ = strconv.Atoi(found[1]) // "" is 0
	}
	lines := bytes.Split(text, []byte("\n"))
	if found := anchorOf.FindStringSubmatch(message); found != nil {
		line, column = placeOf(lines, "*"+found[1])
		message = fmt.Sprintf("the alias *%s has no anchor &%[1]s before it", found[1])
	}
	line = min(max(1, line), len(lines))
	if strings.Contains(message, "cannot start any token") || strings.Contains(message, "a tab character") {
		for i := line - 1; i < min(line+1, len(lines)); i++ { // the library may name the line before
			blank := lines[i][:len(lines[i])-len(bytes.TrimLeft(lines[i], " \t"))]
			if tab := bytes.IndexByte(blank, '\t'); tab >= 0 {
				return at(i+1, tab+1, "this is a tab, and YAML is indented with spaces; write spaces in its place")
			}
		}
	}
	if bare := bracketOf.FindSubmatch(lines[line-1]); bare != nil && strings.Contains(message, "did not find expected") {
		message += fmt.Sprintf(": within { } a text with brackets needs quotes, such as %q", bare[1])
	}
	if column == 0 {
		first := bytes.IndexFunc(lines[line-1], func(r rune) bool { return r != ' ' && r != '\t' })
		column = max(0, first) + 1
	}
	return at(line, column, "%s; correct the YAML syntax", message)
}

// placeOf is where a word stands that is not the beginning of a longer one.
func placeOf(lines [][]byte, word string) (line, column int) {
	end := regexp.MustCompile(regexp.QuoteMeta(word) + `([\s,\]}:]|$)`)
	for i, l := range lines {
		if found := end.FindIndex(l); found != nil {
			return i + 1, utf8.RuneCount(l[:found[0]]) + 1
		}
	}
	return 1, 1
}

// secondDocument is the line on which a document begins or ends behind the line
// on which the first one begins.
func secondDocument(text []byte, first int) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := max(1, first); i < len(lines); i++ {
		if l := string(lines[i]); strings.HasPrefix(l, "---") || strings.HasPrefix(l, "...") {
			return i + 1
		}
	}
	return len(lines)
}

// walk measures a tree.
type walk struct {
	at    func(int, int, string, ...any) error
	sizes map[*yaml.Node]int // with aliases expanded; 0: being measured
}

// size is the number of nodes in a tree. A value that contains itself counts
// once; whoever puts values in the place of aliases has to refuse it.
func (w *walk) size(n *yaml.Node, depth int) (int, error) {
	if depth > MaxDepth {
		return 0, w.at(n.Line, n.Column, "lists and mappings are nested more than %d deep here; no value needs that", MaxDepth)
	}
	if size, known := w.sizes[n]; known {
		return size, nil
	}
	w.sizes[n] = 0
	total := 1
	for _, child := range n.Content {
		of := child
		if child.Kind == yaml.AliasNode && child.Alias != nil {
			of = child.Alias
		}
		size, err := w.size(of, depth+1)
		if err != nil {
			return 0, err
		}
		if total += size; total > MaxNodes {
			return 0, w.at(child.Line, child.Column, "with this there are more than %d keys and values, aliases expanded; give large lists as a file", MaxNodes)
		}
	}
	w.sizes[n] = total
	return total, nil
}
