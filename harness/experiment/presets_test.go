package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file"
	"fabriclab/base/reader"
)

var (
	keyLine = regexp.MustCompile(`^( *)[\w-]+:([^#]*)(?:#(.*))?$`)
	chosen  = regexp.MustCompile(`\bchosen\b`)
	reading = regexp.MustCompile(`\breading ([\w-]+)`)
	text    = regexp.MustCompile(`sections? [\dIV]|Table \d|Algorithm|Figure|annex|RFC|Linux|Ethernet|simulator|router|YAPS|manual|script|ns-?2|sfqcodel|recalled|\.cc\b|run\.py|\.rb\b`)
)

// unexplained are the lines with parameters for which neither their comment nor that of a mapping around them says
// whether the value is of a text, a reading or chosen, and with a reading that none of known is.
func unexplained(lines []string, known map[string]bool) (found []string) {
	type level struct {
		indent  int
		comment string
	}
	var around []level
	for i, line := range lines {
		m := keyLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent, value, comment := len(m[1]), strings.TrimSpace(m[2]), m[3]
		for len(around) > 0 && around[len(around)-1].indent >= indent {
			around = around[:len(around)-1]
		}
		if r := reading.FindStringSubmatch(comment); r != nil && !known[r[1]] {
			found = append(found, fmt.Sprintf("%d: no experiment has the reading %s", i+1, r[1]))
		}
		for _, l := range around {
			comment += l.comment
		}
		if value == "" {
			around = append(around, level{indent, comment})
		} else if indent > 0 && !chosen.MatchString(comment) && !reading.MatchString(comment) && !text.MatchString(comment) {
			found = append(found, fmt.Sprintf("%d: %s", i+1, strings.TrimSpace(line)))
		}
	}
	return found
}

// Presets say of each value where it is from: the text of a paper, a standard or a program, a reading, or chosen.
func TestPresetsSayWhereTheirValuesAreFrom(t *testing.T) {
	configs := filepath.Join("..", "..", "configs")
	known := map[string]bool{}
	for _, path := range append(file.Glob(configs, filepath.Join("*", "*.yaml")), file.Glob(configs, filepath.Join("*", "shared", "*.yaml"))...) {
		root, err := reader.Read(path)
		require.NoError(t, err)
		for _, r := range root.Entries("readings") {
			known[r.Key.Value] = true
		}
	}
	presets := file.Glob(filepath.Join(configs, "presets"), "*.yaml")
	require.NotEmpty(t, presets)
	for _, path := range presets {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Empty(t, unexplained(strings.Split(string(data), "\n"), known), path)
	}

	known = map[string]bool{"table": true}
	assert.Equal(t, []string{"2: a: 1", "4: no experiment has the reading tables", "8: b: 1  # one packet"}, unexplained([]string{
		"  x:", "    a: 1", "    b: 1  # reading table: section 1", "    c: 1  # reading tables", "  y:  # chosen", "    a: 1", "  z:", "    b: 1  # one packet",
	}, known))
}
