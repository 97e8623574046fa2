package figure

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatATextMayNotDoInASummary(t *testing.T) {
	for text, want := range map[string]string{
		"<b>x</b> & &amp;":                 "&lt;b>x&lt;/b> & &amp;amp;",
		"[x](javascript:alert(1))":         `[x]\(javascript:alert(1))`,
		"[x]( DATA:text/html,y)":           `[x]\( DATA:text/html,y)`,
		"[x](https://a.b) [y](mailto:a@b)": "[x](https://a.b) [y](mailto:a@b)",
		"[x](fig.svg) ![y](a/b.png)":       "[x](fig.svg) ![y](a/b.png)",
		"two\nlines":                       "two lines",
	} {
		assert.Equal(t, want, plain(text))
	}
}
