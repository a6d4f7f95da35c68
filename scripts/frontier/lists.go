package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plat/queue/redistest"
	"plat/scripts/procs"
	"plat/storage/sqlite"
)

// listsOptions set the size of the lists.
type listsOptions struct {
	lines, same, names int
	long               int // bytes
	seconds            time.Duration
	limit              float64 // MB
	json               bool

	dir, bin string
	redis    *redistest.Server
	site     *site
}

// A listCase is a list with its expected results.
type listCase struct {
	name  string
	write func(w *bufio.Writer) error // it ends with an error of w

	endless        bool // a pipe that is interrupted after a time
	visited        bool // by plat up, for a time
	taken, refused int  // URLs known at the end, lines; -1: any number
	exit           int
	says           string // part of the output
}

// A listRow is the result of a list.
type listRow struct {
	Case    string  `json:"case"`
	Lines   int     `json:"lines"`
	Taken   int     `json:"taken"`
	Refused int     `json:"refused"`
	Exit    int     `json:"exit"`
	Said    string  `json:"said"`
	Peak    float64 `json:"peak_mb"`
	Seconds float64 `json:"s"`
	Ended   float64 `json:"end_s,omitzero"` // from SIGINT to the end
	Visits  int     `json:"visits,omitzero"`
	Wrong   string  `json:"wrong,omitempty"`
}

func lists(ctx context.Context, args []string) error {
	o := listsOptions{}
	flags := newFlags("lists", "", "-lines 1000 -same 10000 -names 1000 -seconds 2s", "-json")
	flags.IntVar(&o.lines, "lines", 100_000, "of a list with malformed ones")
	flags.IntVar(&o.same, "same", 1_000_000, "times that a list has the same URL")
	flags.IntVar(&o.names, "names", 100_000, "names of one server")
	flags.IntVar(&o.long, "long", 10_000_000, "bytes of a long line")
	flags.DurationVar(&o.seconds, "seconds", 10*time.Second, "until a list without an end is interrupted; how long the names are visited")
	flags.Float64Var(&o.limit, "limit", 300, "MB that plat may take at most")
	flags.BoolVar(&o.json, "json", false, "print a JSON document for each list")
	flags.Parse(args)
	var err error
	if o.dir, err = os.MkdirTemp("", "plat-frontier-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	if o.bin, err = procs.BuildPlat(ctx, o.dir); err != nil {
		return err
	}
	if o.redis, err = redistest.New(o.dir, "--appendonly", "no"); err != nil {
		return err
	}
	defer o.redis.Kill()
	if o.site, err = newSite(func(host string, n int) []byte { return smallPage(host, n, nil) }); err != nil {
		return err
	}
	defer o.site.stop()
	if !o.json {
		fmt.Println("plat enqueue -f LIST --store sqlite:…, and plat up -f LIST for the names; each on a new archive. peak: resident memory.")
		fmt.Printf("%-40s %10s %9s %9s %5s %8s %8s %8s  %s\n", "case", "lines", "taken", "refused", "exit", "peak MB", "s", "end s", "said")
	}
	failed := 0
	for _, c := range o.cases() {
		r, err := o.run(ctx, &c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if r.Wrong != "" {
			failed++
		}
		if o.json {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
			continue
		}
		fmt.Printf("%-40s %10d %9d %9d %5d %8.0f %8.1f %8.1f  %s\n", r.Case, r.Lines, r.Taken, r.Refused, r.Exit, r.Peak, r.Seconds, r.Ended, r.Said)
		if r.Wrong != "" {
			fmt.Println("FAILED:", r.Wrong)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d lists failed", failed)
	}
	return nil
}

// malformed are lines that are no URLs.
var malformed = []string{
	"no URL", "ftp://a.test/", "https://", `{"url": "https://a.test/", "priority": 7}`, `{"url": `, `{"uri": "https://a.test/"}`, "https://a.test:99999/",
	"\x00\x01\xff\xfe", "javascript:alert(1)", `{"url": "https://a.test/", "every": "soon"}`,
}

// cases is long because it is a table.
func (o *listsOptions) cases() []listCase {
	good := func(w *bufio.Writer, i int) error {
		_, err := fmt.Fprintf(w, "https://h%d.test/page/%d\n", i%1000, i)
		return err
	}
	return []listCase{
		{name: "10 % of the lines are malformed", taken: o.lines - o.lines/10, refused: o.lines / 10, exit: 3, says: "were refused", write: func(w *bufio.Writer) error {
			for i := range o.lines {
				if i%10 == 9 {
					fmt.Fprintln(w, malformed[i/10%len(malformed)])
				} else if err := good(w, i); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: fmt.Sprintf("a line of %d bytes", o.long), taken: 1000, refused: 1, exit: 3, says: "a seed has at most", write: func(w *bufio.Writer) error {
			for i := range 1000 {
				if i == 500 {
					w.Write(bytes.Repeat([]byte("x"), o.long))
					w.WriteByte('\n')
				}
				good(w, i)
			}
			return nil
		}},
		{name: "no end of line at all", endless: true, taken: 0, refused: 0, exit: 11, says: "interrupted", write: func(w *bufio.Writer) error {
			for part := bytes.Repeat([]byte("x"), 1<<16); ; {
				if _, err := w.Write(part); err != nil {
					return err
				}
			}
		}},
		{name: "no end: new URLs", endless: true, taken: -1, refused: 0, exit: 11, says: "interrupted", write: func(w *bufio.Writer) error {
			for i := 0; ; i++ {
				if err := good(w, i); err != nil {
					return err
				}
			}
		}},
		{name: "no end: the same URL", endless: true, taken: 1, refused: 0, exit: 11, says: "interrupted", write: func(w *bufio.Writer) error {
			for {
				if err := good(w, 1); err != nil {
					return err
				}
			}
		}},
		{name: "no end: nothing is written", endless: true, taken: 0, refused: 0, exit: 11, says: "interrupted", write: func(w *bufio.Writer) error { return nil }},
		{name: "the same URL again and again", taken: 1, says: "1 of them new", write: func(w *bufio.Writer) error {
			for range o.same {
				if err := good(w, 1); err != nil {
					return err
				}
			}
			return nil
		}},
		{name: "very many names of one server", visited: true, taken: o.names, says: listTaken, write: func(w *bufio.Writer) error {
			for i := range o.names {
				fmt.Fprintf(w, "http://n%d.localhost:%d/p/%d\n", i, o.site.port, i)
			}
			return nil
		}},
	}
}

// run takes a list. It is long because its steps follow each other.
func (o *listsOptions) run(ctx context.Context, c *listCase) (*listRow, error) {
	dir, err := os.MkdirTemp(o.dir, "list-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := o.redis.Do(ctx, "FLUSHALL"); err != nil {
		return nil, err
	}
	r := &listRow{Case: c.name}
	archive, path := filepath.Join(dir, "plat.db"), filepath.Join(dir, "list")
	if !c.endless {
		if r.Lines, err = c.file(path); err != nil {
			return nil, err
		}
	}
	switch {
	case c.visited:
		err = o.visit(ctx, c, r, dir, path, archive)
	default:
		err = o.enqueue(ctx, c, r, path, archive)
	}
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Open(archive, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, err := range s.States(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		r.Taken++
	}
	var wrong []string
	must := func(ok bool, format string, args ...any) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	must(c.taken < 0 && r.Taken > 0 || r.Taken == c.taken, "%d URLs are known, want %d", r.Taken, c.taken)
	must(c.refused < 0 || r.Refused == c.refused, "%d lines are refused, want %d", r.Refused, c.refused)
	must(r.Exit == c.exit, "exit code %d, want %d", r.Exit, c.exit)
	must(strings.Contains(r.Said, c.says), "it does not say %q", c.says)
	must(r.Peak <= o.limit, "%.0f MB of memory, at most %.0f", r.Peak, o.limit)
	must(r.Ended < 10, "%.1f s from SIGINT to the end", r.Ended)
	must(!c.visited || r.Visits > 0, "nothing was visited")
	r.Wrong = strings.Join(wrong, "; ")
	return r, nil
}

// file writes the list, and returns its number of lines.
func (c *listCase) file(path string) (lines int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := &lineCounter{w: f}
	w := bufio.NewWriter(n)
	if err := c.write(w); err != nil {
		return 0, err
	}
	return n.lines, w.Flush()
}

// lineCounter counts lines before it writes them.
type lineCounter struct {
	w     io.Writer
	lines int
}

func (l *lineCounter) Write(b []byte) (int, error) {
	l.lines += bytes.Count(b, []byte("\n"))
	return l.w.Write(b)
}

// enqueue runs plat enqueue, on a file or a pipe without an end.
func (o *listsOptions) enqueue(ctx context.Context, c *listCase, r *listRow, path, archive string) error {
	name := path
	if c.endless {
		name = "-"
	}
	cmd := exec.CommandContext(ctx, o.bin, "enqueue", "-f", name, "--redis", o.redis.URL(), "--store", "sqlite:"+archive)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	lines, interrupted := make(chan int, 1), make(chan time.Time, 1)
	if c.endless {
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		go func() {
			n := &lineCounter{w: in}
			c.write(bufio.NewWriterSize(n, 1<<16)) // until plat ends
			lines <- n.lines
		}()
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	if c.endless {
		time.AfterFunc(o.seconds, func() {
			interrupted <- time.Now()
			cmd.Process.Signal(os.Interrupt)
		})
		// A list that has no end must not keep this waiting either.
		kill := time.AfterFunc(o.seconds+time.Minute, func() { cmd.Process.Kill() })
		defer kill.Stop()
	}
	err := cmd.Wait()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		return err
	}
	r.Seconds, r.Exit = time.Since(began).Seconds(), cmd.ProcessState.ExitCode()
	if c.endless {
		r.Lines = <-lines
		r.Ended = time.Since(<-interrupted).Seconds()
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Peak = float64(u.Maxrss) / 1024
	}
	// Refused lines are counted at the end; before that, some of them are printed.
	text := out.String()
	for line := range strings.Lines(said.String()) {
		text += line
		if rest, ok := strings.CutPrefix(line, "plat: enqueue: "); ok && strings.Contains(rest, "refused") {
			fmt.Sscan(strings.ReplaceAll(strings.Fields(rest)[0], ",", ""), &r.Refused)
		}
	}
	r.Said = short(text)
	return nil
}

// short is the first, the second and the last line of a text.
func short(text string) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	if n := len(all); n > 3 {
		all = []string{all[0], all[1], all[n-1]}
	}
	for i := range all {
		if len(all[i]) > 150 {
			all[i] = all[i][:150] + "…"
		}
	}
	return strings.Join(all, " | ")
}

// visit runs plat up until it has read the list, and some time more.
func (o *listsOptions) visit(ctx context.Context, c *listCase, r *listRow, dir, path, archive string) error {
	o.site.forget()
	p, err := start(o.bin, dir, archive, o.site.port, "-f", path)
	if err != nil {
		return err
	}
	defer p.kill()
	var line map[string]any
	if err := p.wait(ctx, 10*time.Minute, func() bool { line = p.logged(listTaken); return line != nil }); err != nil {
		return err
	}
	r.Seconds = time.Since(p.began).Seconds()
	until := time.Now().Add(o.seconds)
	if err := p.wait(ctx, time.Minute+o.seconds, func() bool { return time.Now().After(until) }); err != nil {
		return err
	}
	_, r.Visits = o.site.count()
	r.Peak = p.peak()
	began := time.Now()
	if err := p.stop(); err != nil {
		return fmt.Errorf("plat ended with %w: %s", err, p.tail())
	}
	r.Ended = time.Since(began).Seconds()
	r.Said = fmt.Sprintf("%v: %v taken, %v new, %v refused; %d of its pages visited so far", line["msg"], line["taken"], line["new"], line["refused"], r.Visits)
	return nil
}
