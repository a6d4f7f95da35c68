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
}

// held handles the piece read last where ruby is open, and reports whether it is held back.
func (s *scanner) held() bool {
	if s.earlier || s.ruby.depth == 0 && (s.kind != isTag || string(s.name) != "ruby") {
		return false
	}
	r := &s.ruby
	step := func(n *int) {
		if *n++; s.end {
			*n = max(0, *n-2)
		}
	}
	switch {
	case s.kind == isGap:
		return true // a hidden <rp>
	case s.kind != isTag:
		if r.reading > 0 && r.bracket == 0 {
			r.add(s.text)
		}
		return r.reading > 0 || r.bracket > 0
	}
	switch string(s.name) {
	case "ruby":
		if step(&r.depth); s.end && r.depth == 0 {
			r.reading, r.bracket = 0, 0
			r.tag = r.flush(s)
		}
	case "rt", "rtc":
		step(&r.reading)
	case "rp":
		step(&r.bracket)
	}
	return false
}

// add adds a reading. Those in letters of the Latin alphabet, as of Chinese, are words.
func (r *ruby) add(text []byte) {
	if text = bytes.TrimFunc(text, spaceRune); blankBytes(text) {
		return
	}
	if last, _ := utf8.DecodeLastRune(r.readings); len(r.readings) > 0 && last < 0x2000 {
		r.readings = append(r.readings, ' ')
	}
	r.readings = append(r.readings, text...)
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
