package watchweb

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"plat/export/draw"
	"plat/plat"
	"plat/queue"
	"plat/web/api"
	"plat/web/layout"
)

// pickable is a block that can be chosen.
type pickable struct {
	Index, Parent int
	Level         int32 // at most 8
	Lineage       int32
	Name          string
	Label         plat.Label
	Leaf          bool
	Chosen, Muted bool
}

// pickPage is the picker.
type pickPage struct {
	layout.Page
	ID       string // empty: of a subscription that is yet to be made
	URL      string
	Name     string
	Action   string
	V        *plat.Version // nil if there is no version
	Pictured bool
	Overlay  draw.Overlay
	Blocks   []pickable
	Gone     []int32 // chosen or muted, and not in the version
	Sub      *plat.Subscription
}

// showPick shows the picker of a subscription.
func (s *Server) showPick(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	return s.picker(w, r, &sub.Subscription, "/watch/"+sub.ID+"/pick")
}

// showPickURL shows the picker of a page, with or without a subscription.
func (s *Server) showPickURL(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u := p.URL()
	if p.Err != nil {
		return p.Err
	}
	return s.picker(w, r, &plat.Subscription{URL: u}, "/watch/pick")
}

func (s *Server) picker(w http.ResponseWriter, r *http.Request, sub *plat.Subscription, action string) error {
	st, err := s.Store.State(r.Context(), sub.URL)
	if err != nil {
		return api.OrNotFound(err, "not in this archive: %s; subscribe to it first, and choose blocks after its first visit", sub.URL)
	}
	v, err := s.head(r.Context(), &st)
	if err != nil {
		return err
	}
	data := pickPage{Page: s.page("Choose blocks of " + titleOf(sub)), ID: sub.ID, URL: sub.URL, Name: titleOf(sub), Action: action, V: v, Sub: sub}
	data.Page.Script = "pick.js"
	if v != nil {
		if data.Overlay, err = s.Overlay(r.Context(), v, draw.View{
			Class: func(i int) string { return draw.LabelClass(v.Blocks[i].Label) },
			Href:  func(i int) string { return fmt.Sprintf("#pick-%d", i) },
		}); err != nil {
			return err
		}
		data.Pictured = !data.Overlay.Plan
		data.Blocks, data.Gone = pickables(v, sub)
	}
	return s.render(w, "pick", &data)
}

// pickables are the blocks of a version that can be chosen: those that have a lineage.
func pickables(v *plat.Version, sub *plat.Subscription) (all []pickable, gone []int32) {
	chosen, muted, known := map[int32]bool{}, map[int32]bool{}, map[int32]bool{}
	for _, l := range sub.Blocks {
		chosen[l] = true
	}
	for _, l := range sub.Muted {
		muted[l] = true
	}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if b.Lineage < 1 || b.Parent < 0 {
			continue
		}
		known[b.Lineage] = true
		all = append(all, pickable{Index: i, Parent: int(b.Parent), Level: min(b.Level, 8), Lineage: b.Lineage, Name: blockName(v, i), Label: b.Label, Leaf: b.Leaf(),
			Chosen: chosen[b.Lineage], Muted: muted[b.Lineage]})
	}
	for _, list := range [][]int32{sub.Blocks, sub.Muted} {
		for _, l := range list {
			if !known[l] {
				gone = append(gone, l)
			}
		}
	}
	return all, gone
}

// blockName returns the topic of a block; for a parent block, the number of leaves and its topic
// or else that of the first leaf.
func blockName(v *plat.Version, i int) string {
	b := &v.Blocks[i]
	topic := layout.Line(b.Topic, 80)
	if b.Leaf() {
		return cmp.Or(topic, string(b.Label), strings.TrimPrefix(b.Tag, "#"))
	}
	leaves := 0
	inside := map[int32]bool{int32(i): true}
	for k := i + 1; k < len(v.Blocks) && inside[v.Blocks[k].Parent]; k++ { // in page order
		inside[int32(k)] = true
		if v.Blocks[k].Leaf() {
			leaves++
			topic = cmp.Or(topic, layout.Line(v.Blocks[k].Topic, 80))
		}
	}
	name := fmt.Sprintf("%d blocks", leaves)
	if topic != "" {
		name += ", from: " + topic
	}
	return name
}

// pick stores the chosen blocks of a subscription.
func (s *Server) pick(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	f := readForm(r, "block", "mute")
	return s.picked(w, r, f, &sub.Subscription)
}

// pickURL subscribes to chosen blocks of a page.
func (s *Server) pickURL(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := readForm(r, "url", "block", "mute")
	sub := &plat.Subscription{URL: f.URL(s.Drop)}
	if f.Err == nil && len(f.Values["block"]) == 0 {
		f.Fail("choose a block; to hear of the lists on the page, subscribe to all of it")
	}
	return s.picked(w, r, f, sub)
}

func (s *Server) picked(w http.ResponseWriter, r *http.Request, f *form, sub *plat.Subscription) error {
	sub.Blocks, sub.Muted = f.lineages("block"), f.lineages("mute")
	if f.Err != nil {
		return f.Err
	}
	return s.store(w, r, sub, queue.Seed{})
}
