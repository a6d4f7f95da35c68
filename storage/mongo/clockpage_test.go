package mongo

import (
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/workers"
)

// A page that shows a time to the second has one version, whatever the number of visits: what is learned
// of it is kept with its URL.
func TestAPageThatShowsTheTime(t *testing.T) {
	s := openTemp(t)
	describer, err := label.New(label.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &fixtures.ClockPage{
		Snap: fixtures.Snapshot(t, "site-1"), Replaced: "twenty centimetres", Now: time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC),
		Show: func(at time.Time) string { return at.Format(time.RFC3339) },
	}
	w := workers.New(p, s, describer, workers.Options{News: workers.News{SecondLook: "new"}})
	versions, content := 0, 0
	for v := range 140 {
		p.Now = p.Now.Add([]time.Duration{83 * time.Second, 2*time.Hour + 11*time.Minute, 26*time.Hour + 7*time.Second}[v%3])
		r, err := w.Visit(t.Context(), plat.Job{URL: "https://a.test/"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stored {
			versions++
		}
		if v > 0 {
			content += r.Changes[plat.Content] + r.Changes[plat.Added] + r.Changes[plat.Removed]
		}
	}
	t.Logf("140 visits: %d versions, %d changes of content", versions, content)
	if versions > 2 || content > 0 {
		t.Errorf("%d versions, %d changes of content; want one version", versions, content)
	}
}
