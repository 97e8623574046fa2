package trace_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"fabriclab/harness/trace"
	"fabriclab/harness/trace/tracetest"
)

// nowhere is a file that keeps nothing.
type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

// FuzzIngest: a damaged trace stream is an error, never a table, and takes no
// more memory than it is long.
func FuzzIngest(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, tracetest.Write(&b, 3))
	good := b.Bytes()
	names := tracetest.Names()
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(append(bytes.Clone(good), 0))
	for _, at := range []int{0, 8, 12, 40, len(good) / 2, len(good) - 5} {
		damaged := bytes.Clone(good)
		damaged[at] ^= 0x80
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		dir := t.TempDir()
		tables, err := trace.Ingest(context.Background(), bytes.NewReader(stream), trace.Options{
			Dir: dir, Names: names, Create: func(string) (io.WriteCloser, error) { return nowhere{io.Discard}, nil },
		})
		if err != nil {
			require.Nil(t, tables)
		}
	})
}
