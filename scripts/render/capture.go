package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plat/plat"
	"plat/storage/history"
	"plat/storage/sqlite"
)

// archiver runs plat archive.
type archiver struct {
	bin    string
	dir    string   // for files kept until the end
	chrome string   // "": plat's own choice
	roots  string   // "": the system's; else a file of the certificates that plat trusts
	args   []string // further arguments
}

// A capture is the result of one run of plat archive over some URLs.
type capture struct {
	Tabs    int
	Pages   map[string]*result // by URL
	Wall    time.Duration      // of the whole run, browser start included
	CPU     time.Duration      // of plat and browser; -1 if it cannot be measured
	Memory  []memory           // one a second
	Gap     time.Duration      // longest time in which no page was finished
	Stalled bool               // the run was ended because no page was finished for stallLimit
}

// A result is the result for one URL.
type result struct {
	Outcome   plat.Outcome
	Error     string
	Settle    string // why the page was captured when it was, if plat reports it
	Unsettled bool
	Visit     time.Duration // the whole visit, the wait for a tab included
	Wall      time.Duration // of the rendering alone
	Words     bag
}

// stallLimit is the maximum time without a finished page before a run is
// aborted: more than plat's limit for one page.
const stallLimit = 2 * time.Minute

// capture archives pages into a new archive and reads their words from it.
func (a *archiver) capture(ctx context.Context, pages []page, tabs int) (*capture, error) {
	dir, err := os.MkdirTemp(a.dir, "capture-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	urls := make([]string, len(pages))
	for i, p := range pages {
		urls[i] = p.URL
	}
	list, db := filepath.Join(dir, "urls.txt"), filepath.Join(dir, "a.db")
	if err := os.WriteFile(list, []byte(strings.Join(urls, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	args := []string{"archive", "--json", "--allow-private", "127.0.0.0/8", "--no-dns", "--host", "localhost=127.0.0.1",
		"--retries", "0", "--log-level", "error", "--store", "sqlite:" + db, "-f", list}
	if tabs > 0 {
		args = append(args, "--tabs", strconv.Itoa(tabs))
	}
	if a.chrome != "" {
		args = append(args, "--chrome", a.chrome)
	}
	c := &capture{Tabs: tabs, Pages: map[string]*result{}}
	if err := a.run(ctx, append(args, a.args...), c); err != nil {
		return nil, err
	}
	return c, c.read(ctx, db)
}

// run runs plat and records its output, its cost and how long it is silent.
func (a *archiver) run(ctx context.Context, args []string, c *capture) error {
	group := newCgroup()
	defer group.remove()
	command := group.wrap(append([]string{a.bin}, args...))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	if a.roots != "" { // plat's own requests, such as robots.txt
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+a.roots)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	watch := watchMemory(cmd.Process.Pid)
	stall := time.AfterFunc(stallLimit, cancel)
	var bad error
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 1<<20)
	last := start
	for sc.Scan() {
		c.Gap, last = max(c.Gap, time.Since(last)), time.Now()
		stall.Reset(stallLimit)
		if err := c.line(sc.Bytes()); err != nil && bad == nil {
			bad = err
		}
	}
	c.Stalled = !stall.Stop()
	c.Memory = watch.stop()
	err = cmd.Wait()
	c.Wall, c.CPU = time.Since(start), group.cpu()
	var exit *exec.ExitError
	switch {
	case bad != nil:
		return bad
	case c.Stalled:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && len(c.Pages) > 0: // some pages failed; their output lines say why
		return nil
	}
	return err
}

// line parses a line of plat archive --json.
func (c *capture) line(b []byte) error {
	var l struct {
		URL, Error string
		Outcome    plat.Outcome
		Unsettled  bool
		MS         int64
		Settled    json.RawMessage
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("plat archive printed %q: %w", b, err)
	}
	c.Pages[l.URL] = &result{
		Outcome: l.Outcome, Error: l.Error, Settle: strings.Trim(string(l.Settled), `"`), Unsettled: l.Unsettled,
		Visit: time.Duration(l.MS) * time.Millisecond, Words: bag{},
	}
	return nil
}

// read reads the words of the pages' blocks from the archive.
func (c *capture) read(ctx context.Context, db string) error {
	store, err := sqlite.Open(db, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	for u, p := range c.Pages {
		v, err := store.Version(ctx, u, 0)
		if errors.Is(err, plat.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := history.LoadAll(ctx, store, v.Blocks); err != nil {
			return err
		}
		for i := range v.Blocks {
			p.Words.add(wordsOf(v.Blocks[i].Text))
		}
		p.Wall = v.Capture.Duration
	}
	return nil
}
