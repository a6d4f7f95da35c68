package replay

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// tag writes the start tag of the innermost element.
func (w *rewriter) tag(t *nethtml.Token, raw string) {
	out := w.out()
	switch t.Data {
	case "base":
		// It is left out, because references become absolute.
		w.setBase(t)
		w.standInFor()
		return
	case "meta":
		w.doc().base = w.doc().base.Meta(func(name string) (string, bool) { return attr(t, name) })
		what, acts := attr(t, "http-equiv") // refreshes, policies; the header declares the encoding
		acts = acts && !inertPragma(what)
		if _, coded := attr(t, "charset"); acts || coded {
			w.standInFor()
			return
		}
	case "link":
		if !w.linkTag(t) {
			w.standInFor()
		}
		return
	case "iframe":
		if words, is := attr(t, "sandbox"); is {
			allowed := strings.Fields(strings.ToLower(words))
			w.stack[len(w.stack)-1].sandbox = !slices.Contains(allowed, "allow-scripts")
			w.stack[len(w.stack)-1].opaque = !slices.Contains(allowed, "allow-same-origin")
		}
		if _, own := attr(t, "srcdoc"); own {
			w.stack[len(w.stack)-1].standard = true // whatever its document type
		} else {
			w.stack[len(w.stack)-1].frameURL, _ = attr(t, "src")
		}
	}
	kept, changed := w.attributes(t, raw)
	if !changed {
		out.WriteString(raw) // unchanged, in its own spelling
	} else {
		w.writeTag(w.stack[len(w.stack)-1].spelt, kept)
	}
	if t.Data == "head" || t.Data == "body" {
		w.instructed()
	}
	switch {
	case t.Data == "video" && w.Assets.prefix != "":
		if _, ok := attr(t, "controls"); !ok {
			out.WriteString(noControls)
		}
	case t.Data == "head" && len(w.stack) >= 3 && w.stack[len(w.stack)-3].frame != nil:
		if language := w.doc().language; language != "" {
			w.writeTag("meta", []nethtml.Attribute{{Key: "http-equiv", Val: "content-language"}, {Key: "content", Val: language}})
		}
		if len(w.opened) > 0 {
			out.WriteString(openRules)
		}
		if len(w.Marks) > 0 && len(w.stack) == 3 {
			out.WriteString(w.MarkStyle)
		}
	case w.opened[string(w.key)] != "" && w.inShadow():
		out.WriteString(openRules)
	case t.Data == "textarea" && w.controls[string(w.key)] != nil && w.controls[string(w.key)].Value != nil:
		out.WriteString("\n" + escapeReturns(*w.controls[string(w.key)].Value)) // a line feed at the start is no part of the value
		w.stack[len(w.stack)-1].hollow = true
	case w.dropsLine(t):
		out.WriteByte('\n')
	}
}

// inertPragma reports whether a <meta http-equiv> leads nowhere: it chooses a set of the page's own sheets, or says its language.
func inertPragma(what string) bool {
	what = strings.ToLower(strings.TrimSpace(what))
	return what == "default-style" || what == "content-language"
}

// inShadow reports whether the innermost element is in a shadow root.
func (w *rewriter) inShadow() bool {
	for i := len(w.stack) - 1; w.stack[i].frame == nil; i-- {
		if o := &w.stack[i]; o.name == "template" && o.step < 0 {
			return true
		}
	}
	return false
}

// writeTag writes a start tag.
func (w *rewriter) writeTag(name string, attrs []nethtml.Attribute) {
	out := w.out()
	out.WriteString("<" + name)
	for _, a := range attrs {
		out.WriteByte(' ')
		if a.Namespace != "" {
			out.WriteString(a.Namespace + ":")
		}
		out.WriteString(a.Key + `="` + escapeReturns(a.Val) + `"`)
	}
	out.WriteByte('>')
}

// reopen removes the end of the last start tag, which is the last output, so that an attribute can be added.
func (w *rewriter) reopen() *bytes.Buffer {
	out := w.out()
	out.Truncate(len(bytes.TrimSuffix(out.Bytes(), []byte(">"))))
	return out
}

// attributes returns the attributes that an element is written with, and whether its start tag differs from raw.
func (w *rewriter) attributes(t *nethtml.Token, raw string) (kept []nethtml.Attribute, changed bool) {
	changed = !serialized(raw) || w.stack[len(w.stack)-1].spelt != tagName(raw)
	kept = make([]nethtml.Attribute, 0, len(t.Attr)+1)
	own := t.Attr
	if w.unstyled[string(w.key)] {
		own = slices.DeleteFunc(slices.Clone(own), func(a nethtml.Attribute) bool { return a.Key == "style" })
		changed = true
	}
	if style := w.animated[string(w.key)]; style != "" {
		own = withStyle(slices.Clone(own), style) // rewritten as one text: the end of a string may be in either part
		changed = true
	}
	if begun := w.begun[string(w.key)]; begun != "" {
		own = slices.DeleteFunc(slices.Clone(own), func(a nethtml.Attribute) bool { return a.Key == "begin" })
		own, changed = append(own, nethtml.Attribute{Key: "begin", Val: begun}), true
	}
	for _, a := range own {
		v, keep := w.attribute(t, a)
		if !keep {
			changed = true
			continue
		}
		if v != a.Val {
			changed = true
			a.Val = v
		}
		kept = append(kept, a)
	}
	written := len(kept)
	if t.Data == "img" && withSource(&kept) {
		changed = true
	}
	if media, ok := w.media[string(w.key)]; ok && t.Data == "style" {
		kept = withMedia(kept, media)
		changed = true
	}
	if c := w.controls[string(w.key)]; c != nil {
		kept, changed = withControl(kept, t.Data, c), true
	}
	if how := w.opened[string(w.key)]; how != "" {
		kept = append(kept, nethtml.Attribute{Key: openMark, Val: how})
	}
	if states := w.states[string(w.key)]; states != "" {
		kept = append(kept, nethtml.Attribute{Key: stateMark, Val: states})
	}
	if w.targets[string(w.key)] {
		kept = append(kept, nethtml.Attribute{Key: targetMark})
	}
	if w.undefined(t) {
		kept = append(kept, nethtml.Attribute{Key: undefinedMark})
	}
	kept = append(kept, w.copies(t)...)
	if scriptsOff := w.Assets.prefix != ""; t.Data == "canvas" {
		if picture := w.canvases[string(w.key)]; picture != "" {
			if w.quirky > 0 && strings.HasPrefix(picture, "/") {
				picture = w.Origin + picture
			}
			kept, changed = withPicture(kept, picture, scriptsOff), true
		} else if scriptsOff {
			kept, changed = withPicture(kept, emptyCanvas(kept), true), true
		}
	}
	if class, ok := w.Marks[string(w.key)]; ok {
		kept = append(kept, nethtml.Attribute{Key: "data-plat", Val: class})
	}
	return kept, changed || len(kept) != written
}

// serialized reports whether a start tag is spelt as [markup.Serialize] does, so that it means the same to
// every parser. In the text of a <style> a page has tags in its own spelling.
func serialized(raw string) bool {
	in, ok := strings.CutSuffix(raw, ">")
	if !ok || strings.Contains(in, ">") || strings.LastIndexByte(in, '<') > 0 {
		return false
	}
	name, in, more := strings.Cut(in[len("<"):], " ")
	ok = inertName(name) == name
	for ok && more {
		var key string
		key, in, _ = strings.Cut(in, `="`)
		_, in, ok = strings.Cut(in, `"`)
		ok = ok && key != "" && inertName(key) == key
		if in == "" {
			break
		}
		in, more = strings.CutPrefix(in, " ")
		ok = ok && more
	}
	return ok
}

// tagName returns the name of a start tag as spelt: SVG names are case-sensitive.
func tagName(raw string) string {
	name := strings.TrimPrefix(raw, "<")
	if i := strings.IndexAny(name, " \t\n\r\f/>"); i >= 0 {
		name = name[:i]
	}
	return name
}

// noControls is inserted into a video that had no controls: with scripts off,
// browsers show controls regardless, over the poster. Inside the video it also
// works in shadow roots and frames, and does not affect the page's sibling
// selectors.
const noControls = `<style>video:not([controls])::-webkit-media-controls{display:none!important}</style>`

func attr(t *nethtml.Token, key string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// attribute returns an attribute's new value, and reports whether to keep it.
func (w *rewriter) attribute(t *nethtml.Token, a nethtml.Attribute) (value string, keep bool) {
	key := a.Key
	if a.Namespace != "" {
		key = a.Namespace + ":" + a.Key
	}
	if strings.HasPrefix(key, "data-plat-") || strings.HasPrefix(key, "on") || strings.ContainsAny(key, "<>\"'`") {
		return "", false
	}
	if animates(t) && (key == "to" || key == "from" || key == "by" || key == "values") {
		return "", false
	}
	switch key {
	case "sandbox": // players cannot serve files to a frame of no origin; a document without scripts is as safe
		return a.Val, w.Assets.prefix != ""
	case "loading": // with scripts off it has no effect, and pictures are taken at once
		return a.Val, w.Assets.prefix == ""
	case "target":
		return a.Val, w.Assets.prefix == "" && a.Val == "_blank"
	case "srcdoc", "ping", "action", "formaction", "manifest", "integrity", "crossorigin", "nonce", "autofocus", "autoplay",
		"codebase", "archive", "classid", "xml:base", "attributionsrc", "credentialless": // a player serves no file to a frame with a cache of its own
		return "", false
	case "data":
		return a.Val, t.Data != "object"
	case "value": // for a plug-in, it may be the address of its content
		return a.Val, t.Data != "param"
	case "style", "fill", "stroke", "filter", "mask", "clip-path", "cursor", "marker", "marker-start", "marker-mid", "marker-end", "to", "from", "by", "values":
		if strings.Contains(a.Val, "(") { // url(…) needs a parenthesis
			bases := w.doc().bases()
			bases[0] = bases[0].In("utf-8") // Chrome ignores the charset there
			if key == "style" {
				return w.cssAt(bases, a.Val), true
			}
			r := w.cssRewriter(bases)
			r.property, r.written = key, w.near
			return r.rewrite(a.Val), true
		}
	case "media":
		return w.scripted(a.Val), true
	case "src":
		switch t.Data {
		case "iframe", "frame", "embed", "video", "audio", "source", "track":
			return "", false
		}
		if t.Data == "img" && strings.TrimSpace(a.Val) == "" {
			return "", true // Chrome requests nothing, and shows nothing
		}
		path, ok := w.asset(a.Val)
		if !ok && t.Data == "img" && w.failed(a.Val) {
			return nowhere, true // the page showed a broken image, too
		}
		return path, ok
	case "poster", "background", "lowsrc":
		return w.asset(a.Val)
	case "srcset", "imagesrcset":
		set := w.srcset(a.Val)
		return set, set != ""
	case "href", "xlink:href":
		switch t.Data {
		case "a", "area":
			return w.target(a.Val), true
		case "use":
			return w.use(a.Val)
		case "image", "feimage", "pattern", "lineargradient", "radialgradient", "textpath", "mpath", "filter":
			if strings.HasPrefix(a.Val, "#") {
				return a.Val, true
			}
			path, ok := w.asset(a.Val)
			if !ok && t.Data == "image" && w.failed(a.Val) {
				return nowhere, true // as above
			}
			return path, ok
		}
		return "", false
	}
	return a.Val, true
}

// asset returns the address of a resource.
func (w *rewriter) asset(ref string) (string, bool) {
	if w.isRefused(ref) {
		return "", false
	}
	if isData(ref) {
		return strings.TrimSpace(ref), true
	}
	if len(ref) > 4*plat.MaxResourceURL {
		return "", false // no resource has such an address
	}
	for _, base := range w.doc().bases() {
		if p := w.Assets.find(base, ref); p != "" {
			return w.asWritten(ref, p), true
		}
	}
	return "", false
}

// isRefused reports whether a reference leads to an image that the document was not allowed to load.
func (w *rewriter) isRefused(ref string) bool {
	f := w.doc()
	return f.refused != nil && slices.ContainsFunc(f.bases(), func(base *weburl.Base) bool { return f.refused.image(base, ref) })
}

// failed reports whether a reference leads to an image that did not load.
func (w *rewriter) failed(ref string) bool {
	return w.isRefused(ref) || w.Assets.failed(w.doc().base, ref)
}

// asWritten returns a reference as the page has it, if an exported document may keep it: rules of style sheets
// may select by it, and players find the same address. In a document that stands inside the page,
// players follow only references that are relative to the page. They take "http:a.png" for an absolute URL.
func (w *rewriter) asWritten(ref, address string) string {
	f := w.doc()
	switch {
	case w.Assets.prefix != "":
		return address
	case f.at.Resolve(ref) == address && (f.at.Plain(ref) || !strings.ContainsAny(ref, ":\\\t\r\n")):
		return strings.TrimSpace(ref)
	case f.depth > 0 && !f.apart:
		return relative(f.at.String(), address)
	}
	return address
}

// near returns an address for an attribute in which players follow only references relative to the document.
func (w *rewriter) near(_, address string) string {
	if w.Assets.prefix != "" {
		return address
	}
	return relative(w.doc().at.String(), address)
}

// relative returns an address relative to a URL of the same origin.
func relative(at, address string) string {
	scheme := strings.Index(at, "://")
	if scheme < 0 {
		return address
	}
	host := scheme + len("://")
	path := strings.IndexByte(at[host:], '/') + host
	if path < host || !strings.HasPrefix(address, at[:path+1]) {
		return address
	}
	dir, _, _ := strings.Cut(at[path:], "?")
	dir = dir[:strings.LastIndexByte(dir, '/')+1]
	to, up := address[path:], ""
	for dir != "/" && !strings.HasPrefix(to, dir) {
		dir = dir[:strings.LastIndexByte(strings.TrimSuffix(dir, "/"), '/')+1]
		up += "../"
	}
	rest := up + strings.TrimPrefix(to, dir)
	if first, _, _ := strings.Cut(rest, "/"); first == "" || strings.ContainsAny(first, ":?#") {
		rest = "./" + rest
	}
	return rest
}

// isData reports whether a reference is a data: URL.
func isData(ref string) bool {
	ref = strings.TrimSpace(ref)
	return len(ref) >= len("data:") && strings.EqualFold(ref[:len("data:")], "data:")
}

// programs are the schemes whose links browsers give to other programs, or to none: no document of theirs runs in a browser.
var programs = names(`mailto tel sms callto facetime sip sips skype whatsapp tg viber xmpp irc ircs im webcal webcals geo maps
	magnet ed2k bitcoin ftp ftps sftp news nntp feed mms rtsp market spotify itms itms-apps zoommtg msteams`)

// target returns the target of a link. Fragment links stay, and so do those to [programs]; of others, such as broken ones,
// only the look remains: rules select them as links (:any-link), and by copies of their addresses.
func (w *rewriter) target(ref string) string {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "#") {
		return ref
	}
	abs := w.doc().base.Resolve(ref)
	switch {
	case len(abs) > len(ref)+plat.MaxResourceURL:
		// a long <base> would multiply the page
	case weburl.IsWeb(abs):
		to := w.Link(abs)
		if w.quirky > 0 && strings.HasPrefix(to, "/") {
			to = w.Origin + to
		}
		return w.asWritten(ref, to)
	case programs[weburl.Scheme(abs)]:
		return abs
	}
	return "#"
}

// srcset keeps the candidates that are stored, and those that did not load: where the browser chooses one of these, the
// image is broken, as on the page, and does not show its src.
func (w *rewriter) srcset(set string) string {
	var kept []string
	for _, c := range markup.Candidates(set) {
		p, ok := w.asset(c.URL)
		if !ok && w.failed(c.URL) {
			p, ok = nowhereInSet, true
		}
		if ok {
			kept = append(kept, strings.TrimSpace(p+" "+c.Descriptor))
		}
	}
	return strings.Join(kept, ", ")
}

// withSource sets the src of an image without one to its first candidate.
func withSource(attrs *[]nethtml.Attribute) bool {
	set := ""
	for _, a := range *attrs {
		switch a.Key {
		case "src":
			return false
		case "srcset":
			set = a.Val
		}
	}
	if c := markup.Candidates(set); len(c) > 0 {
		*attrs = append(*attrs, nethtml.Attribute{Key: "src", Val: c[0].URL})
		return true
	}
	return false
}

// emptyCanvas returns the URL of a transparent picture of the size of a canvas, which is 300 by 150 unless it says otherwise
// (HTML Living Standard, section 4.12.5). It keeps the box of a canvas of which no picture is archived, and hides the
// elements in it, which are for browsers without canvas.
func emptyCanvas(attrs []nethtml.Attribute) string {
	size := map[string]int{"width": 300, "height": 150}
	for _, a := range attrs {
		if _, ok := size[a.Key]; !ok || a.Namespace != "" {
			continue
		}
		digits := strings.TrimPrefix(strings.TrimLeft(a.Val, " \t\n\f\r"), "+")
		end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(digits)
		}
		if n, err := strconv.Atoi(digits[:end]); err == nil && n < 1<<15 {
			size[a.Key] = n
		}
	}
	return fmt.Sprintf("data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d'/%%3E", size["width"], size["height"])
}

// withPicture gives a canvas its archived picture by style, so that it stays a
// <canvas> for the page's rules and keeps its box. With scripts off, a canvas
// is an ordinary element (HTML Living Standard, section 4.12.5) and `content`
// replaces it; with scripts on it is already a replaced element, and
// transparent.
func withPicture(attrs []nethtml.Attribute, picture string, scriptsOff bool) []nethtml.Attribute {
	style := "content:url(\"" + picture + "\")!important"
	if !scriptsOff {
		style = "background-image:url(\"" + picture + "\")!important;background-size:var(--plat-fit,100% 100%)!important;" +
			"background-position:var(--plat-at,0 0)!important;background-repeat:no-repeat!important;background-origin:content-box!important;background-clip:content-box!important"
	}
	return withStyle(attrs, style)
}
