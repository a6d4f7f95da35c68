package label

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"plat/segment/label/chinese"
)

// words splits the texts of one page into words and identifies those that carry
// a topic. Not safe for concurrent use: it keeps scratch space.
type words struct {
	d        *Describer
	japanese bool
	foreign  bool // the page's language is not written in Han
	// by script: the language whose stop list and stemmer its words get
	language [scripts]language

	texts   []string         // of the page
	lexicon *chinese.Lexicon // for the texts; loaded on first use

	chinese.Cutter
}

// maxStop is the maximum size in bytes of a word that is looked up or stemmed;
// longer ones are not natural words.
const maxStop = 48

// shortRun is the maximum length in bytes of a run of Han that counts as one
// word on a non-Chinese page: four characters, as in names and menu items. This
// avoids loading the dictionary for a link to the Chinese edition, which many
// pages have.
const shortRun = 4 * len("中")

// words prepares a page in the given language ("" if unknown).
func (d *Describer) words(code string, texts []string) *words {
	w := &words{d: d, texts: texts, japanese: code == "ja", foreign: code != "" && code != "zh" && code != "ja"}
	for s := range w.language {
		w.language[s] = none
	}
	// Latin words on Chinese, Russian or Arabic pages are treated as English; a page in an unknown
	// Latin language may be short English.
	w.language[latin] = languageOf("en")
	if code != "" && writtenIn(code, latin) {
		w.language[latin] = languageOf(code)
	}
	w.language[cyrillic] = languageOf("ru")
	if code != "" && code != "ru" && writtenIn(code, cyrillic) {
		w.language[cyrillic] = none
	}
	w.language[han] = languageOf("zh")
	if w.japanese {
		w.language[han] = languageOf("ja")
	}
	w.language[kana] = languageOf("ja")
	w.language[hangul] = languageOf("ko")
	return w
}

// each calls yield for the words of text in order until yield returns false,
// and reports whether it reached the end. A word has at least one letter or
// digit.
//
// Words end according to UAX #29, with two additions where it relies on
// dictionaries: Chinese is segmented by the lexicon, Japanese where kanji,
// hiragana and katakana meet. Korean and scripts without a dictionary are split
// at blanks.
func (w *words) each(text string, yield func(word string, s script) bool) bool {
	for i := 0; i < len(text); {
		c := text[i]
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		} else if !wordByte(c) {
			i++
			continue
		}
		if c < utf8.RuneSelf || plainLetter(r) {
			if end, plain := plainWord(text, i); plain {
				s, ok := latin, true
				if !isLetter(c) {
					s, ok = wordScript(text[i:end])
				}
				if ok && !yield(text[i:end], s) {
					return false
				}
				i = end
				continue
			}
		} else {
			if isHan(r) || isKana(r) {
				end := runEnd(text, i, func(r rune) bool { return isHan(r) || isKana(r) })
				if !w.cutEastAsian(text[i:end], yield) {
					return false
				}
				i = end
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
				i += n
				continue
			}
		}
		end := runEnd(text, i, func(r rune) bool { return r > ' ' && !isHan(r) && !isKana(r) })
		if !cutUnicode(text[i:end], yield) {
			return false
		}
		i = end
	}
	return true
}

// chinese returns the lexicon for the page.
func (w *words) chinese() *chinese.Lexicon {
	if w.lexicon == nil {
		w.lexicon = w.d.chinese.For(w.texts)
	}
	return w.lexicon
}

// cutUnicode splits a text without blanks, Han and kana by UAX #29.
func cutUnicode(text string, yield func(word string, s script) bool) bool {
	start, at := 0, 0 // text[start:at] is an unfinished word of a joined script
	state := -1
	for rest := text; rest != ""; {
		var word string
		word, rest, state = uniseg.FirstWordInString(rest, state)
		s, ok := wordScript(word)
		if ok && s == joined {
			at += len(word)
			continue
		}
		if start < at && !yield(text[start:at], joined) {
			return false
		}
		at += len(word)
		start = at
		if ok && !yield(word, s) {
			return false
		}
	}
	return start == at || yield(text[start:at], joined)
}

// cutEastAsian splits a run of Han and kana.
func (w *words) cutEastAsian(run string, yield func(word string, s script) bool) bool {
	afterHan := false
	for i := 0; i < len(run); {
		r, _ := utf8.DecodeRuneInString(run[i:])
		switch {
		case isHan(r):
			end := runEnd(run, i, isHan)
			if w.japanese || w.foreign && end-i <= shortRun {
				if !yield(run[i:end], han) {
					return false
				}
			} else if !w.Cut(w.chinese(), run[i:end], func(word string) bool { return yield(word, han) }) {
				return false
			}
			i, afterHan = end, true
		default:
			hiragana := r < 0x30a0
			end := runEnd(run, i, func(r rune) bool {
				// The long vowel mark belongs to the character before it.
				return isKana(r) && (r < 0x30a0 == hiragana || r == 0x30fc)
			})
			s := kana
			if hiragana && (afterHan || end-i <= 2*len("の")) {
				s = ending
			}
			if !yield(run[i:end], s) {
				return false
			}
			i, afterHan = end, false
		}
	}
	return true
}

// ending marks hiragana that inflect a word or join it to the next: they are
// not looked up and never part of a trimmed or extracted topic.
const ending = scripts

// runEnd returns the end of the run of runes from i that satisfy ok; the first
// is always included.
func runEnd(text string, i int, ok func(rune) bool) int {
	_, n := utf8.DecodeRuneInString(text[i:])
	for i += n; i < len(text); i += n {
		var r rune
		if r, n = utf8.DecodeRuneInString(text[i:]); !ok(r) {
			break
		}
	}
	return i
}

// plainWord finds the end of the word that starts at text[i], by the rules of UAX #29 (WB5 to WB13b)
// for ASCII and the letters accepted by plainLetter. It is a fast path for most text: the tables of
// the full algorithm cost ten times as much. plain is false if any other character affects the
// decision.
func plainWord(text string, i int) (end int, plain bool) {
	for i < len(text) {
		c := text[i]
		if wordByte(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if plainLetter(r) {
				i += n
				continue
			}
			return i, isHan(r) || isKana(r) || breaksWord(r)
		}
		// Punctuation inside a word: between letters . ' :  between digits . ' , ;
		inWord := c == '.' || c == '\'' || c == ':'
		inNumber := c == '.' || c == '\'' || c == ',' || c == ';'
		if i+1 >= len(text) || !inWord && !inNumber {
			return i, true
		}
		// All non-ASCII characters so far are letters.
		before := text[i-1]
		after, n := utf8.DecodeRuneInString(text[i+1:])
		switch {
		case after >= utf8.RuneSelf && !plainLetter(after):
			return i, false
		case inWord && (isLetter(before) || before >= utf8.RuneSelf) && (after >= utf8.RuneSelf || isLetter(byte(after))),
			inNumber && isDigit(before) && after < utf8.RuneSelf && isDigit(byte(after)):
			i += 1 + n
		default:
			return i, true
		}
	}
	return i, true
}

// plainLetter reports whether r is a non-ASCII letter that UAX #29 treats like
// ASCII letters and that does not combine: Latin and Cyrillic.
func plainLetter(r rune) bool {
	return r >= 0xc0 && r <= 0x24f && r != 0xd7 && r != 0xf7 || r >= 0x400 && r <= 0x481 || r >= 0x48a && r <= 0x52f
}

// breaksWord reports whether r is a common character that always ends a word.
func breaksWord(r rune) bool {
	switch r {
	case 0xa0, 0xab, 0xbb, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x201c, 0x201d, 0x201e, 0x2022, 0x2026,
		0x3000, 0x3001, 0x3002, 0x300a, 0x300b, 0x300c, 0x300d, 0x3010, 0x3011, 0xff01, 0xff08, 0xff09, 0xff1f:
		return true
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func wordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// wordScript returns the script of the first letter or digit; false if there is no letter or digit.
func wordScript(word string) (script, bool) {
	for _, r := range word {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return scriptOf(r), true
		}
	}
	return other, false
}

// eachPlain calls yield for the runs of letters in text, apostrophes included.
// It suffices for finding stop words in alphabetic scripts, and is fast.
func eachPlain(text string, yield func(word string) bool) {
	start := -1
	for i, r := range text {
		in := r < utf8.RuneSelf && isLetter(byte(r)) || r == '\'' || r == 0x2019 || r >= utf8.RuneSelf && unicode.IsLetter(r)
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			if !yield(text[start:i]) {
				return
			}
			start = -1
		}
	}
	if start >= 0 {
		yield(text[start:])
	}
}

// lowerInto writes word to buf in lower case, with ASCII apostrophes; false if
// it does not fit.
func lowerInto(buf []byte, word string) ([]byte, bool) {
	if len(word)+utf8.UTFMax > len(buf) {
		return nil, false
	}
	b := buf[:0]
	for i := 0; i < len(word); {
		if c := word[i]; c < utf8.RuneSelf {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(word[i:])
		i += n
		if r == 0x2019 {
			r = '\''
		}
		if b = utf8.AppendRune(b, unicode.ToLower(r)); len(b)+utf8.UTFMax > len(buf) {
			return nil, false
		}
	}
	return b, true
}

// elisions are the articles and pronouns that French and Italian attach to the
// next word.
var elisions = map[string]bool{
	"l": true, "d": true, "j": true, "m": true, "t": true, "s": true, "c": true, "n": true, "qu": true, "lorsqu": true,
	"puisqu": true, "jusqu": true, "dell": true, "nell": true, "all": true, "dall": true, "sull": true, "coll": true,
	"un": true, "quest": true, "quell": true,
}

// bare strips elided words from the front of word: "l'archive" is "archive".
func (w *words) bare(word string, s script) string {
	if s != latin {
		return word
	}
	l := w.language[latin]
	if l == none || stopLists[l].code != "fr" && stopLists[l].code != "it" {
		return word
	}
	before, after, ok := strings.Cut(word, "'")
	if !ok {
		before, after, ok = strings.Cut(word, "’")
	}
	if ok && after != "" && elisions[strings.ToLower(before)] {
		return after
	}
	return word
}

// stop reports whether word is a stop word.
func (w *words) stop(word string, s script) bool {
	if s == ending {
		return true
	}
	var buf [maxStop]byte
	key, ok := lowerInto(buf[:], word)
	return ok && w.language[s].in(w.d.stops[string(key)])
}

// stem returns the form under which all inflections of word are counted, always
// in lower case.
func (w *words) stem(word string, s script) string {
	var buf [maxStop]byte
	key, ok := lowerInto(buf[:], word)
	if !ok || s == ending {
		return strings.ToLower(word)
	}
	return w.d.stems.of(w.language[s], key)
}
