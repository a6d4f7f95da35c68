package mongo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// The pages of fill. docs/mongo.md contains the footer's hash.
const (
	footer        = "<footer>Example News, since 1871</footer>"
	menu1         = "<nav><a href=/>News</a> <a href=/weather>Weather</a></nav>"
	menu2         = "<nav class=wide><a href=/>News</a> <a href=/weather>Weather</a></nav>"
	advertisement = "<aside>Umbrellas, half price</aside>"
	notice        = "<aside>All ferries are cancelled</aside>"
)

var (
	storm1   = "<article><h1>Storm closes the harbour</h1>" + prose("wind", 60) + "</article>"
	storm2   = "<article><h1>Harbour reopens after storm</h1>" + prose("wind", 60) + `<p>Ferries run <a href="https://ferries.example/times">again</a>.</p></article>`
	weather1 = "<article><h1>Gale warning</h1>" + prose("gale", 30) + "</article>"
	weather2 = "<article><h1>Gale warning lifted</h1>" + prose("gale", 30) + "</article>"
	guideMD  = "<main><h1>How to install</h1>" + prose("step", 50) + "</main>"

	menuBlock   = part{1, plat.LabelNavigation, "News Weather", menu1, ""}
	footerBlock = part{3, plat.LabelFooter, "Example News since 1871", footer, ""}

	news1 = []part{menuBlock, {2, plat.LabelMain, "Storm closes the harbour", storm1, ""}, {4, plat.LabelSidebar, "Ferries cancelled", notice, ""}, footerBlock}
	news2 = []part{menuBlock, {2, plat.LabelMain, "Harbour reopens after storm", storm2, plat.Content}, footerBlock}
	news3 = []part{{1, plat.LabelNavigation, "News Weather", menu2, plat.Format}, {2, plat.LabelMain, "Harbour reopens after storm", storm2, ""}, footerBlock}

	weatherPage1 = []part{menuBlock, {2, plat.LabelMain, "Gale warning", weather1, ""}, footerBlock}
	weatherPage2 = []part{menuBlock, {2, plat.LabelMain, "Gale warning lifted", weather2, plat.Content},
		{4, plat.LabelAdvertisement, "Umbrellas half price", advertisement, plat.Added}, footerBlock}

	guide = part{1, plat.LabelMain, "How to install", guideMD, ""}
)

var newsBytes = pageSize(news1...) + pageSize(news2...) + 2*pageSize(news3...) + pageSize(weatherPage1...) + pageSize(weatherPage2...)

// now is the time of the queries.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// prose returns text that does not compress very well.
func prose(word string, sentences int) string {
	var b strings.Builder
	for i := range sentences {
		fmt.Fprintf(&b, "<p>%s %d: %s.</p>", word, i, plat.HashOf([]byte{byte(i), word[0]}).String()[:20+i%17])
	}
	return b.String()
}

// part is a leaf block of a synthetic page.
type part struct {
	lineage int32
	label   plat.Label
	topic   string
	html    string
	change  plat.Kind
}

var docLayout = plat.Layout{HTML: []byte("<!DOCTYPE html><html><head><title>Example News</title></head><body>\n</body></html>"), Slots: []int32{67}}

// pageOf returns a page of the parts, one on each line.
func pageOf(parts ...part) string {
	var b bytes.Buffer
	b.Write(docLayout.HTML[:docLayout.Slots[0]])
	for _, p := range parts {
		b.WriteString("\n" + p.html)
	}
	b.Write(docLayout.HTML[docLayout.Slots[0]:])
	return b.String()
}

func pageSize(parts ...part) int { return len(pageOf(parts...)) }

func hash(s string) string { return plat.HashOf([]byte(s)).String() }

func at(t testing.TB, s string) time.Time {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// fill creates the archive for the queries: a news site of two pages and five versions, and a
// documentation site on which most pages fail.
func fill(t testing.TB, s *Store) {
	t.Helper()
	ctx := t.Context()
	last := map[string]*plat.Version{}
	visit := func(url, when string, changes map[plat.Kind]int, parts ...part) {
		t.Helper()
		v := &plat.Version{URL: url, N: 1, Taken: at(t, when), Layout: docLayout.Sum(), Level: 3, Profile: "visual", Coverage: 1, Changes: changes,
			Capture: plat.Capture{FinalURL: url, Status: 200, ContentType: "text/html", Title: "Example News", Browser: "HeadlessChrome", Width: 1366, Height: 768,
				PageBytes: int64(pageSize(parts...)), WireBytes: 20_000, Duration: 2 * time.Second}}
		c := &storage.Commit{Version: v, Layout: docLayout}
		outcome := plat.OutcomeNew
		old := last[url]
		if old != nil {
			v.N, outcome, c.LayoutBase = old.N+1, plat.OutcomeChanged, old.Layout
		}
		v.Blocks = append(v.Blocks, plat.Block{Run: 1, Parent: -1, Tag: "html", Slot: -1, Box: plat.Rect{W: 1366, H: 4000}})
		for i, p := range parts {
			b := plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Level: 1, Rule: 3, Tag: "div", Box: plat.Rect{X: 8, Y: float32(100 * i), W: 1350, H: 100}, Pos: int32(i),
				Lead: "\n", Hash: plat.HashOf([]byte(p.html)), Content: []byte(p.html), TextLen: int32(len(p.html) / 2), FontSize: 16, Topic: p.topic, Label: p.label,
				Confidence: 0.75, Lineage: p.lineage, Change: p.change}
			v.Lineages = max(v.Lineages, p.lineage)
			if old != nil {
				if k := slices.IndexFunc(old.Blocks, func(o plat.Block) bool { return o.Leaf() && o.Lineage == b.Lineage && o.Hash != b.Hash }); k >= 0 {
					b.Base = old.Blocks[k].Hash
				}
			}
			v.Blocks = append(v.Blocks, b)
		}
		c.Visit = plat.Visit{URL: url, Time: v.Taken, Outcome: outcome, Version: v.N, Status: 200, Duration: 2 * time.Second, Bytes: 20_000}
		if _, err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		last[url] = v
	}
	look := func(url, when string, outcome plat.Outcome, status int, pageBytes int) {
		t.Helper()
		v := plat.Visit{URL: url, Time: at(t, when), Outcome: outcome, Status: status, Duration: 1500 * time.Millisecond}
		if old := last[url]; old != nil && outcome == plat.OutcomeUnchanged {
			v.Version = old.N
		}
		if err := s.Record(ctx, v, int64(pageBytes)); err != nil {
			t.Fatal(err)
		}
	}

	const news, weather = "https://news.example/", "https://news.example/weather"
	visit(news, "2026-10-30 08:00", nil, news1...)
	visit(weather, "2026-11-01 09:00", nil, weatherPage1...)
	visit(news, "2026-11-15 08:00", map[plat.Kind]int{plat.Content: 1, plat.Removed: 1}, news2...)
	look(weather, "2026-11-17 09:00", plat.OutcomeUnreachable, 0, 0)
	visit(weather, "2026-11-18 09:00", map[plat.Kind]int{plat.Content: 1, plat.Added: 1}, weatherPage2...)
	visit(news, "2026-11-19 08:00", map[plat.Kind]int{plat.Format: 1}, news3...)
	look(news, "2026-11-20 08:00", plat.OutcomeUnchanged, 200, pageSize(news3...))

	visit("https://docs.example/guide", "2025-09-01 06:00", nil, guide)
	look("https://docs.example/guide", "2026-10-01 06:00", plat.OutcomeUnchanged, 200, pageSize(guide))
	look("https://docs.example/old", "2026-11-19 07:00", plat.OutcomeGone, 404, 0)
	look("https://docs.example/api", "2026-11-19 23:00", plat.OutcomeTimeout, 0, 0)
	look("https://docs.example/api", "2026-11-20 11:00", plat.OutcomeTimeout, 0, 0)

	if _, err := s.Enlist(ctx, []plat.Job{
		{URL: news, Due: at(t, "2026-11-20 12:30"), Priority: 0.75, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}},
		{URL: weather, Due: at(t, "2026-11-21 09:00"), Priority: 0.5},
		{URL: "https://docs.example/api", Due: at(t, "2026-11-20 11:50"), Priority: 0.25},
		{URL: "https://news.example/new", Due: at(t, "2026-11-22 00:00")},
	}, storage.Join); err != nil {
		t.Fatal(err)
	}
	follow(t, s)
}

// follow subscribes to the news site, and stores a message that fails.
func follow(t testing.TB, s *Store) {
	t.Helper()
	for _, x := range []struct{ id, url, title, seen string }{
		{"front", "https://news.example/", "Harbour reopens after storm", "2026-11-15 08:00"},
		{"weather", "https://news.example/weather", "Gale warning lifted", "2026-11-18 09:00"},
		{"docs", "https://docs.example/guide", "How to install", "2026-11-19 00:00"},
	} {
		sub := &plat.Subscription{ID: x.id, URL: x.url, Tags: []string{"weather"}, Tell: []string{"phone"}, Made: at(t, "2026-11-01 00:00")}
		if x.id == "docs" {
			sub.Tags = nil
		}
		seen := at(t, x.seen)
		e := &storage.Examination{ID: x.id, Following: plat.Following{Pages: []plat.FollowedPage{{URL: x.url, Depth: 1, Examined: 2, Memory: []byte("memory")}}, Since: seen},
			Items:    []plat.Item{{ID: x.id + "-1", Subscription: x.id, Kind: plat.ItemNew, Title: x.title, Page: x.url, Version: 2, Lineage: 2, Seen: seen}},
			Messages: []plat.Message{{ID: x.id + "-m", Channel: "phone", Subscription: x.id, Items: []string{x.id + "-1"}, Made: seen, Due: seen}}}
		if err := errors.Join(s.Subscribe(t.Context(), sub), s.Examined(t.Context(), e)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutChannel(t.Context(), &plat.Channel{Name: "phone", URL: "https://phone.example/$TOKEN"}); err != nil {
		t.Fatal(err)
	}
	taken, err := s.Take(t.Context(), at(t, "2026-11-20 12:00"), time.Minute, 9)
	if err != nil {
		t.Fatal(err)
	}
	for i := range taken {
		if m := &taken[i]; m.ID == "front-m" {
			m.Attempts, m.Due, m.Error = 2, at(t, "2026-11-20 13:00"), "503"
			if err := s.Failed(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
}
