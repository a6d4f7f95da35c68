// Telling runs subscriptions from end to end under fire:
//
//	go run ./scripts/telling                 # 40 recorded pages, 60 changes: some ten minutes
//	go run ./scripts/telling -pages 10 -changes 12 -kills 6
//
// plat watch run visits recorded pages while their clock advances from one change to the next, and
// sends new items by a webhook and by mail, to real servers. A day lasts 24 minutes for the
// waits between attempts. For an hour of it the webhook's receiver is down. plat is killed
// (SIGKILL) repeatedly: at random, in the middle of a request of the webhook, right after
// its answer, and likewise of a mail. In the end the archive is read again, from its first
// version on, by different code paths: all of its items must have been sent,
// and each item in one message, however often that was repeated.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"plat/fixtures/history"
	"plat/plat"
	"plat/scripts/procs"
	"plat/storage"
	"plat/storage/sqlite"
)

var (
	pages   = flag.Int("pages", 40, "so many pages are watched")
	changes = flag.Int("changes", 60, "the clock goes on so many times")
	kills   = flag.Int("kills", 30, "plat is killed so often at random, and a third as often at each of four moments of telling")
	seed    = flag.Uint64("seed", 1, "of what is random")
	keep    = flag.String("keep", "", "folder to work in, and to keep")
	bin     = flag.String("plat", "", "the command (default: built)")
	chrome  = flag.String("chrome", "", "browser to use")
)

// virtualDay is the length of a day for the waits between attempts.
const virtualDay = 24 * time.Minute

func main() {
	log.SetFlags(0)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal("telling: ", err)
	}
}

// trial is one run.
type trial struct {
	dir   string
	r     *rand.Rand
	sites []*history.Site
	steps map[*history.Site][]time.Time // changes of watched pages
	urls  []string
	plat  *exec.Cmd
	over  chan struct{}
	mu    sync.Mutex // of plat and over
	kills map[string]int
	store *sqlite.Store

	hook   *hook
	mail   *mail
	listen string // of plat
}

func run(ctx context.Context) error {
	t := &trial{dir: *keep, r: rand.New(rand.NewPCG(*seed, 14)), steps: map[*history.Site][]time.Time{}, kills: map[string]int{}}
	if t.dir == "" {
		dir, err := os.MkdirTemp("", "plat-telling-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		t.dir = dir
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	if *bin == "" {
		built, err := procs.BuildPlat(context.Background(), t.dir)
		if err != nil {
			return err
		}
		*bin = built
	}
	if err := t.serve(); err != nil {
		return err
	}
	hook, err := listenHook()
	if err != nil {
		return err
	}
	mail, err := listenMail()
	if err != nil {
		return err
	}
	t.hook, t.mail = hook, mail
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	t.listen = free.Addr().String()
	free.Close()
	if err := t.subscribe(ctx); err != nil {
		return err
	}
	defer t.kill("")
	if err := t.start(); err != nil {
		return err
	}
	if err := t.walk(ctx); err != nil {
		return err
	}
	return t.check(ctx)
}

// serve serves the recorded sites, each at a port of its own.
func (t *trial) serve() error {
	dir, ok := history.Dir()
	if !ok {
		return fmt.Errorf("no data at %s; set PLAT_DATA to the folder that holds history/", dir)
	}
	left := *pages
	for _, name := range []string{"news", "docs"} {
		set, err := history.Open(filepath.Join(dir, "history", name, "dev"), filepath.Join(dir, "history", "ext"))
		if err != nil {
			return err
		}
		// Of each set half of the pages, those that change most.
		all := slices.Clone(set.Pages)
		slices.SortStableFunc(all, func(a, b history.Page) int { return len(changed(b)) - len(changed(a)) })
		if name == "news" {
			all = all[:min(len(all), (left+1)/2)]
		} else {
			all = all[:min(len(all), left)]
		}
		left -= len(all)
		bases := map[*history.Site]string{}
		for _, p := range all {
			if bases[p.Site] == "" {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return err
				}
				p.Site.Validators = true
				go http.Serve(l, p.Site)
				bases[p.Site] = fmt.Sprintf("http://%s.localhost:%d", p.Site.Name, l.Addr().(*net.TCPAddr).Port)
				t.sites = append(t.sites, p.Site)
			}
			t.urls = append(t.urls, bases[p.Site]+p.Path)
			t.steps[p.Site] = append(t.steps[p.Site], changed(p)...)
		}
	}
	for _, s := range t.sites {
		slices.SortFunc(t.steps[s], time.Time.Compare)
		t.steps[s] = slices.CompactFunc(t.steps[s], time.Time.Equal)
		s.Set(t.steps[s][0])
	}
	return nil
}

// changed are the times at which a page changed.
func changed(p history.Page) []time.Time {
	var out []time.Time
	last := ""
	for _, at := range p.Site.Times {
		if now := p.Site.At(p.Path, at); now != "" && now != last {
			out = append(out, at)
			last = now
		}
	}
	return out
}

// run runs a command of plat.
func (t *trial) run(args ...string) error {
	cmd := exec.Command(*bin, args...)
	cmd.Env = t.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("plat %v: %w: %s", args, err, out)
	}
	return nil
}

func (t *trial) env() []string {
	return append(os.Environ(), "PLAT_STORE=sqlite:"+t.file(), "HOOK_SECRET="+t.hook.secret, "PLAT_TELL_PRIVATE=127.0.0.0/8")
}

func (t *trial) file() string { return filepath.Join(t.dir, "archive.db") }

// subscribe subscribes to all pages, and adds the channels.
func (t *trial) subscribe(ctx context.Context) error {
	for name, url := range map[string]string{"hook": t.hook.url, "mail": t.mail.url} {
		if err := t.run("watch", "channel", "add", name, url); err != nil {
			return err
		}
	}
	if err := t.run(append([]string{"watch", "add", "--tell", "hook,mail", "--every", "2s", "--tag", "all"}, t.urls...)...); err != nil {
		return err
	}
	var err error
	t.store, err = sqlite.Open(t.file(), sqlite.Options{})
	return err
}

// start starts plat, which ends with us.
func (t *trial) start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	out, err := os.OpenFile(filepath.Join(t.dir, "plat.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	args := []string{"watch", "run", "--listen", t.listen, "--redis-listen", "127.0.0.1:0", "--allow-private", "127.0.0.0/8",
		"--no-dns", "--day", virtualDay.String(), "--delay", "1ms", "--retry-delay", "200ms", "--min-disk", "0", "--confirm-after", "1s"}
	if *chrome != "" {
		args = append(args, "--chrome", *chrome)
	}
	cmd := exec.Command(*bin, args...)
	cmd.Env = t.env()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.plat, t.over = cmd, make(chan struct{})
	go func(over chan struct{}) { cmd.Wait(); close(over) }(t.over)
	return nil
}

// kill ends plat at once.
func (t *trial) kill(when string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.plat == nil {
		return
	}
	t.plat.Process.Kill()
	<-t.over
	t.plat = nil
	if when != "" {
		t.kills[when]++
	}
}

// walk moves the clocks from change to change, while plat is killed.
func (t *trial) walk(ctx context.Context) error {
	start := time.Now()
	if err := t.visited(ctx, start); err != nil {
		return err
	}
	asked := max(1, *kills/3)
	dead := map[int]bool{}
	for range *kills {
		dead[1+t.r.IntN(max(1, *changes-1))] = true
	}
	for step := 1; step < *changes && ctx.Err() == nil; step++ {
		moved := time.Now()
		for _, s := range t.sites {
			all := t.steps[s]
			s.Set(all[min(step, len(all)-1)])
		}
		t.hook.down.Store(step >= *changes/3 && time.Since(t.downAt(step)) < virtualDay/24)
		if m := t.moments(asked); m != nil {
			m.kill.Store(func() { t.kill(m.name) })
		}
		if dead[step] {
			time.Sleep(time.Duration(t.r.IntN(2000)) * time.Millisecond)
			t.kill("at random")
		}
		if err := t.visited(ctx, moved); err != nil {
			return err
		}
		if step%10 == 0 {
			log.Printf("%6.0f s  change %d of %d, %d webhooks, %d mails, killed %d times", time.Since(start).Seconds(), step, *changes, t.hook.count(), t.mail.count(), t.killed())
		}
	}
	t.hook.down.Store(false)
	return ctx.Err()
}

var downAt time.Time

// downAt returns the time at which the receiver went down; zero before.
func (t *trial) downAt(step int) time.Time {
	if downAt.IsZero() && step >= *changes/3 {
		downAt = time.Now()
	}
	return downAt
}

func (t *trial) killed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, k := range t.kills {
		n += k
	}
	return n
}

// moments returns a moment of telling at which plat is to be killed next; nil if it was killed
// often enough at all of them.
func (t *trial) moments(often int) *moment {
	all := []*moment{&t.hook.before, &t.hook.after, &t.mail.before, &t.mail.after}
	t.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range all {
		if t.kills[m.name] < often {
			return m
		}
	}
	return nil
}

// visited waits until every page was visited after a moment; it starts plat where it was
// killed.
func (t *trial) visited(ctx context.Context, after time.Time) error {
	return t.wait(ctx, 3*time.Minute, "pages are visited", func() (bool, error) {
		for _, u := range t.urls {
			st, err := t.store.State(ctx, u)
			if err != nil {
				return false, err
			}
			if !st.Last.After(after) {
				return false, nil
			}
		}
		return true, nil
	})
}

// wait waits until something is so.
func (t *trial) wait(ctx context.Context, most time.Duration, what string, so func() (bool, error)) error {
	for end := time.Now().Add(most); ; {
		t.mu.Lock()
		dead := t.plat == nil
		if !dead {
			select {
			case <-t.over:
				dead = true // without being killed
				t.plat = nil
			default:
			}
		}
		t.mu.Unlock()
		if dead {
			if err := t.start(); err != nil {
				return err
			}
		}
		ok, err := so()
		if err != nil || ok {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("after %v it is not so that %s; see %s", most, what, filepath.Join(t.dir, "plat.log"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// settled waits until nothing waits to be examined or sent.
func (t *trial) settled(ctx context.Context) error {
	return t.wait(ctx, 10*time.Minute, "all is examined and sent", func() (bool, error) {
		for _, err := range t.store.Behind(ctx, 1) {
			return false, err
		}
		waiting, err := t.store.Backlogs(ctx)
		return len(waiting) == 0, err
	})
}

var _ storage.Store = (*sqlite.Store)(nil)

// subscriptions are all of them.
func (t *trial) subscriptions(ctx context.Context) (all []*storage.Subscribed, err error) {
	for s, err := range t.store.Subscriptions(ctx, storage.Which{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// items returns the IDs of a subscription's stored items, except those of the first examination.
func (t *trial) items(ctx context.Context, id string) (map[string]bool, error) {
	out := map[string]bool{}
	for it, err := range t.store.Items(ctx, storage.ItemQuery{Of: storage.Which{IDs: []string{id}}, Limit: storage.MaxItems}) {
		if err != nil {
			return nil, err
		}
		if it.Kind != plat.ItemPresent {
			out[it.ID] = true
		}
	}
	return out, nil
}
