package revalidate

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/fnv"
	"strings"

	"golang.org/x/net/html"
)

// Source holds the relevant properties of a document's HTML as sent.
type Source struct {
	Scripts  bool // it has active or animated content
	Code     Mark // of its inline scripts
	Body     Mark
	Skeleton Mark     // of the body without its tokens
	Tokens   []uint32 // a hash each; nil if there are too many
}

// maxTokens is the maximum number of tokens tracked per body: the bits of
// Volatile.
const maxTokens = 64

// ReadSource parses a document.
func ReadSource(body []byte) *Source {
	s := &Source{Body: bodyMark(body)}
	s.skeleton(body)
	// In encodings that are not ASCII-compatible, scripts would be missed.
	s.Scripts = bytes.IndexByte(body, 0) >= 0 || bytes.IndexByte(body, 0x1b) >= 0
	code := sha256.New()
	note := func(parts ...string) {
		m := MarkOf(parts...)
		code.Write(m[:])
	}
	data := 0 // script elements that hold data
	script := false
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			// Also count scripts that the tokenizer reads as text: SVG's style
			// element, for example, is not raw text.
			s.Scripts = s.Scripts || countTag(body, "<script") > data
			copy(s.Code[:], code.Sum(nil))
			return s
		case html.TextToken:
			if script {
				note(string(z.Raw()))
			}
		case html.EndTagToken:
			script = false
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			script = false
			isData := t.Data == "script" && dataScript(attribute(t.Attr, "type"))
			if isData {
				data++
			} else if Active(t.Data, attribute(t.Attr, "http-equiv")) {
				s.Scripts = true
				script = t.Data == "script"
				note(t.String())
			}
			for _, a := range t.Attr {
				if Handler(a.Key) {
					s.Scripts = true
					note(a.Key, a.Val)
				}
			}
		}
	}
}

func bodyMark(body []byte) (m Mark) {
	sum := sha256.Sum256(body)
	copy(m[:], sum[:])
	return m
}

// Active reports whether an element runs code, loads a page or is animated.
// Data scripts must be excluded by type.
func Active(name, httpEquiv string) bool {
	switch strings.ToLower(name) {
	case "script", "iframe", "frame", "object", "embed", "applet", "portal", "fencedframe",
		"marquee", "video", "audio", "animate", "animatemotion", "animatetransform", "set":
		return true
	case "meta":
		return strings.EqualFold(strings.TrimSpace(httpEquiv), "refresh")
	}
	return false
}

// Handler reports whether an attribute holds a script.
func Handler(attribute string) bool {
	return len(attribute) > 2 && strings.EqualFold(attribute[:2], "on")
}

// dataScript reports whether a script element of that type holds data, which is
// inert unless a different script reads it.
func dataScript(kind string) bool {
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "application/ld+json", "application/json":
		return true
	}
	return false
}

func attribute(all []html.Attribute, key string) string {
	for _, a := range all {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func countTag(body []byte, tag string) (n int) {
	for len(body) >= len(tag) {
		i := bytes.IndexByte(body, '<')
		if i < 0 || len(body)-i < len(tag) {
			return n
		}
		if body = body[i:]; strings.EqualFold(string(body[:len(tag)]), tag) {
			n++
		}
		body = body[1:]
	}
	return n
}

// skeleton removes the tokens from a body.
func (s *Source) skeleton(body []byte) {
	rest := sha256.New()
	from := 0
	for i := 0; i < len(body); {
		if !tokenByte(body[i]) {
			i++
			continue
		}
		start := i
		for i < len(body) && tokenByte(body[i]) {
			i++
		}
		if !randomLooking(body[start:i]) {
			continue
		}
		rest.Write(body[from:start])
		rest.Write([]byte{0})
		from = i
		h := fnv.New32a()
		h.Write(body[start:i])
		s.Tokens = append(s.Tokens, h.Sum32())
	}
	rest.Write(body[from:])
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s.Tokens)))
	rest.Write(n[:])
	copy(s.Skeleton[:], rest.Sum(nil))
	if len(s.Tokens) > maxTokens {
		s.Tokens = nil
	}
}

// tokenByte reports whether c may be part of a token: both kinds of base64,
// UUIDs.
func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' || c == '-' || c == '_'
}

// randomLooking reports whether a run may be a nonce, a CSRF token, a UUID or a
// time in seconds. False positives are harmless: a token counts as volatile
// only after it was seen to change.
func randomLooking(run []byte) bool {
	if len(run) < 9 {
		return false
	}
	digits, letters, turns, last := 0, 0, 0, 0
	for _, c := range run {
		class := 0
		switch {
		case c >= '0' && c <= '9':
			digits++
			class = 1
		case c >= 'a' && c <= 'z':
			letters++
			class = 2
		case c >= 'A' && c <= 'Z':
			letters++
			class = 3
		default:
			continue
		}
		if last != 0 && class != last {
			turns++
		}
		last = class
	}
	return digits == len(run) || len(run) >= 16 && digits > 0 && letters > 0 && turns >= 4
}

// drift compares the tokens of two bodies with the same skeleton and returns a
// bit for each difference.
func drift(a, b []uint32) (bits uint64) {
	for i := range a {
		if a[i] != b[i] {
			bits |= 1 << i
		}
	}
	return bits
}
