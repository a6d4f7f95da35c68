package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"plat/cmd/plat/app"
)

func TestAnArchiveThatCannotBeWrittenIsReadAllTheSame(t *testing.T) {
	store := madeUp(t)
	path := strings.TrimPrefix(store, "--store=sqlite:")
	dir := filepath.Dir(path)
	for d := filepath.Dir(dir); d != filepath.Clean(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(path, 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755) // so that it can be removed
	if os.Geteuid() == 0 {
		// Root may write anything: this thread continues as an unprivileged user, and ends with
		// the test, because it is never unlocked.
		runtime.LockOSThread()
		syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		defer syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	}
	for _, args := range [][]string{{"show", paperURL}, {"versions", paperURL}, {"diff", paperURL}, {"restore", paperURL}, {"blocks"}, {"search", "river"}, {"stats"}, {"verify"}, {"gc", "--dry-run"}} {
		must(t, append(args, store)...)
	}
	if r := command(t, "gc", store); r.code != app.ExitStore || !strings.Contains(r.err, "make the file and its folder writable") {
		t.Errorf("gc: exit %d, stderr %q", r.code, r.err)
	}
}
