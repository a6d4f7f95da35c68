package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"plat/fixtures/freeport"
	"plat/scripts/procs"
)

// most is the longest that one call of the command may take.
const most = 2 * time.Minute

// A machine is the environment of one fault: a command, a folder of its own, sites of its own.
type machine struct {
	ctx     context.Context
	command string
	dir     string
	end     []func()
}

// try tries one fault with a command.
func try(ctx context.Context, f fault, command string) (string, bool, error) {
	dir, err := os.MkdirTemp("", "plat-faults-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(dir)
	m := &machine{ctx: ctx, command: command, dir: dir}
	defer func() {
		for _, end := range m.end {
			end()
		}
	}()
	return f.try(m)
}

// file returns the path of a file in the machine's folder.
func (m *machine) file(name string) string { return filepath.Join(m.dir, name) }

// write makes a file, and returns its path.
func (m *machine) write(name, text string) string {
	if err := os.WriteFile(m.file(name), []byte(text), 0o600); err != nil {
		panic(err) // the folder was made a moment ago
	}
	return m.file(name)
}

// store is the flag that names the machine's archive.
func (m *machine) store() string { return "--store=sqlite:" + m.file("a.db") }

// A result is how a call of the command ended.
type result struct {
	out, errs string
	exit      int
	took      time.Duration
	memory    int64 // of plat's own process at its largest, bytes
}

// all returns the output, in one line.
func (r result) all() string { return strings.Join(strings.Fields(r.errs+" "+r.out), " ") }

// last returns the end of the output, in one line.
func (r result) last() string {
	s := []rune(r.all())
	if len(s) > 100 {
		return "…" + string(s[len(s)-100:])
	}
	return string(s)
}

// run calls the command.
func (m *machine) run(args ...string) (result, error) { return m.runWith(nil, args...) }

// runWith calls the command with variables of its environment.
func (m *machine) runWith(env []string, args ...string) (result, error) {
	ctx, cancel := context.WithTimeout(m.ctx, most)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := m.cmd(ctx, env, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	done, largest := make(chan struct{}), make(chan int64)
	go func() { largest <- procs.Memory(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	close(done)
	r := result{out: out.String(), errs: errs.String(), took: time.Since(start), memory: <-largest}
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return r, err
	}
	r.exit = cmd.ProcessState.ExitCode()
	return r, m.ctx.Err()
}

func (m *machine) cmd(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.command, args...)
	cmd.Dir = m.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.dir, "NO_COLOR=1"}, env...)
	if chrome := os.Getenv("PLAT_CHROME"); chrome != "" {
		cmd.Env = append(cmd.Env, "PLAT_CHROME="+chrome)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// start calls a command that runs until the fault has been tried, and waits until it listens at
// its first port. ended is closed when it ends.
func (m *machine) start(url string, args ...string) (ended chan struct{}, log *buffer, err error) {
	ctx, cancel := context.WithCancel(m.ctx)
	log = &buffer{}
	cmd := m.cmd(ctx, nil, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	ended = make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	m.end = append(m.end, func() { cancel(); <-ended })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if a, err := http.Get(url + "/healthz"); err == nil {
			a.Body.Close()
			return ended, log, nil
		}
		select {
		case <-ended:
			return nil, nil, fmt.Errorf("ended: %s", log)
		default:
		}
		if time.Now().After(end) {
			return nil, nil, fmt.Errorf("does not listen: %s", log)
		}
	}
}

// A fleet is plat up.
type fleet struct {
	url, redis string // of its interface; where its Redis listens
	ended      chan struct{}
	log        *buffer
}

// up starts one.
func (m *machine) up(args ...string) (*fleet, error) {
	ports, err := freeport.List(2)
	if err != nil {
		return nil, err
	}
	web, redis := fmt.Sprint("127.0.0.1:", ports[0]), fmt.Sprint("127.0.0.1:", ports[1])
	f := &fleet{url: "http://" + web, redis: redis}
	f.ended, f.log, err = m.start(f.url, append([]string{"up", m.store(), "--listen", web, "--redis-listen", redis, "--delay", "1ms"}, args...)...)
	return f, err
}

// enqueue has the fleet visit a page, as soon as it takes any.
func (f *fleet) enqueue(page string) error {
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		a, err := http.Post(f.url+"/api/v1/urls", "application/json", strings.NewReader(fmt.Sprintf(`{"url":%q}`, page)))
		if err != nil {
			return err
		}
		b, err := io.ReadAll(a.Body)
		a.Body.Close()
		switch {
		case err != nil:
			return err
		case a.StatusCode < 300:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%s: %s", a.Status, b)
		}
	}
}

// visits has the fleet, which logs at level info, visit a page, and returns how its first visit ended and how many there
// were some time later.
func (f *fleet) visits(page string, later time.Duration) (outcome string, n int, err error) {
	if err := f.enqueue(page); err != nil {
		return "", 0, err
	}
	sign := "url=" + page + " outcome="
	for end := time.Now().Add(30 * time.Second); !strings.Contains(f.log.String(), sign); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return "", 0, fmt.Errorf("no visit of %s: %s", page, f.log)
		}
	}
	time.Sleep(later)
	log := f.log.String()
	_, after, _ := strings.Cut(log, sign)
	return strings.Fields(after)[0], strings.Count(log, sign), nil
}

// A buffer may be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A site answers on 127.0.0.1, under any name.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	asks []*http.Request
}

// site starts a site. It hides requests for robots.txt and icons from answer.
func (m *machine) site(answer http.HandlerFunc) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asks = append(s.asks, r)
		s.mu.Unlock()
		if r.URL.Path == "/favicon.ico" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		answer(w, r)
	}))
	m.end = append(m.end, s.Close)
	return s
}

// at returns the URL of a path of the site under a name.
func (s *site) at(host, path string) string {
	return "http://" + host + s.URL[strings.LastIndexByte(s.URL, ':'):] + path
}

// asked returns the requests for a path of a host; "" means any host.
func (s *site) asked(host, path string) (found []*http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asks {
		if r.URL.Path == path && (host == "" || strings.HasPrefix(r.Host, host+":")) {
			found = append(found, r)
		}
	}
	return found
}

// page answers every request with a page.
func page(html string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, html)
	}
}

// here are the flags of commands that visit pages of this machine.
var here = []string{"--no-dns", "--allow-private", "127.0.0.0/8", "--host", "shop.test=127.0.0.1", "--host", "other.test=127.0.0.1"}

// A visit is the report of plat archive on a page.
type visit struct {
	Outcome string         `json:"outcome"`
	Error   string         `json:"error"`
	Tries   int            `json:"tries"`
	Changes map[string]int `json:"changes"`
	result  result
}

func (v visit) String() string {
	s := v.Outcome
	for kind, n := range v.Changes {
		s += fmt.Sprintf(", %d %s", n, kind)
	}
	return s
}

// archive visits a page.
func (m *machine) archive(url string, args ...string) (visit, error) {
	r, err := m.run(append(append([]string{"archive", "--json", m.store(), "--log-level", "error", url}, here...), args...)...)
	if err != nil {
		return visit{}, err
	}
	v := visit{result: r}
	if err := json.Unmarshal([]byte(strings.SplitN(r.out, "\n", 2)[0]), &v); err != nil {
		return v, fmt.Errorf("archive %s: %s", url, r.last())
	}
	return v, nil
}

// twice visits a page, changes it, and visits it again. It is an error if the first visit stores no
// version.
func (m *machine) twice(url string, change func(), args ...string) (visit, error) {
	v, err := m.archive(url, args...)
	if err == nil && v.Outcome != "new" {
		err = fmt.Errorf("first visit: %s %s %s", v.Outcome, v.Error, v.result.last())
	}
	if err != nil {
		return v, err
	}
	change()
	return m.archive(url, args...)
}
