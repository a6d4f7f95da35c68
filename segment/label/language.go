package label

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// script groups letters by how their words are separated.
type script uint8

const (
	latin script = iota
	cyrillic
	han
	kana
	hangul
	joined // written without blanks between words, no dictionary: Thai, Lao, Khmer, Burmese
	other
	scripts // how many
)

// scriptOf returns the script of a letter or digit.
func scriptOf(r rune) script {
	switch {
	case r < 0x250, r >= 0x1e00 && r < 0x1f00:
		return latin
	case r >= 0x400 && r < 0x530:
		return cyrillic
	case r < 0xe00:
		return other
	case r < 0xf00, r >= 0x1000 && r < 0x10a0, r >= 0x1780 && r < 0x1800:
		return joined
	case isHan(r):
		return han
	case isKana(r):
		return kana
	case r >= 0xac00 && r < 0xd7b0, r >= 0x1100 && r < 0x1200, r >= 0x3130 && r < 0x3190:
		return hangul
	}
	return other
}

func isHan(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r == 0x3005 || r == 0x3007 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x323af
}

func isKana(r rune) bool {
	return r >= 0x3041 && r <= 0x309f || r >= 0x30a1 && r <= 0x30ff && r != 0x30fb || r >= 0xff66 && r <= 0xff9f
}

// scriptsOf holds the scripts of languages; other languages are assumed to be
// Latin.
var scriptsOf = map[string][]script{
	"zh": {han}, "ja": {han, kana}, "ko": {hangul, han},
	"ru": {cyrillic}, "uk": {cyrillic}, "be": {cyrillic}, "bg": {cyrillic}, "mk": {cyrillic}, "kk": {cyrillic},
	"ky": {cyrillic}, "mn": {cyrillic}, "tg": {cyrillic},
	"sr": {cyrillic, latin}, "uz": {latin, cyrillic}, "az": {latin, cyrillic}, "bs": {latin, cyrillic},
	"th": {joined}, "lo": {joined}, "km": {joined}, "my": {joined},
	"el": {other}, "ar": {other}, "fa": {other}, "ur": {other}, "he": {other}, "hi": {other}, "bn": {other},
	"ta": {other}, "te": {other}, "ml": {other}, "mr": {other}, "gu": {other}, "kn": {other}, "pa": {other},
	"ne": {other}, "si": {other}, "ka": {other}, "hy": {other}, "am": {other}, "ps": {other}, "yi": {other},
}

// codes maps declared language codes to the ones used here.
var codes = map[string]string{
	"nb": "no", "nn": "no", "cmn": "zh", "yue": "zh", "iw": "he", "in": "id", "ji": "yi", "cn": "zh", "jp": "ja", "kr": "ko",
}

// sampleRunes and sampleWords limit the sample for language detection; the
// counts are stable by then.
const (
	sampleRunes = 8000
	sampleWords = 600
)

// detect returns the language of a page's texts, given the page's declaration
// (claim).
//
// The scripts decide first: Han without kana is Chinese, with kana Japanese.
// Among Latin languages the stop words decide. A claim is kept unless the text
// contradicts it, because short pages have few words to count, but wrong claims
// are common: templates say "en" for any content.
func (d *Describer) detect(claim string, texts []string) string {
	claim = baseLanguage(claim)
	letters, total := countScripts(texts)
	if total < 20 && claim != "" {
		return claim // too little to argue
	}

	// One Han character carries about as much as three letters.
	letters[han] *= 3
	letters[kana] *= 3
	letters[hangul] *= 2
	top := latin
	for s := range scripts {
		if n := letters[s]; n > letters[top] {
			top = s
		}
	}
	switch {
	case top == han || top == kana:
		// Japanese writes at least particles and endings in kana; Chinese texts
		// have kana only in names.
		if letters[kana]*10 > letters[han]+letters[kana] {
			return "ja"
		}
		if claim == "ja" && letters[han] < 3*50 || claim == "ko" && letters[hangul] > 0 {
			return claim
		}
		return "zh"
	case top == hangul:
		return "ko"
	case letters[top] == 0:
		return claim
	}

	claimed := claim != "" && writtenIn(claim, top)
	switch top {
	case latin:
		return d.detectByWords(claim, claimed, texts)
	case cyrillic:
		if claimed {
			return claim
		}
		return "ru"
	}
	if claimed {
		return claim
	}
	return ""
}

// detectByWords distinguishes Latin languages by their stop words.
func (d *Describer) detectByWords(claim string, claimed bool, texts []string) string {
	var hits [32]int
	words := 0
	for _, text := range texts {
		eachPlain(text, func(w string) bool {
			words++
			var buf [maxStop]byte
			if key, ok := lowerInto(buf[:], w); ok {
				for bits, l := d.stops[string(key)], 0; bits != 0; bits, l = bits>>1, l+1 {
					hits[l] += int(bits & 1)
				}
			}
			return words < sampleWords
		})
		if words >= sampleWords {
			break
		}
	}
	best := 0
	for l := range stopLists {
		if hits[l] > hits[best] {
			best = l
		}
	}
	found := stopLists[best].code
	if !claimed {
		// Running text is a third to a half stop words; menus have few.
		if hits[best] >= 3 && hits[best]*20 >= words {
			return found
		}
		return ""
	}
	if l := languageOf(claim); l != none {
		if hits[best] >= 2*hits[l]+5 {
			return found
		}
		return claim
	}
	// Without a stop list for the claimed language, keep the claim unless the stop words of a
	// different language are as dense as in its own texts.
	if hits[best] >= 10 && hits[best]*4 >= words {
		return found
	}
	return claim
}

// countScripts counts the letters of a sample by script.
func countScripts(texts []string) (letters [scripts]int, total int) {
	left := sampleRunes
	for _, text := range texts {
		for i := 0; i < len(text) && left > 0; left-- {
			c := text[i]
			if c < utf8.RuneSelf {
				i++
				if c|0x20 >= 'a' && c|0x20 <= 'z' {
					letters[latin]++
					total++
				}
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			i += n
			if unicode.IsLetter(r) {
				letters[scriptOf(r)]++
				total++
			}
		}
		if left <= 0 {
			break
		}
	}
	return letters, total
}

func writtenIn(code string, s script) bool {
	in, ok := scriptsOf[code]
	if !ok {
		return s == latin
	}
	for _, x := range in {
		if x == s {
			return true
		}
	}
	return false
}

// baseLanguage returns the primary language subtag of a BCP 47 tag, "" if tag
// is invalid: "zh-Hant-TW" and "zh_CN" are "zh".
func baseLanguage(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	if i := strings.IndexAny(tag, "-_,; "); i >= 0 {
		tag = tag[:i]
	}
	if c, ok := codes[tag]; ok {
		return c
	}
	if len(tag) < 2 || len(tag) > 3 || tag == "und" || tag == "mul" || tag == "zxx" {
		return ""
	}
	for i := range len(tag) {
		if tag[i] < 'a' || tag[i] > 'z' {
			return ""
		}
	}
	return tag
}
