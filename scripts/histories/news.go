package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"plat/diff/noise"
	"plat/plat"
)

// told counts plat's reports on the versions of a site: news, and self-changes.
type told struct {
	Site     string `json:"site"`
	Pages    int    `json:"pages"`
	Versions int    `json:"versions"`
	News     int    `json:"news"`      // the first of each page is
	HeldBack int    `json:"held_back"` // they have a change of which no part is news
	Beside   int    `json:"beside"`    // they have words with self-changes, beside words that are news
	Crossed  int    `json:"crossed"`   // they have words that only moved to a different block, beside words that are news
	Looks    int    `json:"looks"`     // second looks
	Unstored int    `json:"unstored"`  // visits that stored no version, as second looks prove all of their changes

	Why map[string]int `json:"why,omitempty"` // changes of which no part is news, by the reason
}

// siteOf is the site of a URL, without the address of the local server.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return strings.TrimSuffix(u.Hostname(), ".localhost")
}

// site returns the counts of the site of a URL.
func (b *bench) site(address string) *told {
	name := siteOf(address)
	for _, t := range b.Told {
		if t.Site == name {
			return t
		}
	}
	t := &told{Site: name, Why: map[string]int{}}
	b.Told = append(b.Told, t)
	return t
}

// versions calls each for every version of the archive, in order.
func (b *bench) versions(ctx context.Context, each func(v *plat.Version) error) error {
	for state, err := range b.store.States(ctx, "", "") {
		if err != nil {
			return err
		}
		for n := 1; n <= state.Head; n++ {
			v, err := b.store.Version(ctx, state.URL, n)
			if err != nil {
				return fmt.Errorf("%s@%d: %w", state.URL, n, err)
			}
			if err := each(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell counts the reports of the versions.
func (b *bench) tell(ctx context.Context) error {
	err := b.versions(ctx, func(v *plat.Version) error {
		t := b.site(v.URL)
		t.Versions++
		if v.N == 1 {
			t.Pages++
		}
		if v.News() {
			t.News++
		}
		held := false
		for i := range v.SelfChanges {
			if x := &v.SelfChanges[i]; x.Suppressed() {
				held = true
				t.Why[x.Why]++
			}
		}
		if held {
			t.HeldBack++
		}
		beside := func(elsewhere bool) int {
			if slices.ContainsFunc(v.SelfChanges, func(x plat.SelfChange) bool {
				return !x.Suppressed() && (x.Why == string(noise.Elsewhere)) == elsewhere
			}) {
				return 1
			}
			return 0
		}
		t.Beside += beside(false)
		t.Crossed += beside(true)
		return b.Files.ofVersion(ctx, b, v)
	})
	b.Files.judge()
	slices.SortFunc(b.Told, func(x, y *told) int { return cmp.Compare(x.Site, y.Site) })
	return err
}

// reportNews prints the counts of all sites.
func reportNews(results []*result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tsite\tpages\tversions\tnews\tno news\tchanges held back in\tvarying words beside news in\twords in another block in\tsecond looks\tvisits not stored\t")
	for _, r := range results {
		for _, t := range r.Told {
			looks, unstored := fmt.Sprint(t.Looks), fmt.Sprint(t.Unstored)
			if *read {
				looks, unstored = "", "" // an archive does not say
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t\n", r.Set, t.Site, t.Pages, t.Versions, t.News, t.Versions-t.News, t.HeldBack, t.Beside, t.Crossed, looks, unstored)
		}
	}
	w.Flush()
	for _, r := range results {
		why := map[string]int{}
		for _, t := range r.Told {
			for k, n := range t.Why {
				why[k] += n
			}
		}
		fmt.Printf("%s: changes held back: %s", r.Set, reasons(why))
		if !*read {
			fmt.Printf("; %d of %d versions with other visible text are no news", r.Quiet, r.OtherText)
		}
		fmt.Println()
		if r.Files.Versions > 0 {
			fmt.Printf("%s: %v\n", r.Set, &r.Files)
		}
		for _, w := range r.Files.Wrong {
			fmt.Println(r.Set, w)
		}
	}
}

func reasons(why map[string]int) string {
	if len(why) == 0 {
		return "none"
	}
	var all []string
	for _, k := range slices.Sorted(maps.Keys(why)) {
		all = append(all, fmt.Sprintf("%d as %s", why[k], plat.ReasonText(k)))
	}
	return strings.Join(all, ", ")
}
