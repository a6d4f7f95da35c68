package diff

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Reason names the cause of a difference in bytes that does not count as a change.
type Reason string

// The reasons.
const (
	Nonce     Reason = "nonce"     // a nonce or integrity attribute, a CSRF token
	UUID      Reason = "uuid"      // a different UUID
	Hex       Reason = "hex"       // 8 or more hexadecimal digits in place of as many
	Random    Reason = "random"    // a different random-looking id, such as base64 or base62
	Timestamp Reason = "timestamp" // a different date, time or number of seconds
	Counter   Reason = "counter"   // a different number in a script, a comment or an id
	Query     Reason = "query"     // a cache-busting or session parameter of an address
)

// Volatile compares two pieces of HTML that show the same text, and reports whether
// every difference between them is a token. The pieces must have the same tags,
// attributes, texts and comments in the same order; differences may be in
//
//   - an attribute: nonce and integrity altogether; ids and references to them,
//     data attributes, hidden form fields and meta contents by token; addresses by
//     token in the query of well-known names, and for scripts and style sheets
//     anywhere;
//   - the text of a script, a comment or hidden text, by token; in the first two
//     numbers are tokens too.
//
// Anything that affects the rendering or is read aloud is not a token: style, class,
// sizes, alternative texts, the path of a picture, a link's target. reasons lists the
// reasons found, without duplicates; it is nil if ok is false.
func Volatile(old, new []byte) (reasons []Reason, ok bool) {
	a, b := html.NewTokenizer(bytes.NewReader(old)), html.NewTokenizer(bytes.NewReader(new))
	c := comparer{}
	for {
		ta, tb := a.Next(), b.Next()
		if ta != tb {
			return nil, false
		}
		if ta == html.ErrorToken {
			if a.Err() != io.EOF || b.Err() != io.EOF || len(c.found) == 0 {
				return nil, false
			}
			slices.Sort(c.found)
			return c.found, true
		}
		if !c.token(ta, a, b) {
			return nil, false
		}
	}
}

// VolatileAttribute reports whether two different values of an attribute differ in tokens only, as
// [Volatile] does for the only attribute of a tag.
func VolatileAttribute(tag, key, old, new string) bool {
	c := comparer{}
	return c.attributes(tag, []html.Attribute{{Key: key, Val: old}}, []html.Attribute{{Key: key, Val: new}}) && len(c.found) > 0
}

// comparer iterates over two pieces of HTML in parallel.
type comparer struct {
	in    string // element whose raw text comes next
	found []Reason
}

func (c *comparer) note(r Reason) bool {
	if r == "" {
		return false
	}
	if !slices.Contains(c.found, r) {
		c.found = append(c.found, r)
	}
	return true
}

func (c *comparer) token(t html.TokenType, a, b *html.Tokenizer) bool {
	equal := bytes.Equal(a.Raw(), b.Raw())
	switch t {
	case html.StartTagToken, html.SelfClosingTagToken:
		x, y := a.Token(), b.Token()
		c.in = x.Data
		return equal || x.Data == y.Data && c.attributes(x.Data, x.Attr, y.Attr)
	case html.TextToken:
		in := c.in
		c.in = ""
		return equal || in != "style" && c.text(string(a.Raw()), string(b.Raw()), in == "script")
	case html.CommentToken:
		return equal || c.text(string(a.Raw()), string(b.Raw()), true)
	}
	c.in = ""
	return equal
}

// attributes compares the attributes of two tags with the same name and different
// bytes.
func (c *comparer) attributes(tag string, a, b []html.Attribute) bool {
	if len(a) != len(b) {
		return false
	}
	differ := false
	for i := range a {
		if a[i].Key != b[i].Key {
			return false
		}
		if a[i].Val == b[i].Val {
			continue
		}
		if differ = true; !c.attribute(tag, a[i].Key, a, a[i].Val, b[i].Val) {
			return false
		}
	}
	return differ // otherwise only quotes, blanks or case differ: markup
}

func (c *comparer) attribute(tag, key string, all []html.Attribute, x, y string) bool {
	switch class := attributeClass(tag, key, all); class {
	case isNonce:
		return c.note(Nonce)
	case isTime:
		if timeLike(x) && timeLike(y) {
			return c.note(Timestamp)
		}
		return c.text(x, y, false)
	case isReference:
		return c.text(x, y, true)
	case isData:
		return c.text(x, y, false)
	case isAddress, isAsset:
		return c.address(x, y, class == isAsset)
	}
	return false
}

// text compares two texts field by field: first split at characters that no token contains, then, if
// a field is not a token as a whole, at everything but letters and digits. numbers reports whether
// bare numbers are tokens.
func (c *comparer) text(x, y string, numbers bool) bool {
	return inStep(x, y, wide, func(v, w string) bool {
		if c.note(tokenLike(v, w, numbers)) {
			return true
		}
		return inStep(v, w, narrow, func(v, w string) bool { return c.note(tokenLike(v, w, numbers)) })
	})
}

// address compares two URLs. Path and host must be equal, except that an asset's file
// name may contain a fingerprint; parameters with known names may have any value that
// could be a token.
func (c *comparer) address(x, y string, asset bool) bool {
	px, qx := splitQuery(x)
	py, qy := splitQuery(y)
	if px != py && !(asset && c.text(px, py, false)) {
		return false
	}
	vx, vy := strings.FieldsFunc(qx, isParamBreak), strings.FieldsFunc(qy, isParamBreak)
	if len(vx) != len(vy) {
		return false
	}
	for i := range vx {
		if vx[i] == vy[i] {
			continue
		}
		kx, ax, _ := strings.Cut(vx[i], "=")
		ky, ay, _ := strings.Cut(vy[i], "=")
		switch {
		case kx == ky && volatileParam(kx) && isToken(ax) && isToken(ay):
			c.note(Query)
		case asset && c.text(vx[i], vy[i], true): // such as app.js?1699999999
		default:
			return false
		}
	}
	return true
}

// splitQuery splits an address before its parameters: "?", or ";" as used for servlet
// sessions.
func splitQuery(u string) (path, query string) {
	if i := strings.IndexAny(u, "?;"); i >= 0 {
		return u[:i], u[i:]
	}
	return u, ""
}

func isParamBreak(r rune) bool { return r == '?' || r == '&' || r == ';' || r == '#' }
