package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"plat/scripts/procs"
	"plat/storage/sqlite"
)

// upOptions set the size of the runs.
type upOptions struct {
	hosts, runs int
	window      time.Duration
	seed        uint64
	limit       time.Duration
	keep, kill  bool
	extra       []string // flags of plat

	dir, bin string
	site     *site
}

func up(ctx context.Context, args []string) error {
	var o upOptions
	flags := newFlags("up", "", "-kill -runs 1", "-sizes 1000 -runs 1 -seconds 5", "-sizes 20000 -hosts 50 -seconds 3 -kill -runs 1 -- --tabs 2")
	sizes := flags.String("sizes", "1000,100000,1000000", "lengths of the lists")
	flags.IntVar(&o.hosts, "hosts", 1000, "over which the URLs are spread")
	flags.IntVar(&o.runs, "runs", 3, "of each length, each on a new archive")
	seconds := flags.Float64("seconds", 30, "how long visits are counted, after the list is taken")
	flags.Uint64Var(&o.seed, "seed", 1, "of the order of the first run's list")
	flags.BoolVar(&o.kill, "kill", false, "instead, kill plat in the middle of the list and of the crawl, and see whether anything is lost or visited twice")
	flags.DurationVar(&o.limit, "limit", 20*time.Minute, "for each step")
	flags.BoolVar(&o.keep, "keep", false, "keep logs and archives")
	flags.Parse(args)
	o.window, o.extra = time.Duration(*seconds*float64(time.Second)), flags.Args()
	all, err := numbers(*sizes)
	if err != nil {
		return err
	}
	if o.dir, err = os.MkdirTemp("", "plat-frontier-"); err != nil {
		return err
	}
	if o.keep {
		fmt.Println("logs and archives:", o.dir)
	} else {
		defer os.RemoveAll(o.dir)
	}
	if o.bin, err = procs.BuildPlat(ctx, o.dir); err != nil {
		return err
	}
	if o.site, err = newSite(func(host string, n int) []byte { return smallPage(host, n, nil) }); err != nil {
		return err
	}
	defer o.site.stop()
	if o.kill {
		return o.killAll(ctx, all)
	}
	return o.measureAll(ctx, all)
}

// url is that of number i of a list.
func (o *upOptions) url(i int) string {
	return fmt.Sprintf("http://h%d.localhost:%d/p/%d", i%o.hosts, o.site.port, i/o.hosts)
}

// list writes a shuffled list.
func (o *upOptions) list(path string, urls int, seed uint64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(urls) {
		fmt.Fprintln(w, o.url(i))
	}
	return w.Flush()
}

// upColumns are the measurements of a run; high: high values are worse.
var upColumns = []struct {
	name, format string
	high         bool
}{
	{"first request s", "%15.2f", true}, {"list taken URLs/s", "%17.0f", false}, {"visits/s", "%8.1f", false},
	{"CPU s/visit", "%11.3f", true}, {"peak MB", "%7.0f", true},
}

func upRow(urls int, what string, values []float64) {
	fmt.Printf("%9d  %-6s", urls, what)
	for i, c := range upColumns {
		fmt.Printf("  "+c.format, values[i])
	}
	fmt.Println()
}

func (o *upOptions) measureAll(ctx context.Context, sizes []int) error {
	fmt.Printf("plat up -f LIST with SQLite, small pages on %d hosts. Visits and CPU time (plat and its browser) are counted for\n", o.hosts)
	fmt.Printf("%v after the list is taken; peak: resident memory of plat alone.\n", o.window)
	fmt.Printf("%9s  %-6s", "URLs", "run")
	for _, c := range upColumns {
		fmt.Printf("  %s", c.name)
	}
	fmt.Println()
	// The sizes alternate, so that a temporary slowdown of the machine affects all of them.
	columns := map[int][][]float64{}
	for run := range o.runs {
		for _, urls := range sizes {
			values, err := o.measure(ctx, urls, run)
			if err != nil {
				return fmt.Errorf("%d URLs, run %d: %w", urls, run+1, err)
			}
			upRow(urls, fmt.Sprint(run+1), values)
			if columns[urls] == nil {
				columns[urls] = make([][]float64, len(upColumns))
			}
			for i, v := range values {
				columns[urls][i] = append(columns[urls][i], v)
			}
		}
	}
	if o.runs == 1 {
		return nil
	}
	for _, urls := range sizes {
		for k, what := range []string{"first", "median", "worst"} {
			var row []float64
			for i, c := range upColumns {
				row = append(row, spread(columns[urls][i], c.high)[k])
			}
			upRow(urls, what, row)
		}
	}
	for _, urls := range sizes[1:] {
		fmt.Printf("%d beside %d URLs, medians of the runs' ratios: visits/s %.3f, CPU a visit %.3f\n", urls, sizes[0],
			ratio(columns[urls][2], columns[sizes[0]][2]), ratio(columns[urls][3], columns[sizes[0]][3]))
	}
	return nil
}

// ratio is the median of the ratios of values to those of the same runs.
func ratio(values, to []float64) float64 {
	all := make([]float64, len(values))
	for i, v := range values {
		all[i] = v / to[i]
	}
	return spread(all, false)[1]
}

// A listRun is a list and an archive, on which plat may be started again and again.
type listRun struct {
	o             *upOptions
	urls          int
	dir           string
	list, archive string
}

func (o *upOptions) newRun(urls, run int) (*listRun, error) {
	r := &listRun{o: o, urls: urls, dir: filepath.Join(o.dir, fmt.Sprintf("%d-%d", urls, run+1))}
	r.list, r.archive = filepath.Join(r.dir, "list"), filepath.Join(r.dir, "plat.db")
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	o.site.forget()
	return r, o.list(r.list, urls, o.seed+uint64(run))
}

func (r *listRun) start() (*proc, error) {
	return start(r.o.bin, r.dir, r.archive, r.o.site.port, append([]string{"-f", r.list}, r.o.extra...)...)
}

func (r *listRun) end() {
	if !r.o.keep {
		os.RemoveAll(r.dir)
	}
}

// first waits for the first request since the process started, and returns how long
// that took.
func (r *listRun) first(ctx context.Context, p *proc) (time.Duration, error) {
	var at time.Time
	err := p.wait(ctx, r.o.limit, func() (is bool) { at, is = r.o.site.after(p.began); return is })
	return at.Sub(p.began), err
}

// Messages of plat up on a list: it is read, or was read before, if a process was killed late.
const (
	listTaken  = "the list was read"
	listBefore = "the list was read before; it starts over with --again, or when no URL of the archive waits for a visit"
)

func (o *upOptions) measure(ctx context.Context, urls, run int) ([]float64, error) {
	r, err := o.newRun(urls, run)
	if err != nil {
		return nil, err
	}
	defer r.end()
	p, err := r.start()
	if err != nil {
		return nil, err
	}
	defer p.kill()
	first, err := r.first(ctx, p)
	if err != nil {
		return nil, err
	}
	var line map[string]any
	if err := p.wait(ctx, o.limit, func() bool { line = p.logged(listTaken); return line != nil }); err != nil {
		return nil, err
	}
	taken, _ := line["taken"].(float64)
	took, _ := line["took"].(float64) // ns
	if int(taken) != urls {
		return nil, fmt.Errorf("%v of the list's URLs were taken", taken)
	}
	from, _ := o.site.count()
	began, used := time.Now(), p.cpu()
	all := from
	err = p.wait(ctx, o.limit, func() bool {
		all, _ = o.site.count()
		return all >= urls || time.Since(began) >= o.window
	})
	if err != nil {
		return nil, err
	}
	visits, spent := float64(all-from), time.Since(began).Seconds()
	used = p.cpu() - used
	if visits == 0 {
		return nil, fmt.Errorf("nothing was left to be visited when the list was taken; give a longer one")
	}
	peak := p.peak()
	if err := p.stop(); err != nil {
		return nil, fmt.Errorf("plat ended with %w: %s", err, p.tail())
	}
	return []float64{first.Seconds(), taken / (took / 1e9), visits / spent, used / visits, peak}, nil
}

func (o *upOptions) killAll(ctx context.Context, sizes []int) error {
	fmt.Println("plat up -f LIST, killed in the middle of the list (how far it was) and of the crawl, and started again with the same")
	fmt.Println("command. first: from each start to the first request. twice: URLs with two visits in the archive. again: requests beyond")
	fmt.Println("one for each URL; under way: requests whose visit was not in the archive when plat was killed. processes: left after a kill.")
	fmt.Printf("%9s %4s  %8s %8s %8s  %6s %8s %9s %9s %6s %6s %10s %10s  %s\n", "URLs", "run", "first s", "second s", "third s", "killed", "taken s",
		"known", "visits", "twice", "again", "under way", "processes", "")
	failed := 0
	for _, urls := range sizes {
		for run := range o.runs {
			k := killRun{}
			err := k.run(ctx, o, urls, run)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			verdict := "ok"
			if err != nil {
				failed++
				verdict = "FAILED: " + err.Error()
			}
			fmt.Printf("%9d %4d  %8.2f %8.2f %8.2f  %5.0f%% %8.1f %9d %9d %6d %6d %10d %10d  %s\n", urls, run+1, k.first[0], k.first[1], k.first[2],
				k.at, k.taken, k.known, k.visits, k.twice, k.again, k.underWay, k.left, verdict)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d runs failed", failed)
	}
	return nil
}

// killRun is the result of a run with kills.
type killRun struct {
	first                  [3]float64 // s
	at                     float64    // % of the list that was read at the first kill
	taken                  float64    // s from the second start until the list was read
	known, visits, twice   int
	again, underWay, left  int
	requests, pages, wrong int
}

// run kills plat twice. It is long because its steps follow each other.
func (k *killRun) run(ctx context.Context, o *upOptions, urls, run int) error {
	r, err := o.newRun(urls, run)
	if err != nil {
		return err
	}
	defer r.end()
	var p *proc
	begin := func(n int) (err error) {
		if p, err = r.start(); err != nil {
			return err
		}
		first, err := r.first(ctx, p)
		k.first[n] = first.Seconds()
		return err
	}
	defer func() {
		if p != nil {
			p.kill()
		}
	}()
	// All that was requested and is not in the archive was under way.
	kill := func() error {
		k.left += p.kill()
		if err := k.count(ctx, r); err != nil {
			return err
		}
		k.underWay = k.requests - k.visits
		return nil
	}

	if err := begin(0); err != nil {
		return err
	}
	lines := 0
	err = p.wait(ctx, o.limit, func() bool {
		lines = taken(ctx, r.archive)
		return 2*lines >= urls || p.logged(listTaken, listBefore) != nil
	})
	if err != nil {
		return err
	}
	k.at = 100 * float64(taken(ctx, r.archive)) / float64(urls)
	if err := kill(); err != nil {
		return err
	}

	if err := begin(1); err != nil {
		return err
	}
	if err := p.wait(ctx, o.limit, func() bool { return p.logged(listTaken, listBefore) != nil }); err != nil {
		return err
	}
	k.taken = time.Since(p.began).Seconds()
	crawl := func() error {
		began := time.Now()
		return p.wait(ctx, o.limit, func() bool {
			_, pages := o.site.count()
			return time.Since(began) >= o.window || pages == urls && time.Since(began) > time.Second
		})
	}
	if err := crawl(); err != nil {
		return err
	}
	if err := kill(); err != nil {
		return err
	}

	if k.pages < urls {
		if err := begin(2); err != nil {
			return err
		}
		if err := crawl(); err != nil {
			return err
		}
		if err := p.stop(); err != nil {
			return fmt.Errorf("plat ended with %w: %s", err, p.tail())
		}
	}
	if err := k.count(ctx, r); err != nil {
		return err
	}
	k.again = k.requests - k.pages
	switch {
	case k.known != urls || k.wrong > 0:
		return fmt.Errorf("%d URLs are known, %d of them not of the list", k.known, k.wrong)
	case k.twice > 0:
		return fmt.Errorf("%d URLs were visited twice", k.twice)
	case k.again > k.underWay:
		return fmt.Errorf("%d requests are too many", k.again-k.underWay)
	}
	return nil
}

// taken returns the number of lines of the list that were read, by the archive's note.
func taken(ctx context.Context, archive string) int {
	s, err := sqlite.Open(archive, sqlite.Options{ReadOnly: true, Readers: 1})
	if err != nil {
		return 0
	}
	defer s.Close()
	notes, err := s.Notes(ctx, "list/")
	if err != nil {
		return 0
	}
	for _, text := range notes {
		var mark struct {
			Lines int `json:"lines"`
		}
		if json.Unmarshal([]byte(text), &mark) == nil {
			return mark.Lines
		}
	}
	return 0
}

// count compares the archive with the list and the site's log.
func (k *killRun) count(ctx context.Context, r *listRun) error {
	s, err := sqlite.Open(r.archive, sqlite.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	k.known, k.visits, k.twice, k.wrong = 0, 0, 0, 0
	k.requests, k.pages = r.o.site.count()
	for st, err := range s.States(ctx, "", "") {
		if err != nil {
			return err
		}
		k.known++
		k.visits += st.Visits
		if st.Visits > 1 {
			k.twice++
		}
		if !r.has(st.URL) {
			k.wrong++
		}
	}
	return nil
}

// has reports whether a URL is of the list.
func (r *listRun) has(url string) bool {
	var host, port, page int
	n, err := fmt.Sscanf(url, "http://h%d.localhost:%d/p/%d", &host, &port, &page)
	i := page*r.o.hosts + host
	return err == nil && n == 3 && i < r.urls && r.o.url(i) == url
}
