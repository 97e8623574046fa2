// Package flock locks files between processes. The kernel lets go of a lock
// when its holder dies, however it dies.
package flock

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is returned by Try for a lock that is held.
var ErrLocked = errors.New("locked by another process")

// Lock is a held lock.
type Lock struct{ file *flock.Flock }

// Try takes the lock if it is free.
func Try(path string) (*Lock, error) {
	f := flock.New(path, flock.SetPermissions(0o666))
	locked, err := f.TryLock()
	switch {
	case err != nil:
		return nil, errors.Join(err, f.Close())
	case !locked:
		return nil, errors.Join(ErrLocked, f.Close())
	}
	// The holder before may have removed the file between open and lock.
	mine, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	there, err := os.Stat(path)
	if err != nil || !os.SameFile(mine, there) {
		return nil, errors.Join(ErrLocked, f.Close())
	}
	return &Lock{file: f}, nil
}

// Acquire waits for the lock.
func Acquire(ctx context.Context, path string) (*Lock, error) {
	for {
		l, err := Try(path)
		if !errors.Is(err, ErrLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ErrLocked, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Release lets go of the lock and removes its file.
func (l *Lock) Release() error {
	return errors.Join(os.Remove(l.file.Path()), l.file.Close())
}
