package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// begin starts a fleet with the pages of ten healthy hosts to visit. Stop both,
// even after an error.
func (o *scenario) begin(ctx context.Context, pages int) (f *fleet, s *site, urls []string, err error) {
	s = &site{
		hosts: 10, pages: pages,
		latency: func(int, int) time.Duration { return 0 },
		delay:   func(int) time.Duration { return 0 },
		changes: func(int, int, int64) int64 { return 1 },
	}
	f = &fleet{}
	if err := s.start(); err != nil {
		return f, s, nil, err
	}
	for h := range s.hosts {
		for p := range pages {
			urls = append(urls, s.url(h, p))
		}
	}
	if f, err = o.fleet(ctx); err != nil {
		return f, s, urls, err
	}
	return f, s, urls, f.take(ctx, urls)
}

// slow starts a worker that stays busy for some time.
func (o *scenario) slow(f *fleet, s *site) (*proc, error) {
	return f.worker(o.plat, append(hasty(s.port), "--tabs", "2", "--sitemaps=false", "--delay", "200ms")...)
}

// long is the duration of an outage in the following scenarios.
const long = 8 * time.Second

// useless makes a server fail for a while under a working fleet, and reports
// the workers' behaviour meanwhile.
func (f *fleet) useless(ctx context.Context, s *site, w *proc, what, sign string, spoil, mend func() error) row {
	r := row{what: what}
	from := s.requests()
	if err := waitFor(time.Minute, func() bool { return s.requests() > from+5 }); err != nil {
		r.err = fmt.Errorf("it is not at work: %w", err)
		return r
	}
	lines := len(w.logged(sign))
	if r.err = spoil(); r.err != nil {
		return r
	}
	pause(ctx, time.Second)
	at := s.requests()
	pause(ctx, long-time.Second)
	meanwhile := s.requests() - at
	if r.err = mend(); r.err != nil {
		return r
	}
	told := w.logged(sign)[lines:]
	r.said = said(told)
	at = s.requests()
	switch err := waitFor(time.Minute, func() bool { return s.requests() > at }); {
	case err != nil:
		r.err = fmt.Errorf("it does not go on: %w", err)
	case !w.runs():
		r.err = errors.New("it has ended: " + tail(w.log, 3))
	case len(told) == 0:
		r.err = fmt.Errorf("its log says nothing of %q", sign)
	case meanwhile > 3:
		r.err = fmt.Errorf("%d pages were visited meanwhile", meanwhile)
	}
	r.became = fmt.Sprintf("waits %.0f s, %d pages asked for meanwhile; then goes on", long.Seconds(), meanwhile)
	return r
}

// late starts a worker that cannot work until a fault is repaired.
func late(ctx context.Context, s *site, w *proc, what, sign string, mend func() error) row {
	r := row{what: what}
	pause(ctx, long)
	lines := w.logged(sign)
	r.said = said(lines)
	switch {
	case !w.runs():
		r.err = errors.New("it has ended: " + tail(w.log, 3))
	case s.requests() > 0:
		r.err = errors.New("pages were asked for")
	case len(lines) != 1:
		r.err = fmt.Errorf("its log says %d times %q", len(lines), sign)
	}
	if err := mend(); err != nil {
		r.err = err
	}
	if err := waitFor(time.Minute, func() bool { return s.requests() > 0 }); err != nil && r.err == nil {
		r.err = fmt.Errorf("it does not start: %w", err)
	}
	r.became = fmt.Sprintf("waits %.0f s and more, says so once a minute; then begins", long.Seconds())
	return r
}

func everyPage(ctx context.Context, f *fleet, urls []string, what string) row {
	r := row{what: what, became: fmt.Sprintf("%d pages, each visited and stored once, none given up", len(urls))}
	r.err = f.once(ctx, urls)
	return r
}

// wrongPassword runs a worker whose password is wrong, then right, then wrong
// while it works, and whose rights are revoked.
func wrongPassword(ctx context.Context, o *scenario) ([]row, error) {
	f, s, urls, err := o.begin(ctx, 40)
	defer f.stop()
	defer s.stop()
	if err != nil {
		return nil, err
	}
	user := func(rules ...any) func() error {
		return func() error {
			if err := f.redis.Do(ctx, append([]any{"ACL", "SETUSER", "worker"}, rules...)...); err != nil {
				return err
			}
			return f.redis.Do(ctx, "CLIENT", "KILL", "USER", "worker")
		}
	}
	config := func(name, value string) func() error {
		return func() error { return f.redis.Do(ctx, "CONFIG", "SET", name, value) }
	}
	if err := user("on", ">another", "~*", "&*", "+@all")(); err != nil {
		return nil, err
	}
	f.as = "worker:secret@"
	w, err := o.slow(f, s)
	if err != nil {
		return nil, err
	}
	rows := []row{{what: "wrong Redis password: plat queue stats"}}
	out, err := exec.CommandContext(ctx, o.plat, "queue", "stats", "--redis", "redis://worker:secret@"+f.redis.Addr+"/0").CombinedOutput()
	rows[0].became, rows[0].said = fmt.Sprint(err), short(string(out))
	if err == nil || !strings.Contains(string(out), "WRONGPASS") || strings.Contains(string(out), "secret") {
		rows[0].err = fmt.Errorf("%v: %s", err, out)
	}
	rows = append(rows,
		late(ctx, s, w, "wrong Redis password at the start", "WRONGPASS", user("resetpass", ">secret")),
		f.useless(ctx, s, w, "the password is changed meanwhile", "WRONGPASS", user("resetpass", ">another"), user("resetpass", ">secret")),
		f.useless(ctx, s, w, "Redis is full", "OOM", config("maxmemory", "1"), config("maxmemory", "0")),
		f.useless(ctx, s, w, "the right to run scripts is taken away", "NOPERM", user("-@scripting"), user("+@all")),
		everyPage(ctx, f, urls, "after all that"))
	return rows, nil
}

// noRights runs a worker without rights on the archive, or with read access
// only.
func noRights(ctx context.Context, o *scenario) ([]row, error) {
	f, s, urls, err := o.begin(ctx, 30)
	defer f.stop()
	defer s.stop()
	if err != nil {
		return nil, err
	}
	deny := func(what string) func() error {
		return func() error {
			_, err := fmt.Fprintln(f.store.in, "deny", what)
			pause(ctx, 100*time.Millisecond)
			return err
		}
	}
	const sign = "not authorized"
	if err := deny("all")(); err != nil {
		return nil, err
	}
	rows := []row{{what: "no right to the archive: plat versions"}}
	out, err := exec.CommandContext(ctx, o.plat, "versions", "--store", f.uri, urls[0]).CombinedOutput()
	rows[0].became, rows[0].said = fmt.Sprint(err), short(string(out))
	if err == nil || !strings.Contains(string(out), "readWrite") {
		rows[0].err = fmt.Errorf("%v: %s", err, out)
	}
	w, err := o.slow(f, s)
	if err != nil {
		return nil, err
	}
	rows = append(rows, late(ctx, s, w, "no right to the archive at the start", sign, deny("nothing")),
		f.useless(ctx, s, w, "the right to write is taken away meanwhile", sign, deny("write"), deny("nothing")),
		f.useless(ctx, s, w, "all rights are taken away meanwhile", sign, deny("all"), deny("nothing")),
		everyPage(ctx, f, urls, "after all that"))
	return rows, nil
}

// wrongClocks runs a smaller version of the chaos run on machines of which one
// is a minute ahead and one a minute behind.
func wrongClocks(ctx context.Context, o *scenario) ([]row, error) {
	r := &chaosRun{o: chaosOptions{hosts: 20, pages: 400, workers: 3, kills: 6, limit: 8 * time.Minute}, seed: 60, plat: o.plat, ferret: o.ferret, dir: o.dir}
	for _, skew := range []time.Duration{0, time.Minute, -time.Minute} {
		bin := o.plat
		if skew != 0 {
			var err error
			if bin, err = skewed(ctx, o.dir, skew); err != nil {
				return nil, err
			}
		}
		r.plats = append(r.plats, bin)
	}
	began := time.Now()
	err := r.run(ctx)
	x := row{what: "clocks 60 s ahead and behind, 6 kills", err: err,
		became: fmt.Sprintf("%d of %d jobs settled once, %d versions, %d at once, %d too soon, verify %s", r.settled, r.jobs, r.versions, r.atOnce, r.tooSoon, r.verify)}
	if err != nil {
		return []row{x}, nil
	}
	for _, w := range r.f.workers {
		if lines := w.logged("clock is"); len(lines) > 0 {
			x.said = said(lines)
		}
	}
	if x.said == "" {
		x.err = errors.New("no worker reports a wrong clock")
	}
	if r.earliest.Before(began.Add(-time.Second)) || r.latest.After(time.Now().Add(time.Second)) {
		x.err = fmt.Errorf("versions are dated %v to %v, and the run began %v", r.earliest, r.latest, began)
	}
	return []row{x}, nil
}

// skewed builds a plat with a shifted clock, by replacing time.Now for this
// build with one that adds the difference.
func skewed(ctx context.Context, dir string, skew time.Duration) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	const read = "sec, nsec, mono := runtimeNow()"
	body := string(source)
	if strings.Count(body, read) == 0 {
		return "", fmt.Errorf("%s no longer contains %q", file, read)
	}
	body = strings.ReplaceAll(body, read, read+fmt.Sprintf("\n\tsec += %d", int(skew.Seconds())))
	name := fmt.Sprintf("plat%+d", int(skew.Seconds()))
	other, overlay, bin := filepath.Join(dir, name+".go"), filepath.Join(dir, name+".json"), filepath.Join(dir, name)
	if err := os.WriteFile(other, []byte(body), 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, file, other), 0o600); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", bin, "./cmd/plat").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return bin, nil
}
