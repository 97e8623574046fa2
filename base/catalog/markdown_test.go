package catalog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/catalog"
)

func TestMarkdownIsCompleteAndCompact(t *testing.T) {
	data, err := os.ReadFile("testdata/catalog.json")
	require.NoError(t, err)
	c, err := catalog.Load(data)
	require.NoError(t, err)

	text := c.Markdown(c.Component("dcqcn"))
	assert.Contains(t, text, "| `dcqcn.g` | 0.00390625 | 1e-06 to 1 | yes | gain of the congestion estimate alpha | DCQCN section 5.2: 1/256 |")
	assert.Contains(t, text, "| `dcqcn.byte_counter` | 10MB | ≥ 0B | yes |")
	assert.NotContains(t, text, "9007199254740992", "a bound that only guards the arithmetic is left out")

	assert.Contains(t, c.Markdown(c.Component("bandwidth_function")), "| `bandwidth_function.curve` | [[0, 0bps], [1, 10Gbps]] | 2 to 1000 entries, each fair share: 0 to 1e+06, increasing; bandwidth: 0bps to 1000Tbps, increasing | yes | bandwidth over fair share |")

	page := "# X\n<!-- params:dcqcn -->\nold\n<!-- /params -->\nend\n"
	filled, err := c.FillMarkdown(page)
	require.NoError(t, err)
	assert.Equal(t, "# X\n<!-- params:dcqcn -->\n"+text+"<!-- /params -->\nend\n", filled)
	again, err := c.FillMarkdown(filled)
	require.NoError(t, err)
	assert.Equal(t, filled, again)

	slots, err := c.FillMarkdown("<!-- slots -->\nold\n<!-- /slots -->\n")
	require.NoError(t, err)
	assert.Contains(t, slots, "| `queues` | queue | one for each class of each switch port | `fifo` | a switch's egress queues: order, drops, marks, and when something may leave | `"+strings.Join(c.Names("queue"), "`, `")+"` |\n")
	assert.Contains(t, slots, "| `utility` | utility | one at each host | none |")
	assert.NotContains(t, slots, "old")

	_, err = c.FillMarkdown("<!-- params:dcqnc -->\n<!-- /params -->")
	require.ErrorContains(t, err, `did you mean "dcqcn"?`)
	_, err = c.FillMarkdown("<!-- table:queue -->\n<!-- /table -->")
	assert.ErrorContains(t, err, `no trace table "queue"`)
}
