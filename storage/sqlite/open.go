package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// checkPath diagnoses faults of a path that SQLite only reports as "unable to open".
func checkPath(path string, readOnly bool) error {
	if path == "" {
		return errors.New("no path; write sqlite:PATH")
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%s: %w; make the folder first, or name a different file", path, errors.Unwrap(err))
		}
		if readOnly {
			return fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return nil
	case err != nil:
		return err
	case st.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it, as sqlite:%s", path, filepath.Join(path, "plat.db"))
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file; name a different one", path)
	}
	mode := os.O_RDWR
	if readOnly {
		mode = os.O_RDONLY
	}
	f, err := os.OpenFile(path, mode, 0)
	switch {
	case err == nil:
		return f.Close()
	case !readOnly && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		return unwritable(path, errors.Unwrap(err))
	}
	return fmt.Errorf("%s: %w; make it readable, or name a different file", path, errors.Unwrap(err))
}

// unwritable returns the error of an archive that this process may not write. It names the user
// unless the file system is read-only: in a container, the owner of a mounted folder is a user of the host.
func unwritable(path string, err error) error {
	by := ""
	folder, absErr := filepath.Abs(filepath.Dir(path))
	if user := os.Geteuid(); user >= 0 && absErr == nil && !errors.Is(err, syscall.EROFS) {
		by = fmt.Sprintf(" by user %d (chown -R %d %s; for a container, its folder on the host)", user, user, folder)
	}
	return fmt.Errorf("%s: %w: %w; make the file and its folder writable%s, or name a different file", path, ErrReadOnly, err, by)
}

// openReadOnly opens an existing archive.
func (s *Store) openReadOnly(ctx context.Context) error {
	flags := []string{"mode=ro"}
	for {
		read, is, err := s.openReader(ctx, flags)
		if err == nil && is == fresh {
			err = errEmpty
		}
		if err == nil {
			switch s.format = is; {
			case is < withJobs:
				s.jobs = noJobColumns
			case is < withPlans:
				s.jobs = oldJobColumns
			case is < withHosts:
				s.jobs = planJobColumns
			case is < withAddresses:
				s.jobs = hostJobColumns
			case is < withForgetting:
				s.jobs = addressJobColumns
			}
			s.read = &prepared{DB: read}
			return nil
		}
		if read != nil {
			read.Close()
		}
		// Even readers need SQLite's shared-memory file beside the archive. If it
		// cannot be created and there is no log, the file alone is complete.
		if _, log := os.Stat(s.path + "-wal"); len(flags) > 1 || !errors.Is(log, fs.ErrNotExist) || !denied(err) {
			return err
		}
		flags = append(flags, "immutable=1")
	}
}

// errEmpty is the error of a file without tables that is to be read.
var errEmpty = errors.New("the file is empty, it holds no archive; make one with plat archive URL, or name a different one with --store")

// privateMode is the mode of new archives, because pages may be visible only to their owner.
const privateMode = 0o600

// create makes an empty file unless it exists. SQLite itself would create it with the default
// mode of the umask. The log gets the mode of the file.
func create(path string, mode fs.FileMode) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // SQLite reports the fault
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return errors.Unwrap(err) // without the path, which the caller adds
	}
	return f.Close()
}

// openReader opens connections that read, and returns the format of the file. While the first
// of them is open, no other process can lock the file against reading. The only remaining wait,
// for a process that repairs the log, is left to SQLite.
func (s *Store) openReader(ctx context.Context, flags []string) (read *sql.DB, is int64, err error) {
	first, err := open(s.path, lockTimeout, "deferred", flags...)
	if err != nil {
		return nil, 0, err
	}
	defer first.Close()
	if is, err = ours(ctx, first); err != nil {
		return nil, 0, err
	}
	if read, err = open(s.path, s.busy.limit, "deferred", flags...); err != nil {
		return nil, 0, err
	}
	return read, is, read.PingContext(ctx)
}

// denied reports whether SQLite was denied access to a file.
func denied(err error) bool {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return true
	}
	switch resultOf(err) {
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}

// resultOf returns the primary result code of an SQLite error, 0 for other errors.
func resultOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// advise adds advice to an error of the file at path.
func advise(path string, err error) error {
	switch {
	case errors.Is(err, ErrBusy):
		return err // the error already names the file
	case isBusy(err):
		return fmt.Errorf("%s is %w; end that process, or try again when it is done", path, ErrBusy)
	case resultOf(err) == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not an SQLite file; name a plat archive", path)
	case denied(err):
		return unwritable(path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
