// Histories archives recorded site histories visit by visit, measures the cost
// and verifies the reported changes:
//
//	go run ./scripts/histories            # both sets, real Chrome, some minutes
//	go run ./scripts/histories -json
//
// For each set it prints the total size of the archive on disk, next to the
// baselines measured by the data's makers on the same visits; restores every
// version, before and after garbage collection; and compares each reported
// change with the visible text of both renderings, which comes from the
// snapshots and not from the blocks. It also prints how much of the text common
// to consecutive versions keeps its identity, and how the main texts of versions are kept.
//
// -snapshots DIR keeps the renderings, so that a second run needs no browser. Visits and versions
// are dated by the record, so that plat sees as much time between visits as has passed between
// them. For each site it prints the number of versions that plat reports as news; -show N prints N
// random versions of each set, to judge plat's reports by eye, and -read
// does so with the archives that -keep has kept.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
	"unicode"

	"plat/browser"
	"plat/browser/egress"
	"plat/browser/snapshotfile"
	"plat/diff/noise"
	"plat/fixtures/history"
	"plat/plat"
	"plat/segment/label"
	"plat/segment/markup"
	"plat/storage"
	archived "plat/storage/history"
	"plat/storage/sqlite"
	"plat/workers"
)

// baselines are bytes of HTML in 10⁶, from the README of the data: page-level
// deduplication with gzip, WARC with revisit records, git's aggressive pack, and
// a chain of zstd patches.
var baselines = map[string][4]float64{
	"news": {4.03, 4.47, 0.34, 0.20},
	"docs": {5.58, 6.22, 0.59, 0.42},
}

// target is the maximum size of an archive relative to page-level
// deduplication.
const target = 0.35

var (
	sets      = flag.String("sets", "news,docs", "which sets, comma separated")
	asJSON    = flag.Bool("json", false, "print one JSON object a set instead of tables")
	snapshots = flag.String("snapshots", "", "folder for renderings; those that are there are not made again")
	keep      = flag.String("keep", "", "keep the archives in this folder, as SET.db")
	chrome    = flag.String("chrome", "", "browser to use")
	tabs      = flag.Int("tabs", 3, "pages rendered at once")
	profile   = flag.String("cpuprofile", "", "write a CPU profile of our own process to this file")
	split     = flag.String("split", "dev", "which part of the data")
	list      = flag.Bool("list", false, "list the pairs where the report and the visible text disagree, and visits that failed")
	second    = flag.String("second-look", string(noise.New), "as that of plat archive: never, new or always")
	resources = flag.String("resources", "none", "files that are kept and compared, as of plat archive: none, css or all")
	show      = flag.Int("show", 0, "print so many versions of each set, half of them with something that is no news")
	seed      = flag.Uint64("seed", 1, "which versions -show draws")
	read      = flag.Bool("read", false, "visit nothing: read the archives of -keep")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal("histories: ", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal("histories: ", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(ctx); err != nil {
		log.Fatal("histories: ", err)
	}
}

// confirm is the time until the next visit after an answer that is probably not the page.
const confirm = time.Millisecond

// doubted are the outcomes of such visits.
var doubted = map[plat.Outcome]bool{
	plat.OutcomeBlank: true, plat.OutcomeMoved: true, plat.OutcomeLogin: true, plat.OutcomeBlocked: true, plat.OutcomeMaintenance: true,
	plat.OutcomeMissing: true, plat.OutcomeReplaced: true, plat.OutcomePartial: true,
}

// doubts counts visits by outcome.
type doubts map[plat.Outcome]int

func (d doubts) String() string {
	if len(d) == 0 {
		return "none"
	}
	var all []string
	for _, o := range slices.Sorted(maps.Keys(d)) {
		all = append(all, fmt.Sprint(d[o], " ", o))
	}
	return strings.Join(all, ", ")
}

// result is the result for a set.
type result struct {
	Set        string  `json:"set"`
	Pages      int     `json:"pages"`
	Visits     int     `json:"visits"`
	Versions   int     `json:"versions"`
	Unchanged  int     `json:"unchanged"`
	Failed     int     `json:"failed"`  // ended on an error page, which is not a version
	Doubted    doubts  `json:"doubted"` // versions that were visited again before they were stored
	Blocks     int64   `json:"blocks"`
	StoreBytes int64   `json:"store_bytes"`
	PageBytes  int64   `json:"page_bytes"` // every visit whole
	PerVersion int64   `json:"bytes_per_version"`
	Ratio      float64 `json:"ratio"` // of page-level deduplication + gzip

	Restored      int     `json:"restored"` // versions, after garbage collection
	IdlesStored   int     `json:"unchanged_but_stored"`
	Leaves        int     `json:"leaves"` // leaf blocks of all visits
	Pairs         int     `json:"pairs"`  // consecutive versions that differ in bytes
	SameText      int     `json:"pairs_same_text"`
	FalseContent  int     `json:"same_text_reported_content"`
	OtherText     int     `json:"pairs_other_text"`
	Missed        int     `json:"other_text_not_reported"`
	Quiet         int     `json:"other_text_no_news"`
	Kept          kept    `json:"kept"` // of the text common to consecutive versions
	LeastCoverage float64 `json:"least_coverage"`
	Seconds       float64 `json:"seconds"`

	Texts      texts      `json:"texts"`
	Files      otherFiles `json:"files"`
	Told       []*told    `json:"sites"`
	Mismatches []string   `json:"mismatches,omitempty"`
}

func run(ctx context.Context) error {
	if *resources != "none" && *snapshots != "" {
		return errors.New("-resources needs renderings of its own: leave out -snapshots")
	}
	dir, ok := history.Dir()
	if !ok {
		return fmt.Errorf("no data at %s; set PLAT_DATA to the folder that holds history/", dir)
	}
	var results []*result
	for _, name := range strings.Split(*sets, ",") {
		do := archive
		if *read {
			do = reopen
		}
		r, err := do(ctx, name, filepath.Join(dir, "history"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, r)
		if *asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
		}
	}
	switch {
	case *asJSON:
	case *read:
		reportNews(results)
	default:
		report(results)
		fmt.Println()
		reportNews(results)
	}
	return nil
}

// files are those that are kept.
func files() plat.ResourceSet {
	if *resources == "none" {
		return plat.NoResources
	}
	return plat.ResourceSet(*resources)
}

func report(results []*result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	mb := func(n int64) string { return fmt.Sprintf("%.2f", float64(n)/1e6) }
	fmt.Fprintln(w, "set\tpages\tvisits\tfailed\tversions\tblocks\tplat MB\t× page dedup\ttarget\tbytes/version\tpage dedup+gzip\tWARC.gz\tgit pack\tzstd chain\t")
	for _, r := range results {
		b := baselines[r.Set]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%s\t%.3f\t%.2f\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t\n", r.Set, r.Pages, r.Visits, r.Failed, r.Versions, r.Blocks,
			mb(r.StoreBytes), r.Ratio, target, r.PerVersion, b[0], b[1], b[2], b[3])
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "set\tunchanged visits\tof these stored\tversions restored\tpairs\tsame text\treported content\tother text\tnot reported\tleast coverage\ts\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d (%.2f %%)\t%d\t%d\t%.4f\t%.0f\t\n", r.Set, r.Unchanged, r.IdlesStored, r.Restored,
			r.Pairs, r.SameText, r.FalseContent, 100*float64(r.FalseContent)/float64(max(1, r.SameText)), r.OtherText, r.Missed, r.LeastCoverage, r.Seconds)
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "set\tcommon text, characters\tin blocks of the same hash\tof the same lineage\tblocks/version\t")
	for _, r := range results {
		k := r.Kept
		part := func(n int64) string { return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(1, k.Common))) }
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%.1f\t\n", r.Set, k.Common, part(k.Same), part(k.Followed), float64(r.Leaves)/float64(max(1, r.Visits-r.Failed)))
	}
	w.Flush()
	for _, r := range results {
		fmt.Printf("%s: of %d versions, these were hardly the page before, and were stored when they had stayed: %v\n", r.Set, r.Versions, r.Doubted)
		fmt.Printf("%s: %v\n", r.Set, &r.Texts)
		for _, m := range r.Mismatches {
			fmt.Println(r.Set, m)
		}
	}
}

// bench archives one set.
type bench struct {
	*result
	store  *sqlite.Store
	worker *workers.Worker
	render *renderer

	mu   sync.Mutex
	last map[string]seen // by URL
}

// seen is the result of the previous visit.
type seen struct {
	text   string // visible characters
	sum    plat.Hash
	blocks *stable
}

// archive visits all pages of a set, one by one. It is long because it
// is the whole run from top to bottom.
func archive(ctx context.Context, name, dir string) (*result, error) {
	set, err := history.Open(filepath.Join(dir, name, *split), filepath.Join(dir, "ext"))
	if err != nil {
		return nil, err
	}
	where := *keep
	if where == "" {
		if where, err = os.MkdirTemp("", "plat-histories-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(where)
	}
	path := filepath.Join(where, name+".db")
	for _, f := range []string{path, path + "-wal", path + "-shm"} {
		os.Remove(f)
	}
	store, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	tmp, err := os.MkdirTemp("", "plat-texts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	without, err := sqlite.Open(filepath.Join(tmp, "a.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer without.Close()
	describer, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	r := &renderer{dir: *snapshots, keep: map[string]*plat.Snapshot{}}
	defer r.close()
	b := &bench{result: &result{Set: name, Pages: len(set.Pages), LeastCoverage: 1, Doubted: doubts{}}, store: store, render: r, last: map[string]seen{}}
	var extra atomic.Int64
	b.worker = workers.New(r, dated{beside{store, without, &extra}}, describer, workers.Options{News: workers.News{ConfirmAfter: confirm, SecondLook: noise.When(*second)}, Capture: workers.Capture{Resources: files()}})

	// The port is part of every URL, so it is fixed; it is below the range of
	// ephemeral ports.
	start := time.Now()
	var sites sync.WaitGroup
	sem := make(chan struct{}, *tabs)
	errs := make(chan error, len(set.Sites))
	for i, site := range set.Sites {
		visits := set.Visits()[site]
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 17310+i))
		if err != nil {
			return nil, err
		}
		srv := &http.Server{Handler: site}
		go srv.Serve(l)
		defer srv.Close()
		base := fmt.Sprintf("http://%s.localhost:%d", site.Name, 17310+i)
		sites.Go(func() {
			for len(visits) > 0 && ctx.Err() == nil {
				n := 1
				for n < len(visits) && visits[n].Time.Equal(visits[0].Time) {
					n++
				}
				site.Set(visits[0].Time)
				var pages sync.WaitGroup
				for _, v := range visits[:n] {
					sem <- struct{}{}
					pages.Go(func() {
						defer func() { <-sem }()
						if err := b.visit(ctx, base, v); err != nil {
							select {
							case errs <- fmt.Errorf("%s at %s: %w", v.Page.ID, v.Time.Format(time.RFC3339), err):
							default:
							}
						}
					})
				}
				pages.Wait()
				visits = visits[n:]
			}
		})
	}
	sites.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case err := <-errs:
		return nil, err
	default:
	}
	b.Texts.Extra = extra.Load()
	if b.Texts.Without, err = without.Size(ctx); err != nil {
		return nil, err
	}
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	b.Seconds = time.Since(start).Seconds()
	return b.result, b.judged(ctx)
}

// visit makes one visit and compares the reported change with the visible text.
// It is long because of its counters.
func (b *bench) visit(ctx context.Context, base string, v history.Visit) error {
	url, err := plat.Canonical(base+strings.TrimSuffix(v.Page.Path, "index.html"), nil)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s-%s", v.Page.Site.At(v.Page.Path, v.Time), strings.NewReplacer("/", "_", ":", "").Replace(v.Page.ID+v.Time.Format(time.RFC3339)))
	record := &recorded{key: key, at: v.Time, first: 1, ahead: time.Until(v.Time)}
	ctx = context.WithValue(ctx, visitKey{}, record)
	rep, err := b.worker.Visit(ctx, plat.Job{URL: url})
	var failed *plat.VisitError
	if errors.As(err, &failed) && doubted[failed.Outcome] {
		// It is hardly the page that was there before. It stays so, and is a version then.
		b.mu.Lock()
		b.Doubted[failed.Outcome]++
		b.site(url).Looks += rep.Looks
		b.mu.Unlock()
		time.Sleep(2 * confirm)
		record.first = record.looks + 1
		rep, err = b.worker.Visit(ctx, plat.Job{URL: url})
	}
	if errors.As(err, &failed) && !failed.Retry {
		// The page redirects to one that is not in the record.
		b.render.take(key)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Visits++
		b.Failed++
		b.note("%s at %s: %v", url, v.Time.Format(time.DateOnly), err)
		return nil
	}
	if err != nil {
		return err
	}
	snap := b.render.take(key)
	if !rep.Stored && len(rep.SelfChanges) > 0 {
		// The page differs from the last version, but no version is stored: second looks prove that
		// all differences are self-changes.
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Visits++
		b.Unchanged++
		told := b.site(url)
		told.Looks, told.Unstored = told.Looks+rep.Looks, told.Unstored+1
		b.note("%s at %s: not stored, all by itself: %v", url, v.Time.Format(time.DateOnly), rep.SelfChanges)
		return nil
	}
	blocks, cut, err := look(ctx, b, url, snap)
	if err != nil {
		return err
	}
	now := seen{visibleText(snap), plat.HashOf(markup.Serialize(snap)), blocks}

	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range cut {
		if cut[i].Leaf() {
			b.Leaves++
		}
	}
	b.Visits++
	b.PageBytes += rep.PageBytes
	b.site(url).Looks += rep.Looks
	b.LeastCoverage = min(b.LeastCoverage, rep.Coverage)
	if rep.Stored {
		b.Versions++
		if err := b.Texts.ofVersion(ctx, b.store, url, rep.Version, snap); err != nil {
			return err
		}
	} else {
		b.Unchanged++
	}
	was, again := b.last[url]
	b.last[url] = now
	if !again {
		return nil
	}
	if was.sum == now.sum && was.text == now.text {
		if rep.Stored {
			b.IdlesStored++
			b.note("%s at %s: nothing changed, and a version was stored: %v", url, v.Time.Format(time.DateOnly), rep.Changes)
		}
		return nil
	}
	b.Pairs++
	b.Kept.hold(was.blocks, cut)
	loud := 0
	for _, k := range []plat.Kind{plat.Content, plat.Added, plat.Removed, plat.Moved, plat.Advertisement, plat.Format, plat.Link, plat.Image} {
		loud += rep.Changes[k] + rep.SelfChanges[k]
	}
	if was.text == now.text {
		b.SameText++
		if rep.Changes[plat.Content] == 0 {
			return nil
		}
		// Folded text is not part of the visible text.
		seen, err := b.seenChange(ctx, url, rep.Version)
		if err != nil {
			return err
		}
		if seen != "" {
			b.FalseContent++
			b.note("%s at %s: same visible text, reported %v: %s", url, v.Time.Format(time.DateOnly), rep.Changes, seen)
		}
		return nil
	}
	b.OtherText++
	if !isNews(rep.Changes) {
		b.Quiet++
	}
	if loud == 0 {
		b.Missed++
		b.note("%s at %s: other visible text, reported %v", url, v.Time.Format(time.DateOnly), rep.Changes)
	}
	return nil
}

func isNews(changes map[plat.Kind]int) bool {
	v := plat.Version{Changes: changes}
	return v.News()
}

// seenChange returns a content change reported as shown, in version n of a URL;
// empty if absent.
func (b *bench) seenChange(ctx context.Context, url string, n int) (string, error) {
	c, err := archived.Between(ctx, b.store, url, n-1, n)
	if err != nil {
		return "", err
	}
	for i := range c.Blocks {
		if ch := &c.Blocks[i]; ch.Kind == plat.Content && !ch.Folded && !c.Suppressed(ch) {
			return fmt.Sprint(c.Words(ch)), nil
		}
	}
	return "", nil
}

func (b *bench) note(format string, args ...any) {
	if *list {
		b.Mismatches = append(b.Mismatches, fmt.Sprintf(format, args...))
	}
}

// visibleText is every visible character except white space, in document order:
// from the DOM and its boxes alone.
func visibleText(s *plat.Snapshot) string {
	var out strings.Builder
	clear := make([]bool, len(s.Nodes)) // transparent, with all below
	for i := range s.Nodes {
		n := &s.Nodes[i]
		clear[i] = n.Parent >= 0 && clear[n.Parent]
		if !n.HasBox {
			continue
		}
		st := &s.Styles[n.Style]
		if n.Kind == plat.ElementNode && st.Opacity == 0 {
			clear[i] = true
		}
		if n.Kind != plat.TextNode || clear[i] || st.Hidden || n.Box.W <= 0 || n.Box.H <= 0 || n.Box.X+n.Box.W <= 0 || n.Box.Y+n.Box.H <= 0 {
			continue
		}
		for _, r := range n.Value {
			if !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// check restores every version before and after garbage collection, and
// measures the store's size.
func (b *bench) check(ctx context.Context) error {
	before := map[string]plat.Hash{}
	if err := b.restore(ctx, func(key string, page []byte) error {
		before[key] = plat.HashOf(page)
		return nil
	}); err != nil {
		return err
	}
	for url, s := range b.last {
		if v, err := b.store.Version(ctx, url, 0); err != nil || before[fmt.Sprint(url, "@", v.N)] != s.sum {
			return fmt.Errorf("%s: the last version is not the last page (%v)", url, err)
		}
	}
	if _, err := b.store.GC(ctx, time.Now()); err != nil {
		return fmt.Errorf("gc: %w", err)
	}
	err := b.restore(ctx, func(key string, page []byte) error {
		b.Restored++
		if before[key] != plat.HashOf(page) {
			return fmt.Errorf("%s: restored bytes differ after gc", key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rep, err := b.store.Verify(ctx, nil)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if rep.BrokenTotal > 0 || rep.Unreferenced > 0 {
		return fmt.Errorf("verify: %d broken (%v), %d unreferenced", rep.BrokenTotal, rep.Broken, rep.Unreferenced)
	}
	b.Blocks = rep.Blocks
	if b.StoreBytes, err = b.store.Size(ctx); err != nil {
		return err
	}
	b.PerVersion = b.StoreBytes / int64(max(1, b.Versions))
	if base, ok := baselines[b.Set]; ok {
		b.Ratio = float64(b.StoreBytes) / (base[0] * 1e6)
	}
	return nil
}

func (b *bench) restore(ctx context.Context, each func(key string, page []byte) error) error {
	for state, err := range b.store.States(ctx, "", "") {
		if err != nil {
			return err
		}
		for n := 1; n <= state.Head; n++ {
			page, err := archived.Restore(ctx, b.store, state.URL, n)
			if err != nil {
				return fmt.Errorf("%s@%d: %w", state.URL, n, err)
			}
			if err := each(fmt.Sprint(state.URL, "@", n), page); err != nil {
				return err
			}
		}
	}
	return nil
}

type visitKey struct{}

// recorded is a visit that is made again: under which name its renderings are kept, and when
// it was.
type recorded struct {
	key   string
	at    time.Time
	looks int           // so far
	first int           // which of them is the page that is archived
	later time.Duration // the record's clock against that of the renderings
	ahead time.Duration // and against ours
}

// dated is a store in which visits are dated by the record.
type dated struct{ beside }

func (d dated) Record(ctx context.Context, v plat.Visit, pageBytes int64) error {
	v.Time = v.Time.Add(ctx.Value(visitKey{}).(*recorded).ahead)
	return d.beside.Record(ctx, v, pageBytes)
}

func (d dated) Commit(ctx context.Context, c *storage.Commit) (storage.Written, error) {
	by := *c
	by.Visit.Time = by.Visit.Time.Add(ctx.Value(visitKey{}).(*recorded).ahead)
	return d.beside.Commit(ctx, &by)
}

// renderer renders with Chrome, or reuses stored renderings.
type renderer struct {
	dir  string
	once sync.Once
	pool *browser.Pool
	err  error

	guard *egress.Guard
	mu    sync.Mutex
	keep  map[string]*plat.Snapshot // the pages that are archived, by key
}

func (r *renderer) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	v := ctx.Value(visitKey{}).(*recorded)
	v.looks++
	key := v.key
	if v.looks > 1 {
		key += fmt.Sprint("-", v.looks)
	}
	s, err := r.load(key)
	if err != nil {
		return nil, err
	}
	if s == nil {
		if s, err = r.browse(ctx, url, evidence); err != nil {
			return nil, err
		}
		if err := r.save(key, s); err != nil {
			return nil, err
		}
	}
	if v.looks == v.first {
		v.later = v.at.Sub(s.Taken)
		r.mu.Lock()
		r.keep[v.key] = s
		r.mu.Unlock()
	}
	s.Taken = s.Taken.Add(v.later)
	return s, nil
}

// browse renders with Chrome.
func (r *renderer) browse(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (s *plat.Snapshot, err error) {
	r.once.Do(r.start)
	if r.err != nil {
		return nil, r.err
	}
	for tries := 0; ; tries++ {
		s, err = r.pool.Render(ctx, browser.Request{URL: url, Decide: evidence})
		var failed *plat.VisitError
		if err == nil || tries == 2 || !errors.As(err, &failed) || !failed.Retry {
			return s, err
		}
	}
}

func (r *renderer) take(key string) *plat.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.keep[key]
	delete(r.keep, key)
	return s
}

func (r *renderer) file(key string) string { return filepath.Join(r.dir, key+".snap") }

func (r *renderer) load(key string) (*plat.Snapshot, error) {
	if r.dir == "" {
		return nil, nil
	}
	b, err := os.ReadFile(r.file(key))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return snapshotfile.Read(bytes.NewReader(b))
}

func (r *renderer) save(key string, s *plat.Snapshot) error {
	if r.dir == "" {
		return nil
	}
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, s); err != nil {
		return err
	}
	return os.WriteFile(r.file(key), b.Bytes(), 0o644)
}

func (r *renderer) start() {
	r.guard, r.err = egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: local{}})
	if r.err == nil {
		r.pool, r.err = browser.New(context.Background(), browser.Options{Guard: r.guard, Chrome: *chrome, Tabs: min(*tabs, 2*runtime.NumCPU())})
	}
}

func (r *renderer) close() {
	if r.pool != nil {
		r.pool.Close()
	}
	if r.guard != nil {
		r.guard.Close()
	}
}

// local resolves only the names of the served sites.
type local struct{}

func (local) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if !slices.Contains([]string{"localhost"}, host) && !strings.HasSuffix(host, ".localhost") {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}
