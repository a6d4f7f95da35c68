package workers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/workers"
)

// A page that shows a time to the second has one version after 140 visits, minutes and days apart, and
// a change beside it is news at once.
func TestAPageThatShowsTheTime(t *testing.T) {
	launch := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, show := range map[string]func(at time.Time) string{
		"ISO":       func(at time.Time) string { return at.Format(time.RFC3339) },
		"RFC 1123":  func(at time.Time) string { return at.Add(7*time.Minute + 13*time.Second).Format(time.RFC1123) },
		"Korean":    func(at time.Time) string { return at.Add(9 * time.Hour).Format("2006년 1월 2일 15시 04분 05초") },
		"Unix":      func(at time.Time) string { return fmt.Sprint(at.Unix()) },
		"countdown": func(at time.Time) string { return launch.Sub(at).Truncate(time.Second).String() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &fixtures.ClockPage{Snap: fixtures.Snapshot(t, "site-1"), Replaced: "twenty centimetres", Show: show, Now: time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)}
			w := start(t, workers.Options{})
			looker := workers.New(p, w.store, describer(t), workers.Options{News: workers.News{SecondLook: noise.New}})
			versions, content, looks := 0, 0, 0
			visit := func(v int) {
				t.Helper()
				p.Now = p.Now.Add([]time.Duration{83 * time.Second, 2*time.Hour + 11*time.Minute, 26*time.Hour + 7*time.Second}[v%3])
				r, err := looker.Visit(t.Context(), plat.Job{URL: url})
				if err != nil {
					t.Fatal(err)
				}
				if looks += r.Looks; r.Stored {
					versions++
				}
				if v > 0 {
					content += r.Changes[plat.Content] + r.Changes[plat.Added] + r.Changes[plat.Removed]
				}
			}
			for v := range 140 {
				visit(v)
			}
			t.Logf("140 visits: %d versions, %d changes of content, %d second renderings", versions, content, looks)
			if versions > 2 || content > 0 || looks > 4 {
				t.Errorf("%d versions, %d changes of content, %d second renderings; want one version", versions, content, looks)
			}
			p.Show = func(at time.Time) string { return strings.Replace(show(at), show(at), "ten "+show(at), 1) }
			if visit(140); content == 0 {
				t.Error("a word that an author adds is no news")
			}
		})
	}
}
