package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cgroup is a control group for one run of plat: it counts the CPU time of plat
// and of every process of the browser, including ended ones. Creating one
// requires root; otherwise CPU time is unknown.
type cgroup struct{ dir string }

func newCgroup() cgroup {
	own, _ := os.ReadFile("/proc/self/cgroup")
	root := "/sys/fs/cgroup"
	for line := range strings.Lines(string(own)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		parent := ""
		switch {
		case strings.Contains(controllers, "cpuacct"): // version 1
			parent = filepath.Join(root, "cpuacct", path)
		case controllers == "": // version 2
			parent = filepath.Join(root, path)
		default:
			continue
		}
		g := cgroup{filepath.Join(parent, fmt.Sprintf("plat-render-%d", os.Getpid()))}
		if os.Mkdir(g.dir, 0o755) != nil {
			continue
		}
		if g.cpu() >= 0 {
			return g
		}
		os.Remove(g.dir)
	}
	return cgroup{}
}

// wrap returns a command line that enters the group and becomes args.
func (g cgroup) wrap(args []string) []string {
	if g.dir == "" {
		return args
	}
	return append([]string{"/bin/sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs")}, args...)
}

// cpu returns the time used so far, -1 if it is unknown.
func (g cgroup) cpu() time.Duration {
	if g.dir == "" {
		return -1
	}
	if b, err := os.ReadFile(filepath.Join(g.dir, "cpuacct.usage")); err == nil {
		if ns, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
			return time.Duration(ns)
		}
	}
	b, err := os.ReadFile(filepath.Join(g.dir, "cpu.stat"))
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(b)) {
		if us, ok := strings.CutPrefix(line, "usage_usec "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(us), 10, 64); err == nil {
				return time.Duration(n) * time.Microsecond
			}
		}
	}
	return -1
}

// remove deletes the group. It retries, because the last processes of a browser
// may still be exiting.
func (g cgroup) remove() {
	for range 50 {
		if g.dir == "" || os.Remove(g.dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// memory is the resident memory of plat and its browser at one moment, in
// bytes. Shared pages count in each process.
type memory struct {
	Plat, Chrome int64
	Processes    int // of the browser
}

// memoryWatch samples a process and its descendants once a second.
type memoryWatch struct {
	end  chan struct{}
	seen chan []memory
}

func watchMemory(pid int) memoryWatch {
	w := memoryWatch{make(chan struct{}), make(chan []memory, 1)}
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		var all []memory
		for {
			select {
			case <-tick.C:
				all = append(all, memoryOf(pid))
			case <-w.end:
				w.seen <- all
				return
			}
		}
	}()
	return w
}

func (w memoryWatch) stop() []memory {
	close(w.end)
	return <-w.seen
}

// memoryOf adds up the resident memory of a process and, separately, of its
// descendants.
func memoryOf(pid int) memory {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parent, resident := map[int]int{}, map[int]int64{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may contain anything; see proc_pid_stat(5).
		i := bytes.LastIndexByte(b, ')')
		fields := strings.Fields(string(b[i+1:]))
		if i < 0 || len(fields) < 22 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent[id], _ = strconv.Atoi(fields[1])
		pages, _ := strconv.ParseInt(fields[21], 10, 64)
		resident[id] = pages * int64(os.Getpagesize())
	}
	m := memory{Plat: resident[pid]}
	for id := range parent {
		for up := parent[id]; up > 1; up = parent[up] {
			if up == pid {
				m.Chrome += resident[id]
				m.Processes++
				break
			}
		}
	}
	return m
}
