package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Pending is a file in the making. It lies beside its place under a name of its
// own, which the next one for that place uses again: what a killed process has
// left does not pile up.
type Pending struct {
	*os.File
	path string
	over bool
}

// newSuffix ends the names of files and folders in the making; they begin with
// a dot.
const newSuffix = ".new"

func beside(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix)
}

// Create begins a file. Another process that makes the same one is waited for.
func Create(path string, mode os.FileMode) (*Pending, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %s; name a file that may be replaced", path, kind(info.Mode()))
	}
	name := beside(path, newSuffix)
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, mode)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return nil, errors.Join(&os.PathError{Op: "flock", Path: name, Err: err}, f.Close())
		}
		// The one before may have put the file in its place meanwhile.
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(name); err != nil || !os.SameFile(mine, there) {
			f.Close()
			continue
		}
		if err := errors.Join(f.Truncate(0), f.Chmod(mode)); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return &Pending{File: f, path: path}, nil
	}
}

// Commit has the file on the disk and puts it in its place.
func (p *Pending) Commit() error {
	err := p.Sync()
	if err == nil {
		err = os.Rename(p.Name(), p.path)
	}
	if err == nil {
		p.over = true
		err = p.Close() // which lets the next one in
	}
	return err
}

// Discard removes the file, unless it is in its place.
func (p *Pending) Discard() error {
	if p.over {
		return nil
	}
	p.over = true
	return errors.Join(os.Remove(p.Name()), p.Close())
}

// Write puts a whole file in its place.
func Write(path string, data []byte, mode os.FileMode) error {
	p, err := Create(path, mode)
	if err != nil {
		return err
	}
	if _, err := p.Write(data); err != nil {
		return errors.Join(err, p.Discard())
	}
	if err := p.Commit(); err != nil {
		return errors.Join(err, p.Discard())
	}
	return nil
}
