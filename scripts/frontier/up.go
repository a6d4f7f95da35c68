package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plat"
	"plat/storage/sqlite"
)

// up gives lists of several sizes to plat up, with nothing but its defaults, but for the
// delay.
func up(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("up", flag.ExitOnError)
	sizes := flags.String("urls", "1000,100000,1000000", "sizes of lists")
	hosts := flags.Int("hosts", 1000, "hosts")
	runs := flags.Int("runs", 3, "runs of each size")
	seconds := flags.Int("seconds", 30, "of measurement after the list is taken")
	kill := flags.Bool("kill", true, "kill it in the middle of the list and of the crawl, in a further run")
	flags.Parse(args)
	dir, err := os.MkdirTemp("", "plat-up-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "plat")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/plat").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	s, err := startSite()
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("lists in no order over %d hosts, delay 0, SQLite, the Redis inside; first: from the start of plat to the first request for a page\n", *hosts)
	fmt.Printf("%9s %4s %9s %10s %9s %9s %8s\n", "URLs", "run", "first", "taken", "visits/s", "CPU", "memory")
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("urls %q: write numbers with commas", *sizes)
		}
		list := filepath.Join(dir, text+".txt")
		if err := s.writeList(list, n, *hosts); err != nil {
			return err
		}
		var all []figures
		for run := range *runs {
			f, err := oneRun(ctx, s, bin, list, filepath.Join(dir, fmt.Sprint(n, "-", run)), n, time.Duration(*seconds)*time.Second)
			if err != nil {
				return err
			}
			fmt.Printf("%9d %4d %s\n", n, run+1, f)
			all = append(all, f)
		}
		slices.SortFunc(all, func(a, b figures) int { return int(a.first - b.first) })
		fmt.Printf("%9d  med %s\n", n, all[len(all)/2])
		if *kill {
			if err := killed(ctx, s, bin, list, filepath.Join(dir, fmt.Sprint(n, "-killed")), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// figures are those of a run.
type figures struct {
	first  time.Duration
	taken  float64 // URLs per second
	visits float64 // per second
	cpu    float64 // seconds per visit, with Chrome
	memory int64   // of plat at its peak, bytes
}

func (f figures) String() string {
	return fmt.Sprintf("%7.2f s %8.0f/s %9.2f %6.0f ms %5d MB", f.first.Seconds(), f.taken, f.visits, 1000*f.cpu, f.memory>>20)
}

func (s *site) writeList(path string, n, hosts int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		fmt.Fprintln(w, s.url(i%hosts, i))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// A crawler is a plat up under way.
type crawler struct {
	cmd   *exec.Cmd
	log   string
	began time.Time
}

func startUp(ctx context.Context, s *site, bin, list, dir string) (*crawler, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c := &crawler{log: filepath.Join(dir, fmt.Sprintf("log-%d", time.Now().UnixNano()))}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c.cmd = exec.CommandContext(ctx, bin, "up", "-q", "-f", list, "--store", "sqlite:"+filepath.Join(dir, "a.db"), "--delay", "0s", "--allow-private", "127.0.0.0/8",
		"--allow-port", fmt.Sprint(s.port), "--no-dns", "--log-level", "info", "--log-format", "json", "--redis-listen", "127.0.0.1:0", "--listen", "127.0.0.1:0")
	c.cmd.Stderr, c.cmd.Env = log, append(os.Environ(), "TMPDIR="+dir)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.began = time.Now()
	return c, c.cmd.Start()
}

// end signals it, and waits for its end and for that of its browser.
func (c *crawler) end(sig syscall.Signal) {
	syscall.Kill(c.cmd.Process.Pid, sig)
	c.cmd.Wait()
	syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
}

// taken returns the rate at which the list was taken, 0 if it is not yet.
func (c *crawler) taken() float64 {
	text, _ := os.ReadFile(c.log)
	for line := range strings.Lines(string(text)) {
		var e struct {
			Msg   string  `json:"msg"`
			Taken float64 `json:"taken"`
			Took  float64 `json:"took"` // ns
		}
		if json.Unmarshal([]byte(line), &e) == nil && e.Msg == "the list is taken" {
			return e.Taken / (max(e.Took, 1) / 1e9)
		}
	}
	return 0
}

// until waits until is returns true.
func until(ctx context.Context, what string, is func() bool) error {
	for end := time.Now().Add(10 * time.Minute); !is(); {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("waited ten minutes until %s", what)
		}
	}
	return nil
}

// oneRun takes a list and visits for a while.
func oneRun(ctx context.Context, s *site, bin, list, dir string, n int, length time.Duration) (f figures, err error) {
	defer os.RemoveAll(dir)
	s.forget()
	c, err := startUp(ctx, s, bin, list, dir)
	if err != nil {
		return f, err
	}
	defer c.end(syscall.SIGTERM)
	if err := until(ctx, "a page is visited", func() bool { return !s.first(c.began).IsZero() }); err != nil {
		return f, err
	}
	f.first = s.first(c.began).Sub(c.began)
	if err := until(ctx, "the list is taken", func() bool { f.taken = c.taken(); return f.taken > 0 }); err != nil {
		return f, err
	}
	if err := until(ctx, "it is warm", func() bool { k, _ := s.count(); return k > 50 }); err != nil {
		return f, err
	}
	from, cpu := time.Now(), cpuOf(c.cmd.Process.Pid)
	before, _ := s.count()
	err = until(ctx, "the time is over", func() bool {
		k, _ := s.count()
		return time.Since(from) > length || k > n-20 // before a short list ends
	})
	after, _ := s.count()
	f.visits = float64(after-before) / time.Since(from).Seconds()
	f.cpu = (cpuOf(c.cmd.Process.Pid) - cpu) / float64(max(1, after-before))
	f.memory = peakOf(c.cmd.Process.Pid)
	return f, err
}

// killed kills plat in the middle of the list and of the crawl, starts it again each
// time, and counts what became of the URLs.
func killed(ctx context.Context, s *site, bin, list, dir string, n int) error {
	defer os.RemoveAll(dir)
	s.forget()
	var firsts []string
	for i, wait := range []func(c *crawler) bool{
		func(c *crawler) bool { k, _ := s.count(); return k > 3 },                              // in the list, if it is long
		func(c *crawler) bool { return c.taken() > 0 && time.Since(c.began) > 10*time.Second }, // in the crawl
		func(c *crawler) bool { return time.Since(c.began) > 10*time.Second },
	} {
		c, err := startUp(ctx, s, bin, list, dir)
		if err != nil {
			return err
		}
		err = until(ctx, "a page is visited", func() bool { return !s.first(c.began).IsZero() })
		if err == nil {
			firsts = append(firsts, fmt.Sprintf("%.2f s", s.first(c.began).Sub(c.began).Seconds()))
			err = until(ctx, "its time has come", func() bool { return wait(c) })
		}
		if i < 2 {
			c.end(syscall.SIGKILL)
		} else {
			c.end(syscall.SIGTERM)
		}
		if err != nil {
			return err
		}
	}
	store, err := sqlite.Open(filepath.Join(dir, "a.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	known, visited, twice := 0, 0, 0
	for st, err := range store.States(ctx, "", "") {
		if err != nil {
			return err
		}
		known++
		if st.Visits > 0 && st.Outcome != plat.OutcomeInterrupted {
			visited++
		}
		if st.Visits > 1 {
			twice++
		}
	}
	_, again := s.count()
	fmt.Printf("%9d  killed twice: first request after each start %s; %d URLs known, %d visited, %d twice; %d requests for a page that was under way\n",
		n, strings.Join(firsts, ", "), known, visited, twice, again)
	if known != n || twice > 0 {
		return fmt.Errorf("%d URLs are known and %d were visited twice, of a list of %d", known, twice, n)
	}
	return nil
}

// cpuOf returns the CPU seconds of a process group, with what has ended in it.
func cpuOf(group int) (seconds float64) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		f := strings.Fields(rest)
		if len(f) < 15 || f[2] != fmt.Sprint(group) {
			continue
		}
		for _, k := range []int{11, 12, 13, 14} { // utime, stime, and of children that were waited for
			ticks, _ := strconv.ParseFloat(f[k], 64)
			seconds += ticks / 100
		}
	}
	return seconds
}

// peakOf returns the most memory that a process has had, in bytes.
func peakOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		var kb int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
