package focusweb

import (
	"fmt"
	"net/http"
	"strconv"

	"plat/focus/crawler"
	"plat/plat"
	"plat/web/api"
	"plat/web/layout"
)

const (
	refreshEvery  = 10 // seconds, of the page of a crawl that runs
	pagesPerPage  = 50
	seedsShown    = 20
	maxURLShown   = 300 // characters
	maxReason     = 500 // characters
	othersOfCrawl = "others"
)

// head is the part that all pages of one crawl share.
type head struct {
	layout.Page
	ID, Name string
	ReadOnly bool
}

func (s *Server) head(c *plat.Crawl, title string) head {
	name := nameOf(c.Name, c.ID)
	if title != "" {
		title += " – "
	}
	return head{s.page(title + name), c.ID, name, s.readOnly}
}

// onePage is the page of a crawl.
type onePage struct {
	head
	St      *crawler.Status
	Report  *crawler.Report // nil: it has not begun
	Reason  string
	Topic   string
	Scope   string
	Running bool
	Most    int
	Seeds   []string
	More    int // seeds that are not shown

	Share   string
	Visited int
	Curve   *curve
	Sites   []site
	Left    []string
	Waiting []waiting
	Oldest  []pending

	Show           string // the kind of the pages shown: empty for those that belong, or othersOfCrawl
	Belong, Others tab
	Pages          []shown
	Pager          layout.Pager
	From           int
	Still          bool // it does not refresh periodically
	Toggle         string
}

// tab leads to pages of a kind.
type tab struct {
	Href string
	N    int
	Here bool
}

// site is a host as it is drawn.
type site struct {
	crawler.Site
	Host      string
	All, Part float64 // percent of the longest bar
}

// waiting is a link that is not followed yet.
type waiting struct {
	URL, Why, From string
	Expected       string
}

// pending is a page that was requested and has no result yet.
type pending struct {
	crawler.Pending
	URL string
}

// shown is a page of the crawl.
type shown struct {
	crawler.Page
	Name, Text string // its title, or its URL; its URL
	Live       string // where it is in the web; empty: nowhere that a link may lead
	Why        string
	Relevant   string
}

// showOne shows a crawl.
func (s *Server) showOne(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	from, still := p.From(), p.Flag("still")
	show := api.One(p, "show", p.Query.Get("show"), []string{othersOfCrawl})
	if p.Err != nil {
		return p.Err
	}
	c, st, err := s.status(r)
	if err != nil {
		return err
	}
	data := onePage{head: s.head(c, ""), St: st, Report: st.Report, Reason: layout.Line(st.Reason, maxReason), Topic: layout.Line(st.Topic, maxReason), Scope: layout.Line(st.Scope, maxURLShown),
		Running: c.State == plat.CrawlRuns, Most: c.Pages, Show: show, From: from, Still: still}
	for _, u := range c.Seeds[:min(len(c.Seeds), seedsShown)] {
		data.Seeds = append(data.Seeds, layout.Line(u, maxURLShown))
	}
	data.More = len(c.Seeds) - len(data.Seeds)
	data.refreshing(from)
	if data.Report != nil {
		data.reported(data.Report)
	}
	b, err := s.best(r.Context(), c, st.Verdicts())
	if err != nil {
		return err
	}
	data.Visited = b.BelongCount + b.OthersCount
	data.Share = share(b.BelongCount, data.Visited)
	all := b.Belong
	if show == othersOfCrawl {
		all = b.Others
	}
	to := func(show string) string { return layout.Link("/focus/"+c.ID, "show", show, "still", data.stillness()) }
	data.Belong, data.Others = tab{to(""), b.BelongCount, show == ""}, tab{to(othersOfCrawl), b.OthersCount, show != ""}
	part, pager := paged(all, from, pagesPerPage, "/focus/"+c.ID, "show", show, "still", data.stillness())
	data.Pager = pager
	for i := range part {
		data.Pages = append(data.Pages, shownOf(c.ID, &part[i]))
	}
	return s.render(w, "one", &data)
}

// stillness is the parameter still, empty for its default.
func (d *onePage) stillness() string {
	if d.Still {
		return "true"
	}
	return ""
}

// refreshing has the page of a crawl that runs refresh, unless its reader wants it still.
func (d *onePage) refreshing(from int) {
	if !d.Running {
		return
	}
	other := "true"
	if d.Still {
		other = ""
	} else {
		d.Refresh = refreshEvery
	}
	d.Toggle = layout.Link("/focus/"+d.ID, "show", d.Show, "from", strconv.Itoa(from), "still", other)
}

// reported copies the crawl's report to the page.
func (d *onePage) reported(r *crawler.Report) {
	d.Curve = draw(r.Curve)
	for i, t := range r.Terms {
		r.Terms[i] = layout.Line(t, maxName)
	}
	for i, u := range r.Missing {
		r.Missing[i] = layout.Line(u, maxURLShown)
	}
	most := 1
	for _, x := range r.Sites {
		most = max(most, x.Pages)
	}
	for _, x := range r.Sites {
		d.Sites = append(d.Sites, site{x, layout.Line(x.Host, maxTitle), rounded(100 * float64(x.Pages) / float64(most)), rounded(100 * float64(x.Belong) / float64(most))})
	}
	for _, x := range r.Left {
		d.Left = append(d.Left, layout.Line(x, maxTitle))
	}
	for _, x := range r.Oldest {
		d.Oldest = append(d.Oldest, pending{x, layout.Line(x.URL, maxURLShown)})
	}
	for _, x := range r.Waiting {
		d.Waiting = append(d.Waiting, waiting{layout.Line(x.URL, maxURLShown), whyOf(d.ID, x.URL), layout.Line(x.From, maxURLShown), fmt.Sprintf("%.2f", x.Score)})
	}
}

// whyOf is the address of an explanation.
func whyOf(id, u string) string { return layout.Link("/focus/"+id+"/why", "url", u) }

func shownOf(id string, p *crawler.Page) shown {
	x := shown{Page: *p, Name: layout.Line(p.Title, maxTitle), Text: layout.Line(p.URL, maxURLShown), Live: layout.Opens(p.URL), Why: whyOf(id, p.URL), Relevant: fmt.Sprintf("%.2f", p.Relevance)}
	if x.Name == "" {
		x.Name = x.Text
	}
	return x
}
