//go:build unix

package sessions

import (
	"os"
	"syscall"
)

// lockFile waits for the lock, which is released when the file is closed.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
