package workers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/plat"
	"plat/segment/markup"
)

// relearnArchive has versions of one URL, and contents of blocks.
type relearnArchive struct {
	versions map[int]*plat.Version
	contents map[plat.Hash][]byte
	fails    error
}

func (a *relearnArchive) Version(_ context.Context, _ string, n int) (*plat.Version, error) {
	if a.fails != nil {
		return nil, a.fails
	}
	v := a.versions[n]
	if v == nil {
		return nil, plat.ErrNotFound
	}
	return v, nil
}

func (a *relearnArchive) Contents(_ context.Context, hashes []plat.Hash) (all [][]byte, err error) {
	for _, h := range hashes {
		c, ok := a.contents[h]
		if !ok {
			return nil, plat.ErrCorrupt
		}
		all = append(all, c)
	}
	return all, nil
}

// quoted returns versions of a page with a different quote each time, and the findings of each.
func quoted() *relearnArchive {
	a := &relearnArchive{versions: map[int]*plat.Version{}, contents: map[plat.Hash][]byte{}}
	for n, quote := range []string{"Well begun is half done", "Still waters run deep", "Many hands make light work", "Well begun is half done"} {
		text := "Tip of the day: " + quote
		content := []byte("<p>" + text + "</p>")
		hash := plat.HashOf(content)
		a.contents[hash] = content
		v := &plat.Version{URL: "https://a.test/", N: n + 1, Taken: time.Date(2026, 11, 20, n, 0, 0, 0, time.UTC), Blocks: []plat.Block{
			{Parent: -1, Slot: -1, Tag: "body", Run: 1},
			{Path: []int32{0}, Run: 1, Level: 1, Tag: "p", Hash: hash, Lineage: 1, TextLen: int32(len(text))},
		}}
		if n > 0 {
			v.SelfChanges = []plat.SelfChange{{Lineage: 1, Kind: plat.Content, Why: string(noise.TwoLook)}}
		}
		a.versions[v.N] = v
	}
	return a
}

func TestMask(t *testing.T) {
	whole := quoted()
	learned, err := learnedMask(t.Context(), whole, whole.versions[4], "damaged")
	if err != nil || !learned.Varies() {
		t.Fatalf("nothing is learned from versions: %v", err)
	}
	unread, damaged := quoted(), quoted()
	delete(unread.versions, 2)
	delete(damaged.contents, damaged.versions[3].Blocks[1].Hash)
	down := &relearnArchive{fails: errors.New("the store is down")}
	for _, tc := range []struct {
		name    string
		store   *relearnArchive
		encoded string
		varies  bool
		err     error
	}{
		{"nothing was learned", whole, "", false, nil},
		{"it can be read", down, learned.Encode(), true, nil},
		{"a version is missing", unread, "damaged", true, nil},
		{"the contents of one are damaged", damaged, "damaged", true, nil},
		{"the store is down", down, "damaged", false, down.fails},
	} {
		m, err := learnedMask(t.Context(), tc.store, whole.versions[4], tc.encoded)
		if !errors.Is(err, tc.err) || m.Varies() != tc.varies {
			t.Errorf("%s: varies %v, error %v", tc.name, m.Varies(), err)
		}
	}
	// The mask explains a quote that has been there.
	b := whole.versions[4].Blocks[1]
	b.Content = whole.contents[b.Hash]
	b.Text = markup.Text(b.Content, nil)
	now := b
	now.Text = "Tip of the day: Still waters run deep"
	now.Content = fmt.Appendf(nil, "<p>%s</p>", now.Text)
	changes := plat.Changes{Differs: true, Layout: plat.Same, Blocks: []plat.Change{{Kind: plat.Content, Lineage: 1}}}
	at := whole.versions[4].Taken
	w, err := noise.Weigh(noise.New, noise.Look{Blocks: []plat.Block{b}, At: at}, noise.Look{Blocks: []plat.Block{now}, At: at.Add(time.Hour)}, &changes, &learned, nil,
		func() (*noise.Again, error) { return nil, errors.New("a second look") })
	if err != nil || len(changes.Blocks) > 0 || len(w.SelfChanges) != 1 {
		t.Errorf("%v is news, %v by itself: %v", changes.Blocks, w.SelfChanges, err)
	}
}
