package replay

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"plat/plat/weburl"
)

// nowhereElse is the base of pictures that contain all that they show.
var nowhereElse = weburl.NewBase("")

// nowhere is an empty resource that causes no request.
const nowhere = "data:,"

// nowhereInSet is the same in a srcset. Chrome prefers candidates in data: URLs to those that it has to load.
const nowhereInSet = "about:invalid"

// undefinedMark is the attribute of custom elements that no script had defined. No script defines the others in a
// replay either, so rules cannot select by :defined there.
const undefinedMark = "data-plat-undefined"

// wasMark is the attribute of an element that replaces an <object> or <embed>: rules for those apply to it.
const wasMark = "data-plat-was"

// selectsReplaced matches a style sheet that may have such a rule, or one for the elements that replace others.
var selectsReplaced = regexp.MustCompile(`(?i)(?:^|[\s,{};>+~(/])(?:object|embed|iframe)(?:[\s,{>+~.#:\[)/]|$)`)

// scripting matches a media feature that tells whether scripts run (Media Queries Level 5, section 8.2). They
// did when the page was archived.
var scripting = regexp.MustCompile(`(?i)\(\s*scripting\s*(?::\s*(enabled|none|initial-only)\s*)?\)`)

// scripted returns media queries, or a style sheet with them, as they were true when scripts ran, or did not.
func scripted(media string, ran bool) string {
	return scripting.ReplaceAllStringFunc(media, func(feature string) string {
		if value := scripting.FindStringSubmatch(feature)[1]; (value == "" || strings.EqualFold(value, "enabled")) == ran && (ran || !strings.EqualFold(value, "initial-only")) {
			return "(min-width:0)"
		}
		return "(max-width:0)"
	})
}

// CSS rewrites a style sheet for a replay. Its references, relative to the first of some URLs, or if nothing is
// stored there to one of the others, become those of the archived resources. All other references
// become empty, so that they do not leave the archive. Rules that depend on scripts, or on attributes that
// rewriting changes, apply as they did on the page.
func (a *Assets) CSS(text string, bases ...*weburl.Base) string {
	return (&cssRewriter{Assets: a, bases: bases}).rewrite(text)
}

// rewrite returns a text with its references rewritten.
func (r *cssRewriter) rewrite(text string) string {
	if text = scripted(plainNames(text), !r.quiet); !r.picture {
		text = stated(text)
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	read := 0
	l := css.NewLexer(parse.NewInputString(text))
	r.declares = declares(text)
	for {
		kind, data := l.Next()
		if kind == css.ErrorToken {
			return b.String()
		}
		read += len(data)
		b.WriteString(r.token(kind, string(data)))
		if kind == css.SemicolonToken || kind == css.LeftBraceToken || kind == css.RightBraceToken {
			r.declares = declares(text[read:])
		}
	}
}

// escapedName matches the name of a function with escapes.
var escapedName = regexp.MustCompile(`(?i)(?:[a-z-]|\\[0-9a-f]{1,6}[ \t\r\n\f]?|\\[g-z-])*\\(?:[a-z-]|\\|[0-9a-f]{1,6}[ \t\r\n\f]?)*\(`)

// plainNames returns a text with the functions that have references by their plain names, as browsers read them.
func plainNames(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escapedName.ReplaceAllStringFunc(text, func(name string) string {
		plain := unescapeCSS(name)
		switch strings.ToLower(plain) {
		case "url(", "src(", "image(", "image-set(", "-webkit-image-set(", "attr(":
			return plain
		}
		return name
	})
}

// ofState matches what selects a custom element by a state, and, so that it is not found in them, strings and comments.
var ofState = regexp.MustCompile(`"(?:[^"\\\n]|\\(?s:.))*"|'(?:[^'\\\n]|\\(?s:.))*'|(?s:/\*.*?\*/)|:state\(\s*([A-Za-z_-][\w-]*)\s*\)`)

// stated returns a style sheet that selects custom elements by the attribute with their states.
func stated(text string) string {
	if !strings.Contains(text, ":state(") {
		return text
	}
	return ofState.ReplaceAllStringFunc(text, func(found string) string {
		if m := ofState.FindStringSubmatch(found); m[1] != "" {
			return ":is([" + stateMark + "~=state-" + m[1] + "])"
		}
		return found
	})
}

// declares reports whether a text begins with a declaration, and not with a rule, of which all before a brace is a selector.
func declares(text string) bool {
	custom := strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\f"), "--") // whose value may have braces
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{':
			return custom
		case ';', '}':
			return true
		case '\\':
			i++
		case '"', '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if strings.HasPrefix(text[i:], "/*") {
				_, rest, _ := strings.Cut(text[i+2:], "*/")
				i = len(text) - len(rest) - 1
			}
		case '(':
			inside := strings.TrimLeft(text[i+1:], " \t\r\n\f")
			if i < 3 || !strings.EqualFold(text[i-3:i], "url") || inside != "" && (inside[0] == '"' || inside[0] == '\'') {
				continue
			}
			for i++; i < len(text) && text[i] != ')'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return true
}

// cssRewriter rewrites a style sheet, token by token.
type cssRewriter struct {
	*Assets
	bases   []*weburl.Base
	drawing func(abs string) string          // returns the address of an element of a drawing; nil: none are known
	local   func(property, id string) string // the same of an element of the same document; nil: it stays
	written func(ref, address string) string // returns how the address of a reference is written; nil: as it is
	refused *refused                         // of the document; nil: none
	differs bool                             // something has become different than in a sheet of no document

	property  string        // whose value is being read; before the text: of which it is the value
	name      string        // the last identifier
	before    css.TokenType // of the last token
	qualifies bool          // in a selector, a name after that is not the name of an element
	declares  bool          // in a declaration, or the value of one
	at        string        // in the head of this at-rule
	importing bool          // strings are references
	naming    bool          // they are names
	printing  bool          // the next identifier is the attribute of attr()
	functions []stringsIn   // of the open parentheses
}

// stringsIn says what the strings in parentheses are.
type stringsIn byte

const (
	texts  stringsIn = iota
	refs             // to images
	images           // the same, and may be written as url(…), the only form that players know
)

// to returns what a reference becomes.
func (r *cssRewriter) to(ref string) string {
	ref = unescapeCSS(ref)
	if id, ok := strings.CutPrefix(ref, "#"); ok {
		if r.local != nil {
			return r.local(r.property, id)
		}
		return ref
	}
	for _, at := range r.bases {
		if r.refused.inSheet(at, ref, r.property, r.importing) {
			r.differs = true
			return nowhere
		}
	}
	if isData(ref) {
		return ref
	}
	for _, at := range r.bases {
		if r.drawing != nil && filters(r.property) {
			if local := r.drawing(at.Resolve(ref)); local != "" {
				r.differs = true
				return local
			}
		}
		if p := r.find(at, ref); p != "" {
			if r.written != nil {
				return r.written(ref, p)
			}
			return p
		}
	}
	return nowhere
}

// token returns what a token becomes.
func (r *cssRewriter) token(kind css.TokenType, data string) string {
	before := r.before
	r.before = kind
	qualifies := r.qualifies
	r.qualifies = kind == css.ColonToken || kind == css.LeftBracketToken || kind == css.DelimToken && data != ">" && data != "+" && data != "~"
	switch kind {
	case css.URLToken:
		ref := strings.TrimSpace(strings.TrimSuffix(data[len("url("):], ")")) // the sheet may end inside the url()
		if ref = unquoteCSS(ref); r.naming {
			r.naming = false
			return "url(" + quoteCSS(unescapeCSS(ref)) + ")"
		}
		if r.importing {
			if sheet, ok := r.dataSheet(unescapeCSS(ref)); ok {
				return "url(" + quoteCSS(sheet) + ")"
			}
		}
		return "url(" + quoteCSS(r.to(ref)) + ")"
	case css.BadURLToken, css.CDOToken, css.CDCToken:
		r.before = before
		return " " // without the blank, the tokens before and after would become one
	case css.StringToken:
		if r.naming {
			r.naming = false
			return data
		}
		if r.importing {
			if sheet, ok := r.dataSheet(unescapeCSS(unquoteCSS(data))); ok {
				return quoteCSS(sheet)
			}
		}
		switch n := len(r.functions); {
		case n > 0 && r.functions[n-1] == images && r.prefix == "":
			return "url(" + quoteCSS(r.to(unquoteCSS(data))) + ")"
		case r.importing, n > 0 && r.functions[n-1] != texts:
			return quoteCSS(r.to(unquoteCSS(data)))
		}
	case css.AtKeywordToken:
		r.at = strings.ToLower(unescapeCSS(data))
		r.importing, r.naming = r.at == "@import", r.at == "@namespace" && r.property == "" // whose URL is a name
	case css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken:
		r.importing, r.naming, r.functions, r.at = false, false, r.functions[:0], ""
		r.property, r.name = "", ""
	case css.IdentToken:
		return r.ident(data, before, qualifies)
	case css.ColonToken:
		if r.property == "" && r.declares {
			r.property = r.name
		}
	case css.FunctionToken:
		name := strings.ToLower(strings.TrimSuffix(data, "("))
		r.printing = name == "attr"
		are := texts
		switch {
		case name == "url", name == "src", name == "image":
			are = refs
		case strings.HasSuffix(name, "image-set"):
			are = images
		}
		r.functions = append(r.functions, are)
		if strings.Contains(name, `\`) {
			return "unknown(" // a browser may parse it as url(, whose content is not text
		}
	case css.LeftParenthesisToken:
		r.functions = append(r.functions, texts)
	case css.RightParenthesisToken:
		if n := len(r.functions); n > 0 {
			r.functions = r.functions[:n-1]
		}
	}
	return data
}

// ident returns what an identifier becomes after a token. qualifies is of that.
func (r *cssRewriter) ident(data string, before css.TokenType, qualifies bool) string {
	r.name = strings.ToLower(data)
	printed := r.printing && slices.Contains(r.selected, r.name)
	switch {
	case r.Assets.picture:
	case printed:
		r.printing = false
		return "data-plat-" + r.name
	case r.declares, r.at != "" && r.at != "@scope": // no selector
	case (r.name == "object" || r.name == "embed") && !qualifies:
		// as it is, and as an element that replaces it
		return ":is(" + data + ",:where([" + wasMark + "=" + r.name + "]))"
	case r.name == "iframe" && !qualifies:
		return data + ":where(:not([" + wasMark + "]))"
	case before == css.ColonToken && r.name == "defined":
		return "not([" + undefinedMark + "])"
	case before == css.ColonToken && pseudoOpen[r.name] != "":
		return pseudoOpen[r.name]
	case before == css.LeftBracketToken && slices.Contains(r.selected, r.name):
		return "data-plat-" + r.name
	}
	return data
}

// dataSheet rewrites a style sheet in a data: URL (RFC 2397), whose references are those of no document.
func (a *Assets) dataSheet(ref string) (string, bool) {
	if !isData(ref) {
		return "", false
	}
	media, data, _ := strings.Cut(strings.TrimSpace(ref)[len("data:"):], ",")
	text, err := url.PathUnescape(data)
	if err != nil {
		return nowhere, true
	}
	if kind, coded := strings.CutSuffix(strings.ToLower(strings.TrimSpace(media)), ";base64"); coded {
		media = kind
		raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nowhere, true
		}
		text = string(raw)
	}
	if kind, _, _ := strings.Cut(strings.ToLower(media), ";"); strings.TrimSpace(kind) != typeCSS {
		return nowhere, true
	}
	return dataURL("text/css;charset=utf-8", []byte(a.CSS(text, nowhereElse))), true
}

// filters reports whether a property refers to filters. Browsers take those of other files only from the origin of the
// document, and a replay has none. Gradients, clipping paths, masks and markers are shown from everywhere.
func filters(property string) bool {
	return property == "filter" || property == "backdrop-filter" || property == "-webkit-filter"
}

// unquoteCSS returns the content of a quoted string.
func unquoteCSS(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// quoteCSS quotes a string.
func quoteCSS(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `, "\r", `\d `, "\f", `\c `).Replace(s) + `"`
}

// unescapeCSS resolves escapes (CSS Syntax Module Level 3 section 4.3.7).
func unescapeCSS(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		n, r := 0, rune(0)
		for n < 6 && i+n < len(s) && hexValue(s[i+n]) >= 0 {
			r = r<<4 | rune(hexValue(s[i+n]))
			n++
		}
		switch {
		case n > 0:
			b.WriteRune(r)
			i += n - 1
			if i+1 < len(s) && strings.IndexByte(" \t\n\r\f", s[i+1]) >= 0 {
				i++
			}
		case s[i] != '\n':
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
