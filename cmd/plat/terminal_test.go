package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"plat/cmd/plat/app"
)

// pseudoTerminal is the side of a pseudo-terminal that programs write to.
func pseudoTerminal(t *testing.T) *os.File {
	_, slave := pseudoTerminals(t)
	return slave
}

// pseudoTerminals are both sides of a pseudo-terminal: the one that shows what is written to the other.
func pseudoTerminals(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	ioctl := func(request uintptr, value *uint32) {
		t.Helper()
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	var unlock, n uint32
	ioctl(syscall.TIOCSPTLCK, &unlock)
	ioctl(syscall.TIOCGPTN, &n)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

func TestPagesAreNotWrittenToATerminal(t *testing.T) {
	store := madeUp(t)
	out := pseudoTerminal(t)
	for _, args := range [][]string{
		{"restore", paperURL, store},
		{"restore", paperURL, "--raw", store},
		{"export", paperURL, "--format", "jsonl", store},
		{"export", paperURL, "--format", "html", store},
		{"watch", "export", store},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), args, nil, strings.NewReader(""), out, &stderr)
		if code != app.ExitUsage || !strings.Contains(stderr.String(), "-o FILE, or write to a pipe") {
			t.Errorf("plat %s: exit %d, stderr %q", strings.Join(args, " "), code, stderr.String())
		}
		if r := command(t, args...); r.code != app.ExitOK || r.out == "" {
			t.Errorf("plat %s, to a pipe: exit %d, stderr %q", strings.Join(args, " "), r.code, r.err)
		}
	}
}
