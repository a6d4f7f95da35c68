package focusweb

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"plat/focus"
	"plat/focus/crawler"
	"plat/focus/topic"
	"plat/plat"
	"plat/web/api"
	"plat/web/layout"
)

// perPage is the number of crawls on a page.
const perPage = 100

// row is a crawl in the list.
type row struct {
	ID, Name, Share string
	State           plat.CrawlState
	Made            time.Time
	Report          *crawler.Report // nil: it has not begun
}

// subjects are topics to choose from, under the one above them.
type subjects struct {
	Name   string
	Topics []subject
}

type subject struct{ ID, Name string }

// listPage is the page of all crawls.
type listPage struct {
	layout.Page
	All      int
	Rows     []row
	Pager    layout.Pager
	ReadOnly bool
	Subjects []subjects
	Most     int // pages, by default
	Orders   []order
	Least    float64
}

type order struct{ Name, About string }

// showList shows the crawls, the latest first.
func (s *Server) showList(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	from := p.From()
	if p.Err != nil {
		return p.Err
	}
	var all []row
	for c, err := range s.store.Crawls(r.Context()) {
		if err != nil {
			return err
		}
		all = append(all, row{ID: c.ID, Name: nameOf(c.Name, c.ID), State: c.State, Made: c.Made})
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(a.ID, b.ID)) })
	data := listPage{Page: s.page("Focused crawls"), All: len(all), ReadOnly: s.readOnly, Most: crawler.DefaultPages}
	data.Rows, data.Pager = paged(all, from, perPage, "/focus")
	for i := range data.Rows {
		x := &data.Rows[i]
		var err error
		if x.Report, err = crawler.ReadReport(r.Context(), s.store, x.ID); err != nil {
			return err
		}
		if x.Report != nil {
			x.Share = share(x.Report.Counts.Belong, x.Report.Counts.Pages)
		}
	}
	if !s.readOnly {
		data.Subjects, data.Least = ready(), focus.DefaultLeast
		for _, name := range focus.Orders() {
			data.Orders = append(data.Orders, order{name, focus.AboutOrder(name)})
		}
	}
	return s.render(w, "list", &data)
}

// paged is a part of a list, and the links to those before and after it.
func paged[T any](all []T, from, each int, path string, params ...string) ([]T, layout.Pager) {
	to := func(from int) string {
		return layout.Link(path, append(slices.Clone(params), "from", strconv.Itoa(from))...)
	}
	var pager layout.Pager
	if from > 0 {
		pager.Prev, pager.PrevName = to(max(0, from-each)), "before"
	}
	if from+each < len(all) {
		pager.Next, pager.NextName = to(from+each), "more"
	}
	return all[min(from, len(all)):min(from+each, len(all))], pager
}

// ready are the topics that plat has.
func ready() []subjects {
	var all []subjects
	name := func(t *topic.Topic) string {
		en, zh := t.Name("en"), t.Name("zh")
		if en == zh {
			return en
		}
		return en + " · " + zh
	}
	for _, root := range topic.Ready().Roots {
		group := subjects{name(root), []subject{{root.ID, "all of " + name(root)}}}
		for _, t := range root.Topics {
			group.Topics = append(group.Topics, subject{t.ID, name(t)})
		}
		all = append(all, group)
	}
	return all
}
