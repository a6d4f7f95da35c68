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

	"plat/scripts/procs"
)

// proc is a running plat up.
type proc struct {
	cmd   *exec.Cmd
	log   string
	began time.Time
	done  chan struct{}
	err   error // once done
}

// start runs plat up on an archive in dir, with a new log.
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
	p.cmd.Stderr = log // standard output has a line a visit
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
	family := procs.Family(p.cmd.Process.Pid)
	p.cmd.Process.Kill()
	<-p.done
	time.Sleep(time.Second)
	for _, f := range family {
		if now := procs.Of(f.PID); now != nil && now.Began == f.Began && now.State != 'Z' {
			left++
			syscall.Kill(f.PID, syscall.SIGKILL)
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

// logged returns the last line of the log with one of some messages; nil if absent.
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

// cpu is the time that the process and its descendants have used.
func (p *proc) cpu() (seconds float64) { return procs.CPU(p.cmd.Process.Pid) }

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
