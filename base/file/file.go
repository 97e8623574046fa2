// Package file reads and writes files that have to be whole: nothing that is
// no regular file is waited for, what is written appears when it is complete,
// and a changed byte is noticed.
package file

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Open opens a regular file. Anything else is refused: a named pipe may keep
// its reader waiting for ever, a device may never end.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %s, not a regular file", path, kind(info.Mode()))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Exists says whether there is something at a path; a link counts for what it
// leads to.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func kind(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Read reads a regular file as a whole.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadAtMost reads a regular file that is not larger than a limit in bytes.
func ReadAtMost(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return text, err
}

// Sum is the size and the SHA-256 of a file.
type Sum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Hash takes the sum of a regular file.
func Hash(path string) (Sum, error) {
	f, err := Open(path)
	if err != nil {
		return Sum{}, fmt.Errorf("hashing: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return Sum{}, fmt.Errorf("hashing %s: %w", path, err)
	}
	return Sum{Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// Differs says how a file differs from the sum of another, nil if it does not.
func (s Sum) Differs(want Sum) error {
	switch {
	case s.Bytes != want.Bytes:
		return fmt.Errorf("has %d bytes, not %d", s.Bytes, want.Bytes)
	case s.SHA256 != want.SHA256:
		return fmt.Errorf("differs from what was written (SHA-256 %.12s…, not %.12s…)", s.SHA256, want.SHA256)
	}
	return nil
}
