package workers

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"plat"
	"plat/history"
	"plat/storage"
	"plat/traps"
)

const (
	// minAlike is how many characters pages must show that are taken for one because
	// they are alike, and minFingerprint how many of them in one leaf.
	minAlike       = 200
	minFingerprint = 100

	// Two pages that are alike may differ in that share of their text, and in at most
	// so many characters, beside what they are about; and anywhere in so many times of
	// day.
	maxAside     = 0.1
	maxAsideText = 500
	maxTimes     = 4

	// maxLookalikes is the most pages that one is compared with.
	maxLookalikes = 8
)

// fingerprint returns what pages that look alike have in common: a hash of title and
// longest text of a leaf, without digits. 0 if that is too short.
func fingerprint(snap *plat.Snapshot, blocks []plat.Block) uint64 {
	longest := -1
	for i := range blocks {
		if blocks[i].Leaf() && (longest < 0 || blocks[i].TextLen > blocks[longest].TextLen) {
			longest = i
		}
	}
	if longest < 0 || blocks[longest].TextLen < minFingerprint {
		return 0
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, blocks[longest].Text)
	h := plat.HashOf([]byte(snap.Title + "\x00" + text))
	return binary.BigEndian.Uint64(h[:])
}

// Main returns the URL under which the page that a link has led to is archived
// already, empty if it is not: the target of its redirect, its canonical URL, or a page
// of the host that looks alike.
func (c *Crew) Main(ctx context.Context, a *attempt, f *found) (string, error) {
	if c.o.Traps != TrapsOn {
		return "", nil
	}
	final := c.final(a.Job, f.snap)
	if f.last.version != nil {
		return "", c.moved(ctx, a, f, final)
	}
	if !byLink(a) {
		return "", nil
	}
	if final != a.URL {
		main, err := c.pageAt(ctx, a.URL, final)
		if main != "" || err != nil {
			return main, err
		}
		if plainHost(final) == plainHost(a.URL) { // others may be crawled for themselves
			if err := c.store.SetMain(ctx, a.URL, c.fleetNow(), final); err != nil {
				return "", fmt.Errorf("note the target of the redirect: %w", err)
			}
		}
	}
	site := c.site(ctx, plat.HostOf(a.URL))
	plain, canonical := site.Plain(a.URL), canonicalOf(f.snap, c.o.Drop)
	declared := append(site.Claims(a.URL), canonical)
	alike, err := c.store.Lookalikes(ctx, storage.Host(a.URL), fingerprint(f.snap, f.now.page.Blocks), maxLookalikes)
	if err != nil {
		return "", err
	}
	tried := map[string]bool{a.URL: true, "": true}
	for _, url := range slices.Concat(declared, []string{plain}, alike) {
		if tried[url] {
			continue
		}
		tried[url] = true
		main, err := c.pageAt(ctx, a.URL, url)
		if main == "" || err != nil || main != url && tried[main] {
			if err != nil {
				return "", err
			}
			continue
		}
		tried[main] = true
		switch same, err := c.worker.alike(ctx, f, main); {
		case err != nil:
			return "", err
		case same:
			return main, nil
		case slices.Contains(declared, url):
			if same, err = c.worker.contained(ctx, site, f, a.URL, main); same || err != nil {
				return main, err
			}
		}
		if url == plain {
			site.Differ(a.URL, plain)
		}
	}
	if canonical != "" && canonical != a.URL {
		site.Claim(a.URL, canonical)
	}
	return "", nil
}

// plainHost is the name of a URL's host without its port and www.
func plainHost(url string) string {
	host, _, _ := strings.Cut(plat.HostOf(url), ":")
	return strings.TrimPrefix(host, "www.")
}

// pageAt returns the URL under which the page of an address is archived, empty if there
// is none yet, or none but that of the URL itself.
func (c *Crew) pageAt(ctx context.Context, url, address string) (string, error) {
	st, err := storage.MainOf(ctx, c.worker.stateOf, address)
	if err != nil || st.URL == url || st.Head == 0 || st.Outcome.Failed() {
		return "", err
	}
	return st.URL, nil
}

// moved has the former target of a redirect visited as a page of its own, if the
// redirect leads elsewhere now.
func (c *Crew) moved(ctx context.Context, a *attempt, f *found, final string) error {
	was, err := plat.Canonical(f.last.version.Capture.FinalURL, c.o.Drop)
	if err != nil || was == a.URL || was == final {
		return nil
	}
	st, err := c.worker.stateOf(ctx, was)
	if err != nil || st.Main != a.URL {
		return err
	}
	return c.own(ctx, a, was)
}

// canonicalOf returns what a page says is its URL (<link rel=canonical>, RFC 6596),
// empty if it says nothing.
func canonicalOf(snap *plat.Snapshot, drop []string) string {
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		if n.Kind != plat.ElementNode || n.Name != "link" {
			continue
		}
		rel, _ := n.Attr("rel")
		href, _ := n.Attr("href")
		if href == "" || !strings.EqualFold(strings.TrimSpace(rel), "canonical") {
			continue
		}
		to, err := resolve(snap.FinalURL, href)
		if err != nil {
			return ""
		}
		url, err := plat.Canonical(to, drop)
		if err != nil {
			return ""
		}
		return url
	}
	return ""
}

func resolve(base, href string) (string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	to, err := b.Parse(strings.TrimSpace(href))
	if err != nil {
		return "", err
	}
	return to.String(), nil
}

// alike reports whether a page is the last version of another URL, but for what is
// volatile: tokens, a time of day, and small parts beside what it is about. Links may
// differ in the parameters in which the two URLs do.
func (w *Worker) alike(ctx context.Context, f *found, main string) (bool, error) {
	last, err := w.last(ctx, main)
	if err != nil || last.version == nil {
		return false, err
	}
	if last.version.Capture.Title != f.snap.Title {
		return false, nil
	}
	now, err := w.edition(ctx, f.snap, last)
	if err != nil {
		if errors.Is(err, plat.ErrCorrupt) {
			err = nil
		}
		return false, err
	}
	letters := 0
	for i := range now.page.Blocks {
		letters += int(now.page.Blocks[i].TextLen)
	}
	if letters < minAlike {
		return false, nil
	}
	if now.changes.Layout == plat.Content {
		return false, nil
	}
	aside, times := 0, 0
	varying := traps.Differing(f.snap.URL, main)
	for _, c := range now.changes.Blocks {
		if c.Kind == plat.Format && !traps.SameTargets(last.version.Blocks[c.Old].Content, now.page.Blocks[c.New].Content, varying) {
			return false, nil
		}
		if c.Kind != plat.Content && c.Kind != plat.Added && c.Kind != plat.Removed {
			continue
		}
		var old, is *plat.Block
		if c.Old >= 0 {
			old = &last.version.Blocks[c.Old]
		}
		if c.New >= 0 {
			is = &now.page.Blocks[c.New]
		}
		if old != nil && is != nil {
			if n, ok := traps.Times(old.Text, is.Text); ok {
				times += n
				continue
			}
		}
		for _, b := range []*plat.Block{old, is} {
			if b != nil && !asideLabel(b.Label) {
				return false, nil
			}
		}
		aside += max(lengthOf(old), lengthOf(is))
	}
	return times <= maxTimes && aside <= maxAsideText && float64(aside) <= maxAside*float64(letters), nil
}

// contained reports whether a page that says it is another one, or of which that one
// says so, shows the same, perhaps with less around it, as for printing: it brings
// nothing new to its site, and nearly all of the smaller one is in the other.
func (w *Worker) contained(ctx context.Context, site *site, f *found, url, main string) (bool, error) {
	if _, fruitful := site.News(traps.NewPage(url, f.now.page.Blocks)); fruitful {
		return false, nil
	}
	last, err := w.last(ctx, main)
	if err != nil || last.version == nil {
		return false, err
	}
	if err := history.LoadAll(ctx, w.store, last.version.Blocks); err != nil {
		if errors.Is(err, plat.ErrCorrupt) || errors.Is(err, plat.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	is, other := traps.NewPage("", f.now.page.Blocks), traps.NewPage("", last.version.Blocks)
	return min(is.Letters(), other.Letters()) >= minAlike && is.Shared(other) >= minShared, nil
}

// minShared is what part of the smaller of two pages the other one must have.
const minShared = 0.9

func lengthOf(b *plat.Block) int {
	if b == nil {
		return 0
	}
	return int(b.TextLen)
}

// asideLabel reports whether blocks of a label stand beside what a page is about.
func asideLabel(l plat.Label) bool {
	switch l {
	case plat.LabelMain, plat.LabelHeading, plat.LabelTable, plat.LabelForm, plat.LabelMedia, plat.LabelComments:
		return false
	}
	return true
}

// alias records that a page is archived under another URL. The URL is not visited
// again on its own.
func (w *Worker) alias(ctx context.Context, a *attempt, f *found, main string, r *Report) error {
	r.Outcome, r.Main = plat.OutcomeAlias, main
	v := plat.Visit{URL: a.URL, Time: w.fleetTime(a.start), Rest: a.delay, Status: f.snap.Status, Bytes: f.snap.Bytes, Duration: w.now().Sub(a.start),
		Outcome: r.Outcome, Main: main, Settles: a.Due}
	if a.memory.Doubt != "" {
		v.Memory = plat.NoMemory // no later visit is its first
	}
	return w.record(ctx, v, f.now.bytes, r)
}
