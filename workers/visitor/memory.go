package visitor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// FreeMemory returns a guard that requires min available bytes in the control group
// if it has a limit, else on the machine. If that is unknown, it never fails.
func FreeMemory(min uint64) func() error {
	return func() error {
		if free, ok := AvailableMemory(); ok && free < min {
			return fmt.Errorf("%s of memory is available, less than %s; use fewer tabs, or lower the setting min-memory",
				humanize.IBytes(free), humanize.IBytes(min))
		}
		return nil
	}
}

// groups are the files with a control group's limit and usage, in both versions, and
// the name of its file cache counter.
var groups = [...]struct{ limit, used, stat, cache string }{
	{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file "},
	{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file "},
}

// MemoryLimit returns the limit of this process's control group, in bytes; ok is
// false if it has no limit.
func MemoryLimit() (limit uint64, ok bool) {
	for _, g := range groups {
		if limit, ok := number(g.limit); ok && limit < 1<<60 { // version 1 writes a huge number for no limit
			return limit, true
		}
	}
	return 0, false
}

// AvailableMemory returns the bytes available to this process's control group if it
// has a limit, else on the machine; ok is false if unknown, as outside of Linux.
func AvailableMemory() (uint64, bool) {
	for _, g := range groups {
		limit, ok := number(g.limit)
		used, known := number(g.used)
		if !ok || !known || limit >= 1<<60 {
			continue
		}
		// The file cache is reclaimed first.
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

// number reads a file that contains one number.
func number(path string) (uint64, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil
}
