package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Pending is a file in the making. It lies beside its place under a name of its
// own. What a killed process has left there is removed by the next one.
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

// CheckPlace says why no file can be made at a path, as far as that can be known before.
func CheckPlace(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is %s; name a file that may be replaced", path, kind(info.Mode()))
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return noFolder{path, dir}
	}
	return nil
}

type noFolder struct{ path, dir string }

func (e noFolder) Error() string {
	return fmt.Sprintf("%s: there is no folder %s; make it first: mkdir -p %[2]s", e.path, e.dir)
}

func (e noFolder) Is(target error) bool { return target == os.ErrNotExist }

// Create begins a file, whose mode the umask restricts. Another process that makes
// the same one is waited for.
func Create(path string, mode os.FileMode) (*Pending, error) {
	if err := CheckPlace(path); err != nil {
		return nil, err
	}
	name := beside(path, newSuffix)
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, mode)
		made := err == nil
		if errors.Is(err, os.ErrExist) {
			f, err = openLeft(name)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			return nil, errors.Join(&os.PathError{Op: "flock", Path: name, Err: err}, f.Close())
		}
		if made && sameFile(f, name) {
			return &Pending{File: f, path: path}, nil
		}
		// Whoever made it has put it in its place, or was killed: what is
		// left may be of another mode and owner.
		if sameFile(f, name) {
			err = os.Remove(name)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// openLeft opens a file to lock it: on NFS that needs to be able to write. What
// another user has left may be readable only.
func openLeft(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.EACCES) {
		f, err = os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	return f, err
}

// sameFile says whether an open file still has its name.
func sameFile(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(name)
	return err == nil && os.SameFile(mine, there)
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
