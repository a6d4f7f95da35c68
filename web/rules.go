package web

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"

	"plat/diff/rules"
	"plat/web/api"
)

// The actions of the forms on a block's page.
const (
	doIgnore  = "ignore"
	doWatch   = "watch"
	doNeither = "neither"
)

func (s *Server) rules(ctx context.Context) (rules.Set, error) {
	notes, err := s.Store.Notes(ctx, rules.Prefix)
	if err != nil {
		return nil, err
	}
	all, err := rules.FromNotes(notes)
	if err != nil {
		s.Log.Warn("some rules cannot be read", "error", err)
	}
	return all, nil
}

// setBlockRule makes the changes of a block news, or no news, or leaves that to plat.
func (s *Server) setBlockRule(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.fail(w, r, http.StatusBadRequest, "the form cannot be read")
		return
	}
	p := api.ReadParams(&http.Request{URL: &url.URL{RawQuery: r.PostForm.Encode()}}, []string{"url", "lineage", "do"}, s.Drop)
	u, lineage := p.URL(), int32(p.Number("lineage", 0, 1, math.MaxInt32))
	do := api.One(p, "do", p.Query.Get("do"), []string{doIgnore, doWatch, doNeither})
	if p.Err == nil && (lineage == 0 || do == "") {
		p.Fail("write the lineage of a block, and do: ignore, watch or neither")
	}
	if p.Err != nil {
		s.fail(w, r, http.StatusBadRequest, p.Err.Error())
		return
	}
	for _, watch := range []bool{false, true} {
		rule := rules.Rule{URL: u, Block: lineage, Watch: watch}
		name, text := rule.Note()
		if do != doIgnore && !watch || do != doWatch && watch {
			text = ""
		}
		if err := s.Store.SetNote(r.Context(), name, text); err != nil {
			s.Log.Error("a rule cannot be kept", "error", err)
			s.fail(w, r, http.StatusInternalServerError, fmt.Sprintf("the rule cannot be kept: %v; if this server only reads, use plat %s", err, do))
			return
		}
	}
	http.Redirect(w, r, link("/block", "url", u, "lineage", fmt.Sprint(lineage)), http.StatusSeeOther)
}

// apiRules lists the rules, all or those that hold for a URL.
func (s *Server) apiRules(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u := p.Text("url", maxText)
	if p.Err != nil {
		return p.Err
	}
	all, err := s.rules(r.Context())
	if err != nil {
		return err
	}
	if u != "" {
		all = all.For(u)
	}
	return replyList(w, r, p, slices.Clone(all), nil)
}
