package concurrency

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// CPU is time that all cores have spent, in ticks.
type CPU struct{ used, all uint64 }

// Busy is the share of time used since before, 0 to 1; 1 where no time has passed.
func (c CPU) Busy(before CPU) float64 {
	if c.all <= before.all {
		return 1
	}
	return float64(c.used-before.used) / float64(c.all-before.all)
}

// CPUTimes reads the CPU times of the machine's cores (proc_stat(5)); ok is false where they are
// unknown. A control group with a share of the cores uses its own counters.
func CPUTimes() (c CPU, ok bool) {
	if n := runtime.GOMAXPROCS(0); n < runtime.NumCPU() {
		for _, g := range [...]struct {
			file, key string
			perSecond uint64
		}{{"/sys/fs/cgroup/cpu.stat", "usage_usec ", 1e6}, {"/sys/fs/cgroup/cpuacct/cpuacct.usage", "", 1e9}} {
			if used, ok := counter(g.file, g.key); ok {
				all := uint64(time.Since(processStart).Seconds() * float64(g.perSecond) * float64(n))
				return CPU{used: used, all: all}, true
			}
		}
	}
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return CPU{}, false
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 6 || string(fields[0]) != "cpu" {
		return CPU{}, false
	}
	for i, f := range fields[1:min(len(fields), 9)] { // the later fields are included in the first two
		n, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return CPU{}, false
		}
		c.all += n
		if i != 3 && i != 4 { // idle, and waiting for a disk
			c.used += n
		}
	}
	return c, true
}

var processStart = time.Now()

// counter reads the number that follows key in a file.
func counter(file, key string) (uint64, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(b, []byte(key))
	if !found {
		return 0, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 10, 64)
	return n, err == nil
}
