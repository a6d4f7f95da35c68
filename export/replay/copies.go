package replay

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"plat/plat/weburl"
)

// copyMark is the attribute of copies of elements of drawings; its value is the entry of the drawing.
const copyMark = "data-plat-of"

// The rules of a page match copies, too. copyGuard undoes all of them, except for properties that the rules of the drawing
// set, which have a greater weight (see [copier.rules]). Chrome takes all rules that match the elements under a <use> for those of
// one layer, so layers cannot separate them.
const (
	heavy     = ":not(#_):not(#_):not(#_)" // more than the selectors of pages
	copyGuard = "[" + copyMark + "]" + heavy + "{all:revert-layer!important}"
)

// copier makes the copies of the elements of a drawing.
type copier struct {
	w     *rewriter
	entry int
	base  *weburl.Base // to which references are relative
	file  *drawnFile
	open  []int // elements

	media  string // of the <style> element that is read
	unread bool   // it is of no known type
}

// drawingInside rewrites an SVG picture for use inside a document: as [harmlessSVG], with its style sheets apart, with
// other names, and with the addresses of stored files.
func (w *rewriter) drawingInside(data []byte, entry int) (*drawnFile, error) {
	c := &copier{w: w, entry: entry, base: weburl.NewBase(w.Assets.manifest[entry].URL), file: &drawnFile{ids: map[string]int{}}}
	text, err := drawing(data, &picture{copier: c})
	if err != nil {
		return nil, err
	}
	c.file.text = text
	c.file.ids[""] = 0
	return c.file, nil
}

// omits reports whether an element of SVG has no part in copies. Chrome runs no animation in them.
func (c *copier) omits(name string) bool {
	return name == "set" || strings.HasPrefix(name, "animate")
}

// start begins an element at a place in the text.
func (c *copier) start(at int) {
	e := span{start: at}
	if len(c.open) > 0 {
		e.parent = c.open[len(c.open)-1]
	}
	c.open = append(c.open, len(c.file.elements))
	c.file.elements = append(c.file.elements, e)
}

// opened ends a start tag at a place in the text.
func (c *copier) opened(at int) { c.file.elements[c.open[len(c.open)-1]].inside = at }

// mark returns the attributes of a copy beside those of the element.
func (c *copier) mark(t *xml.StartElement) string {
	i := c.open[len(c.open)-1]
	id := ""
	for _, a := range t.Attr {
		if a.Name == (xml.Name{Local: "id"}) {
			id = a.Value
		}
	}
	text := " " + copyMark + `="` + strconv.Itoa(c.entry) + `"`
	if _, known := c.file.ids[id]; !known && (id != "" || i == 0) {
		c.file.ids[id] = i
		text += ` id="` + escapeXML.Replace(piece{c.entry, id}.name()) + `"`
	}
	return text
}

// end ends an element: its end tag begins and ends at places in the text.
func (c *copier) end(after, end int) {
	e := &c.file.elements[c.open[len(c.open)-1]]
	e.after, e.end = after, end
	c.open = c.open[:len(c.open)-1]
}

// refer notes that an element, or the rules, lead to an element.
func (c *copier) refer(p piece, byRules bool) string {
	refs := &c.file.refs
	if !byRules {
		refs = &c.file.elements[c.open[len(c.open)-1]].refs
	}
	*refs = append(*refs, p)
	return "#" + p.name()
}

// href returns what the reference of an element becomes, and whether it is kept.
func (c *copier) href(element, ref string) (string, bool) {
	if id, ok := strings.CutPrefix(ref, "#"); ok {
		return c.refer(piece{c.entry, unescaped(id)}, false), true
	}
	switch element {
	case "use":
		if p, ok := c.w.piece(c.base.Resolve(ref)); ok {
			return c.refer(p, false), true
		}
	case "image":
		if isData(ref) {
			return ref, strings.HasPrefix(strings.ToLower(ref), "data:image/")
		}
		found := c.w.Assets.find(c.base, ref)
		return found, found != ""
	}
	return "", false
}

// css rewrites the value of a property, or rules if it is empty. Except for filters, references lead to the drawing itself.
func (c *copier) css(text, property string, rules bool) string {
	r := &cssRewriter{Assets: c.w.Assets, bases: []*weburl.Base{c.base}, property: property}
	r.drawing = func(abs string) string {
		if p, ok := c.w.piece(abs); ok {
			return c.refer(p, rules)
		}
		return ""
	}
	r.local = func(property, id string) string {
		if filters(property) {
			return c.refer(piece{c.entry, unescaped(id)}, rules)
		}
		return c.w.Assets.Path(c.w.Assets.manifest[c.entry].URL) + "#" + id
	}
	return r.rewrite(text)
}

// style rewrites the attribute of that name.
func (c *copier) style(text string) string {
	normal, important := declarations(tokens(c.css(text, "", false)))
	return normal + important
}

// beginSheet begins a <style> element.
func (c *copier) beginSheet(t *xml.StartElement) {
	c.media, c.unread = "", false
	for _, a := range t.Attr {
		switch a.Name {
		case xml.Name{Local: "media"}:
			c.media = a.Value
		case xml.Name{Local: "type"}:
			c.unread = a.Value != "" && !strings.EqualFold(a.Value, typeCSS)
		}
	}
}

// endSheet ends it, given its text.
func (c *copier) endSheet(text string) {
	if c.unread {
		return
	}
	rules := c.rules(tokens(c.css(text, "", true)))
	switch media := unseen(c.media); {
	case strings.ContainsAny(media, "{};<\\"):
		return
	case media != "":
		rules = "@media " + media + "{" + rules + "}"
	}
	c.file.sheet += inertCSS(rules)
}

// token is a token of CSS.
type token struct {
	kind css.TokenType
	data string
}

// tokens returns those of a text, without comments and without what only the end of the text ends.
func tokens(text string) (all []token) {
	for l := css.NewLexer(parse.NewInputString(text)); ; {
		kind, data := l.Next()
		if kind == css.ErrorToken {
			if n := len(all); n > 0 && unended(all[n-1].data) {
				all = all[:n-1]
			}
			return all
		}
		if kind != css.CommentToken {
			all = append(all, token{kind, string(data)})
		}
	}
}

// unended reports whether a token at the end of a text goes on in a longer one.
func unended(data string) bool {
	quote := byte(0)
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\\':
			if i++; i == len(data) {
				return true
			}
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}

// until returns the tokens before the first of some kinds outside of parentheses and blocks, and those from it on.
func until(all []token, kinds ...css.TokenType) (before, rest []token) {
	depth := 0
	for i, t := range all {
		if depth == 0 && slices.Contains(kinds, t.kind) {
			return all[:i], all[i:]
		}
		switch {
		case closing[t.kind] != 0:
			depth++
		case closes(t.kind):
			depth = max(0, depth-1)
		}
	}
	return all, nil
}

// closing are the kinds of tokens that end what others begin.
var closing = map[css.TokenType]css.TokenType{
	css.LeftBraceToken: css.RightBraceToken, css.LeftParenthesisToken: css.RightParenthesisToken,
	css.LeftBracketToken: css.RightBracketToken, css.FunctionToken: css.RightParenthesisToken,
}

// closes reports whether a kind of token ends what another begins.
func closes(kind css.TokenType) bool {
	return kind == css.RightBraceToken || kind == css.RightParenthesisToken || kind == css.RightBracketToken
}

// even reports whether tokens end all that they begin, and nothing else.
func even(all []token) bool {
	var open []css.TokenType
	for _, t := range all {
		switch {
		case closing[t.kind] != 0:
			open = append(open, closing[t.kind])
		case closes(t.kind):
			if len(open) == 0 || open[len(open)-1] != t.kind {
				return false
			}
			open = open[:len(open)-1]
		case t.kind == css.BadStringToken, t.kind == css.BadURLToken:
			return false
		}
	}
	return len(open) == 0
}

// spell writes tokens.
func spell(all []token) string {
	var b strings.Builder
	for _, t := range all {
		b.WriteString(t.data)
	}
	return strings.TrimSpace(b.String())
}

// viewport matches a media feature of the size of the window. Chrome gives drawings whose elements are used elsewhere a
// window without size.
var viewport = regexp.MustCompile(`(?i)\(\s*(min|max)-(?:device-)?(?:width|height)\s*:[^()]*\)`)

// unseen returns media queries as they are true for such drawings.
func unseen(media string) string {
	return viewport.ReplaceAllStringFunc(media, func(feature string) string {
		if strings.EqualFold(viewport.FindStringSubmatch(feature)[1], "max") {
			return "(min-width:0)"
		}
		return "(max-width:0)"
	})
}

// rules returns rules for the copies only, with a greater weight than the guard.
func (c *copier) rules(all []token) string {
	var b strings.Builder
	for len(all) > 0 {
		if k := all[0].kind; k == css.WhitespaceToken || k == css.CDOToken || k == css.CDCToken {
			all = all[1:]
			continue
		}
		at := ""
		head, rest := until(all, css.LeftBraceToken)
		if all[0].kind == css.AtKeywordToken {
			at = strings.ToLower(all[0].data)
			head, rest = until(all, css.LeftBraceToken, css.SemicolonToken)
		}
		if len(rest) == 0 {
			break
		}
		if rest[0].kind == css.SemicolonToken {
			all = rest[1:]
			continue
		}
		block, after := until(rest[1:], css.RightBraceToken)
		all = after[min(1, len(after)):]
		if !even(head) {
			continue
		}
		switch at {
		case "":
			b.WriteString(c.rule(head, block))
		case "@media", "@supports":
			b.WriteString(unseen(spell(head)) + "{" + c.rules(block) + "}")
		case "@layer":
			b.WriteString(c.rules(block))
		}
	}
	return b.String()
}

// rule returns a rule for the copies only.
func (c *copier) rule(head, block []token) string {
	normal, important := declarations(block)
	for i, t := range head {
		if t.kind == css.HashToken {
			head[i].data = "#" + piece{entry: c.entry, id: t.data[1:]}.name()
		}
	}
	var selectors []string
	for len(head) > 0 {
		var one []token
		one, head = until(head, css.CommaToken)
		head = head[min(1, len(head)):]
		text := spell(one)
		if text == "" || strings.Contains(text, "::") {
			return ""
		}
		if strings.ContainsAny(text, ";{}") {
			return "" // no selector
		}
		selectors = append(selectors, text)
	}
	write := func(declarations, weight string) string {
		if declarations == "" {
			return ""
		}
		suffix := ":where([" + copyMark + `="` + strconv.Itoa(c.entry) + `"])` + heavy + weight
		return strings.Join(selectors, suffix+",") + suffix + "{" + declarations + "}"
	}
	return write(normal, ":not(#_)") + write(important, ":not(#_):not(#_):not(#_):not(#_)")
}

// byItself matches the end of a declaration that is important.
var byItself = regexp.MustCompile(`(?i)\s*!\s*important$`)

// declarations returns those of a block, all important: the normal ones, and those that are important by themselves.
func declarations(block []token) (normal, important string) {
	for len(block) > 0 {
		var one []token
		one, block = until(block, css.SemicolonToken)
		block = block[min(1, len(block)):]
		if !even(one) {
			continue
		}
		text := spell(one)
		if m := byItself.FindStringIndex(text); m != nil {
			important += text[:m[0]] + "!important;"
		} else if strings.Contains(strings.TrimSuffix(text, ":"), ":") && !strings.ContainsAny(text, "{}") {
			normal += text + "!important;"
		}
	}
	return normal, important
}
