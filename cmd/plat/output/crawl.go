package output

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/export"
	"plat/plat"
	"plat/queue/crawl"
	"plat/workers/batch"
)

// Crawled is the JSON of a visit of a crawl.
type Crawled struct {
	*batch.Page
	Depth int  `json:"depth"`           // links followed from a given URL
	Again bool `json:"again,omitempty"` // the visit failed, and is tried again
}

// Crawling is the progress of a crawl that runs.
type Crawling struct {
	crawl.Progress
	Rate    float64   // pages a second, lately
	Now     time.Time // by the clock of Next
	Next    time.Time // of the next visit, if none is possible now; zero: unknown
	Trouble string    // why no visit begins; empty: no trouble
	Ending  int       // visits that are finished before the crawl stops; 0: it goes on
}

// CrawlProgress is "120 done, 34 queued · 2 failed · 3.9 pages/s · 9s left, or more". Links that are not
// found yet take longer.
func CrawlProgress(p Crawling) string {
	line := terminal.Count(int64(p.Done)) + " done, " + terminal.Count(int64(p.Left-p.Again)) + " queued"
	if p.Failed > 0 {
		line += " · " + terminal.Count(int64(p.Failed)) + " failed"
	}
	if p.Rate > 0 && p.Left > p.Again {
		line += fmt.Sprintf(" · %.1f pages/s", p.Rate)
	}
	switch {
	case p.Ending > 0:
		return line + " · finishing " + terminal.Counted(p.Ending, "page") + "; Ctrl-C again stops at once"
	case p.Trouble != "":
		return line + " · " + p.Trouble
	case p.Again > 0 && p.Again == p.Left:
		line += " · " + terminal.Count(int64(p.Again)) + " to be tried again"
		if wait := p.Next.Sub(p.Now); !p.Next.IsZero() && wait > 0 {
			line += " in " + wait.Round(time.Second).String()
		}
	case p.Rate > 0 && p.Left > 0:
		line += " · " + time.Duration(float64(p.Left)/p.Rate*float64(time.Second)).Round(time.Second).String() + " left, or more"
	}
	return line
}

// CrawlEnd is the result of a crawl.
type CrawlEnd struct {
	crawl.Summary
	URLs    []string // given
	Scope   string
	Limit   int
	Begun   time.Time     // of the first run
	Earlier int           // pages of earlier runs
	Spent   time.Duration // in this run
	Totals  batch.Totals  // of this run
	Export  *export.Summary
}

// outcomeNotes explain the rows of a summary.
var outcomeNotes = map[plat.Outcome]string{
	plat.OutcomeAlias:       "other addresses of these pages",
	plat.OutcomeBlank:       "nothing is visible",
	plat.OutcomeGone:        "status 404 or 410",
	plat.OutcomeHTTPError:   "a different status from 400 up",
	plat.OutcomeUnreachable: "no such host, or no connection",
	plat.OutcomeTimeout:     "a time limit was exceeded",
	plat.OutcomeDisallowed:  "by robots.txt, or by the page",
	plat.OutcomeUnsupported: "not pages",
	plat.OutcomeDownload:    "not pages",
	plat.OutcomeRefused:     "private addresses, see --allow-private",
	plat.OutcomeRedirects:   "they redirect without an end",
	plat.OutcomeCut:         "the connection ended before the page was complete",
	plat.OutcomeTooLarge:    "a limit of size was exceeded, see --max-bytes",
	plat.OutcomeLogin:       "a login instead of the page",
	plat.OutcomeBlocked:     "“are you human” instead of the page",
	plat.OutcomeMissing:     "“not found” with status 200",
	plat.OutcomeMaintenance: "“back soon” instead of the page",
	plat.OutcomeMoved:       "a different address instead of the page",
	plat.OutcomeReplaced:    "a different page",
	plat.OutcomePartial:     "a part of the page is missing",
}

// firstOutcomes are the outcomes of found pages, as a summary lists them.
var firstOutcomes = []plat.Outcome{plat.OutcomeNew, plat.OutcomeChanged, plat.OutcomeUnchanged, plat.OutcomeBlank, plat.OutcomeAlias}

// CrawlSummary prints the outcomes of a crawl.
func CrawlSummary(out *terminal.Screen, e *CrawlEnd, asJSON bool) {
	if asJSON {
		out.JSON(crawlJSON(e))
		return
	}
	var t terminal.Table
	t.Head("outcome", ">pages", "")
	row := func(name string, n int, st terminal.Style, note string) {
		t.Row(terminal.Text(name).In(st), terminal.Number(terminal.Count(int64(n))), terminal.Text(note).In(terminal.Faint))
	}
	order := slices.SortedFunc(maps.Keys(e.Outcomes), func(a, b plat.Outcome) int {
		rank := func(o plat.Outcome) int { return slices.Index(append([]plat.Outcome{""}, firstOutcomes...), o) }
		x, y := rank(a), rank(b)
		if x < 0 || y < 0 {
			return cmp.Or(y-x, e.Outcomes[b]-e.Outcomes[a], cmp.Compare(a, b))
		}
		return x - y
	})
	for _, o := range order {
		st := terminal.Plain
		if o.Failed() && o != plat.OutcomeDisallowed {
			st = terminal.Red
		}
		row(string(o), e.Outcomes[o], st, outcomeNotes[o])
	}
	if e.PutOff > 0 {
		row("put off", e.PutOff, terminal.Plain, "URLs like them brought nothing new; --traps rules visits them")
	}
	if e.Left > 0 {
		note := "beyond the limit of " + terminal.Counted(e.Limit, "page")
		if e.Limit == 0 {
			note = ""
		}
		row("not visited", e.Left, terminal.Plain, note)
	}
	t.Print(out)
	line := fmt.Sprintf("%s in %s", terminal.Counted(e.Pages-e.Earlier, "page"), terminal.Took(e.Spent))
	if n := e.Pages - e.Earlier; e.Spent >= time.Second && n > 0 {
		line += fmt.Sprintf(", %.1f pages/s", float64(n)/e.Spent.Seconds())
	}
	if e.Earlier > 0 {
		line += fmt.Sprintf(" (%s before the interruption)", terminal.Count(int64(e.Earlier)))
	}
	if e.Failed > 0 {
		line += ", " + terminal.Count(int64(e.Failed)) + " failed"
	}
	out.Print(out.Paint(terminal.Bold, line+"; "+Stored(&e.Totals)))
}

// crawlJSON is the last line of a crawl with --json.
func crawlJSON(e *CrawlEnd) any {
	type crawled struct {
		URLs    []string             `json:"urls"`
		Scope   string               `json:"scope"`
		Limit   int                  `json:"limit,omitempty"`
		Begun   time.Time            `json:"begun"`
		Pages   int                  `json:"pages"`
		Earlier int                  `json:"earlier,omitempty"`
		Counts  map[plat.Outcome]int `json:"outcomes"`
		Failed  int                  `json:"failed"`
		PutOff  int                  `json:"put_off"`
		Left    int                  `json:"not_visited"`
		Page    int64                `json:"page_bytes"`
		Stored  int64                `json:"stored_bytes"`
		Picture int64                `json:"picture_bytes"`
		Files   int64                `json:"resource_bytes"`
		MS      int64                `json:"ms"`
		Export  *export.Summary      `json:"export,omitempty"`
	}
	return struct {
		Crawl crawled `json:"crawl"`
	}{crawled{e.URLs, e.Scope, e.Limit, e.Begun, e.Pages, e.Earlier, e.Outcomes, e.Failed, e.PutOff, e.Left,
		e.Totals.PageBytes, e.Totals.StoredBytes, e.Totals.PictureBytes, e.Totals.ResourceBytes, e.Spent.Milliseconds(), e.Export}}
}

// Fetched is the line of a list of URLs that was read: a sitemap, a feed.
func Fetched(out *terminal.Screen, url string, took time.Duration, links int) string {
	row := []terminal.Cell{terminal.Text(string(plat.OutcomeFetched)).In(terminal.Faint), terminal.Text("-"), {}, {}, terminal.Text(terminal.Counted(links, "new URL")), {}, terminal.Number(terminal.Took(took)), terminal.Text(url)}
	return terminal.Line(out, row, columns)
}

// Idle is the text of a fleet that has nothing to visit until next, zero for never.
func Idle(now, next time.Time) string {
	if next.IsZero() {
		return "idle: everything is visited, and nothing is due later"
	}
	wait := max(0, next.Sub(now))
	text := wait.Round(time.Second).String()
	if wait >= time.Minute {
		text = strings.TrimSuffix(wait.Round(time.Minute).String(), "0s")
	}
	return fmt.Sprintf("idle: everything that is due is visited; the next visit is due at %s UTC, in %s", terminal.Clock(next), text)
}
