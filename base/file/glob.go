package file

import (
	"path/filepath"
	"regexp"
)

var globSigns = regexp.MustCompile(`[*?\[\\]`)

// Glob lists what matches a well-formed pattern below a folder, whose own name
// is no pattern.
func Glob(dir, pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(globSigns.ReplaceAllString(dir, `\$0`), pattern)) // a bad pattern is its only error
	return found
}
