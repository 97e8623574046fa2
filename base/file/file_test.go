package file_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/base/file"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o644))
	for path, want := range map[string]string{pipe: "a named pipe", "/dev/zero": "a device", dir: "a folder"} {
		_, err := file.Read(path)
		require.ErrorContains(t, err, path+" is "+want+", not a regular file")
		_, err = file.Hash(path)
		require.ErrorContains(t, err, want)
	}
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("abc"), 0o644))
	require.NoError(t, os.Symlink("plain", filepath.Join(dir, "link")))
	text, err := file.Read(filepath.Join(dir, "link"))
	require.NoError(t, err)
	assert.Equal(t, "abc", string(text))
	_, err = file.ReadAtMost(plain, 2)
	require.ErrorContains(t, err, "larger than 2 bytes")
	_, err = file.ReadAtMost(plain, 3)
	require.NoError(t, err)
	sum, err := file.Hash(plain)
	require.NoError(t, err)
	assert.Equal(t, file.Sum{Bytes: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}, sum)
}

func TestSeal(t *testing.T) {
	value := map[string]any{"a": 1, "sha256": "mine", "z": "<b>"}
	text, err := file.SealedJSON(value)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)^{\n  "a": 1,.*"z": "<b>",\n  "sha256": "[0-9a-f]{64}"\n}\n$`, string(text))
	body, err := file.Unseal(text)
	require.NoError(t, err)
	assert.NotContains(t, string(body), `"<b>",`)
	again, err := file.Seal(body)
	require.NoError(t, err)
	assert.Equal(t, text, again)
	_, err = file.Unseal(body)
	require.ErrorContains(t, err, "does not end with its SHA-256")
	_, err = file.SealedJSON([]int{1})
	require.Error(t, err)
}

// FuzzUnseal: no change of a sealed text goes unnoticed.
func FuzzUnseal(f *testing.F) {
	sealed, err := file.SealedJSON(map[string]any{"value": 42, "list": []int{1, 2}})
	require.NoError(f, err)
	f.Add(0, byte(1), 0)
	f.Add(12, byte('7'), 3)
	f.Add(len(sealed)-2, byte(0), len(sealed))
	f.Fuzz(func(t *testing.T, at int, with byte, cut int) {
		damaged := bytes.Clone(sealed)
		if at >= 0 && at < len(damaged) {
			damaged[at] = with
		}
		if cut > 0 && cut < len(damaged) {
			damaged = damaged[cut:]
		}
		_, err := file.Unseal(damaged)
		if bytes.Equal(damaged, sealed) {
			require.NoError(t, err)
		} else {
			require.Error(t, err)
		}
	})
}
