package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var shellWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// TestCommandsOfTheDocs: every command in a code block of a page is one, with
// flags and as many arguments as it takes.
func TestCommandsOfTheDocs(t *testing.T) {
	n := 0
	check := func(path string) {
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		inside := false
		for i, line := range strings.Split(string(page), "\n") {
			if strings.HasPrefix(line, "```") {
				inside = !inside
			}
			command, is := strings.CutPrefix(strings.TrimPrefix(line, "bin/"), "fabriclab ")
			if !inside || !is || strings.Contains(line, "…") || strings.Contains(line, "[") && strings.Contains(line, "BASE") {
				continue
			}
			command, _, _ = strings.Cut(command, " #")
			command, _, _ = strings.Cut(command, " > ")
			var args []string
			for _, word := range shellWord.FindAllString(command, -1) {
				args = append(args, strings.NewReplacer("'", "", `"`, "").Replace(word))
			}
			n++
			root := newApp(io.Discard, io.Discard).command()
			cmd, rest, err := root.Find(args)
			if assert.NoError(t, err, "%s:%d", path, i+1) && assert.NotSame(t, root, cmd, "%s:%d: %s", path, i+1, line) &&
				assert.NoError(t, cmd.ParseFlags(rest), "%s:%d", path, i+1) {
				assert.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), "%s:%d: %s", path, i+1, line)
			}
		}
	}
	require.NoError(t, filepath.WalkDir("../../../docs", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			check(path)
		}
		return err
	}))
	check("../../../README.md")
	assert.Greater(t, n, 60)
}

// Every command that --help shows stands in a group.
func TestCommandsAreGrouped(t *testing.T) {
	root := newApp(io.Discard, io.Discard).command()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("")
	for _, cmd := range root.Commands() {
		assert.True(t, cmd.Hidden || cmd.GroupID != "", cmd.Name())
	}
	assert.NotContains(t, root.UsageString(), "Additional Commands")
}

func TestVersionText(t *testing.T) {
	assert.Equal(t, "v0.3.0 (de18ceefa810, go1.26.8)", versionText("v0.3.0", "de18ceefa810", "go1.26.8"))
	assert.Equal(t, "de18ceefa810 (go1.26.8)", versionText("", "de18ceefa810", "go1.26.8"))
}
