package app_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
)

// A process that has locked a file writes its number a little later.
func TestTheHolderOfALockIsNamedAlsoWhileItTakesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = f.WriteString("4711\n")
	}()
	if l, holder, err := app.Take(path); l != nil || holder != "process 4711" || err != nil {
		t.Errorf("%v, %q, %v", l, holder, err)
	}
}

func TestALockOfAProcessThatHasEndedIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(path, []byte("4711\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, holder, err := app.Take(path)
	if l == nil || holder != "" || err != nil {
		t.Fatalf("%v, %q, %v", l, holder, err)
	}
	if other, holder, err := app.Take(path); other != nil || holder == "process 4711" || err != nil {
		t.Errorf("%v, %q, %v", other, holder, err)
	}
	l.Release()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the file is still there")
	}
}
