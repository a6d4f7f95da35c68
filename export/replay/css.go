package replay

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"plat/plat/weburl"
)

// nowhereElse is the base of pictures that contain all that they show.
var nowhereElse = weburl.NewBase("")

// nowhere is an empty resource that causes no request.
const nowhere = "data:,"

// CSS rewrites the references of a style sheet, with its base, to the archived resources.
// All other references become empty, so that they do not leave the archive.
func (a *Assets) CSS(text string, base *weburl.Base) string {
	l := css.NewLexer(parse.NewInputString(text))
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	to := func(ref string) string {
		ref = unescapeCSS(ref)
		if strings.HasPrefix(ref, "#") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(ref)), "data:") {
			return ref
		}
		if p := a.find(base, ref); p != "" {
			return p
		}
		return nowhere
	}
	// Strings are references after @import, and in functions with images as arguments.
	importing := false
	var functions []bool
	for {
		kind, data := l.Next()
		if kind == css.ErrorToken {
			return b.String()
		}
		switch kind {
		case css.URLToken:
			ref := strings.TrimSpace(strings.TrimSuffix(string(data[len("url("):]), ")")) // the sheet may end inside the url()
			b.WriteString("url(" + quoteCSS(to(unquoteCSS(ref))) + ")")
			continue
		case css.BadURLToken:
			continue
		case css.StringToken:
			if importing || len(functions) > 0 && functions[len(functions)-1] {
				b.WriteString(quoteCSS(to(unquoteCSS(string(data)))))
				continue
			}
		case css.AtKeywordToken:
			importing = strings.EqualFold(unescapeCSS(string(data)), "@import")
		case css.SemicolonToken, css.LeftBraceToken, css.RightBraceToken:
			importing = false
			functions = functions[:0]
		case css.FunctionToken:
			name := strings.ToLower(strings.TrimSuffix(string(data), "("))
			if strings.Contains(name, `\`) {
				data = []byte("unknown(") // a browser may parse it as url(, whose content is not text
			}
			functions = append(functions, name == "url" || name == "src" || strings.HasSuffix(name, "image-set") || name == "image")
		case css.LeftParenthesisToken:
			functions = append(functions, false)
		case css.RightParenthesisToken:
			if n := len(functions); n > 0 {
				functions = functions[:n-1]
			}
		}
		b.Write(data)
	}
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
