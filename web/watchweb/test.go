package watchweb

import (
	"net/http"

	"plat/plat"
	"plat/watch"
	"plat/watch/follow"
	"plat/watch/view"
	"plat/web/api"
	"plat/web/layout"
)

// shownEntries is the maximum number of displayed entries of a list.
const shownEntries = 20

// foundList is a list that was found on a page.
type foundList struct {
	Why     string
	N       int
	Entries []foundEntry
}

type foundEntry struct{ Title, Href, Dated, Excerpt string }

// showTest shows which lists a subscription finds on the last version of its page. Nothing is
// visited, and nothing stored.
func (s *Server) showTest(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, st, err := s.oneVisited(r)
	if err != nil {
		return err
	}
	data := struct {
		layout.Page
		ID, Name string
		URL      string
		V        *plat.Version
		Lists    []foundList
		Passed   []watch.Passed
		Sought   string // what plat looks for, and what it found, if there is no list
	}{ID: sub.ID, Name: titleOf(&sub.Subscription), URL: sub.URL, Sought: view.Sought(watch.NoList)}
	data.Page = s.page("Test of " + data.Name)
	if data.V, err = s.head(r.Context(), &st); err != nil {
		return err
	}
	if data.V != nil {
		lists, err := follow.ListsOf(r.Context(), s.Store, data.V, &sub.Subscription)
		if err != nil {
			return err
		}
		for i := range lists.Chosen {
			data.Lists = append(data.Lists, foundOf(&lists.Chosen[i]))
		}
		for _, p := range lists.Passed {
			data.Passed = append(data.Passed, shownPassed(p))
		}
	}
	return s.render(w, "test", &data)
}

func foundOf(l *watch.List) foundList {
	f := foundList{Why: l.Why, N: len(l.Entries)}
	for i := range l.Entries[:min(shownEntries, len(l.Entries))] {
		e := &l.Entries[i]
		x := foundEntry{Title: layout.Line(e.Title, maxTitle), Href: layout.Opens(e.URL), Excerpt: layout.Line(e.Excerpt, maxTitle)}
		if e.Dated.OK() {
			x.Dated = e.Dated.String()
		}
		f.Entries = append(f.Entries, x)
	}
	return f
}
