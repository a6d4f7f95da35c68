package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"

	"plat/plat"
	"plat/scripts/frontier/trapsite"
	"plat/storage/sqlite"
)

// archiveResult counts the contents of the archive after a crawl.
type archiveResult struct {
	Versions int            `json:"page_versions"`                    // with the text of a real page
	Twice    int            `json:"page_versions_of_another_address"` // of pages that are archived under another URL already
	Rest     int            `json:"other_versions"`
	Missing  map[string]int `json:"missing_pages"` // served or not, by kind, style and place
}

// missingNames are the keys of Missing.
func missingNames() (all []string) {
	for _, k := range trapsite.Kinds {
		all = append(all, string(k))
	}
	for _, s := range []trapsite.Style{trapsite.Article, trapsite.Short, trapsite.Numbers} {
		all = append(all, string(s))
	}
	return append(all, "of serials")
}

// read finds the texts of pages in the blocks of all versions.
func (a *archiveResult) read(ctx context.Context, site *trapsite.Site, archive string) (archived int, err error) {
	s, err := sqlite.Open(archive, sqlite.Options{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	urls := make([]int, len(site.Pages)) // with a version of the page
	holds := map[plat.Hash]int{}         // page or -1
	for st, err := range s.States(ctx, "", "") {
		if err != nil {
			return 0, err
		}
		if st.Head == 0 {
			continue
		}
		found := map[int]bool{}
		for v, err := range s.Trees(ctx, st.URL, 1, st.Head) {
			if err != nil {
				return 0, err
			}
			page, err := pageIn(ctx, s, site, v, holds)
			if err != nil {
				return 0, err
			}
			if page < 0 {
				a.Rest++
				continue
			}
			a.Versions++
			if !found[page] {
				found[page] = true
				urls[page]++
			}
		}
	}
	a.Missing = map[string]int{}
	for i, n := range urls {
		p := &site.Pages[i]
		if n > 0 && site.Served(i) {
			archived++
			a.Twice += n - 1
			continue
		}
		a.Missing[string(p.Kind)]++
		a.Missing[string(p.Style)]++
		if site.Serial(i) {
			a.Missing["of serials"]++
		}
	}
	return archived, nil
}

// pageIn returns the page whose marker a version holds, or -1.
func pageIn(ctx context.Context, s *sqlite.Store, site *trapsite.Site, v *plat.Version, holds map[plat.Hash]int) (int, error) {
	var unknown []plat.Hash
	for i := range v.Blocks {
		if h := v.Blocks[i].Hash; !h.IsZero() {
			if _, is := holds[h]; !is {
				unknown = append(unknown, h)
			}
		}
	}
	contents, err := s.Contents(ctx, unknown)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", v.URL, err)
	}
	for i, h := range unknown {
		holds[h] = site.MarkerIn(string(contents[i]))
	}
	for i := range v.Blocks {
		if page, is := holds[v.Blocks[i].Hash]; is && page >= 0 {
			return page, nil
		}
	}
	return -1, nil
}

// lookupResult says under which addresses pages are found.
type lookupResult struct {
	Looked   int      `json:"pages_looked_up"`
	Found    [3]int   `json:"found_under_address"`
	FoundAll int      `json:"found_under_all"`
	Unfound  []string `json:"addresses_not_found,omitempty"` // after a page's first address
}

// look finds the pages of URLs with plat.
func (l *lookupResult) look(ctx context.Context, o *trapOptions, archive string) error {
	pages := rand.New(rand.NewPCG(o.seed, 7)).Perm(len(o.site.Pages))
	for i, n := range pages[:min(o.lookups, len(pages))] {
		if i%50 == 0 {
			fmt.Fprintf(os.Stderr, "looking up pages: %d\n", i)
		}
		all := true
		for k, address := range o.site.Pages[n].Addresses {
			is, err := o.shows(ctx, archive, o.seedURL+address, n)
			if err != nil {
				return err
			}
			if is {
				l.Found[k]++
			} else {
				l.Unfound = append(l.Unfound, o.site.Pages[n].Addresses[0]+" "+address)
			}
			all = all && is
		}
		l.Looked++
		if all {
			l.FoundAll++
		}
	}
	return ctx.Err()
}

// shows reports whether plat show prints page n for an address.
func (o *trapOptions) shows(ctx context.Context, archive, url string, n int) (bool, error) {
	out, err := exec.CommandContext(ctx, o.bin, "show", url, "--text", "--json", "--store", "sqlite:"+archive).Output()
	if err != nil {
		return false, ctx.Err() // not in the archive
	}
	var v struct {
		Tree []struct {
			Text string `json:"text"`
		} `json:"tree"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return false, fmt.Errorf("plat show %s: %w", url, err)
	}
	for _, b := range v.Tree {
		if o.site.MarkerIn(b.Text) == n {
			return true, nil
		}
	}
	return false, nil
}
