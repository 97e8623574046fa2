package figure

import (
	"maps"
	"testing"
)

var all = maps.Clone(pictures)

// PNG and PDF take most of the time of these tests, and few look at them.
func init() {
	delete(pictures, "png")
	delete(pictures, "pdf")
}

// AllPictures draws in all formats.
func AllPictures(t *testing.T) {
	some := pictures
	pictures = all
	t.Cleanup(func() { pictures = some })
}
