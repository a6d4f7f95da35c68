package markup

import (
	"bytes"
	"slices"

	"plat/plat"
)

// scanner reads the content of a block, as bytes that Serialize has written, piece by
// piece. Comments, scripts and hidden text are left out.
type scanner struct {
	content []byte
	hidden  []int32 // as in plat.Block, those before at are dropped
	at      int
	scratch []byte

	kind tokenKind
	text []byte // of a text, unescaped; valid until the next call

	from   int    // where a tag begins
	tagEnd int    // and ends
	name   []byte // of a tag
	end    bool   // it is an end tag

	tagged  bool // a gap has tags in it
	apart   bool // a generated text is a word of its own
	ofImage bool // a generated text is the alternative text of an image
	raw     int  // end of the text of a tag whose text is written unescaped, 0: absent

	earlier bool // see [EarlierText]
	ruby    ruby
	looked  int // see maxLooks
	code    int // how many elements of code are open
}

type tokenKind uint8

const (
	isText tokenKind = iota
	isGenerated
	isTag
	isGap // hidden text was here
)

// next reads one piece; false at the end.
func (s *scanner) next() bool {
	if s.ruby.tag {
		s.kind, s.ruby.tag = isTag, false
		return true
	}
	if s.ruby.gap {
		s.kind, s.ruby.gap = isGap, false
		return true
	}
	if s.raw > 0 {
		s.kind, s.text = isText, s.content[s.at:s.raw]
		s.at, s.raw = s.raw, 0
		return true
	}
	for s.at < len(s.content) {
		if s.piece() && !s.held() {
			return true
		}
	}
	return s.ruby.flush(s)
}

// piece reads one piece, and reports whether it is to be seen.
func (s *scanner) piece() bool {
	for len(s.hidden) > 1 && int(s.hidden[1]) <= s.at {
		s.hidden = s.hidden[2:]
	}
	next := len(s.content) // start of the next hidden range
	if len(s.hidden) > 1 {
		if next = max(s.at, int(s.hidden[0])); next == s.at {
			end := min(len(s.content), int(s.hidden[1]))
			s.kind, s.tagged = isGap, bytes.IndexByte(s.content[s.at:end], '<') >= 0
			s.from, s.at = s.at, end
			return true
		}
		next = min(next, len(s.content))
	}
	rest := s.content[s.at:]
	if rest[0] != '<' {
		end := bytes.IndexByte(s.content[s.at:next], '<')
		if end < 0 {
			end = next - s.at
		}
		s.kind, s.text = isText, s.unescaped(rest[:end])
		s.at += end
		return true
	}
	if len(rest) < 2 || rest[1] != '!' {
		s.tag(rest, next)
		return true
	}
	if text, length, ok := generatedText(rest); ok {
		kind := rest[len(generatedMark):]
		s.kind, s.text = isGenerated, s.unescaped(text)
		s.ofImage = bytes.HasPrefix(kind, []byte(plat.Alt))
		s.apart = s.ofImage || bytes.HasPrefix(kind, []byte(plat.Value))
		s.at += length
		return true
	}
	stop := []byte(">")
	if bytes.HasPrefix(rest, []byte("<!--")) {
		stop = []byte("-->")
	}
	s.at += after(rest, stop, 2)
	return false
}

// unescaped returns text without escapes; most texts are unchanged.
func (s *scanner) unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return slices.Clip(text)
	}
	s.scratch = unescape(s.scratch[:0], text)
	return s.scratch
}

// tag parses the tag at the start of rest, and the unescaped text after it.
func (s *scanner) tag(rest []byte, next int) {
	name, length := tag(rest)
	s.kind, s.from, s.name, s.end = isTag, s.at, name, len(rest) > 1 && rest[1] == '/'
	s.at += length
	s.tagEnd = s.at
	if s.end && isCode(name) {
		s.code = max(0, s.code-1)
	}
	if s.end || s.at == next {
		return
	}
	if n := s.gutter(); n > 0 {
		s.kind, s.tagged = isGap, !inline(s.name)
		s.at += n
		return
	}
	if isCode(s.name) {
		s.code++
	}
	kind := rawText(string(name))
	if kind == notRaw || string(name) == "iframe" {
		return // a frame's document is markup, its fallback text is hidden
	}
	stop := bytes.Index(s.content[s.at:], []byte("</"+string(name)+">"))
	if stop < 0 {
		stop = len(s.content) - s.at
	}
	if kind == rawSeen && stop > 0 {
		s.raw = s.at + stop
		return
	}
	s.at += stop
}

// afterLink reports whether a tag begins a link right after a link: such links are items of a menu,
// separated only by style.
func (s *scanner) afterLink() bool {
	return string(s.name) == "a" && bytes.HasSuffix(s.content[:s.from], []byte("</a>"))
}

// generatedText parses a comment with generated text at the start of b; see
// [Serialize].
func generatedText(b []byte) (text []byte, length int, ok bool) {
	if !bytes.HasPrefix(b, []byte(generatedMark)) {
		return nil, 0, false
	}
	length = after(b, []byte("-->"), len(generatedMark))
	_, text, ok = bytes.Cut(b[len(generatedMark):length], []byte(" "))
	return bytes.TrimSuffix(text, []byte("-->")), length, ok
}

// after returns the length of b up to and including the first stop at or after
// from.
func after(b, stop []byte, from int) int {
	if i := bytes.Index(b[from:], stop); i >= 0 {
		return from + i + len(stop)
	}
	return len(b)
}

// tag returns the name and length of the tag at the start of b. Serialize
// escapes ">" in attributes, so the first one ends the tag.
func tag(b []byte) (name []byte, length int) {
	from := 1
	if len(b) > 1 && b[1] == '/' {
		from = 2
	}
	end := from
	for end < len(b) && b[end] != ' ' && b[end] != '>' {
		end++
	}
	length = len(b)
	if end < len(b) && b[end] == '>' {
		length = end + 1
	} else if i := bytes.IndexByte(b[end:], '>'); i >= 0 {
		length = end + i + 1
	}
	return b[from:end], length
}

// unescape reverses appendEscaped.
func unescape(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		s = s[i:]
		switch {
		case bytes.HasPrefix(s, []byte("&amp;")):
			dst, s = append(dst, '&'), s[5:]
		case bytes.HasPrefix(s, []byte("&lt;")):
			dst, s = append(dst, '<'), s[4:]
		case bytes.HasPrefix(s, []byte("&gt;")):
			dst, s = append(dst, '>'), s[4:]
		case bytes.HasPrefix(s, []byte("&nbsp;")):
			dst, s = append(dst, 0xc2, 0xa0), s[6:]
		default:
			dst, s = append(dst, '&'), s[1:]
		}
	}
}
