package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"plat/plat"
	"plat/plat/weburl"
	"plat/storage"
)

// words compares text, terms and links of block versions with the contents. It skips those whose content or layout
// cannot be read: contents reports these.
func (x *versionChecker) words(ctx context.Context, some []blockVersionDoc) (what string, err error) {
	ids := make([]string, len(some))
	for i := range some {
		ids[i] = some[i].Hash
	}
	slices.Sort(ids)
	docs, err := x.c.s.documents(ctx, x.c.s.blocks, slices.Compact(ids))
	if err != nil {
		return "", err
	}
	bases := map[pageBase]*weburl.Base{} // those of links, by that of the page
	for i := range some {
		d := &some[i]
		b, err := d.block()
		if err != nil {
			return err.Error(), nil
		}
		content, err := x.c.s.content(docs, d.Hash)
		if err != nil {
			continue
		}
		wrong := ""
		switch text := storage.SearchText(&b, content); {
		case d.Text != text:
			wrong = "text"
		case !sameTerms(d.Terms, text, b.Topic):
			wrong = "terms"
		case len(d.Links) > 0 || bytes.Contains(content, []byte("<a")) || bytes.Contains(content, []byte("<A")):
			of := x.bases[d.First]
			if bases[of] == nil {
				layout, err := x.c.s.Layout(ctx, of.layout)
				if errors.Is(err, plat.ErrCorrupt) || errors.Is(err, plat.ErrNotFound) {
					continue
				}
				if err != nil {
					return "", err
				}
				bases[of] = linkBase(of.url, &layout)
			}
			if !slices.Equal(d.Links, linksIn(content, bases[of])) {
				wrong = "links"
			}
		}
		if wrong != "" {
			return fmt.Sprintf("the version of block %d that began with version %d has other %s than its content", d.Lineage, d.First, wrong), nil
		}
	}
	return "", nil
}

// sameTerms reports whether these are the words of a text and a topic, in any order: documents are not written again when
// the order changes, or what a word is.
func sameTerms(terms []string, text, topic string) bool {
	is := distinct(slices.Clone(terms))
	if slices.Equal(is, distinct(append(storage.Terms(text), storage.Terms(topic)...))) {
		return true
	}
	earlier := func(s string) []string {
		if words, differ := storage.EarlierTerms(s); differ {
			return words
		}
		return storage.Terms(s)
	}
	return slices.Equal(is, distinct(append(earlier(text), earlier(topic)...)))
}
