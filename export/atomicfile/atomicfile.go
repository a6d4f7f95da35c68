// Package atomicfile writes files atomically.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write calls write to fill the file at path. A regular file is replaced atomically and keeps
// its mode. A new file is readable only by its owner, because its pages may be visible only to
// them. For a symbolic link, its target is written. Other files, such as a pipe or a device,
// are written in place.
func Write(path string, write func(io.Writer) error) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil { // a dangling link
			return writeThrough(path, write)
		}
		if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: its folder does not exist; create it first", path)
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
	if err != nil { // /dev/stdout may refer to an unlinked file
		return writeThrough(path, write)
	}
	return replace(path, target, st.Mode().Perm(), write)
}

// writeThrough writes to path in place, as a shell's redirection does.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

// replace atomically replaces target, which the user calls path. The new file's
// mode is perm, or readable by its owner alone if perm is 0.
func replace(path, target string, perm fs.FileMode, write func(io.Writer) error) error {
	if perm == 0 {
		perm = 0o600
	}
	f, err := renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)), renameio.WithStaticPermissions(perm))
	if err != nil {
		return fmt.Errorf("%s cannot be written: cannot create a file in its folder: %w", path, cause(err))
	}
	defer f.Cleanup()
	w := bufio.NewWriter(f)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, cause(err))
	}
	return nil
}

// cause returns an error without the names of temporary files.
func cause(err error) error {
	if inner := errors.Unwrap(err); inner != nil {
		return inner
	}
	return err
}
