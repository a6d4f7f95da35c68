package times

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"plat/diff"
)

// relative has the relative times of many languages: see scripts/months.
//
//go:embed ages.txt
var relative string

// libraries has those that the locales of date libraries add: see scripts/months/ages.mjs.
//
//go:embed libraries.txt
var libraries string

// usual has forms that people write, and both lack, as lines of the table.
const usual = `ar day <منذ 0 يوماً>=
ar week <منذ 0 أسبوعاً|منذ 0 أسابيع>=
ar month <منذ 0 شهراً>=
ar year <منذ 0 عاماً>=
bs day <прије 0 дана|прије 0 дан>=
el minute <0 λεπτό πριν|0 λεπτά πριν>=
el hour <0 ώρα πριν|0 ώρες πριν>=
el day <0 μέρα πριν|0 μέρες πριν>=
el week <0 εβδομάδες πριν|0 εβδομάδα πριν>=
el month <0 μήνα πριν|0 μήνες πριν>=
el year <0 χρόνο πριν|0 χρόνια πριν>=
en month <0 mos ago|0 mth ago|0 mths ago>=
eu minute <duela minutu 0|duela 0 minutu>=
eu hour <duela ordu 0|duela 0 ordu>=
eu day <duela egun 0|duela 0 egun>=
eu week <duela aste 0|duela 0 aste>=
eu month <duela hillabete 0|duela 0 hillabete|duela hilabete 0|duela 0 hilabete>=
eu year <duela urte 0|duela 0 urte>=
fi day <>=2 toissapäivänä
hi week <0 हफ्ते पहले|0 हफ़्ते पहले>=
hi year <0 साल पहले>=
ko week <0주일 전>=
no minute <0 minutt sidan|0 minuttar sidan>=
no hour <0 time sidan|0 timar sidan>=
no day <0 dag sidan|0 dagar sidan>=
no week <0 veker sidan|0 veke sidan>=
no month <0 månad sidan|0 månadar sidan|0 månader sidan>=
no year <0 år sidan>=
ru minute <0 мин. назад>=
ru hour <0 ч. назад>=
sq minute <para 0 minutash|para 0 minute>=
sq hour <para 0 orësh|para 0 ore>=
sq day <para 0 ditësh>=
sq week <para 0 javësh|para 0 jave>=
sq month <para 0 muajsh|para 0 muaji>=
sq year <para 0 vjetësh|para 0 viti>=
sr day <прије 0 дана>=
sr week <прије 0 недјеља|прије 0 недјеље>=
sv minute <för 0 min. sedan>=
sv hour <för 0 tim. sedan>=
th week <0 อาทิตย์ที่แล้ว>=
uk week <0 тижні тому|0 тижнів тому>=
vi week <0 tuần trước>=`

// unitNames are the units of the table.
var unitNames = map[string]time.Duration{
	"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": day, "week": week, "month": month, "quarter": 3 * month, "year": year,
}

// form is the meaning of the words around a number: "vor … Tagen".
type form struct{ sign, unit time.Duration }

// forms are the relative times of the table, by their words with blanks between, in lower case.
type forms struct {
	around map[string]form   // words before and after a number, with "\x00" for it
	before map[string]bool   // those before it, and their beginnings
	fixed  map[string]phrase // without a number
	begins map[string]bool   // the beginnings of these, but the whole
}

// maxForm is the maximum number of words before a number, after it, and of a form without one; the letters of Thai are words.
const maxForm = 24

// first are the languages whose meaning counts where the same words have several.
var first = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru"}

var known = sync.OnceValue(func() *forms {
	k := &forms{map[string]form{}, map[string]bool{"": true}, map[string]phrase{}, map[string]bool{}}
	var rest []string
	for line := range strings.Lines(relative + libraries + usual) {
		tag, _, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case slices.Contains(first, tag):
			k.line(line)
		default:
			rest = append(rest, line)
		}
	}
	for _, line := range rest {
		k.line(line)
	}
	return k
})

// line reads the forms of a language and unit.
func (k *forms) line(line string) {
	line, fixed, _ := strings.Cut(strings.TrimSpace(line), "=")
	line, future, _ := strings.Cut(line, ">")
	line, past, _ := strings.Cut(line, "<")
	fields := strings.Fields(line)
	if len(fields) != 2 {
		return
	}
	unit := unitNames[fields[1]]
	for i, list := range []string{past, future} { // the first meaning of a form counts
		sign := time.Duration(1 - 2*i)
		for said := range strings.SplitSeq(list, "|") {
			if n, words, ok := strings.Cut(said, " "); ok && (n == "1" || n == "2") {
				count, _ := strconv.Atoi(n)
				k.phrase(words, sign*time.Duration(count)*unit, unit)
			} else if before, after, ok := strings.Cut(said, "0"); ok {
				k.form(wordsOf(before), wordsOf(after), form{sign, unit})
			}
		}
	}
	for said := range strings.SplitSeq(fixed, "|") {
		n, words, _ := strings.Cut(said, " ")
		if count, err := strconv.Atoi(n); err == nil && words != "" {
			for word := range strings.SplitSeq(words, " / ") {
				k.phrase(word, time.Duration(count)*unit, max(unit, time.Minute))
			}
		}
	}
}

func (k *forms) form(before, after []string, f form) {
	if len(before)+len(after) == 0 || len(before) > maxForm || len(after) > maxForm {
		return
	}
	for n := range before {
		k.before[strings.Join(before[:n+1], " ")] = true
	}
	if key := strings.Join(before, " ") + "\x00" + strings.Join(after, " "); k.around[key].unit == 0 {
		k.around[key] = f
	}
}

func (k *forms) phrase(said string, age, unit time.Duration) {
	words := wordsOf(said)
	if len(words) == 0 || len(words) > maxForm {
		return
	}
	for n := 1; n < len(words); n++ {
		k.begins[strings.Join(words[:n], " ")] = true
	}
	if key := strings.Join(words, " "); k.fixed[key].Unit == 0 {
		k.fixed[key] = phrase{age, unit}
	}
}

// wordsOf returns the words of a form as those of a text are compared.
func wordsOf(s string) (words []string) {
	for _, w := range diff.Split(s) {
		words = append(words, plain(s[w[0]:w[1]]))
	}
	return words
}

// plain returns a word in lower case as the table has it.
func plain(w string) string {
	w = strings.ToLower(w)
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return strings.Map(func(r rune) rune {
				switch r {
				case '’', 'ʼ':
					return '\''
				case 0x200e, 0x200f, 0x61c:
					return -1
				}
				return r
			}, norm.NFC.String(w))
		}
	}
	return w
}

// count parses a number in any script at the start of a word, and returns the rest of the word; -1 without one.
func count(w string) (n int, rest string) {
	digits := 0
	for i, r := range w {
		d := digitOf(r)
		if d < 0 {
			if digits == 0 {
				return -1, w
			}
			return n, w[i:]
		}
		if digits++; digits > 4 {
			return -1, w
		}
		n = 10*n + d
	}
	if digits == 0 {
		n = -1
	}
	return n, ""
}

// digitOf returns the value of a decimal digit of any script, -1 for other characters. The digits of a script stand in a row.
func digitOf(r rune) int {
	if r < utf8.RuneSelf {
		if r < '0' || r > '9' {
			return -1
		}
		return int(r - '0')
	}
	if !unicode.IsDigit(r) {
		return -1
	}
	n := 0
	for n < 9 && unicode.IsDigit(r-rune(n)-1) {
		n++
	}
	return n
}

// relative parses the longest relative time of the table that begins at a word: "hace 2 días", "2 napja", "昨天".
func (s *scanner) relative(i int) (v Value, length int) {
	k := known()
	for n, key := 1, ""; n <= maxForm && i+n <= len(s.lower); n++ {
		key += s.at(i + n - 1)
		if p, ok := k.fixed[key]; ok {
			v, length = Value{Kind: Instant, n: p.Age, unit: p.Unit}, n
		}
		if !k.begins[key] {
			break
		}
		key += " "
	}
	for n, before := 0, ""; n <= maxForm && i+n < len(s.lower); n++ {
		if n > 0 {
			before += s.at(i + n - 1)
		}
		if !k.before[before] {
			break
		}
		if f, number, words := s.around(k, before, i+n); words > 0 && n+words > length {
			v, length = Value{Kind: Instant, n: f.sign * time.Duration(number) * f.unit, unit: f.unit}, n+words
		}
		if word := s.at(i + n); n < maxForm { // a word that a number follows without a blank
			if at := strings.IndexFunc(word, unicode.IsDigit); at > 0 && k.before[before+word[:at]] {
				if f, number, words := s.around(k, before+word[:at], i+n); words > 0 && n+words > length {
					v, length = Value{Kind: Instant, n: f.sign * time.Duration(number) * f.unit, unit: f.unit}, n+words
				}
			}
		}
		if n > 0 {
			before += " "
		}
	}
	return v, length
}

// around parses a number and the words after it that belong to the words before.
func (s *scanner) around(k *forms, before string, i int) (f form, number, words int) {
	word := s.at(i)
	if at := strings.IndexFunc(word, unicode.IsDigit); at > 0 && before != "" && strings.HasSuffix(before, word[:at]) {
		word = word[at:] // "ከ3"
	}
	number, rest := count(word)
	if number < 0 || s.joined(i-1) && strings.ContainsAny(s.at(i-1), ":./-,") {
		return f, 0, 0
	}
	key := before + "\x00"
	if rest != "" {
		key += rest
	}
	for n := 1; ; n++ {
		if g, ok := k.around[key]; ok {
			f, words = g, n
		}
		if n > maxForm || i+n >= len(s.lower) {
			return f, number, words
		}
		if n > 1 || rest != "" {
			key += " "
		}
		key += s.at(i + n)
	}
}

// An AgeIn is a relative time in a text.
type AgeIn struct {
	From, To int  // bytes
	Lead     bool // a number of units ahead, which may be a lead time: "in 3 days", but not "tomorrow"
}

// Ages returns the relative times of a text: "2 hours ago", "yesterday", "vor 2 Tagen".
func Ages(text string) (all []AgeIn) {
	for t := range Scan(text, diff.Split(text)) {
		if t.Kind == Instant && t.unit != 0 {
			all = append(all, AgeIn{t.From, t.To, t.n < 0 && !isPhrase(text[t.From:t.To])})
		}
	}
	return all
}

// isPhrase reports whether a relative time has no number.
func isPhrase(said string) bool {
	key := strings.Join(wordsOf(said), " ")
	_, short := phrases[key]
	return short || known().fixed[key].Unit != 0
}
