// Package wholefile writes files whole or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write has write fill the file at path. A regular file is written as a whole
// or not at all, and keeps its mode; a symbolic link stays one, what it leads to
// is written. Anything else, a pipe or a device, is written to as it is.
func Write(path string, write func(io.Writer) error) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil { // a link to what is not there yet
			return writeThrough(path, write)
		}
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: its folder is not there; make it first", path)
		}
		return replace(path, path, 0, write)
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !st.Mode().IsRegular():
		return writeThrough(path, write)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil { // /dev/stdout may lead to a file that has no name any more
		return writeThrough(path, write)
	}
	return replace(path, target, st.Mode().Perm(), write)
}

// writeThrough writes to what is at path, as a shell's redirection does.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// replace puts a new file in the place of target, which the user calls path.
// Its mode is perm, or for 0 that of any new file.
func replace(path, target string, perm fs.FileMode, write func(io.Writer) error) (err error) {
	// Not [os.CreateTemp], whose files are their owner's alone.
	f, err := os.OpenFile(filepath.Join(filepath.Dir(target), fmt.Sprintf(".plat-%016x", rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%s cannot be written: its folder takes no new file: %w", path, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return fmt.Errorf("%s cannot be written: %w", path, errors.Unwrap(err))
		}
	}
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	if err := os.Rename(f.Name(), target); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, errors.Unwrap(err))
	}
	return nil
}
