package traps

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

// Page is the text of a page, for comparison with the rest of its site.
type Page struct {
	URL     string
	phrases []phrase
	letters int // in all of them
}

// Shared returns the part of the smaller of two pages that the larger contains too, 0 to 1.
func (p *Page) Shared(other *Page) float64 {
	if p.letters > other.letters {
		p, other = other, p
	}
	has := make(map[uint64]bool, len(other.phrases))
	for _, x := range other.phrases {
		has[x.hash] = true
	}
	shared := 0
	for _, x := range p.phrases {
		if has[x.hash] {
			shared += int(x.letters)
		}
	}
	return float64(shared) / float64(max(1, p.letters))
}

// Letters returns the number of letters on a page.
func (p *Page) Letters() int { return p.letters }

// phrase is a part of a text: the text between two ends of lines or sentences, or an image.
type phrase struct {
	hash    uint64 // of all words
	unsaid  uint64 // of the words that the URL does not say
	letters int32  // of these
}

// maxPhrases is the number of phrases of a page that are compared.
const maxPhrases = 5000

// pictureLetters is the number of letters that a picture counts as.
const pictureLetters = 30

var seed = maphash.MakeSeed()

// NewPage reads the leaves of a page. Numbers, dates and words of the URL are left out: a calendar
// of an empty month has no text of its own, nor has "there is no page /a/b".
func NewPage(url string, blocks []plat.Block) *Page {
	p := &Page{URL: url}
	said := wordsOf(url)
	seen := map[uint64]bool{}
	add := func(x phrase) {
		if x.letters > 0 && !seen[x.hash] && len(p.phrases) < maxPhrases {
			seen[x.hash] = true
			p.phrases = append(p.phrases, x)
			p.letters += int(x.letters)
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if !b.Leaf() {
			continue
		}
		for text := b.Text; text != ""; {
			n := strings.IndexFunc(text, ends)
			if n < 0 {
				n = len(text)
			}
			add(phraseOf(text[:n], said))
			_, size := utf8.DecodeRuneInString(text[n:])
			text = text[n+size:]
		}
		for _, src := range pictures(b.Content) {
			h := maphash.String(seed, src)
			add(phrase{h, h, pictureLetters})
		}
	}
	return p
}

// ends reports whether a character ends a phrase.
func ends(r rune) bool { return strings.ContainsRune("\n.!?;|,:·•。！？；，、", r) }

// phraseOf reads a phrase, without words that contain a digit.
func phraseOf(text string, said map[string]bool) (p phrase) {
	var all, unsaid maphash.Hash
	all.SetSeed(seed)
	unsaid.SetSeed(seed)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		if strings.ContainsFunc(word, unicode.IsDigit) {
			continue
		}
		all.WriteString(word)
		all.WriteByte(' ')
		if !said[strings.ToLower(word)] {
			unsaid.WriteString(word)
			unsaid.WriteByte(' ')
			p.letters += int32(utf8.RuneCountInString(word))
		}
	}
	p.hash, p.unsaid = all.Sum64(), unsaid.Sum64()
	return p
}

// wordsOf returns the words of a URL after its host, in lower case.
func wordsOf(url string) map[string]bool {
	host, _, _ := split(url)
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(url[len(host):], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[strings.ToLower(word)] = true
	}
	return words
}

// pictures returns the addresses of images in HTML, without their queries.
func pictures(html []byte) (all []string) {
	text := string(html)
	for {
		i := strings.Index(text, "<img ")
		if i < 0 {
			return all
		}
		text = text[i+len("<img "):]
		tag, _, _ := strings.Cut(text, ">")
		_, src, ok := strings.Cut(tag, "src=\"")
		if !ok {
			continue
		}
		src, _, _ = strings.Cut(src, "\"")
		if src, _, _ = strings.Cut(src, "?"); src != "" && !strings.HasPrefix(src, "data:") {
			all = append(all, src)
		}
	}
}
