package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"plat/fixtures/freeport"
	"plat/queue"
	"plat/queue/redistest"
	"plat/queue/window"
	"plat/storage"
	"plat/storage/uri"
)

// proc is a program that can be killed and restarted.
type proc struct {
	args []string
	env  []string
	log  string
	ends bool // it ends when its standard input is closed

	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan struct{}
}

func (p *proc) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.ends {
		if p.in, err = cmd.StdinPipe(); err != nil {
			return err
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.done = cmd, make(chan struct{})
	go func(done chan struct{}) { cmd.Wait(); close(done) }(p.done)
	return nil
}

func (p *proc) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// signal sends a signal and waits for the process to end.
func (p *proc) signal(s syscall.Signal, wait time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	p.cmd.Process.Signal(s)
	select {
	case <-p.done:
		p.cmd = nil
		return nil
	case <-time.After(wait):
		return fmt.Errorf("%s does not end", filepath.Base(p.args[0]))
	}
}

func (p *proc) kill() { p.signal(syscall.SIGKILL, 10*time.Second) }

// fleet holds all running processes.
type fleet struct {
	dir     string
	redis   *redistest.Server
	store   *proc  // nil: an SQLite file
	uri     string // of the store
	as      string // "USER:PASSWORD@" of the workers, in Redis
	archive storage.Store
	queue   *queue.Queue
	workers []*proc

	scheduled bool // its jobs have schedules
}

// newFleet starts Redis and the store, and opens both. Without the program of a store, the archive is an
// SQLite file. Call stop, even after an error.
func newFleet(ctx context.Context, dir, ferret string, ttl time.Duration) (*fleet, error) {
	f := &fleet{dir: dir}
	redisDir := filepath.Join(dir, "redis")
	if err := os.MkdirAll(redisDir, 0o700); err != nil {
		return f, err
	}
	var err error
	if f.redis, err = redistest.New(redisDir); err != nil {
		return f, err
	}
	f.uri = "sqlite:" + filepath.Join(dir, "archive.db")
	if ferret != "" {
		if err := f.startStore(ferret); err != nil {
			return f, err
		}
	}
	if f.archive, err = uri.Open(ctx, f.uri, uri.Creates, uri.Options{}); err != nil {
		return f, err
	}
	f.queue, err = queue.Open(ctx, queue.Options{URL: f.redis.URL(), TTL: ttl})
	return f, err
}

// startStore starts a server of MongoDB's protocol, and waits until it listens.
func (f *fleet) startStore(ferret string) error {
	port, err := freeport.Port()
	if err != nil {
		return err
	}
	data := filepath.Join(f.dir, "mongo")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	f.store = &proc{args: []string{ferret, "-dir", data, "-listen", at}, log: filepath.Join(f.dir, "store.log"), ends: true}
	f.uri = "mongodb://" + at + "/plat"
	if err := f.store.start(); err != nil {
		return err
	}
	return waitFor(20*time.Second, func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// worker adds a worker.
func (f *fleet) worker(plat string, flags ...string) (*proc, error) {
	n := len(f.workers)
	tmp := filepath.Join(f.dir, fmt.Sprintf("tmp%d", n))
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, err
	}
	p := &proc{
		args: append([]string{plat, "worker", "--redis", strings.Replace(f.redis.URL(), "//", "//"+f.as, 1), "--store", f.uri}, flags...),
		env:  []string{"TMPDIR=" + tmp},
		log:  filepath.Join(f.dir, fmt.Sprintf("worker%d.log", n)),
	}
	f.workers = append(f.workers, p)
	return p, p.start()
}

func (f *fleet) stop() {
	for _, w := range f.workers {
		w.signal(syscall.SIGTERM, 0)
	}
	for _, w := range f.workers {
		if w.signal(syscall.SIGTERM, 15*time.Second) != nil {
			w.kill()
		}
	}
	if f.queue != nil {
		f.queue.Close()
	}
	if f.archive != nil {
		f.archive.Close()
	}
	if f.store != nil {
		f.store.kill()
	}
	if f.redis != nil {
		f.redis.Kill()
	}
}

// done waits until the queue has no unfinished jobs, and until trouble has
// ended, if not nil.
func (f *fleet) done(ctx context.Context, trouble <-chan error) (s window.Stats, err error) {
	for quiet := 0; quiet < 5; {
		select {
		case <-ctx.Done():
			return s, fmt.Errorf("%w: %+v; %s", context.Cause(ctx), s, tail(f.workers[0].log, 3))
		case err := <-trouble:
			if err != nil {
				return s, err
			}
			trouble = nil
		case <-time.After(200 * time.Millisecond):
		}
		limit, cancel := context.WithTimeout(ctx, 5*time.Second) // the store may be stopped
		s, err = window.ReadStats(limit, f.queue, f.archive)
		cancel()
		if err != nil || !s.Exists || s.Inbox+s.Queued+s.Leased > 0 || s.Jobs.Backlog+s.Jobs.Due > 0 || f.waits(ctx, s.Jobs.Later) || trouble != nil && s.Jobs.Dead == 0 {
			quiet = 0
			continue
		}
		quiet++
	}
	return s, nil
}

// waits reports whether jobs wait that are no visits of schedules, such as retries.
func (f *fleet) waits(ctx context.Context, later int64) bool {
	if later == 0 || !f.scheduled {
		return later > 0
	}
	for st, err := range f.archive.States(ctx, "", "") {
		if err != nil || !st.Due.IsZero() && (st.Attempts+st.Throttled > 0 || time.Until(storage.StartOf(&st)) < scheduledIn) {
			return true
		}
	}
	return false
}

// scheduledIn is the minimum time until visits that a schedule requests.
const scheduledIn = 30 * time.Minute

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// children are the child processes of a process.
func children(pid int) []int {
	var list []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		b, _ := os.ReadFile(t)
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

func waitFor(limit time.Duration, is func() bool) error {
	for end := time.Now().Add(limit); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("nothing after %v", limit)
		}
	}
	return nil
}

// build makes the two programs in a new folder, to be removed afterwards, also after an error.
func build(ctx context.Context, name string) (dir, plat, ferret string, err error) {
	if dir, err = os.MkdirTemp("", "plat-"+name+"-"); err != nil {
		return "", "", "", err
	}
	plat, ferret = filepath.Join(dir, "plat"), filepath.Join(dir, "ferretdb")
	for _, b := range []struct{ dir, pkg, out string }{{".", "./cmd/plat", plat}, {"storage/mongo/ferretdb", ".", ferret}} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", b.out, b.pkg)
		cmd.Dir = b.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return dir, "", "", fmt.Errorf("build %s: %w\n%s", b.pkg, err, out)
		}
	}
	return dir, plat, ferret, nil
}

// tail returns the last lines of a log.
func tail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var all []string
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		all = append(all, s.Text())
	}
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
