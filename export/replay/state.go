package replay

import (
	"context"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
)

// State returns the state of a page (see [plat.PageState]) from the resources of a version; empty if none is
// kept, or if it is damaged. Errors are those of the store.
func State(ctx context.Context, s store, m plat.Manifest) (*plat.PageState, error) {
	if r, ok := m.Find(plat.PageStateURL); ok && r.Left == "" {
		data, err := s.Resource(ctx, r.Hash)
		if err != nil {
			return nil, err
		}
		if state, err := plat.UnmarshalPageState(data); err == nil {
			return state, nil
		}
	}
	return &plat.PageState{}, nil
}

// placed maps the pathKeys of elements to what the state of the page says of them.
func placed(texts []plat.PlacedText) map[string]string {
	m := make(map[string]string, len(texts))
	for _, t := range texts {
		m[pathKey(t.Path)] += t.Text
	}
	return m
}

// applyState prepares the state of the page for lookups.
func (w *rewriter) applyState() {
	if w.State == nil {
		w.State = &plat.PageState{}
	}
	s := w.State
	w.defined = make(map[string]bool, len(s.Defined))
	for _, name := range s.Defined {
		w.defined[name] = true
	}
	w.media, w.animated = placed(s.Media), placed(s.Styles)
	w.opened, w.targets = map[string]string{}, map[string]bool{}
	for _, o := range s.Opened {
		if o.Text == "target" {
			w.targets[pathKey(o.Path)] = true
		} else {
			w.opened[pathKey(o.Path)] = o.Text
		}
	}
	w.controls = make(map[string]*plat.Control, len(s.Controls))
	for i := range s.Controls {
		w.controls[pathKey(s.Controls[i].Path)] = &s.Controls[i]
	}
	w.unstyled = make(map[string]bool, len(s.Unstyled))
	for _, path := range s.Unstyled {
		w.unstyled[pathKey(path)] = true
	}
	w.modes, w.begun, w.states, w.languages = placed(s.Modes), placed(s.Begun), placed(s.States), placed(s.Languages)
	w.refused = make(map[string]*refused, len(s.Refused))
	for i := range s.Refused {
		w.refused[pathKey(s.Refused[i].Path)] = refusedBy(&s.Refused[i])
	}
	w.documents = make(map[string]*plat.DocumentState, len(s.Documents))
	for i := range s.Documents {
		w.documents[pathKey(s.Documents[i].Path)] = &s.Documents[i]
	}
}

// newFrame begins the document whose pathKey is w.key, at a URL by its markup.
func (w *rewriter) newFrame(at *weburl.Base, depth int) *frame {
	f := &frame{base: at, depth: depth, refused: w.refused[string(w.key)], mode: w.modes[string(w.key)], language: w.languages[string(w.key)], scriptless: w.State.Scriptless}
	d := w.documents[string(w.key)]
	if d == nil {
		return f
	}
	f.settle(d.URL)
	at = at.In(d.Charset)
	f.base = at
	for _, raw := range append([]string{d.Base, d.URL, d.From}, d.Others...) {
		u := weburl.NewBase(raw).In(d.Charset)
		switch {
		case !weburl.IsWeb(u.String()):
		case raw == d.Base:
			f.base, f.based, f.others = u, true, append(f.others, at)
		default:
			f.others = append(f.others, u)
		}
	}
	return f
}

// settle sets the URL of a document to the first of some URLs that is one of the web.
func (f *frame) settle(urls ...string) {
	for _, u := range urls {
		if f.url == "" && weburl.IsWeb(u) {
			f.url, f.origin = u, origin(u)
		}
	}
}

// inherit gives the document of a frame without a URL of its own the origin of the document around it.
func (f *frame) inherit(around *frame, owner *opened) {
	if owner.frameURL != "" {
		f.settle(around.base.Resolve(owner.frameURL))
	}
	if f.url == "" {
		f.origin = around.origin
	}
	if owner.opaque {
		f.origin = ""
	}
}

// setBase sets the base of the innermost document by a <base> element: the first with an address counts,
// outside of templates and shadow roots (HTML Living Standard, section 4.2.3). The addresses before it
// were relative to the old one, which is tried, too.
func (w *rewriter) setBase(t *nethtml.Token) {
	href, ok := attr(t, "href")
	f := w.doc()
	if !ok || f.based {
		return
	}
	for i := len(w.stack) - 1; w.stack[i].frame == nil; i-- {
		if w.stack[i].name == "template" {
			return
		}
	}
	f.based, f.others = true, append(f.others, f.base)
	f.base = f.base.At(href)
}

// copies are the attributes of elements that are written again, as data-plat-NAME, with their original values:
// the rules that select by an attribute, or print it, use its copy. So an address that leads into the archive
// looks as the original did.
func (w *rewriter) copies(t *nethtml.Token) (all []nethtml.Attribute) {
	for _, a := range t.Attr {
		if a.Namespace == "" && slices.Contains(w.Assets.selected, a.Key) {
			if len(a.Val) > maxCopy {
				a.Val = ""
			}
			all = append(all, nethtml.Attribute{Key: "data-plat-" + a.Key, Val: a.Val})
		}
	}
	return all
}

// maxCopy bounds the values that are written twice.
const maxCopy = 4096

// staysInExports reports whether exports keep an attribute, though not always its value.
func staysInExports(name string) bool {
	switch name {
	case "background", "href", "imagesrcset", "media", "poster", "src", "srcset", "style":
		return true
	}
	return false
}

// undefined reports whether an element is a custom element, or one of HTML that is="…" makes one, that no script had defined.
func (w *rewriter) undefined(t *nethtml.Token) bool {
	name := t.Data
	if is, built := attr(t, "is"); built {
		name = is
	} else if !strings.Contains(name, "-") {
		return false
	}
	return w.State.Defined != nil && !w.stack[len(w.stack)-1].foreign && !w.defined[name]
}

// withStyle appends declarations to the attribute style.
func withStyle(attrs []nethtml.Attribute, style string) []nethtml.Attribute {
	for i := range attrs {
		if attrs[i].Key == "style" {
			attrs[i].Val += ";" + style
			return attrs
		}
	}
	return append(attrs, nethtml.Attribute{Key: "style", Val: style})
}

// withMedia sets the media query of a sheet that a script has changed.
func withMedia(attrs []nethtml.Attribute, media string) []nethtml.Attribute {
	attrs = slices.DeleteFunc(attrs, func(a nethtml.Attribute) bool { return a.Key == "media" || a.Key == "disabled" })
	return append(attrs, nethtml.Attribute{Key: "media", Val: media})
}

// openMark is the attribute of elements that were above the page, in the top layer. A replay has none, as only scripts
// open it: rules select these elements by the attribute, and openRules show them as browsers do.
const (
	openMark  = "data-plat-open"
	openRules = "<style>@layer plat{[data-plat-open]{z-index:2147483647}[data-plat-open=popover]{display:block}" +
		"[data-plat-open=modal]{position:fixed;overflow:auto;inset-block:0;max-width:calc(100% - 6px - 2em);max-height:calc(100% - 6px - 2em)}}</style>"
)

// targetMark is the attribute of the elements to which the fragments of documents led: replays have no fragment.
const targetMark = "data-plat-target"

// stateMark is the attribute with the states of elements that a replay does not have; see [plat.PageState].
const stateMark = "data-plat-state"

// pseudoOpen are the pseudo-classes of these elements, and what selects the same in a replay.
var pseudoOpen = map[string]string{
	"modal": "is([" + openMark + "=modal])", "popover-open": "is([" + openMark + "=popover])", "target": "is([" + targetMark + "])",
	"user-invalid": "is([" + stateMark + "~=user-invalid])", "user-valid": "is([" + stateMark + "~=user-valid])",
}

// selectsState reports whether a style sheet may select by states.
func selectsState(css string) bool {
	return strings.Contains(css, ":user-") || strings.Contains(css, ":state(")
}

// selectsOpened reports whether a style sheet may have one of them.
func selectsOpened(css string) bool {
	return strings.Contains(css, ":modal") || strings.Contains(css, ":popover-open") || strings.Contains(css, ":target")
}

// withControl returns the attributes of a form control by its state.
func withControl(attrs []nethtml.Attribute, name string, c *plat.Control) []nethtml.Attribute {
	set := func(key, value string, on bool) {
		attrs = slices.DeleteFunc(attrs, func(a nethtml.Attribute) bool { return a.Key == key })
		if on {
			attrs = append(attrs, nethtml.Attribute{Key: key, Val: value})
		}
	}
	switch {
	case name == "input" && c.Value != nil:
		set("value", *c.Value, true)
	case name == "input" && c.On != nil:
		set("checked", "", *c.On)
	case name == "option" && c.On != nil:
		set("selected", "", *c.On)
	}
	return attrs
}

// linkTag writes a <link>, or reports that it is left out: style sheets and icons that are stored are kept.
func (w *rewriter) linkTag(t *nethtml.Token) (written bool) {
	rel, _ := attr(t, "rel")
	href, _ := attr(t, "href")
	kept := false
	words := strings.Fields(strings.ToLower(rel))
	words = slices.DeleteFunc(words, func(r string) bool {
		kept = kept || r == "stylesheet" || r == "icon"
		return r != "stylesheet" && r != "icon" && r != "alternate" // the rest may send requests, such as preconnect
	})
	if !kept {
		return false
	}
	if css := w.styles[string(w.key)]; css != "" && slices.Contains(words, "stylesheet") {
		w.changedSheet(t, href, css)
		return true
	}
	if slices.Contains(words, "stylesheet") && !slices.Contains(words, "alternate") && w.sheetInside(t, href) {
		return true
	}
	path, ok := w.asset(href)
	if sheet, is := w.Assets.dataSheet(href); is && slices.Contains(words, "stylesheet") {
		path = sheet
	}
	if !ok {
		return false
	}
	attrs := []nethtml.Attribute{{Key: "rel", Val: strings.Join(words, " ")}, {Key: "href", Val: path}}
	for _, key := range []string{"media", "type", "title", "disabled"} {
		if v, ok := attr(t, key); ok {
			if key == "media" {
				v = w.scripted(v)
			}
			attrs = append(attrs, nethtml.Attribute{Key: key, Val: v})
		}
	}
	if media, ok := w.media[string(w.key)]; ok {
		attrs = withMedia(attrs, media)
	}
	w.writeTag("link", attrs)
	return true
}

// changedSheet writes the style sheet of a <link> whose rules a script has changed, as they were.
func (w *rewriter) changedSheet(t *nethtml.Token, href, css string) {
	at := weburl.WithoutFragment(w.doc().base.Resolve(href))
	if final := w.Assets.sheets[at]; final != "" {
		at = final
	}
	w.styleOf(t, w.cssAt([]*weburl.Base{weburl.NewBase(at)}, css))
}

// styleOf writes the rewritten rules of a <link> as a <style> element in its place.
func (w *rewriter) styleOf(t *nethtml.Token, css string) {
	media, limited := attr(t, "media")
	if now, ok := w.media[string(w.key)]; ok {
		media, limited = now, true
	}
	var attrs []nethtml.Attribute
	if limited {
		attrs = withMedia(nil, w.scripted(media))
	}
	if title, ok := attr(t, "title"); ok {
		attrs = append(attrs, nethtml.Attribute{Key: "title", Val: title})
	}
	w.writeTag("style", attrs)
	w.out().WriteString(inertCSS(css) + "</style>")
}
