package follow

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plat"
	"plat/expression"
	"plat/storage"
	"plat/watch"
)

// item makes a stored item of what was found; false if the subscription does not ask for it.
func (x *examiner) item(found *watch.Item, page string, v *plat.Version) (plat.Item, bool) {
	it := plat.Item{
		Subscription: x.s.ID, Kind: found.Kind, Page: page, Version: v.N, Seen: v.Taken,
		Title: shortened(found.Title, storage.MaxItemTitle), URL: found.URL, Excerpt: excerptOf(found),
	}
	if len(it.URL) > storage.MaxItemURL || !utf8.ValidString(it.URL) {
		it.URL = ""
	}
	if found.Dated.OK() {
		it.Dated = time.Date(found.Dated.Year, time.Month(found.Dated.Month), found.Dated.Day, 0, 0, 0, 0, time.UTC)
	}
	if found.Block >= 0 {
		it.Lineage = v.Blocks[found.Block].Lineage
	}
	text := found.Title + "\n" + found.Excerpt
	if found.Kind == plat.ItemChanged {
		text = found.Title
	}
	if !x.filter.Wants(found.Kind, text) {
		return it, false
	}
	name := []string{x.s.ID, string(it.Kind), page, found.URL, found.Title, it.Dated.Format(time.DateOnly)}
	if it.Kind != plat.ItemNew && it.Kind != plat.ItemPresent {
		name = append(name, fmt.Sprint(v.N))
	}
	it.ID = hashed(name...)
	return it, true
}

// excerptOf is what an item says beside its title.
func excerptOf(found *watch.Item) string {
	text := found.Excerpt
	if found.Was != "" {
		text = "Before: " + found.Was + "\n" + text
	}
	return shortened(afterTitle(text, found.Title), storage.MaxItemExcerpt)
}

// afterTitle is a text without the title that it begins with, perhaps on several lines, as the
// cells of a row.
func afterTitle(text, title string) string {
	rest := text
	for word := range strings.FieldsSeq(title) {
		var ok bool
		if rest, ok = strings.CutPrefix(strings.TrimLeftFunc(rest, unicode.IsSpace), word); !ok {
			return text
		}
		if next, _ := utf8.DecodeRuneInString(rest); rest != "" && !unicode.IsSpace(next) {
			return text
		}
	}
	return strings.TrimLeftFunc(rest, unicode.IsSpace)
}

// message tells the subscription's channels of items, unless that is left to a digest.
func (x *examiner) message(items []plat.Item, page string, v *plat.Version) {
	if len(items) == 0 || x.s.Digest != "" {
		return
	}
	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	for _, channel := range x.s.Tell {
		x.Messages = append(x.Messages, plat.Message{
			ID:      "msg_" + hashed(x.s.ID, channel, page, fmt.Sprint(v.N)),
			Channel: channel, Subscription: x.s.ID, Items: ids, Made: v.Taken, Due: v.Taken,
		})
	}
}

// hashed makes an ID of what something is: 26 letters and digits.
func hashed(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// shortened is a valid text of at most n characters.
func shortened(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Filter is what a subscription asks for of all that is found.
type Filter struct {
	kinds         map[plat.ItemKind]bool
	match, except []*regexp.Regexp
}

// NewFilter compiles a subscription's conditions. The error says which is wrong.
func NewFilter(s *plat.Subscription) (*Filter, error) {
	f := &Filter{kinds: map[plat.ItemKind]bool{}}
	for _, k := range s.Kinds {
		switch k {
		case plat.ItemNew, plat.ItemChanged, plat.ItemRemoved, plat.ItemText:
			f.kinds[k] = true
		default:
			return nil, fmt.Errorf("kind %q: write new, changed, removed or text", k)
		}
	}
	if len(s.Kinds) == 0 {
		f.kinds[plat.ItemNew] = true
		f.kinds[plat.ItemText] = len(s.Blocks) > 0
	}
	f.kinds[plat.ItemPresent] = f.kinds[plat.ItemNew]
	var err error
	if f.match, err = compiled(s.Match); err != nil {
		return nil, err
	}
	f.except, err = compiled(s.Except)
	return f, err
}

func compiled(all []string) ([]*regexp.Regexp, error) {
	var out []*regexp.Regexp
	for _, text := range all {
		re, err := expression.Compile("(?i)" + text)
		if err != nil {
			return nil, fmt.Errorf("%.60q is no regular expression that plat takes: %w; see https://golang.org/s/re2syntax", text, err)
		}
		out = append(out, re)
	}
	return out, nil
}

// Wants reports whether a subscription asks for an item of a kind whose text was added.
func (f *Filter) Wants(kind plat.ItemKind, text string) bool {
	found := func(all []*regexp.Regexp) bool {
		return slices.ContainsFunc(all, func(re *regexp.Regexp) bool { return re.MatchString(text) })
	}
	return f.kinds[kind] && (len(f.match) == 0 || found(f.match)) && !found(f.except)
}
