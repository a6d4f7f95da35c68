package follow

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plat/plat"
	"plat/storage"
	"plat/watch"
)

// item converts a found item to a stored one, or returns false if the subscription does not
// select it. The error wraps errSlow if matching takes too long.
func (x *examiner) item(found *watch.Item, page string, v *plat.Version) (plat.Item, bool, error) {
	it := plat.Item{
		Subscription: x.s.ID, Kind: found.Kind, Page: page, Version: v.N, Seen: v.Taken,
		Title: shortened(found.Title, storage.MaxItemTitle), URL: plat.WithoutUser(found.URL), Excerpt: excerptOf(found),
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
	if wants, err := x.filter.wants(found.Kind, text, x.match); !wants || err != nil {
		return it, false, err
	}
	name := []string{x.s.ID, string(it.Kind), page, found.URL, found.Title, it.Dated.Format(time.DateOnly)}
	if it.Kind != plat.ItemNew && it.Kind != plat.ItemPresent {
		name = append(name, fmt.Sprint(v.N))
	}
	it.ID = hashed(name...)
	return it, true, nil
}

// excerptOf returns the text of an item without its title.
func excerptOf(found *watch.Item) string {
	text := found.Excerpt
	if found.Was != "" {
		text = "Before: " + found.Was + "\n" + text
	}
	return shortened(afterTitle(text, found.Title), storage.MaxItemExcerpt)
}

// afterTitle returns a text without the title at its start, which may be on several lines, such
// as the cells of a row.
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

// message adds messages about items for the subscription's channels, unless a digest will
// report them.
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

// hashed returns an ID derived from parts: 26 letters and digits.
func hashed(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// shortened returns valid UTF-8 of at most n characters.
func shortened(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
