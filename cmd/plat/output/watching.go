package output

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/watch"
	"plat/watch/follow"
	"plat/watch/notify"
	"plat/watch/view"
)

// Subscriptions prints subscriptions.
func Subscriptions(s *terminal.Screen, all []view.Subscription, now time.Time, asJSON bool) {
	if asJSON {
		for i := range all {
			s.JSON(&all[i])
		}
		return
	}
	if len(all) == 0 {
		s.Print("no subscriptions; plat watch add URL makes one")
		return
	}
	t := terminal.Table{}
	t.Head("ID", ">unread", ">items", "latest (UTC)", "next visit", "state", "page")
	for i := range all {
		r := &all[i]
		state := terminal.Text(r.State).AtMost(40)
		switch r.State {
		case "ok":
		case "new", "paused":
			state = state.In(terminal.Faint)
		default:
			state = state.In(terminal.Bold)
		}
		next := "-"
		if !r.Next.IsZero() {
			next = "now"
			if d := r.Next.Sub(now); d > 0 {
				next = "in " + excerpt.Span(d)
			}
		}
		name := r.URL
		if title := cmp.Or(r.Title, r.Page); title != "" {
			name = terminal.Shorten(excerpt.Printable(title), 60) + "  " + r.URL
		}
		if len(r.Tags) > 0 {
			name += "  [" + strings.Join(r.Tags, " ") + "]"
		}
		if len(r.Tell) > 0 {
			name += "  tells " + strings.Join(r.Tell, ", ")
		}
		t.Row(terminal.Text(r.ID), terminal.Number(terminal.Count(int64(r.Unread))), terminal.Number(terminal.Count(int64(r.Items))), terminal.Text(clock(r.Latest)), terminal.Text(next), state, terminal.Text(name))
	}
	t.Print(s)
	for i := range all {
		for _, f := range all[i].Faults {
			what := "page"
			if f.Feed {
				what = "feed"
			}
			s.Print(fmt.Sprintf("%s: the %s %s fails since %s: %s", all[i].ID, what, excerpt.Printable(f.URL), clock(f.Since), excerpt.Printable(terminal.Shorten(f.Error, 200))))
		}
	}
}

// Ended is the result of ending subscriptions.
type Ended struct {
	Removed []string         `json:"removed"`           // IDs
	Visited []follow.Visited `json:"visited,omitempty"` // pages that go on being visited
	Stopped []follow.Visited `json:"stopped,omitempty"`
}

// SubscriptionsEnded prints which subscriptions have ended, and which pages go on being visited.
func SubscriptionsEnded(s *terminal.Screen, e *Ended, asJSON bool) {
	if asJSON {
		s.JSON(e)
		return
	}
	s.Print("removed: " + terminal.Counted(len(e.Removed), "subscription"))
	begun := false
	for i, v := range e.Visited {
		begun = begun || v.Watched
		if i < someVisited {
			s.Print("  still visited " + often(&v.Schedule) + ": " + excerpt.Printable(v.URL))
		}
	}
	if n := len(e.Visited) - someVisited; n > 0 {
		s.Print(fmt.Sprintf("  and %d more", n))
	}
	if len(e.Visited) > 0 {
		text := "  plat schedule set URL --never ends that"
		if begun {
			text += " (plat watch rm --stop would have, and ends the visits of these subscriptions only)"
		}
		s.Print(text)
	}
	for i, v := range e.Stopped {
		switch {
		case i >= someVisited:
		case v.Schedule == (plat.Schedule{}):
			s.Print("  no longer visited: " + excerpt.Printable(v.URL))
		default:
			s.Print("  visited " + often(&v.Schedule) + " again, as before: " + excerpt.Printable(v.URL))
		}
	}
	if n := len(e.Stopped) - someVisited; n > 0 {
		s.Print(fmt.Sprintf("  and %d more", n))
	}
}

// someVisited is the number of pages that are named.
const someVisited = 10

// often describes a schedule.
func often(of *plat.Schedule) string {
	if of.Budget != "" {
		return "within " + of.Budget
	}
	return "every " + excerpt.Interval(of.Every.String())
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return terminal.Clock(t)
}

// kindMarks begin the line of an item that is not new.
var kindMarks = map[plat.ItemKind]string{plat.ItemChanged: "changed: ", plat.ItemRemoved: "gone: ", plat.ItemText: "text: ", plat.ItemPresent: "from the start: "}

// Items prints items, two lines of each. Those of one visit are in the order of their days, latest first, and then of their blocks.
func Items(s *terminal.Screen, all []view.Item) {
	slices.SortStableFunc(all, func(a, b view.Item) int {
		return cmp.Or(b.Seen.Compare(a.Seen), b.Dated.Compare(a.Dated), cmp.Compare(a.Lineage, b.Lineage))
	})
	if len(all) == 0 {
		s.Print("no items")
		return
	}
	for i := range all {
		it := &all[i]
		when := terminal.Clock(it.Seen)
		if !it.Dated.IsZero() {
			when = it.Dated.Format(time.DateOnly)
		}
		s.Print(fmt.Sprintf("%-16s  %s", when, s.Paint(terminal.Bold, excerpt.Printable(kindMarks[it.Kind]+it.Title))))
		where := it.URL
		switch {
		case where == "":
			where = it.Page
		case where != it.Page:
			where += "  on " + it.Page
		}
		s.Print(strings.Repeat(" ", 18) + s.Paint(terminal.Faint, excerpt.Printable(where)))
	}
}

// SiteFeed is a feed of a site beside the lists of its page.
type SiteFeed struct {
	URL     string `json:"url"`
	Entries int    `json:"entries"`
	Found   int    `json:"found"` // of them in the lists
	Error   string `json:"error,omitempty"`
}

// someEntries is the number of printed entries of a list unless all are requested.
const someEntries = 8

// Lists prints the lists that were found on a page. archived means that the archive has a version of it.
func Lists(s *terminal.Screen, url string, archived bool, found *watch.Lists, feeds []SiteFeed, all, asJSON bool) {
	if asJSON {
		s.JSON(listsJSON(url, found, feeds))
		return
	}
	if found.Feed && len(found.Chosen) == 0 {
		s.Print("a feed that has no entries now, or of which none is complete; its next ones are told")
		return
	}
	if len(found.Chosen) == 0 {
		s.Print(view.Choose + ": " + view.Sought(watch.NoList))
	}
	for i := range found.Chosen {
		l := &found.Chosen[i]
		if i > 0 {
			s.Print("")
		}
		s.Print(s.Paint(terminal.Bold, fmt.Sprintf("%d %s", len(l.Entries), l.Kind)) + s.Paint(terminal.Faint, "  "+l.Why))
		for k := range l.Entries {
			e := &l.Entries[k]
			if k == someEntries && !all {
				s.Print(s.Paint(terminal.Faint, fmt.Sprintf("  … and %d more; --all prints them", len(l.Entries)-k)))
				break
			}
			when := ""
			if e.Dated.OK() {
				when = e.Dated.String()
			}
			s.Print(fmt.Sprintf("  %-10s  %s", when, excerpt.Printable(terminal.Shorten(e.Title, 100))))
			if e.URL != "" {
				s.Print("              " + s.Paint(terminal.Faint, excerpt.Printable(e.URL)))
			}
		}
	}
	further(s, found.Further)
	passedOver(s, url, archived, found)
	if len(feeds) > 0 {
		s.Print("")
	}
	for _, f := range feeds {
		what := fmt.Sprintf("%d of its %d entries are in these lists", f.Found, f.Entries)
		if f.Error != "" {
			what = "it cannot be read: " + f.Error
		}
		s.Print("the site's own feed " + excerpt.Printable(f.URL+": "+what))
		if f.Error == "" {
			s.Print(s.Paint(terminal.Faint, "  --feed "+excerpt.Printable(f.URL)+" watches it beside the page"))
		}
	}
}

// passedOver prints the lists that a subscription does not watch, and how it would.
func passedOver(s *terminal.Screen, url string, archived bool, found *watch.Lists) {
	if len(found.Passed) > 0 {
		s.Print("")
		s.Print("passed over:")
	}
	for i := range found.Passed {
		p := &found.Passed[i]
		entries := "entries"
		if p.Entries == 1 {
			entries = "entry"
		}
		text := fmt.Sprintf("  %4d %s%s: %s", p.Entries, entries, named(p.Heading, p.Titles, p.Entries), p.Why)
		if p.Block > 0 {
			text += fmt.Sprintf("; --block %d watches it", p.Block)
		}
		s.Print(text)
	}
	url = excerpt.Printable(url)
	switch {
	case archived && (len(found.Passed) > 0 || len(found.Chosen) == 0):
		s.Print(s.Paint(terminal.Faint, fmt.Sprintf("plat watch add %s --block NUMBER watches a block; plat show %s prints the numbers of the smallest ones, and with --json those of all (lineage)", url, url)))
	case len(found.Passed) > 0 || len(found.Chosen) == 0:
		s.Print(s.Paint(terminal.Faint, fmt.Sprintf("to watch a part of the page: plat archive %s, then this command again, which then prints the numbers for --block", url)))
	}
}

// named names a list as a reader of the page sees it: by its heading and first entries.
func named(heading string, titles []string, entries int) string {
	text := ""
	if heading != "" {
		text = fmt.Sprintf(" below %q", terminal.Shorten(excerpt.Printable(heading), 40))
	}
	for i, title := range titles {
		if text += ", "; i == 0 {
			text += "as "
		}
		text += fmt.Sprintf("%q", terminal.Shorten(excerpt.Printable(title), 40))
	}
	if entries > len(titles) {
		text += " …"
	}
	return text
}

type listJSON struct {
	Kind    string      `json:"kind"`
	Heading string      `json:"heading,omitempty"`
	Why     string      `json:"why"`
	Entries []entryJSON `json:"entries"`
}

type entryJSON struct {
	Title   string `json:"title"`
	URL     string `json:"url,omitempty"`
	Dated   string `json:"dated,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// furtherJSON is a list that is watched for additions alone.
type furtherJSON struct {
	Kind    string   `json:"kind"`
	Heading string   `json:"heading,omitempty"`
	First   string   `json:"first"`  // title of the first entry
	Titles  []string `json:"titles"` // of the first entries
	Entries int      `json:"entries"`
}

func listsJSON(url string, found *watch.Lists, feeds []SiteFeed) any {
	out := struct {
		URL     string         `json:"url"`
		Lists   []listJSON     `json:"lists"`
		Further []furtherJSON  `json:"further"`
		Passed  []watch.Passed `json:"passed"`
		Feeds   []SiteFeed     `json:"feeds"`
	}{URL: url, Lists: []listJSON{}, Further: []furtherJSON{}, Passed: found.Passed, Feeds: feeds}
	for i := range found.Further {
		l := &found.Further[i]
		titles := l.Titles()
		out.Further = append(out.Further, furtherJSON{l.Kind, l.Heading, titles[0], titles, len(l.Entries)})
	}
	for i := range found.Chosen {
		l := listJSON{Kind: found.Chosen[i].Kind, Heading: found.Chosen[i].Heading, Why: found.Chosen[i].Why}
		for _, e := range found.Chosen[i].Entries {
			j := entryJSON{Title: e.Title, URL: e.URL, Excerpt: e.Excerpt}
			if e.Dated.OK() {
				j.Dated = e.Dated.String()
			}
			l.Entries = append(l.Entries, j)
		}
		out.Lists = append(out.Lists, l)
	}
	return out
}

// someFurther is the number of further lists that are printed.
const someFurther = 5

// further prints the largest lists that are watched for additions alone.
func further(s *terminal.Screen, lists []watch.List) {
	if len(lists) == 0 {
		return
	}
	all := slices.Clone(lists)
	slices.SortStableFunc(all, func(a, b watch.List) int { return cmp.Compare(len(b.Entries), len(a.Entries)) })
	s.Print("")
	s.Print("Also told, if the page only grows: entries that are added to its other lists")
	for i := range all {
		if i == someFurther {
			s.Print(s.Paint(terminal.Faint, fmt.Sprintf("  … and %d more lists", len(all)-i)))
			break
		}
		l := &all[i]
		s.Print(fmt.Sprintf("  %4d %s%s", len(l.Entries), l.Kind, named(l.Heading, l.Titles(), len(l.Entries))))
	}
}

// Channel is a channel as it is printed.
type Channel struct {
	Name     string    `json:"name"`
	URL      string    `json:"url"` // without secrets
	Disabled string    `json:"disabled,omitempty"`
	Waiting  int       `json:"waiting"` // messages
	Oldest   time.Time `json:"oldest,omitzero"`
	Error    string    `json:"error,omitempty"`
}

// ChannelOf is a channel as it is printed.
func ChannelOf(c *plat.Channel, b storage.Backlog) Channel {
	return Channel{Name: c.Name, URL: notify.Redacted(c.URL), Disabled: c.Disabled, Waiting: b.Messages, Oldest: b.Oldest, Error: b.Error}
}

// Channels prints channels.
func Channels(s *terminal.Screen, all []Channel, asJSON bool) {
	if asJSON {
		for i := range all {
			s.JSON(&all[i])
		}
		return
	}
	if len(all) == 0 {
		s.Print("no channels; plat watch channel add NAME URL makes one")
		return
	}
	t := terminal.Table{}
	t.Head("channel", ">waiting", "since (UTC)", "to", "state")
	for i := range all {
		c := &all[i]
		state := terminal.Text("ok")
		switch {
		case c.Disabled != "":
			state = terminal.Text("disabled: " + c.Disabled).AtMost(60).In(terminal.Bold)
		case c.Error != "":
			state = terminal.Text(c.Error).AtMost(60).In(terminal.Bold)
		}
		t.Row(terminal.Text(c.Name), terminal.Number(terminal.Count(int64(c.Waiting))), terminal.Text(clock(c.Oldest)), terminal.Text(c.URL).AtMost(60), state)
	}
	t.Print(s)
}
