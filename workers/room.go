package workers

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// watchGuards asks the guards now and then, until ctx ends.
func (c *Crew) watchGuards(ctx context.Context) {
	for sleep(ctx, nil, time.Second) {
		var short error
		for _, g := range c.o.Guards {
			if short = g(); short != nil {
				break
			}
		}
		switch was := c.down[theGuards].Swap(short != nil); {
		case short != nil && !was:
			c.o.Log.Warn("nothing new is begun", "error", short)
			c.o.Metrics.outages.WithLabelValues(theGuards).Inc()
		case short == nil && was:
			c.o.Log.Info("work goes on")
		}
	}
}

// FreeDisk is a guard: so many bytes must be free where path is.
func FreeDisk(path string, min uint64) func() error {
	return func() error {
		var s syscall.Statfs_t
		if err := syscall.Statfs(path, &s); err != nil {
			return nil // whoever writes there will say so
		}
		if free := s.Bavail * uint64(s.Bsize); free < min {
			return fmt.Errorf("%s is left on the disk of %s, and %s is to be left; free some, or lower --min-disk",
				humanize.IBytes(free), path, humanize.IBytes(min))
		}
		return nil
	}
}

// FreeMemory is a guard: so many bytes must be available, to the control group
// if it has a limit, else to the machine.
func FreeMemory(min uint64) func() error {
	return func() error {
		if free, ok := AvailableMemory(); ok && free < min {
			return fmt.Errorf("%s of memory is left, and %s is to be left; use fewer tabs, or lower --min-memory",
				humanize.IBytes(free), humanize.IBytes(min))
		}
		return nil
	}
}

// groups are where a control group says what it may have and what it has, in
// both versions, and how it names what only caches files.
var groups = [...]struct{ limit, used, stat, cache string }{
	{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file "},
	{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "},
}

// MemoryLimit is what this process's control group may have, in bytes.
func MemoryLimit() (limit uint64, ok bool) {
	for _, g := range groups {
		if limit, ok := number(g.limit); ok && limit < 1<<60 { // version 1 writes a huge number for none
			return limit, true
		}
	}
	return 0, false
}

// AvailableMemory is how many bytes can still be had, by this process's control group if
// that has a limit, else by the machine.
func AvailableMemory() (uint64, bool) {
	for _, g := range groups {
		limit, ok := number(g.limit)
		used, known := number(g.used)
		if !ok || !known || limit >= 1<<60 {
			continue
		}
		// What only caches files is given up first.
		if stat, err := os.ReadFile(g.stat); err == nil {
			if _, rest, found := strings.Cut("\n"+string(stat), "\n"+g.cache); found {
				line, _, _ := strings.Cut(rest, "\n")
				if cache, err := strconv.ParseUint(line, 10, 64); err == nil {
					used -= min(used, cache)
				}
			}
		}
		return limit - min(limit, used), true
	}
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(info), "MemAvailable:")
	var kb uint64
	if n, _ := fmt.Sscan(rest, &kb); !found || n != 1 {
		return 0, false
	}
	return kb << 10, true
}

func number(path string) (uint64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}
