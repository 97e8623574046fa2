package yamlfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/yamlfile"
)

func TestEveryErrorHasAPlace(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for text, want := range map[string]string{
		"a: 1\nb: \x01\n":                   "f.yaml:2:4: the control character U+0001 has no place in YAML",
		"a: 1\n b: \u0085\n":                "f.yaml:2:2: mapping values are not allowed",
		"a: \x1b[31m":                       "f.yaml:1:4: the control character U+001B",
		"a: ü\xff\n":                        "f.yaml:1:5: the byte 0xff is no UTF-8",
		"a: 1\n---\nb: 2\n":                 "f.yaml:2:1: a second YAML document begins here",
		"--- \na: 1\n...\n---\nb: 2\n":      "f.yaml:3:1: a second YAML document begins here",
		"a: 1\n---\nb: [\n":                 "f.yaml:2:1: a second YAML document begins here",
		"a:\n\tb: 1\n":                      "f.yaml:2:1: this is a tab, and YAML is indented with spaces",
		"a:\n  b: 1\n\tc: 2\n":              "f.yaml:3:1: this is a tab, and YAML is indented with spaces",
		"a: {src: h[1-8], dst: b}\n":        `within { } a text with brackets needs quotes, such as "h[1-8]"`,
		"a: 1\nb: [1, *nowhere]\n":          "f.yaml:2:8: the alias *nowhere has no anchor &nowhere before it",
		"[":                                 "f.yaml:1:1: ",
		"a: [1, 2\n":                        "f.yaml:1:1: ",
		"a: 1\n  b: 'x\n":                   "f.yaml:2:3: ",
		"a: " + deep:                        "f.yaml:1:67: lists and mappings are nested more than 64 deep here",
		"a: " + strings.Repeat("[", 20_000): "f.yaml:1:1: exceeded max depth",
		bomb(40):                            "keys and values, aliases expanded",
	} {
		_, err := yamlfile.Parse("f.yaml", []byte(text))
		var problem *yamlfile.Error
		require.ErrorAs(t, err, &problem, "%.40q", text)
		require.ErrorContains(t, err, want, "%.40q", text)
	}
	_, err := yamlfile.Parse("f.yaml", []byte(bomb(40)))
	assert.Regexp(t, `^f\.yaml:\d+:\d+: with this`, err.Error())
}

// bomb doubles a value again and again.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("x0: &x0 [1, 2]\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "x%d: &x%[1]d [*x%d, *x%[2]d]\n", i, i-1)
	}
	return b.String()
}

func TestWhatIsReadAndWhatNot(t *testing.T) {
	for _, text := range []string{"", "# only a comment\n", "---\n"} {
		root, err := yamlfile.Parse("f.yaml", []byte(text))
		require.NoError(t, err)
		assert.True(t, root == nil || root.Tag == "!!null")
	}
	root, err := yamlfile.Parse("f.yaml", []byte("\ufeffa: &x [ü, 2]\r\nb: [*x, *x]\r\n"))
	require.NoError(t, err)
	assert.Len(t, root.Content, 4)

	path := filepath.Join(t.TempDir(), "large.yaml")
	require.NoError(t, os.WriteFile(path, make([]byte, yamlfile.MaxBytes+1), 0o644))
	_, err = yamlfile.Read(path)
	require.ErrorContains(t, err, "larger than")
	_, err = yamlfile.Read("/dev/zero")
	require.ErrorContains(t, err, "not a regular file")
	_, err = yamlfile.Read(path + "no")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzParse: whatever the text, it is read, or refused with its place.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a: 1\nb: [1, {c: d}]\n", "a: &x 1\nb: *x\n", "a: 1\n---\n", "a: *x", "\x00", "'", "a: |\n  b\n c", "? [a]\n: b", "<<: 1", "!!binary x", bomb(30), "&a [*a]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := yamlfile.Parse("f.yaml", []byte(text))
		if err == nil {
			return
		}
		var problem *yamlfile.Error
		require.ErrorAs(t, err, &problem)
		lines := strings.Count(text, "\n") + 1
		require.True(t, problem.Line >= 1 && problem.Line <= lines && problem.Column >= 1, "%v of %d lines", err, lines)
	})
}
