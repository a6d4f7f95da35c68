package output

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plat/cmd/plat/terminal"
	"plat/export"
	"plat/plat"
	"plat/queue/crawl"
	"plat/workers/batch"
)

func TestTheProgressOfACrawl(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, x := range []struct {
		p    Crawling
		want string
	}{
		{Crawling{Progress: crawl.Progress{Left: 1}}, "0 done, 1 queued"},
		{Crawling{Progress: crawl.Progress{Done: 1200, Left: 34, Failed: 2}, Rate: 3.94}, "1,200 done, 34 queued · 2 failed · 3.9 pages/s · 9s left, or more"},
		{Crawling{Progress: crawl.Progress{Done: 5, Left: 3, Again: 1}, Rate: 1}, "5 done, 2 queued · 1.0 pages/s · 3s left, or more"},
		{Crawling{Progress: crawl.Progress{Done: 5, Left: 2, Again: 2}, Rate: 1, Now: now, Next: now.Add(8 * time.Second)}, "5 done, 0 queued · 2 to be tried again in 8s"},
		{Crawling{Progress: crawl.Progress{Done: 5, Left: 2, Again: 2}, Now: now}, "5 done, 0 queued · 2 to be tried again"},
		{Crawling{Progress: crawl.Progress{Done: 5, Left: 2}, Trouble: "waiting for room"}, "5 done, 2 queued · waiting for room"},
		{Crawling{Progress: crawl.Progress{Done: 5, Left: 2}, Rate: 2, Ending: 1}, "5 done, 2 queued · 2.0 pages/s · finishing 1 page; Ctrl-C again stops at once"},
	} {
		if got := CrawlProgress(x.p); got != x.want {
			t.Errorf("%+v:\n%s\nwant\n%s", x.p, got, x.want)
		}
	}
}

func TestTheSummaryOfACrawlIsAligned(t *testing.T) {
	e := &CrawlEnd{
		Summary: crawl.Summary{Outcomes: map[plat.Outcome]int{"new": 1234, "alias": 5, "gone": 7, "http-error": 7, "timeout": 12, "unchanged": 20}, Pages: 1285, Failed: 26, Left: 40, PutOff: 3},
		URLs:    []string{"https://a.test/"}, Scope: "host", Limit: 1300, Spent: 100 * time.Second, Earlier: 85, Totals: batch.Totals{PageBytes: 5_400_000, StoredBytes: 440_000},
	}
	var b bytes.Buffer
	CrawlSummary(terminal.NewScreen(&b), e, false)
	want := `outcome      pages
new          1,234
unchanged       20
alias            5  other addresses of these pages
timeout         12  a time limit was exceeded
gone             7  status 404 or 410
http-error       7  a different status from 400 up
put off          3  URLs like them brought nothing new; --traps rules visits them
not visited     40  beyond the limit of 1,300 pages
1,200 pages in 1m40s, 12.0 pages/s (85 before the interruption), 26 failed; 5.4 MB of HTML; stored: blocks 440 kB
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	e.Export = &export.Summary{Files: []string{"a.wacz"}}
	CrawlSummary(terminal.NewScreen(&b), e, true)
	for _, part := range []string{`{"crawl":{"urls":["https://a.test/"],"scope":"host","limit":1300,`, `"pages":1285,"earlier":85,`, `"failed":26,"put_off":3,"not_visited":40,`, `"files":["a.wacz"]`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%s has no %s", b.String(), part)
		}
	}
}

func TestIdleSaysWhenItEnds(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for wait, want := range map[time.Duration]string{20 * time.Second: "in 20s", 70 * time.Second: "in 1m", 24 * time.Hour: "in 24h0m", -time.Second: "in 0s", 90 * time.Minute: "in 1h30m"} {
		if got := Idle(now, now.Add(wait)); !strings.HasSuffix(got, " UTC, "+want) {
			t.Errorf("%v: %q, want %q", wait, got, want)
		}
	}
	if got := Idle(now, time.Time{}); !strings.Contains(got, "nothing is due later") {
		t.Error(got)
	}
}
