package watchweb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/export/draw"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/schedule"
	"plat/storage"
	"plat/watch"
	"plat/watch/follow"
	"plat/watch/view"
	"plat/web/api"
	"plat/web/layout"
)

// settings are the fields of the form that makes or changes a subscription.
type settings struct {
	ID, URL, Title, Every, Budget, Group, Tags, Digest string
	Match, Except, Labels                              string
	Depth                                              int
	Kinds                                              []option
	Channels                                           []option
}

// option is something that can be ticked.
type option struct {
	Name, Text string
	On         bool
}

// kindWords are the kinds of items in words.
var kindWords = []struct {
	kind plat.ItemKind
	text string
}{{plat.ItemNew, "new entries"}, {plat.ItemChanged, "changed entries"}, {plat.ItemRemoved, "removed entries"}, {plat.ItemText, "added text"}}

func kindsOf(on []plat.ItemKind) []option {
	var all []option
	for _, k := range kindWords {
		all = append(all, option{string(k.kind), k.text, slices.Contains(on, k.kind)})
	}
	return all
}

// channelsOf returns all channels, and the selected ones that do not exist.
func (s *Server) channelsOf(ctx context.Context, told []string) ([]option, error) {
	var all []option
	for c, err := range s.Store.Channels(ctx) {
		if err != nil {
			return nil, err
		}
		o := option{c.Name, layout.Line(c.Name, 60), slices.Contains(told, c.Name)}
		if c.Disabled != "" {
			o.Text += " (not in use: " + layout.Line(c.Disabled, 100) + ")"
		}
		all = append(all, o)
	}
	for _, name := range told {
		if !slices.ContainsFunc(all, func(o option) bool { return o.Name == name }) {
			all = append(all, option{name, layout.Line(name, 60) + " (there is no such channel)", true})
		}
	}
	return all, nil
}

// settingsOf are those of a subscription.
func (s *Server) settingsOf(ctx context.Context, sub *plat.Subscription, st *plat.URLState) (settings, error) {
	f := settings{ID: sub.ID, URL: sub.URL, Title: excerpt.Printable(sub.Title), Group: excerpt.Printable(sub.Group), Tags: excerpt.Printable(strings.Join(sub.Tags, ", ")), Digest: sub.Digest, Budget: st.Schedule.Budget,
		Match: strings.Join(sub.Match, "\n"), Except: strings.Join(sub.Except, "\n"), Depth: storage.DepthOf(sub), Kinds: kindsOf(sub.Kinds)}
	if st.Schedule.Every > 0 && st.Schedule.Budget == "" {
		f.Every = excerpt.Interval(st.Schedule.Every.String())
	}
	var labels []string
	for _, l := range sub.Labels {
		labels = append(labels, string(l))
	}
	f.Labels = strings.Join(labels, ", ")
	var err error
	f.Channels, err = s.channelsOf(ctx, sub.Tell)
	return f, err
}

// onePage is the page of a subscription.
type onePage struct {
	layout.Page
	*storage.Subscribed
	Name     string
	State    string
	Class    string
	St       plat.URLState
	Next     string
	Visited  string // how often
	Choice   []choice
	Faults   []view.Fault
	Sought   string         // the aim and the result of the search for a list, if the reader has to choose one
	Down     bool           // nothing can be found on the page itself
	Passed   []watch.Passed // lists that can be chosen, if nothing is watched yet
	Days     []day
	First    bool
	Now      time.Time
	Feeds    []layout.Feed
	Form     settings
	Overlay  *draw.Overlay
	Pictured bool
	N        int // version in the picture
	Pager    layout.Pager
}

// choice is a chosen or muted block.
type choice struct {
	Lineage int32
	Muted   bool
	Name    string // as the last version has it
	Gone    bool   // it is not in it
	Href    string // its history
}

// showOne shows a subscription.
func (s *Server) showOne(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx, from := r.Context(), after(p)
	if p.Err != nil {
		return p.Err
	}
	sub, st, err := s.oneVisited(r)
	if err != nil {
		return err
	}
	data := onePage{Subscribed: sub, St: st, Next: nextVisit(&st, time.Now()), First: from == storage.ItemPlace{}, Now: time.Now().UTC(), Visited: visited(&st.Schedule)}
	if data.Faults, err = view.Faults(ctx, s.Store, sub, &st); err != nil {
		return err
	}
	for i := range data.Faults {
		data.Faults[i].Error = layout.Line(data.Faults[i].Error, maxTitle)
	}
	data.State, data.Class = stateOf(sub, &st, data.Faults)
	data.Down = data.Class == "broken" && (st.Outcome.Failed() || sub.Broken != "")
	data.Name = titleOf(&sub.Subscription)
	v, err := s.head(ctx, &st)
	if err != nil {
		return err
	}
	if t := s.pageTitle(ctx, &st); sub.Title == "" && t != "" {
		data.Name = t
	}
	sel := selection{storage.Which{IDs: []string{sub.ID}}, sub.ID}
	data.Page, data.Feeds = s.page(data.Name), feedLinks(&sel, data.Name)
	data.Page.Feeds = data.Feeds
	found, next, err := s.items(ctx, storage.ItemQuery{Of: sel.Which, After: from, Limit: itemsPerPage}, false)
	if err != nil {
		return err
	}
	all := make([]entry, len(found))
	lineages := map[int32]bool{}
	for i, it := range found {
		all[i] = entryOf(it, sub)
		lineages[it.Lineage] = it.Lineage > 0 && it.Page == sub.URL
	}
	data.Days = byDay(all)
	to := func(after string) string { return layout.Link("/watch/"+sub.ID, "after", after) }
	if next != nil {
		data.Pager.Next, data.Pager.NextName = to(placeOf(next)), "older items"
	}
	if !data.First {
		data.Pager.Prev, data.Pager.PrevName = to(""), "latest items"
	}
	if data.Form, err = s.settingsOf(ctx, &sub.Subscription, &st); err != nil {
		return err
	}
	data.Choice = choices(&sub.Subscription, v)
	if data.Class == "choose" {
		data.Sought = view.Sought(layout.Line(sub.Broken, maxTitle))
	}
	if data.Class == "choose" && v != nil {
		lists, err := follow.ListsOf(ctx, s.Store, v, &sub.Subscription)
		if err != nil {
			return err
		}
		data.Passed = choosable(lists.Passed)
	}
	if v != nil && data.First {
		marks := marksOf(v, &sub.Subscription)
		o, err := s.Overlay(ctx, v, draw.View{Class: func(i int) string {
			if marks[i] == "" && lineages[v.Blocks[i].Lineage] {
				return "found"
			}
			return "watch-" + marks[i]
		}, Href: func(i int) string {
			return layout.Link("/block", "url", v.URL, "lineage", fmt.Sprint(v.Blocks[i].Lineage))
		}})
		if err != nil {
			return err
		}
		data.Overlay, data.N, data.Pictured = &o, v.N, !o.Plan
	}
	return s.render(w, "one", &data)
}

// choosable returns the lists that have a block of their own.
func choosable(all []watch.Passed) (out []watch.Passed) {
	for _, p := range all {
		if p.Block > 0 {
			out = append(out, shownPassed(p))
		}
	}
	return out
}

// shownPassed returns a list with its texts in one line each.
func shownPassed(p watch.Passed) watch.Passed {
	p.Heading, p.First = layout.Line(p.Heading, maxTitle), layout.Line(p.First, maxTitle)
	p.Titles = slices.Clone(p.Titles)
	for i := range p.Titles {
		p.Titles[i] = layout.Line(p.Titles[i], maxTitle)
	}
	return p
}

// head returns a page's last version, nil if there is no version.
func (s *Server) head(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	if st.Head == 0 {
		return nil, nil
	}
	v, err := s.Head(ctx, st.URL)
	if errors.Is(err, plat.ErrNotFound) {
		return nil, nil
	}
	return v, err
}

// visited returns the schedule of a page, in words.
func visited(of *plat.Schedule) string {
	switch {
	case of.Budget != "":
		return "Visited as often as a budget of " + of.Budget + " allows"
	case of.Every > 0:
		return "Visited every " + schedule.About(of.Every.Hours()/24)
	}
	return "The page has no schedule"
}

// marksOf says of each block whether it is chosen or muted, itself or a block around it.
func marksOf(v *plat.Version, sub *plat.Subscription) []string {
	marks := make([]string, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Parent >= 0 {
			marks[i] = marks[b.Parent]
		}
		switch {
		case b.Lineage == 0:
		case slices.Contains(sub.Muted, b.Lineage):
			marks[i] = "muted"
		case slices.Contains(sub.Blocks, b.Lineage) && marks[i] == "":
			marks[i] = "chosen"
		}
	}
	return marks
}

// choices are the chosen and the muted blocks of a subscription.
func choices(sub *plat.Subscription, v *plat.Version) []choice {
	var all []choice
	add := func(lineage int32, muted bool) {
		c := choice{Lineage: lineage, Muted: muted, Gone: true, Href: layout.Link("/block", "url", sub.URL, "lineage", fmt.Sprint(lineage))}
		if v != nil {
			if i := slices.IndexFunc(v.Blocks, func(b plat.Block) bool { return b.Lineage == lineage }); i >= 0 {
				c.Name, c.Gone = blockName(v, i), false
			}
		}
		all = append(all, c)
	}
	for _, l := range sub.Blocks {
		add(l, false)
	}
	for _, l := range sub.Muted {
		add(l, true)
	}
	return all
}
