package main

import (
	"os"
	"sync"
	"time"

	"plat/scripts/procs"
)

// meter counts the CPU time, in seconds, of this process and its descendants except bare
// Chrome, until stop is called. The time of a replaced browser is lost, so meter reads often and
// sums the increments.
func (w *world) meter() (stop func() (seconds float64)) {
	const every = 300 * time.Millisecond
	var seconds float64
	var done sync.WaitGroup
	end := make(chan struct{})
	last := w.cpu()
	read := func() {
		now := w.cpu()
		seconds, last = seconds+max(0, now-last), now
	}
	done.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(every):
				read()
			}
		}
	})
	return func() float64 {
		close(end)
		done.Wait()
		read()
		return seconds
	}
}

// cpu returns the CPU time of the running processes, including that of children they waited for.
func (w *world) cpu() (seconds float64) { return procs.CPU(os.Getpid(), w.bareChrome) }
