package watchweb

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/watch/view"
	"plat/web/api"
	"plat/web/cache"
	"plat/web/layout"
)

// perPage is the number of subscriptions on a page.
const perPage = 100

// Sorts are the orders of subscriptions.
var sorts = []string{"title", "latest", "unread", "next", "state", "group"}

// states are the values of the parameter state.
var states = []string{"ok", "new", "paused", "choose", "broken"}

// row is a subscription in a list.
type row struct {
	*storage.Subscribed
	Name  string
	Host  string
	State string // in words
	Class string // ok, new, paused, choose or broken
	Next  string // visit
	st    plat.URLState
	known bool // st is
}

// named is a group or a tag, and how many subscriptions have it.
type named struct {
	Name string
	N    int
}

// listPage is the page of all subscriptions.
type listPage struct {
	layout.Page
	Q, Group, Tag, State, Sort string
	Sorts, States              []string
	Groups, Tags               []named
	All, Found, Unread         int
	Rows                       []*row
	Now                        time.Time
	Feeds                      []layout.Feed
	Form                       settings
	Pager                      layout.Pager
}

// showList shows the subscriptions.
func (s *Server) showList(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx := r.Context()
	sel := selectionOf(p)
	data := listPage{
		Page: s.page("Subscriptions"), Q: p.Text("q", maxText), Group: sel.Group, Tag: sel.Tag,
		State: api.One(p, "state", p.Query.Get("state"), states), Sort: cmp.Or(api.One(p, "sort", p.Query.Get("sort"), sorts), sorts[0]),
		Sorts: sorts, States: states, Now: time.Now().UTC(), Feeds: feedLinks(&sel, "new items"),
	}
	from := p.From()
	if p.Err != nil {
		return p.Err
	}
	data.Page.Feeds = data.Feeds
	all, err := s.subscriptions(ctx, &selection{})
	if err != nil {
		return err
	}
	data.All = len(all)
	data.Groups, data.Tags = names(all)
	rows := selected(all, &sel, data.Q)
	for _, x := range rows {
		data.Unread += x.Unread
	}
	if data.State != "" || data.Sort == "state" || data.Sort == "next" {
		if err := s.look(ctx, rows); err != nil {
			return err
		}
	}
	if data.State != "" {
		rows = slices.DeleteFunc(rows, func(x *row) bool { return x.Class != data.State })
	}
	sortRows(rows, data.Sort)
	data.Found = len(rows)
	data.Rows = rows[min(from, len(rows)):min(from+perPage, len(rows))]
	if err := s.look(ctx, data.Rows); err != nil {
		return err
	}
	s.entitle(ctx, data.Rows)
	to := func(from int) string {
		return layout.Link("/watch", "q", data.Q, "group", sel.Group, "tag", sel.Tag, "state", data.State, "sort", p.Query.Get("sort"), "from", strconv.Itoa(from))
	}
	if from > 0 {
		data.Pager.Prev, data.Pager.PrevName = to(max(0, from-perPage)), "before"
	}
	if from+perPage < len(rows) {
		data.Pager.Next, data.Pager.NextName = to(from+perPage), "more"
	}
	data.Form = settings{Kinds: kindsOf(nil)}
	if data.Form.Channels, err = s.channelsOf(ctx, nil); err != nil {
		return err
	}
	return s.render(w, "list", &data)
}

// names counts groups and tags, in order.
func names(all []*storage.Subscribed) (groups, tags []named) {
	inGroup, withTag := map[string]int{}, map[string]int{}
	for _, x := range all {
		if x.Group != "" {
			inGroup[x.Group]++
		}
		for _, t := range x.Tags {
			withTag[t]++
		}
	}
	for _, x := range []struct {
		from map[string]int
		to   *[]named
	}{{inGroup, &groups}, {withTag, &tags}} {
		for name, n := range x.from {
			*x.to = append(*x.to, named{name, n})
		}
		slices.SortFunc(*x.to, func(a, b named) int { return cmp.Compare(a.Name, b.Name) })
	}
	return groups, tags
}

// selected are the rows of a group, with a tag, whose title or address has some words.
func selected(all []*storage.Subscribed, sel *selection, q string) []*row {
	q = strings.ToLower(q)
	words := strings.Fields(q)
	var rows []*row
	for _, x := range all {
		if sel.Group != "" && x.Group != sel.Group || sel.Tag != "" && !slices.Contains(x.Tags, sel.Tag) {
			continue
		}
		if len(words) > 0 {
			text := strings.ToLower(x.Title + " " + x.URL + " " + x.Group + " " + strings.Join(x.Tags, " "))
			if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) && x.ID != q {
				continue
			}
		}
		rows = append(rows, &row{Subscribed: x, Name: titleOf(&x.Subscription), Host: plat.HostOf(x.URL)})
	}
	return rows
}

// lookers is the number of concurrent look-ups: with thousands of rows a single one takes too
// long.
const lookers = 4

// look finds the states of rows.
func (s *Server) look(ctx context.Context, rows []*row) error {
	if len(rows) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	for some := range slices.Chunk(rows, (len(rows)+lookers-1)/lookers) {
		work.Go(func() {
			for _, x := range some {
				if err := s.lookUp(ctx, x); err != nil {
					cancel(err) // the first cause stays
					return
				}
			}
		})
	}
	work.Wait()
	return context.Cause(ctx)
}

func (s *Server) lookUp(ctx context.Context, x *row) (err error) {
	if x.known {
		return nil
	}
	if x.st, err = s.state(ctx, x.URL); err != nil {
		return err
	}
	x.known = true
	faults, err := view.Faults(ctx, s.Store, x.Subscribed, &x.st)
	if err != nil {
		return err
	}
	x.State, x.Class = stateOf(x.Subscribed, &x.st, faults)
	x.Next = nextVisit(&x.st, time.Now())
	return nil
}

// stateOf says in words whether all is well with a subscription, and in one of states.
func stateOf(sub *storage.Subscribed, st *plat.URLState, faults []view.Fault) (words, class string) {
	switch words = view.StateOf(sub, st, faults); words {
	case "ok", "paused":
		return words, words
	case view.Choose:
		return words, "choose"
	case "new":
		if st.Head > 0 {
			return "visited, not examined yet", words
		}
		return "not visited yet", words
	}
	if st.Outcome.Failed() && !sub.Paused {
		words = outcomes[st.Outcome]
		if words == "" {
			words = string(st.Outcome)
		}
		words = "the last visit failed: " + words
	}
	return layout.Line(words, maxTitle), "broken"
}

// outcomes are outcomes of visits, in words.
var outcomes = map[plat.Outcome]string{
	plat.OutcomeUnsupported: "the browser does not show files of this type", plat.OutcomeRefused: "blocked: private address",
	plat.OutcomeGone: "the page is gone", plat.OutcomeHTTPError: "the server answers with an error", plat.OutcomeUnreachable: "the server cannot be reached",
	plat.OutcomeTimeout: "it took too long", plat.OutcomeTooLarge: "the page is too large", plat.OutcomeRedirects: "it redirects in circles",
	plat.OutcomeDownload: "it is a file to save", plat.OutcomeCrashed: "the browser crashed", plat.OutcomeCut: "the connection ended too early",
	plat.OutcomeDisallowed: "robots.txt disallows it", plat.OutcomeStepsFailed: "a step on the page failed", plat.OutcomeLoginFailed: "the login failed",
	plat.OutcomeFocusTaken: "a frame of a different site took the focus during a step",
	plat.OutcomeMoved:      "a different page answers", plat.OutcomeLogin: "it asks for a password", plat.OutcomeBlocked: "it refuses visitors, or shows a CAPTCHA",
	plat.OutcomeMaintenance: "it says to come back later", plat.OutcomeMissing: "it says that there is no such page", plat.OutcomeReplaced: "hardly anything is left of the page",
	plat.OutcomePartial: "a part of it is missing",
}

func nextVisit(st *plat.URLState, now time.Time) string {
	switch d := st.Due.Sub(now); {
	case st.Due.IsZero():
		return "never"
	case d > 0:
		return "in " + excerpt.Span(d)
	}
	return "now"
}

func sortRows(rows []*row, by string) {
	slices.SortStableFunc(rows, func(a, b *row) int {
		c := 0
		switch by {
		case "latest":
			c = b.Latest.Compare(a.Latest)
		case "unread":
			c = cmp.Compare(b.Unread, a.Unread)
		case "group":
			c = cmp.Compare(a.Group, b.Group)
		case "state":
			c = cmp.Compare(slices.Index(states, b.Class), slices.Index(states, a.Class)) // broken first
		case "next":
			if c = a.st.Due.Compare(b.st.Due); a.st.Due.IsZero() != b.st.Due.IsZero() {
				c = -c // never is last
			}
		}
		return cmp.Or(c, cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.ID, b.ID))
	})
}

// titleTime is the time limit for reading titles of pages: the next request reads the remaining
// ones.
const titleTime = 60 * time.Millisecond

// entitle gives rows without a title that of their page.
func (s *Server) entitle(ctx context.Context, rows []*row) {
	ctx, done := context.WithTimeout(ctx, titleTime)
	defer done()
	for _, x := range rows {
		if x.Title == "" && x.st.Head > 0 {
			x.Name = cmp.Or(s.pageTitle(ctx, &x.st), x.Name)
		}
	}
}

// pageTitle returns the title of a page's last version, empty if it has no title or time is over.
func (s *Server) pageTitle(ctx context.Context, st *plat.URLState) string {
	if st.Head == 0 || ctx.Err() != nil {
		return ""
	}
	title, _ := cache.Remember(ctx, s.Cache, "watched title "+strconv.Itoa(st.Head)+" "+st.URL, func(t string) int64 { return int64(len(t)) + 100 },
		func(ctx context.Context) (string, error) {
			v, err := s.Head(ctx, st.URL)
			if err != nil {
				return "", err
			}
			return layout.Line(v.Capture.Title, maxTitle), nil
		})
	return title
}

// letter returns the replacement for a missing icon of a page.
func letter(u string) string {
	host := plat.HostOf(u)
	if p, err := url.Parse(u); err == nil {
		host = strings.TrimPrefix(p.Hostname(), "www.")
	}
	for _, r := range strings.ToUpper(host) {
		return string(r)
	}
	return "?"
}
