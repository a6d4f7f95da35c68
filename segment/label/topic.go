package label

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// topics computes the topics of one page's blocks.
type topics struct {
	describer *Describer
	words     *words
}

// maxTopic is the maximum length of a topic in characters, a line in a list.
// Only texts without word boundaries reach it.
const maxTopic = 160

// maxText is the maximum number of bytes of a block read to extract its topic: the first hundred
// pages suffice.
const maxText = 1 << 18

// of returns the topic of a block with the given runs. If no text stands out, it is extracted for
// leaves and "" for parent blocks.
func (t *topics) of(runs []run, leaf bool) string {
	if found := t.find(runs); found != nil {
		text := join(found)
		if !t.longerText(text, t.describer.opt.TopicWords) {
			return tidy(text)
		}
		if topic := t.trim(text); topic != "" {
			return topic
		}
	}
	if !leaf || len(runs) == 0 {
		return ""
	}
	text := join(runs)
	if t.longerText(text, t.describer.opt.ExtractWords-1) {
		if topic := t.extract(text); topic != "" {
			return topic
		}
	}
	// Too little text to count words, or no word was repeated often enough: use the first words that
	// are not stop words.
	if topic := t.trim(text); topic != "" {
		return topic
	}
	return tidy(text) // stop words and punctuation only
}

// trim runs BWAP's Algorithm 2: it returns the first θ distinct words that are not stop words.
func (t *topics) trim(text string) string {
	var out phrase
	seen := map[string]bool{}
	t.words.each(text, func(word string, s script) bool {
		word = t.words.bare(word, s)
		if t.words.stop(word, s) {
			return true
		}
		if key := strings.ToLower(word); !seen[key] {
			seen[key] = true
			out.add(word, s)
		}
		return len(seen) < t.describer.opt.TopicWords && !out.full()
	})
	return out.String()
}

// extract runs BWAP's Algorithm 3: of the words that are not stop words, stemmed, it returns the
// first θ distinct ones that occur more than ε times, each in the form first written. (Line 6 in the
// paper prints T but means the result, TW.) It is "" if no word occurs that often.
func (t *topics) extract(text string) string {
	type term struct {
		word  string
		s     script
		count int
	}
	var terms []term
	rank := map[string]int{} // of a stem in terms
	t.words.each(text, func(word string, s script) bool {
		word = t.words.bare(word, s)
		if t.words.stop(word, s) {
			return true
		}
		stem := t.words.stem(word, s)
		i, ok := rank[stem]
		if !ok {
			i = len(terms)
			rank[stem] = i
			terms = append(terms, term{word: word, s: s})
		}
		terms[i].count++
		return true
	})
	var out phrase
	taken := 0
	for _, w := range terms {
		if w.count > t.describer.opt.MinFrequency && taken < t.describer.opt.TopicWords && !out.full() {
			out.add(w.word, w.s)
			taken++
		}
	}
	return out.String()
}

// longer reports whether runs have more than n words.
func (t *topics) longer(runs []run, n int) bool { return t.longerText(join(runs), n) }

func (t *topics) longerText(text string, n int) bool {
	return !t.words.each(text, func(string, script) bool { n--; return n >= 0 })
}

// apart is the gap between two runs on one line, in font sizes, from which they
// are separate words: half of a narrow blank.
const apart = .12

// touch reports whether b continues where a ends, so that a word may span both.
// Menu links often have no blank between them in the source.
func touch(a, b *run) bool {
	if b.gap || a.holder != b.holder {
		return false
	}
	sameLine := a.box.H <= oneLine*a.size && b.box.Y < a.box.Y+a.box.H && a.box.Y < b.box.Y+b.box.H
	return !sameLine || b.box.X-a.box.X-a.box.W <= apart*a.size
}

// join concatenates runs, with a blank between those that do not touch.
func join(runs []run) string {
	if len(runs) == 1 {
		return runs[0].text[:min(len(runs[0].text), maxText)]
	}
	var b strings.Builder
	for i := range runs {
		if i > 0 && !touch(&runs[i-1], &runs[i]) {
			b.WriteByte(' ')
		}
		b.WriteString(runs[i].text[:min(len(runs[i].text), maxText-min(b.Len(), maxText))])
		if b.Len() >= maxText {
			break
		}
	}
	return b.String()
}

// phrase is a topic built from words, joined by blanks except between two words
// of scripts written without.
type phrase struct {
	b     strings.Builder
	chars int
	last  script
}

func (p *phrase) full() bool { return p.chars >= maxTopic }

func (p *phrase) add(word string, s script) {
	if p.chars > 0 && !(unspaced(p.last) && unspaced(s)) {
		p.b.WriteByte(' ')
		p.chars++
	}
	word = tidy(word)
	p.chars += utf8.RuneCountInString(word)
	p.b.WriteString(word)
	p.last = s
}

func (p *phrase) String() string { return tidy(p.b.String()) }

func unspaced(s script) bool { return s == han || s == kana || s == joined }

// letterScript returns the script of r; false if r is not a letter.
func letterScript(r rune) (script, bool) {
	if r < utf8.RuneSelf {
		return latin, isLetter(byte(r))
	}
	return scriptOf(r), unicode.IsLetter(r)
}

// tidy makes text displayable: valid UTF-8, one line, single blanks, no
// invisible characters, at most maxTopic characters and cut at a blank if one
// is near.
func tidy(text string) string {
	var b strings.Builder
	n, blank := 0, false
	lastBlank := 0 // candidate for the cut
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case r == utf8.RuneError, unicode.IsControl(r), r == 0xad, r == 0x200b, r == 0x2060, r == 0xfeff:
			continue
		}
		if blank && n+1 < maxTopic {
			lastBlank = b.Len()
			b.WriteByte(' ')
			n++
			blank = false
		}
		if blank || n >= maxTopic {
			s := b.String()
			if !blank && lastBlank > len(s)/2 {
				s = s[:lastBlank]
			}
			return s
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
