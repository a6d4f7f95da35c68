package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// A Lock marks a file as in use by this process, until it ends.
type Lock struct {
	path string
	file *os.File
}

// A process writes its number into a file that it has locked within this time, also on a busy machine.
const named = 2 * time.Second

// Take creates the file at path and locks it. If a different process has locked it, holder is that
// process ("process 4711"), and the lock is nil. A process that ends, in whatever way, unlocks it.
func Take(path string) (l *Lock, holder string, err error) {
	for end := time.Now().Add(named); ; {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, "", err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			said, _ := io.ReadAll(io.LimitReader(f, 100))
			f.Close()
			if len(said) == 0 && time.Now().Before(end) { // it was locked just now
				time.Sleep(5 * time.Millisecond)
				continue
			}
			return nil, strings.TrimSpace("process " + string(said)), nil
		}
		if err != nil {
			f.Close()
			return nil, "", err
		}
		// The process before may have removed the file after we had opened it.
		is, err := f.Stat()
		now, gone := os.Stat(path)
		if err == nil && gone == nil && os.SameFile(is, now) {
			_ = f.Truncate(0)
			fmt.Fprintf(f, "%d\n", os.Getpid())
			return &Lock{path, f}, "", nil
		}
		f.Close()
	}
}

// Release removes the file.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	os.Remove(l.path)
	l.file.Close()
}
