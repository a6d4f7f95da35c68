package links

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/net/html"

	"plat/fixtures"
	"plat/fixtures/history"
	"plat/plat"
	"plat/scripts/frontier/sources"
)

func TestSeenIsBounded(t *testing.T) {
	var s Seen
	for i := range 5 * maxSeen {
		u := fmt.Sprint("https://a.test/", i)
		if s.Has(u) {
			t.Fatalf("%s was never added", u)
		}
		s.Add(u)
		s.Has("https://a.test/0")
	}
	if n := s.known.Len(); n > 2*maxSeen {
		t.Errorf("%d URLs are remembered, want at most %d", n, 2*maxSeen)
	}
	if !s.Has("https://a.test/0") {
		t.Error("a URL that was asked for all the time is forgotten")
	}
}

// The share of the links of recorded sites that need no look-up in the archive, because the worker
// has seen them lately: one worker visits all pages of a site in the order of its recording, or
// eight do in turns. With PLAT_LONG=1 it reads all pages of the crawls.
func TestShareOfLinksSeenOnRecordedSites(t *testing.T) {
	data, is := history.Dir()
	if !is {
		t.Skipf("no recorded sites: there is no %s; set PLAT_DATA", data)
	}
	all, err := sources.Recorded(data)
	if err != nil {
		t.Fatal(err)
	}
	const many = 8
	var total, saved, savedByMany int
	t.Logf("%-24s %8s %9s %8s %14s", "site", "pages", "links", "saved", fmt.Sprintf("by %d workers", many))
	all = append(all, sources.Crawled(data)...)
	for _, name := range sources.Packages { // as scripts/bench frontier rules has unpacked them
		if fixtures.OneIn(2) > 1 {
			break
		}
		dir := filepath.Join(os.TempDir(), "plat-packages")
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			all = append(all, sources.Packaged(dir, name))
		}
	}
	for _, s := range all {
		pages, links, one, each := 0, 0, [1]Seen{}, [many]Seen{}
		ofOne, ofMany := 0, 0
		err := s.Each(func(address string, body []byte) {
			if pages > 50_000/fixtures.OneIn(10) {
				return
			}
			for u := range linksToHost(address, body) {
				links++
				for _, c := range []struct {
					seen  *Seen
					saved *int
				}{{&one[0], &ofOne}, {&each[pages%many], &ofMany}} {
					if c.seen.Has(u) {
						*c.saved++
					} else {
						c.seen.Add(u)
					}
				}
			}
			pages++
		})
		if err != nil {
			t.Fatal(err)
		}
		total, saved, savedByMany = total+links, saved+ofOne, savedByMany+ofMany
		t.Logf("%-24s %8d %9d %7.1f%% %13.1f%%", s.Name, pages, links, percent(ofOne, links), percent(ofMany, links))
	}
	t.Logf("%-24s %8s %9d %7.1f%% %13.1f%%", "all", "", total, percent(saved, total), percent(savedByMany, total))
	if percent(saved, total) < 30 || percent(savedByMany, total) < 20 {
		t.Errorf("%.1f and %.1f %% of %d links are saved", percent(saved, total), percent(savedByMany, total), total)
	}
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }

// linksToHost returns the links of a page to its own host, each once.
func linksToHost(address string, body []byte) map[string]bool {
	base, err := url.Parse(address)
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return found
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			for _, a := range tag.Attr {
				if tag.Data != "a" || a.Key != "href" {
					continue
				}
				to, err := base.Parse(a.Val)
				if err != nil || to.Host != base.Host {
					continue
				}
				if u, err := plat.Canonical(to.String(), plat.TrackingParams); err == nil {
					found[u] = true
				}
			}
		}
	}
}
