package mongo

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
	"plat/storage"
	"plat/storage/wire"
)

// blockVersionDoc is a document of block_versions: a content's uninterrupted presence in its
// lineage, from the version in which it began to the one in which it ended. See [storage.Span].
//
// These documents are derived from the trees of versions and the contents of blocks. The committer
// writes them from memory, right after the head has moved: one for each block that changed. They are
// complete up to version n of the page's document. If a writer crashes, the next commit, Index or GC
// writes the rest.
type blockVersionDoc struct {
	ID   string `bson:"_id"` // see blockVersionID
	URL  text   `bson:"url"`
	Host text   `bson:"host"`

	First int       `bson:"first"` // the version in which it began, or, if older ones were forgotten, the oldest
	Since time.Time `bson:"since"` // the time of First
	Began text      `bson:"began"` // how: see began
	Again bool      `bson:"again,omitempty"`
	Gone  int       `bson:"gone,omitempty"` // the first version without it; absent: the last version has it
	Until time.Time `bson:"until,omitempty"`
	Ended text      `bson:"ended,omitempty"` // how: see ended

	Build int64 `bson:"build,omitempty"` // urlDoc.Build of its writer

	ByItself text `bson:"by_itself,omitempty"` // the reason why it began without news: see [plat.SelfChange]

	// The block in version First.
	Order      int     `bson:"order"` // place among the blocks
	Lineage    int32   `bson:"lineage"`
	Hash       string  `bson:"hash"` // _id in blocks
	Label      text    `bson:"label,omitempty"`
	Role       text    `bson:"role,omitempty"`
	Holds      text    `bson:"holds,omitempty"`
	Confidence float64 `bson:"confidence,omitempty"`
	Topic      text    `bson:"topic,omitempty"`
	Tag        text    `bson:"tag"`
	Box        boxDoc  `bson:"box"`
	TextLen    int32   `bson:"text_len,omitempty"`
	More       []byte  `bson:"more"` // its other values: see packMore

	Text  string    `bson:"text"`
	Terms []string  `bson:"terms"` // distinct words of topic and text, see sortTerms
	Links []linkDoc `bson:"links,omitempty"`
}

// linkDoc is a link in a block.
type linkDoc struct {
	To   text   `bson:"to"` // absolute
	Text string `bson:"text"`
}

// blockVersionID sorts the block versions of a URL by their first version.
func blockVersionID(url string, first int, k storage.ContentKey) string {
	return fmt.Sprintf("%s:%d:%s", versionID(url, first), k.Lineage, k.Hash.String()[:8])
}

// newBlockVersionDoc returns the document of the block version that begins with block i of v.
func newBlockVersionDoc(v, prev *standing, i int, content []byte, base *weburl.Base) *blockVersionDoc {
	b := &v.Blocks[i]
	d := &blockVersionDoc{ID: blockVersionID(v.URL, v.N, storage.KeyOf(b)), URL: text(v.URL), Host: text(storage.Host(v.URL)),
		Build: v.build, First: v.N, Since: instant(v.Taken), Began: text(began(b, prev)), Again: int(v.Since[i]) < v.N,
		Order: i, Lineage: b.Lineage, Hash: hexOf(b.Hash), Label: text(b.Label), Role: text(b.Role), Holds: text(b.Holds), Confidence: float64(b.Confidence),
		Topic: text(b.Topic), Tag: text(b.Tag), Box: newBoxDoc(b.Box), TextLen: b.TextLen, Text: storage.SearchText(b, content)}
	d.More = packMore(b, string(d.Began))
	if own := plat.SelfChangeOf(v.SelfChanges, b.Lineage); own.Suppressed() {
		d.ByItself = text(own.Why)
	}
	d.Terms = distinct(append(storage.Terms(d.Text), storage.Terms(b.Topic)...))
	d.Links = linksIn(content, base)
	return d
}

// distinct returns the words, sorted, each once; no words are an empty array in the document.
func distinct(terms []string) []string {
	sortTerms(terms)
	if terms = slices.Compact(terms); terms == nil {
		return []string{}
	}
	return terms
}

// sortTerms sorts words by length first: the elements of the array then begin with the same bytes as
// their neighbours, and the server compresses the documents better, by two hundredths.
func sortTerms(terms []string) {
	slices.SortFunc(terms, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// block converts the block back.
func (d *blockVersionDoc) block() (plat.Block, error) {
	b := plat.Block{Lineage: d.Lineage, Label: plat.Label(d.Label), Role: plat.Role(d.Role), Holds: plat.Holds(d.Holds), Confidence: float32(d.Confidence),
		Topic: string(d.Topic), Tag: string(d.Tag), Box: d.Box.rect(), TextLen: d.TextLen}
	h, err := hashOf(d.Hash)
	if b.Hash = h; err == nil {
		err = unpackMore(&b, d.More, string(d.Began))
	}
	return b, err
}

// packMore packs the values of a block that no query uses: all others but its Base, and its kind of
// change only if that is not how its block version began.
func packMore(b *plat.Block, began string) []byte {
	var w wire.Writer
	w.Places(b.Path)
	for _, v := range []int32{b.Run, b.Parent, b.Level, int32(b.Rule), b.Slot, b.Pos} {
		w.Int(int64(v))
	}
	w.Text(b.Lead)
	w.Places(b.Hidden)
	w.Places(b.Folded)
	for _, v := range []float32{b.LinkShare, b.ImageShare, b.FontSize} {
		w.Float(v)
	}
	w.Uint(uint64(b.Background))
	w.Uint(uint64(b.Color))
	w.Text(b.Explanation)
	if string(b.Change) != began {
		w.Text(string(b.Change))
	}
	return w.B
}

// unpackMore is the inverse of packMore. It also reads what the first documents of format 2 have: the
// kind of change always, and a Base at the end.
func unpackMore(b *plat.Block, more []byte, began string) error {
	r := wire.Reader{B: more}
	color := func() plat.Color {
		c := r.Uint()
		if c > math.MaxUint32 {
			r.Fail("colour out of range")
		}
		return plat.Color(c)
	}
	b.Path = r.Places()
	var rule int32
	for _, v := range []*int32{&b.Run, &b.Parent, &b.Level, &rule, &b.Slot, &b.Pos} {
		*v = r.Int32(0)
	}
	b.Rule = plat.Rule(rule)
	b.Lead = r.Text()
	b.Hidden, b.Folded = r.Places(), r.Places()
	b.LinkShare, b.ImageShare, b.FontSize = r.Float(), r.Float(), r.Float()
	b.Background, b.Color = color(), color()
	b.Explanation, b.Change = r.Text(), plat.Kind(began)
	if len(r.B) > 0 {
		b.Change = plat.Kind(r.Text())
	}
	if len(r.B) > 0 {
		r.Hash()
	}
	if len(r.B) > 0 {
		r.Fail("trailing bytes")
	}
	return r.Err
}

// began returns how a block began: see [storage.Began].
func began(b *plat.Block, prev *standing) string {
	return string(storage.Began(b, prev == nil, func() bool {
		return slices.ContainsFunc(prev.Blocks, func(p plat.Block) bool { return p.Leaf() && p.Lineage == b.Lineage })
	}))
}

// maxLinks is the most links of a block that are kept.
const maxLinks = 500

// maxLinkText is the most bytes of a link's text that are kept.
const maxLinkText = 200

// linkBase returns the base to which the links of a page are relative (HTML, section 2.4.3), in the
// charset of the page, by that of its document.
func linkBase(base *weburl.Base, layout *plat.Layout) *weburl.Base {
	if layout == nil || !bytes.Contains(layout.HTML, []byte("<base")) && !bytes.Contains(layout.HTML, []byte("charset")) {
		return base
	}
	based := !bytes.Contains(layout.HTML, []byte("<base"))
	for z := html.NewTokenizer(bytes.NewReader(layout.HTML)); z.Next() != html.ErrorToken; {
		t := z.Token()
		if t.Type != html.StartTagToken && t.Type != html.SelfClosingTagToken {
			continue
		}
		get := func(key string) (string, bool) { return attribute(&t, key) }
		switch t.Data {
		case "base":
			if href, ok := get("href"); ok && !based {
				base, based = base.At(href), true
			}
		case "meta":
			base = base.Meta(get)
		case "body":
			if based {
				return base
			}
		}
	}
	return base
}

func attribute(t *html.Token, key string) (string, bool) {
	for _, a := range t.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// linksIn returns the links of a content in order, each target once with its first text.
func linksIn(content []byte, base *weburl.Base) (links []linkDoc) {
	if !bytes.Contains(content, []byte("<a")) && !bytes.Contains(content, []byte("<A")) {
		return nil
	}
	seen := map[string]bool{}
	open := -1 // index in links of the link whose text is being read
	var words strings.Builder
	end := func() {
		if open >= 0 {
			s := strings.Join(strings.Fields(words.String()), " ")
			links[open].Text = strings.ToValidUTF8(s[:min(len(s), maxLinkText)], "")
		}
		open = -1
		words.Reset()
	}
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			end()
			return links
		case html.TextToken:
			if open >= 0 {
				words.Write(z.Text())
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); len(name) == 1 && name[0] == 'a' {
				end()
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data != "a" && t.Data != "area" {
				if alt, ok := attribute(&t, "alt"); ok && t.Data == "img" && open >= 0 {
					words.WriteString(" " + alt + " ")
				}
				continue
			}
			end()
			href, ok := attribute(&t, "href")
			target := base.Resolve(href)
			if !ok || !weburl.IsWeb(target) || len(links) == maxLinks {
				continue
			}
			if !seen[target] {
				seen[target] = true
				links = append(links, linkDoc{To: text(target)})
				open = len(links) - 1
			}
		}
	}
}
