package traps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plat/plat"
	"plat/storage"
)

const (
	// minAlike is the number of characters that two pages must have before they can be found
	// alike.
	minAlike = 200

	// Two pages that are alike may differ in this share of their text, and in this number of
	// characters, both outside the main content; and anywhere in this number of times of day.
	maxAside     = 0.1
	maxAsideText = 500
	maxTimes     = 4

	// maxLookalikes is the most pages that one is compared with.
	maxLookalikes = 8
)

// Main returns the URL under which the page of a followed link is archived already, empty if it is
// not: the target of its redirect, its canonical URL, or a page of the host that is alike.
func (g *Guard) Main(ctx context.Context, v *Visit) (string, error) {
	if g.o.Mode != On {
		return "", nil
	}
	if v.Last != nil {
		return "", g.moved(ctx, v)
	}
	if !v.byLink() {
		return "", nil
	}
	if v.Final != v.URL {
		main, err := g.pageAt(ctx, v.URL, v.Final)
		if main != "" || err != nil {
			return main, err
		}
		if plainHost(v.Final) == plainHost(v.URL) { // different hosts may be crawled too
			if err := g.store.SetMain(ctx, v.URL, g.o.Now(), v.Final); err != nil {
				return "", fmt.Errorf("note the target of the redirect: %w", err)
			}
		}
	}
	site := g.site(ctx, plat.HostOf(v.URL))
	plain, canonical := site.Plain(v.URL), canonicalOf(v.Snap, g.o.Drop)
	declared := append(site.Claims(v.URL), canonical)
	alike, err := g.store.Lookalikes(ctx, storage.Host(v.URL), Fingerprint(v.Snap.Title, v.Blocks), maxLookalikes)
	if err != nil {
		return "", err
	}
	tried := map[string]bool{v.URL: true, "": true}
	for _, url := range slices.Concat(declared, []string{plain}, alike) {
		if tried[url] {
			continue
		}
		tried[url] = true
		main, err := g.pageAt(ctx, v.URL, url)
		if main == "" || err != nil || main != url && tried[main] {
			if err != nil {
				return "", err
			}
			continue
		}
		tried[main] = true
		switch same, err := g.alike(ctx, v, main); {
		case err != nil:
			return "", err
		case same:
			return main, nil
		case slices.Contains(declared, url):
			if same, err = g.contained(ctx, site, v, main); same || err != nil {
				return main, err
			}
		}
		if url == plain {
			site.Differ(v.URL, plain)
		}
	}
	if canonical != "" && canonical != v.URL {
		site.Claim(v.URL, canonical)
	}
	return "", nil
}

// plainHost returns the name of a URL's host without its port and www.
func plainHost(url string) string {
	host, _, _ := strings.Cut(plat.HostOf(url), ":")
	return strings.TrimPrefix(host, "www.")
}

// pageAt returns the URL under which the page of an address is archived, empty if it is not
// archived, or under url only.
func (g *Guard) pageAt(ctx context.Context, url, address string) (string, error) {
	st, err := storage.MainOf(ctx, g.read.State, address)
	if err != nil || st.URL == url || st.Head == 0 || st.Outcome.Failed() {
		return "", err
	}
	return st.URL, nil
}

// moved schedules the former target of a redirect as a page of its own, if the redirect leads
// elsewhere now.
func (g *Guard) moved(ctx context.Context, v *Visit) error {
	was, err := plat.Canonical(v.Last.Capture.FinalURL, g.o.Drop)
	if err != nil || was == v.URL || was == v.Final {
		return nil
	}
	st, err := g.read.State(ctx, was)
	if err != nil || st.Main != v.URL {
		return err
	}
	return g.own(ctx, v, was)
}

// canonicalOf returns the URL that a page declares as its own (<link rel=canonical>, RFC 6596),
// empty if it declares none.
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
		url, err := plat.Canonical(snap.Base().Resolve(href), drop)
		if err != nil {
			return ""
		}
		return url
	}
	return ""
}

// alike reports whether a page equals the last version of a different URL, except for volatile
// parts: tokens, a time of day, and small parts outside the main content. Links may differ in the
// parameters in which the two URLs do.
func (g *Guard) alike(ctx context.Context, v *Visit, main string) (bool, error) {
	last, err := g.read.Last(ctx, main)
	if err != nil || last == nil {
		return false, err
	}
	if last.Capture.Title != v.Snap.Title {
		return false, nil
	}
	blocks, changes, err := g.read.Compare(ctx, v.Snap, last)
	if err != nil {
		if errors.Is(err, plat.ErrCorrupt) {
			err = nil
		}
		return false, err
	}
	letters := 0
	for i := range blocks {
		letters += int(blocks[i].TextLen)
	}
	if letters < minAlike {
		return false, nil
	}
	if changes.Layout == plat.Content {
		return false, nil
	}
	aside, times := 0, 0
	varying := Differing(v.Snap.URL, main)
	for _, c := range changes.Blocks {
		if (c.Kind == plat.Format || c.Kind == plat.Link || c.Kind == plat.Image) && !SameTargets(last.Blocks[c.Old].Content, blocks[c.New].Content, varying) {
			return false, nil
		}
		if c.Kind != plat.Content && c.Kind != plat.Added && c.Kind != plat.Removed {
			continue
		}
		var old, is *plat.Block
		if c.Old >= 0 {
			old = &last.Blocks[c.Old]
		}
		if c.New >= 0 {
			is = &blocks[c.New]
		}
		if old != nil && is != nil {
			if n, ok := Times(old.Text, is.Text); ok {
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

// contained reports whether two pages, one of which declares the other as its canonical page, have
// the same content, perhaps with less around it, as for printing: the visited one brings nothing
// new to its site, and nearly all of the smaller one is in the larger.
func (g *Guard) contained(ctx context.Context, s *site, v *Visit, main string) (bool, error) {
	if _, fruitful := s.News(NewPage(v.URL, v.Blocks)); fruitful {
		return false, nil
	}
	last, err := g.read.Last(ctx, main)
	if err != nil || last == nil {
		return false, err
	}
	if err := g.read.Load(ctx, last.Blocks); err != nil {
		if errors.Is(err, plat.ErrCorrupt) || errors.Is(err, plat.ErrNotFound) {
			err = nil
		}
		return false, err
	}
	is, other := NewPage("", v.Blocks), NewPage("", last.Blocks)
	return min(is.Letters(), other.Letters()) >= minAlike && is.Shared(other) >= minShared, nil
}

// minShared is the least part of the smaller of two pages that the larger must contain.
const minShared = 0.9

func lengthOf(b *plat.Block) int {
	if b == nil {
		return 0
	}
	return int(b.TextLen)
}

// asideLabel reports whether blocks of a label are outside the main content.
func asideLabel(l plat.Label) bool {
	switch l {
	case plat.LabelMain, plat.LabelHeading, plat.LabelTable, plat.LabelForm, plat.LabelMedia, plat.LabelComments:
		return false
	}
	return true
}
