package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// meter counts the CPU time, in seconds, of this process and its descendants but for bare
// Chrome, until stop is called. A browser that is replaced takes what it has used with it, so
// it reads often, and counts what has been added since.
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

// cpu is what the processes that run now have used, with what they have waited for.
func (w *world) cpu() (seconds float64) {
	used, parents := map[int]float64{}, map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(d))
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		// The name, in brackets, may contain anything.
		f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(f) < 15 {
			continue
		}
		parents[pid], _ = strconv.Atoi(f[1])
		for _, ticks := range f[11:15] { // its own, and of children that have ended
			n, _ := strconv.ParseFloat(ticks, 64)
			used[pid] += n / 100 // USER_HZ, the same on all Linux machines
		}
	}
	for pid, s := range used {
		for at := pid; at > 1 && at != w.bareChrome; at = parents[at] {
			if at == os.Getpid() {
				seconds += s
				break
			}
		}
	}
	return seconds
}
