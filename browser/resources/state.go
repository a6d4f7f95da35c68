package resources

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/capture"
	"plat/plat"
	"plat/plat/weburl"
)

// maxHops bounds the redirects of a style sheet; Chrome follows 20.
const maxHops = 20

// stateOf returns what the look of a page owes to its scripts and to redirects. kept are its resources.
func stateOf(s *plat.Snapshot, taken *takenStyles, kept []plat.Resource, want plat.ResourceSet) *plat.PageState {
	state := &plat.PageState{
		Documents: documentsOf(s, taken.Bases), Sheets: redirected(s.Loads, kept),
		Styles: taken.Animations, Defined: taken.Defined, Controls: open(s, taken.Controls), Opened: taken.Opened, Begun: taken.Begun, States: taken.States,
		Selected: selected(s, kept), Unstyled: taken.Unstyled, Refused: taken.Refused, Modes: taken.Modes, Languages: languages(s), Scriptless: scriptless(s.Header),
	}
	for _, m := range taken.Media {
		if state.Sheets[m.URL] == "" {
			state.Media = append(state.Media, m.PlacedText)
		}
	}
	if want == plat.AllResources {
		state.Broken = broken(s, kept)
	}
	return state
}

// open returns the controls without those whose value is a secret, by the tree of the snapshot.
func open(s *plat.Snapshot, all []plat.Control) []plat.Control {
	return slices.DeleteFunc(all, func(c plat.Control) bool {
		i := nodeAt(s.Nodes, c.Path)
		return i < 0 || capture.IsSecret(&s.Nodes[i])
	})
}

// selector matches a selector by attribute (Selectors Level 4, section 6), and what prints one (CSS Values and Units Module
// Level 5, section 7.7).
var selector = regexp.MustCompile(`\[\s*([A-Za-z]+)\s*([\]~|^$*=])|(?i:attr)\(\s*([A-Za-z]+)\s*[\s),]`)

// scriptless reports whether a security policy of a page is a sandbox without scripts (HTML, section 7.1.5).
func scriptless(header [][2]string) bool {
	for _, h := range header {
		if !strings.EqualFold(h[0], "Content-Security-Policy") {
			continue
		}
		for directive := range strings.FieldsFuncSeq(h[1], func(r rune) bool { return r == ';' || r == ',' || r == '\n' }) {
			words := strings.Fields(strings.ToLower(directive))
			if len(words) > 0 && words[0] == "sandbox" && !slices.Contains(words, "allow-scripts") {
				return true
			}
		}
	}
	return false
}

// languages returns the languages of documents.
func languages(s *plat.Snapshot) (all []plat.PlacedText) {
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.DocumentNode && len(all) < maxFrames {
			if name, _ := n.Attr(plat.DocumentLanguage); languageName.MatchString(name) {
				all = append(all, plat.PlacedText{Path: pathTo(s.Nodes, int32(i)), Text: name})
			}
		}
	}
	return all
}

// languageName matches the name of a language (RFC 5646).
var languageName = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}$`)

// maxSelected bounds these attributes.
const maxSelected = 100

// selected returns the attributes by which rules select, or which they print, as plat.PageState.Selected.
func selected(s *plat.Snapshot, kept []plat.Resource) []string {
	found := map[string]bool{}
	read := func(css []byte) {
		for _, m := range selector.FindAllSubmatch(css, -1) {
			name := strings.ToLower(string(m[1]) + string(m[3]))
			if !plat.IsSelectable(name) || len(found) >= maxSelected {
				continue
			}
			found[name] = true
			if string(m[2]) != "]" {
				found[name+"="] = true
			}
		}
	}
	for i := range kept {
		if kept[i].Type == "text/css" {
			read(kept[i].Data)
		}
	}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == plat.TextNode && s.Nodes[n.Parent].Name == "style" {
			read([]byte(n.Value))
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// maxBroken bounds the broken images of a page that are listed.
const maxBroken = 200

// broken returns the URLs of images that were requested and are not among the resources: the bodies of error
// responses are no images, and Chrome keeps none.
func broken(s *plat.Snapshot, kept []plat.Resource) (all []string) {
	listed := make(map[string]bool, len(kept))
	for i := range kept {
		listed[kept[i].URL] = true
	}
	type document struct {
		base *weburl.Base
		end  int32
	}
	var open []document
	for i := range s.Nodes {
		n := &s.Nodes[i]
		for len(open) > 0 && int32(i) >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		if n.Kind == plat.DocumentNode {
			open = append(open, document{cmp.Or(n.Base(), weburl.NewBase("")), n.End})
		}
		src, ok := n.Attr("src")
		if !ok || strings.TrimSpace(src) == "" || n.Name != "img" || n.Foreign || !n.HasBox {
			continue
		}
		if at := weburl.WithoutFragment(open[len(open)-1].base.Resolve(src)); weburl.IsWeb(at) && !listed[at] && len(all) < maxBroken && len(at) <= plat.MaxResourceURL {
			listed[at] = true
			all = append(all, at)
		}
	}
	return all
}

// documentsOf returns the documents whose base is not the one that their markup says.
func documentsOf(s *plat.Snapshot, before []plat.PlacedText) (all []plat.DocumentState) {
	bases := map[int32]*weburl.Base{} // of the documents so far
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.DocumentNode {
			continue
		}
		d := plat.DocumentState{Path: pathTo(s.Nodes, int32(i))}
		d.URL, _ = n.Attr(plat.DocumentURL)
		d.URL = weburl.WithoutFragment(d.URL)
		d.Base, _ = n.Attr(plat.DocumentBase)
		d.Base = weburl.WithoutFragment(d.Base)
		for _, b := range before {
			if slices.Equal(b.Path, d.Path) && weburl.IsWeb(b.Text) {
				d.Others = append(d.Others, b.Text)
			}
		}
		expected := expectedURL(s, int32(i), bases)
		if i == 0 && s.Response != "" && s.Response != d.URL {
			d.From = s.Response
		}
		bases[int32(i)] = weburl.NewBase(d.Base)
		own := strings.HasPrefix(d.URL, "http")
		if name, _ := n.Attr(plat.DocumentCharset); !strings.EqualFold(name, "utf-8") && hasCodedQuery(s.Nodes[i:n.End]) {
			d.Charset = name
		}
		if d.From != "" || d.Others != nil || d.Charset != "" || own && d.URL != expected || d.Base != baseIn(s, int32(i), expected) && strings.HasPrefix(d.Base, "http") {
			all = append(all, d)
		}
	}
	return all
}

// hasCodedQuery reports whether the query of a reference depends on the character encoding of its document.
func hasCodedQuery(nodes []plat.Node) bool {
	for i := range nodes {
		for _, a := range nodes[i].Attrs {
			if a.Name != "href" && a.Name != "src" && a.Name != "srcset" {
				continue
			}
			if _, query, ok := strings.Cut(a.Value, "?"); ok && strings.ContainsFunc(query, func(r rune) bool { return r >= 0x80 }) {
				return true
			}
		}
	}
	return false
}

// expectedURL returns the URL of a document by the markup around it.
func expectedURL(s *plat.Snapshot, doc int32, bases map[int32]*weburl.Base) string {
	if doc == 0 {
		return weburl.WithoutFragment(s.FinalURL)
	}
	frame := s.Nodes[doc].Parent
	around := s.Nodes[frame].Parent
	for s.Nodes[around].Kind != plat.DocumentNode {
		around = s.Nodes[around].Parent
	}
	base := bases[around]
	_, own := s.Nodes[frame].Attr("srcdoc")
	if src, ok := s.Nodes[frame].Attr("src"); ok && !own {
		return base.Frame(src).String()
	}
	return base.String() // as for a document without a URL of its own
}

// baseIn returns the base of a document that has a URL, by its first <base>.
func baseIn(s *plat.Snapshot, doc int32, at string) string {
	for i := doc + 1; i < s.Nodes[doc].End; i++ {
		n := &s.Nodes[i]
		switch n.Kind {
		case plat.DocumentNode, plat.ShadowNode, plat.TemplateNode:
			i = n.End - 1
		case plat.ElementNode:
			href, ok := n.Attr("href")
			if n.Name != "base" || !ok {
				continue
			}
			return weburl.NewBase(at).At(href).String()
		}
	}
	return at
}

// redirected maps the URLs of redirected style sheets to their final URLs.
func redirected(loads []plat.Load, kept []plat.Resource) map[string]string {
	next := map[string]string{}
	for i := range loads {
		l := &loads[i]
		if l.Status < 300 || l.Status > 399 || l.Location == "" {
			continue
		}
		next[l.URL] = weburl.WithoutFragment(weburl.NewBase(l.URL).Location(l.Location))
	}
	var all map[string]string
	for i := range kept {
		r := &kept[i]
		to, hops := r.URL, 0
		for ; next[to] != "" && hops < maxHops; hops++ {
			to = next[to]
		}
		if r.Type == "text/css" && to != r.URL && hops < maxHops {
			if all == nil {
				all = map[string]string{}
			}
			all[r.URL] = to
		}
	}
	return all
}

// fonts lists the fonts that scripts made, each as an adopted style sheet of the page with one rule, after the
// first so many, and returns their number.
func (k *keeper) fonts(ctx context.Context, after int) (n int) {
	b, err := k.tab.Hook(ctx, "fonts()")
	var faces []struct {
		Descriptors map[string]string `json:"descriptors"`
		Source      string            `json:"source"` // CSS
		Data        string            `json:"data"`   // Base64, in its place
	}
	if err != nil || jsonv2.Unmarshal(b, &faces, jsonv2.AllowInvalidUTF8(true)) != nil {
		return 0
	}
	for i, f := range faces {
		rule := "@font-face {"
		for _, name := range []string{"font-family", "font-style", "font-weight", "font-stretch", "unicode-range", "font-feature-settings", "font-variation-settings",
			"size-adjust", "ascent-override", "descent-override", "line-gap-override"} {
			if v := f.Descriptors[name]; v != "" && v != "normal" && !strings.ContainsAny(v, ";{}\\") {
				rule += name + ":" + familyName(name, v) + ";"
			}
		}
		if f.Source == "" {
			f.Source = "url(data:font/sfnt;base64," + f.Data + ")"
		}
		place := plat.StylePlace{Adopted: after + 1 + i}
		if at, ok := k.add(plat.Resource{URL: place.URL(), Type: "text/css"}); ok {
			k.fill(&k.kept[at], []byte(rule+"src:"+f.Source+"}\n"), 0)
		}
	}
	return len(faces)
}

// properties lists the properties that scripts have registered (CSS Properties and Values API, section 2), as an adopted style sheet of the page after
// the first so many.
func (k *keeper) properties(ctx context.Context, after int) {
	b, err := k.tab.Hook(ctx, "properties()")
	var rules []string
	if err != nil || jsonv2.Unmarshal(b, &rules, jsonv2.AllowInvalidUTF8(true)) != nil {
		return
	}
	rules = slices.DeleteFunc(rules, func(rule string) bool { return !registered.MatchString(rule) || len(rule) > 1000 })
	if len(rules) == 0 {
		return
	}
	place := plat.StylePlace{Adopted: after + 1}
	if at, ok := k.add(plat.Resource{URL: place.URL(), Type: "text/css"}); ok {
		k.fill(&k.kept[at], []byte(strings.Join(rules, "\n")+"\n"), 0)
	}
}

// registered matches a rule for a property, without a value that would end it early.
var registered = regexp.MustCompile(`^@property --[^\s{};]+ \{ syntax: "[^"\\\n]*"; inherits: (?:true|false);(?: initial-value: [^{};\n]*;)? \}$`)

// familyName quotes the name of a font family, which its descriptor may have without quotes.
func familyName(descriptor, v string) string {
	if descriptor != "font-family" {
		return v
	}
	return `"` + strings.ReplaceAll(strings.Trim(v, `"'`), `"`, "") + `"`
}
