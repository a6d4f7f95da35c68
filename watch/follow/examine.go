package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"sync"
	"time"

	"plat/plat"
	"plat/plat/calendar"
	"plat/plat/weburl"
	"plat/storage"
	"plat/storage/history"
	"plat/watch"
)

// Limits of one subscription.
const (
	maxVersions = 100 // examined before the items are stored
	maxFollowed = 500 // followed pages of a subscription
	maxPerPage  = 100 // followed pages that one page can add
	maxPresent  = 100 // stored items of the first check
)

// Found is the result of examining a subscription.
type Found struct {
	storage.Examination
	jobs  []plat.Job // pages to be visited
	first time.Time  // time of the version that was checked first; zero if the first check was earlier
}

// examiner examines one subscription.
type examiner struct {
	*Found
	s      *storage.Subscribed
	store  Store
	filter *Filter
	opt    watch.Options
	known  map[string]bool // followed pages
	state  plat.URLState   // of the subscription's URL
	again  bool            // the page may have been examined before: items up to Latest have been sent
	turn   *turn
	done   int // number of examined versions
}

// Examine goes through the versions of a subscription's pages that are newer than those that
// were examined. It stores nothing, and does not limit the time for matching conditions.
func (f *Follower) Examine(ctx context.Context, s *storage.Subscribed) (*Found, error) {
	return f.inTurn(ctx, s, &turn{}, maxVersions)
}

// inTurn examines at most left versions, within the limits of a turn.
func (f *Follower) inTurn(ctx context.Context, s *storage.Subscribed, t *turn, left int) (*Found, error) {
	filter, err := NewFilter(&s.Subscription)
	if err != nil {
		return nil, &unfit{"its conditions cannot be used: " + err.Error()}
	}
	x := &examiner{
		Found: &Found{Examination: storage.Examination{ID: s.ID, Was: map[string]int{}, Following: s.Following}},
		s:     s, store: f.Store, filter: filter, known: map[string]bool{}, turn: t,
		opt: watch.Options{Blocks: s.Blocks, Muted: s.Muted, Labels: s.Labels, Text: filter.kinds[plat.ItemText] && len(s.Blocks) == 0},
	}
	pages := append([]plat.FollowedPage(nil), s.Pages...)
	for _, p := range pages {
		x.Was[p.URL] = p.Examined
		x.known[p.URL] = true
	}
	if len(pages) == 0 {
		for _, url := range append([]string{s.URL}, s.Feeds...) {
			pages = append(pages, plat.FollowedPage{URL: url, Depth: 1})
			x.known[url] = true
		}
	}
	x.Following.Pages = pages
	if isUnfit(s.Broken) {
		x.Following.Broken, x.Following.Since = "", time.Now().UTC()
	}
	t.begin(f)
	if x.state, err = f.Store.State(ctx, s.URL); err != nil && !errors.Is(err, plat.ErrNotFound) {
		return nil, err
	}
	for i := 0; i < len(pages) && left > 0; i++ {
		most := left
		if x.again = pages[i].Examined == 0 && !s.Latest.IsZero(); x.again {
			most = math.MaxInt32 // all: the next examination does not know that they were sent
		}
		n, err := x.page(ctx, i, most)
		if errors.Is(err, errSlow) && x.done > 0 && !x.again {
			return f.inTurn(ctx, s, &turn{version: t.version}, x.done) // only the versions that succeeded
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pages[i].URL, err)
		}
		left -= n
		if x.turn.over() && !x.again {
			break
		}
	}
	return x.Found, nil
}

// page examines at most most newer versions of one page, and returns their number.
func (x *examiner) page(ctx context.Context, i, most int) (n int, err error) {
	p := &x.Following.Pages[i]
	m := watch.New()
	if err := m.UnmarshalBinary(p.Memory); err != nil {
		return 0, err
	}
	var before []plat.Block
	for v, err := range x.store.Trees(ctx, p.URL, p.Examined+1, p.Examined+most) {
		if err != nil {
			return n, err
		}
		if v.N <= p.Examined {
			break // no newer version: the bounds were clamped
		}
		if n > 0 && x.turn.over() && !x.again {
			break
		}
		x.turn.next(v.N)
		if err := x.load(ctx, v, before); err != nil {
			return n, err
		}
		old := before
		text := func() (string, error) { return x.text(ctx, &x.Following.Pages[i], old) }
		before = v.Blocks
		if err := x.look(ctx, i, v, text, m); err != nil {
			return n, err
		}
		p = &x.Following.Pages[i] // the slice may have grown
		p.Examined = v.N
		n++
		x.done++
	}
	if n == 0 {
		return 0, nil
	}
	p.Memory, err = m.MarshalBinary()
	return n, err
}

// load loads the contents that the previous version did not have.
func (x *examiner) load(ctx context.Context, v *plat.Version, before []plat.Block) error {
	history.Share(v.Blocks, before)
	var missing []plat.Hash
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() && b.Content == nil {
			missing = append(missing, b.Hash)
		}
	}
	return history.Load(ctx, x.store, v.Blocks, missing)
}

// text returns the text of the version of a page that was examined last. old are its blocks, if
// they are loaded.
func (x *examiner) text(ctx context.Context, p *plat.FollowedPage, old []plat.Block) (string, error) {
	if old != nil {
		return watch.Text(old), nil
	}
	for v, err := range x.store.Trees(ctx, p.URL, p.Examined, p.Examined) {
		if err != nil {
			return "", err
		}
		if err := history.LoadAll(ctx, x.store, v.Blocks); err != nil {
			return "", err
		}
		return watch.Text(v.Blocks), nil
	}
	return "", nil
}

// dayOf returns the day of a time, in UTC.
func dayOf(t time.Time) calendar.Day {
	t = t.UTC()
	return calendar.Day{Year: t.Year(), Month: int(t.Month()), Day: t.Day()}
}

// look examines one version; before returns the text of the previous one.
func (x *examiner) look(ctx context.Context, i int, v *plat.Version, before func() (string, error), m *watch.Memory) error {
	p := x.Following.Pages[i]
	layout, err := x.store.Layout(ctx, v.Layout)
	if err != nil {
		return err
	}
	at := cmp.Or(v.Capture.FinalURL, p.URL)
	r, err := m.Look(&watch.Page{URL: at, Base: v.Base(), Layout: &layout, Blocks: v.Blocks, Before: before, Day: dayOf(v.Taken)}, x.opt)
	if err != nil {
		return err
	}
	if i == 0 {
		x.status(r, v)
	}
	first := p.Examined == 0
	var items []plat.Item
	switch {
	case first && i == 0:
		x.first = plat.Later(v.Taken, x.s.Made)
		if items, err = x.present(r, v); err != nil {
			return err
		}
	case !first:
		others := sync.OnceValues(func() (sources, error) { return x.others(i) })
		for k := range r.Items {
			if r.Items[k].Kind == plat.ItemNew {
				all, err := others()
				if err != nil {
					return err
				}
				if all.have(&r.Items[k].Entry, m) {
					continue
				}
			}
			item, ok, err := x.item(&r.Items[k], p.URL, v)
			if err != nil {
				return err
			}
			if ok {
				items = append(items, item)
			}
		}
		switch {
		case !v.Taken.After(x.s.Made):
			x.first = plat.Later(x.first, x.s.Made) // from the archive's past: stored, not sent
		case !x.again || v.Taken.After(x.s.Latest):
			x.message(items, p.URL, v)
		}
	}
	x.Items = append(x.Items, items...)
	if p.Depth < storage.DepthOf(&x.s.Subscription) {
		x.follow(r, at, p.Depth+1, v.Taken)
	}
	return nil
}

// status records whether the list of the subscription's page was found.
func (x *examiner) status(r *watch.Result, v *plat.Version) {
	f := &x.Following
	was := f.Broken
	defer func() {
		if f.Since.IsZero() || f.Broken != was {
			f.Since = v.Taken
		}
	}()
	f.Broken, f.Entries = r.Broken, 0
	if watch.Undecided(f.Broken) && len(x.s.Feeds) > 0 {
		f.Broken = "" // its feeds are enough
	}
	for k := range r.Lists {
		f.Entries += len(r.Lists[k].Entries)
	}
}

// present returns the items of a page's first check.
func (x *examiner) present(r *watch.Result, v *plat.Version) (items []plat.Item, err error) {
	for k := range r.Lists {
		for e := range r.Lists[k].Entries {
			if len(items) == maxPresent {
				return items, nil
			}
			item, ok, err := x.item(&watch.Item{Kind: plat.ItemPresent, Entry: r.Lists[k].Entries[e]}, x.s.URL, v)
			if err != nil {
				return nil, err
			}
			if ok {
				items = append(items, item)
			}
		}
	}
	return items, nil
}

// follow adds the pages that the entries of lists link to, on the same site.
func (x *examiner) follow(r *watch.Result, at string, depth int, now time.Time) {
	host, added := weburl.Host(at), 0
	for k := range r.Lists {
		for e := range r.Lists[k].Entries {
			to := r.Lists[k].Entries[e].URL
			file, _, _ := strings.Cut(weburl.WithoutFragment(to), "?")
			if !weburl.IsWeb(to) || weburl.Host(to) != host || notPages[strings.ToLower(path.Ext(file))] || len(x.Following.Pages) >= maxFollowed || added >= maxPerPage {
				continue
			}
			page, err := plat.Canonical(to, nil)
			if err != nil || x.known[page] {
				continue
			}
			x.known[page] = true
			added++
			x.Following.Pages = append(x.Following.Pages, plat.FollowedPage{URL: page, Depth: depth})
			x.jobs = append(x.jobs, plat.Job{URL: page, Due: now, Priority: x.state.Priority, Plan: plat.Plan{Depth: depth - 1, Schedule: x.state.Schedule, Watched: true}})
		}
	}
}

// notPages are the extensions of files that are not pages.
var notPages = func() map[string]bool {
	m := map[string]bool{}
	for ext := range strings.FieldsSeq(".pdf .zip .gz .tgz .bz2 .xz .jar .exe .msi .dmg .deb .rpm .iso .7z .png .jpg .jpeg .gif .webp .svg .mp3 .mp4 .webm .ogg .csv .xls .xlsx .doc .docx .ppt .pptx .asc .sha256 .sha512 .xml .json .rss .ics") {
		m[ext] = true
	}
	return m
}()
