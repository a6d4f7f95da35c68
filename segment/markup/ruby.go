package markup

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// ruby holds back the readings of ruby annotations, which stand above their words: a text has them behind, in brackets.
type ruby struct {
	apart    bool   // the text has no readings; all of them are collected
	depth    int    // how many <ruby> are open
	reading  int    // how many <rt> and <rtc>
	bracket  int    // how many <rp>, which are for browsers without ruby
	readings []byte // of the annotation that is open
	all      []byte
	tag      bool // the end tag comes after its readings
	gap      bool // hidden text comes after them
}

// held handles the piece read last where ruby is open, and reports whether it is held back.
func (s *scanner) held() bool {
	if s.earlier || s.ruby.depth == 0 && (s.kind != isTag || string(s.name) != "ruby") {
		return false
	}
	r := &s.ruby
	switch {
	case s.kind == isGap:
		return s.hiddenRuby()
	case s.kind != isTag:
		if r.reading > 0 && r.bracket == 0 {
			if text := bytes.TrimFunc(s.text, spaceRune); !blankBytes(text) {
				r.readings = AppendReading(r.readings, text)
			}
		}
		return r.reading > 0 || r.bracket > 0
	}
	if r.step(s.name, s.end) {
		r.tag = r.flush(s)
	}
	return false
}

// step takes note of a tag, and reports whether the annotation ends with it.
func (r *ruby) step(name []byte, end bool) (ends bool) {
	count := func(n *int) {
		if *n++; end {
			*n = max(0, *n-2)
		}
	}
	switch string(name) {
	case "ruby":
		if count(&r.depth); end && r.depth == 0 {
			r.reading, r.bracket = 0, 0
			return true
		}
	case "rt", "rtc":
		count(&r.reading)
	case "rp":
		count(&r.bracket)
	}
	return false
}

// hiddenRuby reads the tags of hidden text, as of an <rp>, and reports whether the text is held back: it may end the annotation.
func (s *scanner) hiddenRuby() bool {
	ended := false
	for b := s.content[s.from:s.at]; ; {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			break
		}
		name, length := tag(b[i:])
		ended = s.ruby.step(name, i+1 < len(b) && b[i+1] == '/') || ended
		b = b[i+length:]
	}
	if !ended {
		return true
	}
	s.ruby.gap = s.ruby.flush(s)
	return false
}

// AppendReading appends a reading of a ruby annotation to those before it. Those in letters of the Latin alphabet, as of
// Chinese, are words.
func AppendReading[T string | []byte](readings []byte, text T) []byte {
	if last, _ := utf8.DecodeLastRune(readings); len(readings) > 0 && len(text) > 0 && last < 0x2000 {
		readings = append(readings, ' ')
	}
	return append(readings, text...)
}

// flush makes the readings that were held back the piece of s; false if there are none.
func (r *ruby) flush(s *scanner) bool {
	switch {
	case len(r.readings) == 0:
		return false
	case r.apart:
		r.all = append(append(r.all, '\n'), r.readings...)
		r.readings = r.readings[:0]
		return false
	}
	s.kind, s.text = isText, slices.Concat([]byte("("), r.readings, []byte(")"))
	r.readings = r.readings[:0]
	return true
}
