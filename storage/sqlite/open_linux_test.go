package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A thread with the file system user nobody simulates a user without write
// permission; the tests may run as root.
func TestUnwritableArchivesCanBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		runtime.LockOSThread() // never unlocked: the thread ends with the test
	}
	for name, mode := range map[string]struct{ file, dir os.FileMode }{
		"the file":            {0o444, 0o777},
		"the folder":          {0o666, 0o555},
		"the file and folder": {0o444, 0o555},
	} {
		dir := t.TempDir()
		for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "a.plat")
		filled(t, path, "https://a.test/")
		if err := errors.Join(os.Chmod(path, mode.file), os.Chmod(dir, mode.dir)); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		}
		s, err := Open(path, Options{})
		if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "make the file and its folder writable") {
			t.Errorf("%s: Open: %v", name, err)
		}
		if want := fmt.Sprintf("chown -R %d %s;", os.Geteuid(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: Open: %v, want %q in it", name, err, want)
		}
		if err == nil {
			s.Close()
		}
		if s, err = Open(path, Options{ReadOnly: true}); err != nil {
			t.Errorf("%s: read-only Open: %v", name, err)
		} else {
			if v, err := s.Version(t.Context(), "https://a.test/", 0); err != nil || v.N != 1 {
				t.Errorf("%s: Version: %+v, %v", name, v, err)
			}
			s.Close()
		}
		if os.Geteuid() == 0 {
			syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
