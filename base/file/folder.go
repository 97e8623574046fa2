package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"fabriclab/base/file/flock"
)

// exchange makes two folders change their names at once. Tests take it away, as
// some file systems (NFS) do not have it.
var exchange = func(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// Swap puts a folder in its place. If there is one, it is at each moment there
// or, where the file system cannot exchange two names, at aside, from where
// Recover takes it back. Afterwards it is at fresh or aside, to be removed.
func Swap(fresh, place, aside string) error {
	if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(fresh, place)
	}
	err := exchange(fresh, place)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		if err != nil {
			return &os.LinkError{Op: "exchange", Old: fresh, New: place, Err: err}
		}
		return nil
	}
	if err := os.Rename(place, aside); err != nil {
		return err
	}
	return os.Rename(fresh, place)
}

// Recover finishes a Swap that was killed: the folder aside goes back to its
// place if that is empty, and is removed if not.
func Recover(place, aside string) error {
	if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(aside, place); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return os.RemoveAll(aside)
}

// ReplaceFolder fills a new folder and puts it in the place of dir; until it is
// full and on the disk, dir is what it was. It waits for others that do the
// same, and removes what killed ones have left.
func ReplaceFolder(dir string, fill func(fresh string) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	lock, err := flock.Acquire(context.Background(), beside(dir, ".lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	fresh, aside := beside(dir, newSuffix), beside(dir, ".old")
	if err := errors.Join(Recover(dir, aside), os.RemoveAll(fresh)); err != nil {
		return err
	}
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh), Recover(dir, aside)) }()
	if err := fill(fresh); err != nil {
		return err
	}
	if err := SyncTree(fresh); err != nil {
		return err
	}
	if err := Swap(fresh, dir, aside); err != nil {
		return err
	}
	return Sync(filepath.Dir(dir))
}

// SyncTree writes everything in a folder through to the disk.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return Sync(path)
	})
}

// Sync writes a file, or what a folder holds, through to the disk. Tests look
// at its calls.
var Sync = func(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
