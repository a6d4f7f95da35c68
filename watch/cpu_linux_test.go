package watch

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// timed is how long f computes, however busy the machine is.
func timed(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		const thread = 1 // RUSAGE_THREAD
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			tb.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := used()
	f()
	return used() - began
}
