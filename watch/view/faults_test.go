package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
	"plat/watch/view"
)

const (
	page = "https://site.test/"
	feed = "https://site.test/feed"
)

func day(n int) time.Time { return time.Date(2026, 5, n, 6, 0, 0, 0, time.UTC) }

// visit records a visit that stored a version of a media type, or that failed with an error.
func visit(t *testing.T, s *sqlite.Store, url string, n int, kind string, fault string) {
	t.Helper()
	if fault != "" {
		if err := s.Record(t.Context(), plat.Visit{URL: url, Time: day(n), Outcome: plat.OutcomeHTTPError, Status: 500, Error: fault}, 0); err != nil {
			t.Fatal(err)
		}
		return
	}
	next := 1
	if v, err := s.Version(t.Context(), url, 0); err == nil {
		next = v.N + 1
	}
	content := fmt.Appendf(nil, "<p>%d</p>", n)
	l := plat.Layout{HTML: []byte("<html><body></body></html>"), Slots: []int32{12}}
	v := &plat.Version{URL: url, N: next, Taken: day(n), Layout: l.Sum(), Lineages: 2, Capture: plat.Capture{FinalURL: url, Status: 200, ContentType: kind}, Blocks: []plat.Block{
		{Parent: -1, Slot: -1, Run: 1, Lineage: 1},
		{Run: 1, Path: []int32{0}, Level: 1, Tag: "p", Lineage: 2, Content: content, Hash: plat.HashOf(content)},
	}}
	if _, err := s.Commit(t.Context(), &storage.Commit{Version: v, Layout: l, Visit: plat.Visit{URL: url, Time: day(n), Outcome: plat.OutcomeChanged, Version: next, Status: 200}}); err != nil {
		t.Fatal(err)
	}
}

func TestFailingFeedsAreNamedWithTheirErrorAndSinceWhen(t *testing.T) {
	const rss, html = "application/rss+xml", "text/html; charset=utf-8"
	for _, tc := range []struct {
		name   string
		visits func(t *testing.T, s *sqlite.Store)
		broken string
		want   []string // URL, error, day
		state  string
	}{
		{"all is well", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, page, 1, html, "")
			visit(t, s, feed, 1, rss, "")
		}, "", nil, "ok"},
		{"not visited yet", func(t *testing.T, s *sqlite.Store) {}, "", nil, "ok"},
		{"an error since the third visit", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, feed, 1, "", "an earlier one")
			visit(t, s, feed, 2, rss, "")
			visit(t, s, feed, 3, "", "the first one")
			visit(t, s, feed, 4, "", "the server answered with status 500")
		}, "", []string{feed, "the server answered with status 500", "3"}, "a feed fails: the server answered with status 500"},
		{"an error from the first", func(t *testing.T, s *sqlite.Store) { visit(t, s, feed, 2, "", "no") }, "", []string{feed, "no", "2"}, "a feed fails: no"},
		{"an error that is over", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, feed, 1, "", "no")
			visit(t, s, feed, 2, rss, "")
		}, "", nil, "ok"},
		{"a page in place of the feed", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, feed, 1, html, "")
			visit(t, s, feed, 2, rss, "")
			visit(t, s, feed, 3, html, "")
			visit(t, s, feed, 4, "application/xhtml+xml", "")
		}, "", []string{feed, "it answers with a page, and not with a feed", "3"}, "a feed fails: it answers with a page"},
		{"the page itself", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, page, 1, html, "")
			visit(t, s, page, 2, "", "no answer")
		}, "", []string{page, "no answer", "2"}, "the last visit: http-error"},
		{"a page that was a feed", func(t *testing.T, s *sqlite.Store) {
			visit(t, s, page, 1, rss, "")
			visit(t, s, page, 2, html, "")
		}, "its list is gone", []string{page, "it answers with a page, and not with a feed", "2"}, "its list is gone"},
		{"a page that was none", func(t *testing.T, s *sqlite.Store) { visit(t, s, page, 1, html, "") }, "its list is gone", nil, "its list is gone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := sqlitetest.Open(t)
			tc.visits(t, s)
			st, _ := s.State(t.Context(), page)
			sub := &storage.Subscribed{Subscription: plat.Subscription{ID: "s", URL: page, Feeds: []string{feed}}}
			sub.Broken, sub.Pages = tc.broken, []plat.FollowedPage{{URL: page}}
			got, err := view.Read(t.Context(), s, sub, &st)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, f := range got.Faults {
				said = append(said, f.URL, f.Error, fmt.Sprint(f.Since.Day()))
			}
			if !slices.Equal(said, tc.want) || !strings.HasPrefix(got.State, tc.state) {
				t.Errorf("faults %q, state %q; want %q, %q", said, got.State, tc.want, tc.state)
			}
			if sub.Paused = true; len(tc.want) > 0 {
				if got, err := view.Read(t.Context(), s, sub, &st); err != nil || len(got.Faults) > 0 || got.State != "paused" {
					t.Errorf("paused: %v, state %q, %v", got.Faults, got.State, err)
				}
			}
		})
	}
}
