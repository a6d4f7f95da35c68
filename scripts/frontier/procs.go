package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// build makes plat.
func build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "plat")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/plat").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build plat: %w\n%s", err, out)
	}
	return bin, nil
}

// proc is a running plat up.
type proc struct {
	cmd   *exec.Cmd
	log   string
	began time.Time
	done  chan struct{}
	err   error // once done
}

// start runs plat up on an archive in dir. Its log is written anew.
func start(bin, dir, archive string, port int, args ...string) (*proc, error) {
	p := &proc{log: filepath.Join(dir, "log"), done: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	all := []string{"up", "--store", "sqlite:" + archive, "--redis-listen", "127.0.0.1:0", "--listen", "127.0.0.1:0",
		"--allow-private", "127.0.0.0/8", "--allow-port", strconv.Itoa(port), "--no-dns", "--delay", "0s", "--log-level", "info", "--log-format", "json"}
	p.cmd = exec.Command(bin, append(all, args...)...)
	p.cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.err = p.cmd.Wait(); close(p.done) }()
	return p, nil
}

// wait waits until something is so, while the process runs.
func (p *proc) wait(ctx context.Context, limit time.Duration, is func() bool) error {
	end := time.Now().Add(limit)
	for !is() {
		select {
		case <-p.done:
			return fmt.Errorf("plat has ended: %v: %s", p.err, p.tail())
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("nothing after %v: %s", limit, p.tail())
		}
	}
	return nil
}

// kill ends the process at once, like a power failure. It returns how many of its
// processes were left a moment later, and ends those too.
func (p *proc) kill() (left int) {
	family := p.family()
	p.cmd.Process.Kill()
	<-p.done
	time.Sleep(time.Second)
	for _, f := range family {
		if now := statOf(f.pid); now != nil && now.began == f.began && now.state != 'Z' {
			left++
			syscall.Kill(f.pid, syscall.SIGKILL)
		}
	}
	return left
}

// stop drains the process.
func (p *proc) stop() error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.err
	case <-time.After(2 * time.Minute):
		p.kill()
		return fmt.Errorf("plat does not end two minutes after SIGTERM: %s", p.tail())
	}
}

// logged returns the last line of the log with one of some messages, nil if there is none.
func (p *proc) logged(messages ...string) (line map[string]any) {
	text, _ := os.ReadFile(p.log)
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var m map[string]any
		json.Unmarshal(s.Bytes(), &m) // lines for people are not JSON
		if text, ok := m["msg"].(string); ok && slices.Contains(messages, text) {
			line = m
		}
	}
	return line
}

// tail returns the end of the log.
func (p *proc) tail() string {
	text, _ := os.ReadFile(p.log)
	text = bytes.TrimSpace(text)
	return string(text[max(0, len(text)-500):])
}

// stat is what /proc says of a process.
type stat struct {
	pid, parent int
	state       byte
	cpu         float64 // s, with that of ended children
	began       string
}

func statOf(pid int) *stat {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	// The name, in brackets, may contain anything.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 20 {
		return nil
	}
	s := &stat{pid: pid, state: f[0][0], began: f[19]}
	s.parent, _ = strconv.Atoi(f[1])
	for _, ticks := range f[11:15] {
		n, _ := strconv.ParseFloat(ticks, 64)
		s.cpu += n / 100 // USER_HZ, the same on all Linux machines
	}
	return s
}

// family returns the process and all of its descendants.
func (p *proc) family() []stat {
	byParent := map[int][]stat{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(d))
		if s := statOf(pid); s != nil {
			byParent[s.parent] = append(byParent[s.parent], *s)
		}
	}
	var all []stat
	if s := statOf(p.cmd.Process.Pid); s != nil {
		all = append(all, *s)
	}
	for i := 0; i < len(all); i++ {
		all = append(all, byParent[all[i].pid]...)
	}
	return all
}

// cpu is the time that the process and its descendants have used.
func (p *proc) cpu() (seconds float64) {
	for _, s := range p.family() {
		seconds += s.cpu
	}
	return seconds
}

// peak is the largest memory of the process alone, in MB.
func (p *proc) peak() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(kb)[0], 64)
			return n / 1024
		}
	}
	return 0
}
