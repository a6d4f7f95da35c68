package focusweb

import (
	"net/http"
	"strconv"
	"time"

	"plat/focus/crawler"
	"plat/focus/topic"
	"plat/plat"
	"plat/queue"
	"plat/web/api"
	"plat/web/layout"
)

// Commands that do the same.
const (
	doNew    = "plat focus new"
	doLabel  = "plat focus label"
	doStop   = "plat focus stop"
	doResume = "plat focus resume"
	doRemove = "plat focus rm"
)

// begin begins a crawl.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := api.ReadForm(r, "about", "topic", "urls", "name", "pages", "per_host", "order", "scope", "least", "keep", "every")
	set := &crawler.Settings{About: f.Text("about")}
	set.Name, set.Pages, set.PerHost = f.Text("name"), f.Number("pages", crawler.DefaultPages), f.Number("per_host", 0)
	set.Order, set.Scope, set.Keep = f.Text("order"), f.Text("scope"), f.Text("keep") != ""
	if text := f.Text("least"); text != "" {
		var err error
		if set.Least, err = strconv.ParseFloat(text, 64); err != nil || set.Least == 0 {
			f.Fail("least=%.40q: write more than 0, up to 1", text)
		}
	}
	if f.Err != nil {
		return f.Err
	}
	var err error
	if set.Revisit, err = revisit(f.Text("every"), ""); err != nil {
		return err
	}
	c, err := s.started(r, set, f.Text("topic"), f.Lines("urls"))
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/focus/"+c.ID, http.StatusSeeOther)
	return nil
}

// revisit says when pages that belong are visited again.
func revisit(every, budget string) (plat.Schedule, error) {
	job, err := queue.Seed{URL: "http://a/", Every: every, Budget: budget}.Job(nil)
	if err != nil {
		return plat.Schedule{}, api.BadRequest("%s", err)
	}
	return job.Schedule, nil
}

// started begins a crawl at some URLs; subject is the ID or the name of a ready topic, or empty.
func (s *Server) started(r *http.Request, set *crawler.Settings, subject string, urls []string) (*plat.Crawl, error) {
	if err := s.mayWrite(doNew); err != nil {
		return nil, err
	}
	for _, raw := range urls {
		u, err := plat.Canonical(raw, s.Drop)
		if err != nil {
			return nil, err
		}
		set.Seeds = append(set.Seeds, u)
	}
	if subject != "" {
		t, err := topic.Ready().Find(subject)
		if err != nil {
			return nil, api.BadRequest("topic: %s", err)
		}
		set.Subject = t
	}
	compiler, err := s.compiler()
	if err != nil {
		return nil, err
	}
	c, _, err := crawler.Begin(r.Context(), s.store, compiler, set, time.Now())
	return c, s.kept(err, doNew)
}

// label stores a user's label of a page, and redirects to the pages.
func (s *Server) label(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := api.ReadForm(r, "url", "belongs", "show", "from", "still")
	u := f.URL(nil) // in the crawl's spelling
	from := f.Text("from")
	f.Number("from", 0)
	if f.Err != nil {
		return f.Err
	}
	if _, err := s.say(r, []crawler.PageLabel{{URL: u, Belongs: f.Text("belongs")}}); err != nil {
		return err
	}
	http.Redirect(w, r, layout.Link("/focus/"+r.PathValue("id"), "show", f.Text("show"), "from", from, "still", f.Text("still"))+"#pages", http.StatusSeeOther)
	return nil
}

// say stores users' labels of pages, whose URLs are canonical.
func (s *Server) say(r *http.Request, all []crawler.PageLabel) (*plat.Crawl, error) {
	for _, x := range all {
		if x.Belongs != "yes" && x.Belongs != "no" && x.Belongs != "none" {
			return nil, api.BadRequest("belongs: %.40q: write yes, no or none", x.Belongs)
		}
	}
	return s.change(r, doLabel, func(c *plat.Crawl) { crawler.Label(c, time.Now(), all...) })
}

// setState stops or resumes a crawl.
func (s *Server) setState(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := api.ReadForm(r, "do", "pages", "per_host")
	limit := func(name string) *int {
		if f.Text(name) == "" {
			return nil
		}
		n := f.Number(name, 0)
		return &n
	}
	how := crawler.Resumption{Pages: limit("pages"), PerHost: limit("per_host")}
	to := plat.CrawlPaused
	switch f.Text("do") {
	case "stop":
	case "resume":
		to = plat.CrawlRuns
	default:
		f.Fail("do: write stop or resume")
	}
	if f.Err != nil {
		return f.Err
	}
	if _, err := s.turn(r, to, how); err != nil {
		return err
	}
	http.Redirect(w, r, "/focus/"+r.PathValue("id"), http.StatusSeeOther)
	return nil
}

// turn stops or resumes a crawl.
func (s *Server) turn(r *http.Request, to plat.CrawlState, how crawler.Resumption) (c *plat.Crawl, err error) {
	command := doStop
	if to == plat.CrawlRuns {
		command = doResume
	}
	if err := s.mayWrite(command); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	if to == plat.CrawlRuns {
		c, err = crawler.Resume(r.Context(), s.store, id, how)
	} else {
		c, err = crawler.Stop(r.Context(), s.store, id)
	}
	return c, s.kept(api.OrNotFound(err, "there is no focused crawl %.64q", id), command)
}

// showRemove asks whether a crawl is to be removed.
func (s *Server) showRemove(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	c, err := s.crawl(r)
	if err != nil {
		return err
	}
	return s.render(w, "remove", s.head(c, "Remove"))
}

// remove removes a crawl.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	if f := api.ReadForm(r); f.Err != nil {
		return f.Err
	}
	if err := s.removed(r); err != nil {
		return err
	}
	http.Redirect(w, r, "/focus", http.StatusSeeOther)
	return nil
}

func (s *Server) removed(r *http.Request) error {
	if err := s.mayWrite(doRemove); err != nil {
		return err
	}
	id := r.PathValue("id")
	return s.kept(api.OrNotFound(s.store.RemoveCrawl(r.Context(), id), "there is no focused crawl %.64q", id), doRemove)
}
