package redact

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// encoders write a text as browsers do; each may be applied to the output of a different one.
var encoders = []func(string) string{
	func(s string) string { return s },
	url.QueryEscape,
	url.PathEscape,
	formEncoded,
	html.EscapeString,
	strings.ToUpper,
	func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
	func(s string) string { return each(s, "%%%02x") },
	func(s string) string { return each(s, "&#%d;") },
	func(s string) string { return each(s, "&#x%x;") },
	func(s string) string { return each(s, `\u{%x}`) },
	func(s string) string { return strings.Join(strings.Split(s, ""), "\u00ad") },
}

// each writes each character, or for "%" each byte, in a format.
func each(s, format string) string {
	var b strings.Builder
	if strings.HasPrefix(format, "%%") {
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// Nothing of a secret remains, for any text around it, encoding and split over texts; and a text
// without the secret does not change.
func FuzzParts(f *testing.F) {
	f.Add("hunter2", "a ", " b", uint64(1))
	f.Add(`tr0 ub*4~d'(é)!&<"\/%+百`, "?q=", "&x", uint64(2))
	f.Add("%41%42cd", "100", "&amp;", uint64(3))
	f.Add("a\u0301\u0302bcd", "e", "\u0301", uint64(4))
	f.Add(`\\\\"\u0041`, "x", "y", uint64(5))
	f.Fuzz(func(t *testing.T, secret, before, after string, seed uint64) {
		if !utf8.ValidString(secret) || len(secret) > 100 || len(before)+len(after) > 1000 || strings.Trim(strings.ToLower(secret), "[redact]") == "" {
			t.Skip()
		}
		visible := 0
		for _, r := range secret {
			if !unicode.IsPrint(r) && r != ' ' || r == utf8.RuneError {
				t.Skip() // a field of one line cannot contain it
			}
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				visible++
			}
		}
		if visible < minSecret {
			t.Skip()
		}
		random := rand.New(rand.NewPCG(seed, 1))
		form := secret
		for range random.IntN(3) {
			form = encoders[random.IntN(len(encoders))](form)
		}
		// The text before it must not be decoded together with it.
		before, after = strings.TrimRight(before, `%\&#;0123456789`)+" ", " "+after
		whole := before + form + after
		var parts []Part
		for rest := whole; rest != ""; {
			n := 1 + random.IntN(len(rest))
			for n < len(rest) && !utf8.RuneStart(rest[n]) {
				n++
			}
			parts = append(parts, Part{new(rest[:n]), true})
			rest = rest[n:]
			if random.IntN(3) == 0 {
				parts = append(parts, Part{new("decoy"), false})
			}
		}
		r := New(secret)
		without := ""
		for _, p := range parts {
			if p.Shown {
				without += *p.Text
			}
		}
		if without != whole {
			t.Fatal("the parts are not the text")
		}
		r.Parts(parts)
		shown := ""
		for _, p := range parts {
			if p.Shown {
				shown += *p.Text
			}
		}
		if strings.Contains(shown, form) && !strings.Contains(Mark, form) {
			t.Errorf("%q has %q of %q", shown, form, secret)
		}
		if text := r.Text(whole); strings.Contains(text, form) && !strings.Contains(Mark, form) || !strings.Contains(text, Mark) {
			t.Errorf("%q became %q, with %q of %q", whole, text, form, secret)
		}
		if other := New("an entirely different secret 4711").Text(whole); other != whole {
			t.Errorf("%q became %q without a secret", whole, other)
		}
	})
}

// The time is proportional to the text, for any content.
func BenchmarkText(b *testing.B) {
	r := New("hunter2", secret)
	for name, part := range map[string]string{
		"words": "The quick brown fox jumps over the lazy dog. ", "Chinese": "百家姓千字文", "percent": "%68%75%6e", "percent of percent": "%252525", "references": "&amp;&lt;&eacute;", "no references": "&abcdefghijklmnopqrstuvwxyzabcdef",
		"backslashes": `\\\\\\\\`, "almost": "hunter", "secret": "hunter2 ", "marks": "a\u0301\u0302\u0303\u0304",
	} {
		text := strings.Repeat(part, 1<<20/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}
