package units

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCount(t *testing.T) {
	assert.Equal(t, "1 host", Count(1, "host"))
	assert.Equal(t, "0 hosts", Count(0, "host"))
	assert.Equal(t, "2 classes", Count(2, "class", "classes"))
}
