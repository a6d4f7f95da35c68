package watchweb

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/web/api"
	"plat/web/layout"
)

// form holds the fields of a sent form.
type form struct{ *api.Form }

// readForm reads the known fields of a form; any other field is an error.
func readForm(r *http.Request, known ...string) *form { return &form{api.ReadForm(r, known...)} }

// list is a text in parts, separated by commas, or several fields; sorted, each once.
func (f *form) list(name string) []string {
	var all []string
	for _, v := range f.Values[name] {
		for part := range strings.SplitSeq(v, ",") {
			all = append(all, part)
		}
	}
	return follow.Names(all)
}

// maxBlocks is the maximum number of chosen blocks.
const maxBlocks = 1000

// lineages are the numbers of blocks.
func (f *form) lineages(name string) []int32 {
	var all []int32
	for _, v := range f.Values[name] {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > math.MaxInt32 {
			f.Fail("%s=%.20q: write the number of a block", name, v)
			return nil
		}
		all = append(all, int32(n))
	}
	if len(all) > maxBlocks {
		f.Fail("choose at most %d blocks", maxBlocks)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// fields are those of a form with settings.
var fields = []string{"url", "title", "every", "budget", "match", "except", "labels", "depth", "kinds", "group", "tags", "digest", "tell"}

// fill takes the settings of a form into a subscription.
func (f *form) fill(s *plat.Subscription) {
	s.Title, s.Group, s.Digest = f.Text("title"), f.Text("group"), f.Text("digest")
	s.Match, s.Except, s.Tags, s.Tell = f.Lines("match"), f.Lines("except"), f.list("tags"), f.list("tell")
	s.Kinds, s.Labels = nil, nil
	for _, k := range f.list("kinds") {
		s.Kinds = append(s.Kinds, plat.ItemKind(k))
	}
	for _, l := range f.list("labels") {
		s.Labels = append(s.Labels, plat.Label(l))
	}
	if d := f.Text("depth"); d != "" {
		n, err := strconv.Atoi(d)
		if err != nil {
			f.Fail("depth=%.20q: write 1, 2 or 3", d)
		}
		s.Depth = n
	}
}

// seed is the schedule that a form asks for.
func (f *form) seed() queue.Seed { return queue.Seed{Every: f.Text("every"), Budget: f.Text("budget")} }

// add subscribes to a page.
func (s *Server) add(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := readForm(r, fields...)
	sub := &plat.Subscription{URL: f.URL(s.Drop)}
	f.fill(sub)
	if f.Err != nil {
		return f.Err
	}
	return s.store(w, r, sub, f.seed())
}

// edit changes a subscription. A schedule that is the page's already is no change.
func (s *Server) edit(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	f := readForm(r, fields[1:]...) // the URL stays
	f.fill(&sub.Subscription)
	if f.Err != nil {
		return f.Err
	}
	st, err := s.state(r.Context(), sub.URL)
	if err != nil {
		return err
	}
	was, err := s.settingsOf(r.Context(), &sub.Subscription, &st)
	if err != nil {
		return err
	}
	seed := f.seed()
	if seed.Every == was.Every && seed.Budget == was.Budget {
		seed = queue.Seed{}
	}
	return s.store(w, r, &sub.Subscription, seed)
}

// store stores a subscription and leads to its page. A schedule that is not asked for stays.
func (s *Server) store(w http.ResponseWriter, r *http.Request, sub *plat.Subscription, seed queue.Seed) error {
	if err := s.subscribe(r, sub, seed, false); err != nil {
		return err
	}
	http.Redirect(w, r, "/watch/"+sub.ID, http.StatusSeeOther)
	return nil
}

// subscribe stores a subscription. For a new one, or with a schedule in seed or other feeds, it also has the page and
// the feeds visited.
func (s *Server) subscribe(r *http.Request, sub *plat.Subscription, seed queue.Seed, feeds bool) error {
	if err := checkDigest(sub.Digest); err != nil {
		return err
	}
	if sub.ID != "" && seed == (queue.Seed{}) && !feeds {
		err := errors.Join(follow.Check(sub), storage.CheckSubscription(sub))
		if err != nil {
			return api.BadRequest("%s", err)
		}
		return s.kept(s.Store.Subscribe(r.Context(), sub), "plat watch edit")
	}
	seed.URL = sub.URL
	job, err := seed.Job(nil) // it is canonical
	if err != nil {
		return api.BadRequest("%s", err)
	}
	return s.kept(follow.Subscribe(r.Context(), s.raw, job, time.Now(), sub), "plat watch add")
}

// kept explains an error of storing; command does the same.
func (s *Server) kept(err error, command string) error {
	_, told := errors.AsType[*api.Mistake](err)
	switch {
	case errors.Is(err, follow.ErrCannot):
		return api.BadRequest("%s", err)
	case err == nil, told, errors.Is(err, plat.ErrNotFound), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	}
	s.Log.Error("a subscription cannot be stored", "error", err)
	return &api.Mistake{Code: http.StatusInternalServerError, Detail: "it cannot be stored, and the log says why; if this server only reads the archive, use " + command}
}

// pause pauses and resumes a subscription.
func (s *Server) pause(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	f := readForm(r, "do")
	switch f.Text("do") {
	case "pause":
		sub.Paused = true
	case "resume":
		sub.Paused = false
	default:
		f.Fail("do: write pause or resume")
	}
	if f.Err != nil {
		return f.Err
	}
	if err := s.Store.Subscribe(r.Context(), &sub.Subscription); err != nil {
		return s.kept(err, "plat watch edit")
	}
	http.Redirect(w, r, "/watch/"+sub.ID, http.StatusSeeOther)
	return nil
}

// read marks the items of selected subscriptions as read that were found until a time: the time
// of the displayed page, so that later items stay unread.
func (s *Server) read(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := readForm(r, "id", "tag", "group", "to", "back")
	to, err := time.Parse(time.RFC3339Nano, f.Text("to"))
	if err != nil {
		f.Fail("to=%.40q: write an instant (2026-01-31T12:00:00Z)", f.Text("to"))
	}
	if f.Err != nil {
		return f.Err
	}
	p := &api.Params{Query: url.Values{}}
	for _, name := range []string{"id", "tag", "group"} {
		p.Query.Set(name, f.Text(name))
	}
	sel := selectionOf(p)
	if p.Err != nil {
		return p.Err
	}
	if _, err := s.markRead(r, &sel, to); err != nil {
		return err
	}
	back := "/watch"
	if f.Text("back") == "items" {
		back = layout.Link("/watch/items", sel.params()...)
	} else if sel.id != "" {
		back = "/watch/" + sel.id
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
	return nil
}

// markRead returns how many subscriptions had unread items.
func (s *Server) markRead(r *http.Request, sel *selection, to time.Time) (n int, err error) {
	subs, err := s.subscriptions(r.Context(), sel)
	if err != nil {
		return 0, err
	}
	for _, sub := range subs {
		if sub.Unread == 0 || !to.After(sub.ReadTo) {
			continue
		}
		if err := s.Store.Read(r.Context(), sub.ID, to); err != nil && !errors.Is(err, plat.ErrNotFound) {
			return n, s.kept(err, "plat watch read")
		}
		n++
	}
	return n, nil
}
