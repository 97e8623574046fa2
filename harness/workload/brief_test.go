package workload

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAMessageIsShortHoweverLongTheField(t *testing.T) {
	short := errors.New("size: no size")
	assert.Equal(t, short, brief(short))
	long := brief(errors.New(`src: no host "` + strings.Repeat("é", 1<<20) + `"; the hosts are a, b`)).Error()
	assert.Less(t, len(long), 700)
	assert.Regexp(t, `^src: no host .*é … \(\d+ bytes\) … é.*"; the hosts are a, b$`, long)
}
