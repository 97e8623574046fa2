// Package trust says whose settings and sources are used without a question.
// They decide which programs are compiled and run, as the user who calls.
package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"fabriclab/base/file"
	"fabriclab/base/file/flock"
)

// Check refuses a file that somebody else than the user or root may have
// written or put there, unless its folder, or one above it, is trusted.
func Check(path string) error {
	doubt, err := doubt(path)
	if err != nil || doubt == "" {
		return err
	}
	dir, err := resolved(filepath.Dir(path))
	if err != nil {
		return err
	}
	list, err := List()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(trusted string) bool {
		rel, err := filepath.Rel(trusted, dir)
		return err == nil && filepath.IsLocal(rel)
	}) {
		return nil
	}
	return fmt.Errorf("%s: %s, and it decides which programs are compiled and run; if you trust everybody who may write there: fabriclab trust %s", path, doubt, dir)
}

// doubt says why a file may be somebody else's, "" if it cannot be.
func doubt(path string) (string, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	target, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	for _, of := range []struct {
		what string
		info fs.FileInfo
	}{{"it", link}, {"it", target}, {"its folder", dir}} {
		if owner := of.info.Sys().(*syscall.Stat_t).Uid; !ours(owner) {
			return fmt.Sprintf("%s belongs to %s", of.what, name(owner)), nil
		}
		if of.info.Mode()&fs.ModeSymlink == 0 && of.info.Mode().Perm()&0o002 != 0 {
			return of.what + " can be written by everybody", nil
		}
	}
	return "", nil
}

// ours says whether files of a user are taken as one's own: root can write
// everywhere anyway, and with sudo one remains who one was.
func ours(uid uint32) bool {
	me := os.Geteuid()
	if uid == 0 || uid == uint32(me) {
		return true
	}
	return me == 0 && os.Getenv("SUDO_UID") == strconv.FormatUint(uint64(uid), 10)
}

func name(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil {
		return u.Username
	}
	return "user " + number
}

func resolved(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(full)
}

// listFile holds a trusted folder on each line.
func listFile() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("looking for the list of trusted folders: %w; set XDG_CONFIG_HOME", err)
	}
	return filepath.Join(config, "fabriclab", "trusted"), nil
}

// List are the trusted folders.
func List() ([]string, error) {
	path, err := listFile()
	if err != nil {
		return nil, err
	}
	text, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the list of trusted folders: %w", err)
	}
	return slices.Collect(strings.FieldsFuncSeq(string(text), func(r rune) bool { return r == '\n' })), nil
}

// Add trusts a folder and all below it.
func Add(dir string) (string, error) {
	full, err := resolved(dir)
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Stat(full); err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", full)
		}
	}
	if err != nil {
		return "", fmt.Errorf("trust: %w; name the folder of the settings file", err)
	}
	if strings.ContainsRune(full, '\n') {
		return "", fmt.Errorf("trust: the name of %q has a line break; rename it", full)
	}
	return full, change(func(list []string) ([]string, error) {
		if slices.Contains(list, full) {
			return list, nil
		}
		return append(list, full), nil
	})
}

// Remove no longer trusts a folder, which may be gone.
func Remove(dir string) (string, error) {
	full, err := resolved(dir)
	if errors.Is(err, fs.ErrNotExist) {
		full, err = filepath.Abs(dir)
	}
	if err != nil {
		return "", fmt.Errorf("trust: %w", err)
	}
	return full, change(func(list []string) ([]string, error) {
		if !slices.Contains(list, full) {
			return nil, fmt.Errorf("trust: %s is not among the trusted folders; fabriclab trust lists them", full)
		}
		return slices.DeleteFunc(list, func(d string) bool { return d == full }), nil
	})
}

// change changes the list; others that do wait.
func change(with func([]string) ([]string, error)) (err error) {
	path, err := listFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing the list of trusted folders: %w", err)
	}
	lock, err := flock.Acquire(context.Background(), path+".lock")
	if err != nil {
		return fmt.Errorf("locking the list of trusted folders: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	list, err := List()
	if err != nil {
		return err
	}
	if list, err = with(list); err != nil {
		return err
	}
	var text strings.Builder
	for _, dir := range list {
		text.WriteString(dir + "\n")
	}
	if err := file.Write(path, []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("writing the list of trusted folders: %w", err)
	}
	return nil
}
