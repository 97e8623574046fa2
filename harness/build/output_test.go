package build

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstErrorSkipsWhatCameBefore(t *testing.T) {
	notes := strings.Repeat("note: in instantiation of …\n", 100)
	got := firstError("[1/9] Building a.cc\n/x/a.cc:3:1: error: no such thing\n" + notes)
	assert.True(t, strings.HasPrefix(got, "/x/a.cc:3:1: error: no such thing\n"), got)
	assert.Len(t, strings.Split(got, "\n"), errorLines)
	assert.Equal(t, "ninja: stopped", firstError("ninja: stopped"))
}

func TestStatusSaysStepsAndTheTimeLeft(t *testing.T) {
	var out strings.Builder
	now := time.Now()
	w := &statusWriter{out: &out, now: func() time.Time { return now }}
	say := func(after time.Duration, text string) {
		now = now.Add(after)
		n, err := w.Write([]byte(text))
		require.NoError(t, err)
		assert.Len(t, text, n)
	}
	say(0, "-- Configuring done\n")
	say(time.Second, "[1/9] Building CXX object x/a.cc.o\nwarning: x\n")
	say(time.Second, "[2/9] Building CXX object x/b.cc.o\n")
	say(9*time.Second, "[3/9] Building CXX object x/c.cc.o\n")
	say(10*time.Second, "[1/41] Building CXX object y/d.cc.o\n")
	say(4*time.Second, "[3/41] Building CXX object y/e.cc.o\n")
	assert.Equal(t, "  building: 9 steps\n"+
		"  building: 3 of 9 steps, about 30s left (c.cc.o)\n"+
		"  building: 41 steps\n"+
		"  building: 3 of 41 steps, about 1m16s left (e.cc.o)\n", out.String())
}
