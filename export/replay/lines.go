package replay

import (
	"bytes"
	"html"
	"strings"

	nethtml "golang.org/x/net/html"
)

// An archived page has the texts of its DOM as they are. Parsers of HTML change two characters of them: they drop a line feed at
// the start of some elements (HTML Living Standard, section 13.2.6.4.7), and read a carriage return as a line feed (section 13.2.3.5).
// So a replay has the former twice, and the latter as a character reference. Stored pages remain as the browser had them.

// dropsLine reports whether parsers drop a line feed at the start of the innermost element, and may find one there: in front
// of rest, or after what a replay leaves out. One that is written there is always dropped.
func (w *rewriter) dropsLine(t *nethtml.Token) bool {
	o := &w.stack[len(w.stack)-1]
	if o.foreign || !o.literal && t.Data != "pre" && t.Data != "listing" && t.Data != "textarea" {
		return false
	}
	rest := w.rest
	for {
		text, comment := bytes.CutPrefix(rest, []byte("<!--"))
		if !comment {
			return len(rest) > 0 && (rest[0] == '\n' || rest[0] == '<' && bytes.HasPrefix(rest, []byte("<script")))
		}
		_, rest, _ = bytes.Cut(text, []byte("-->"))
	}
}

var (
	carriageReturn = []byte("\r")
	returnEscaped  = []byte("&#013;") // with a zero, unlike any that a style sheet may have as text
)

// escapeInput returns a page with its carriage returns as character references, which survive the tokenizer.
func (w *rewriter) escapeInput(in []byte) []byte {
	if w.returns = bytes.Contains(in, carriageReturn); w.returns {
		return bytes.ReplaceAll(in, carriageReturn, returnEscaped)
	}
	return in
}

// withReturns returns a text of an element without character references as the page has it.
func (w *rewriter) withReturns(raw []byte) []byte {
	if !w.returns {
		return raw
	}
	return bytes.ReplaceAll(raw, returnEscaped, carriageReturn)
}

// escapeReturns escapes a text or a value of an attribute.
func escapeReturns(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\r", string(returnEscaped))
}
