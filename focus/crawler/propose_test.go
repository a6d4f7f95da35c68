package crawler

import (
	"context"
	"slices"
	"strings"
	"testing"

	"plat/focus/topic"
	"plat/storage"
)

// index is an archive's index: by word, which blocks have it.
type index struct {
	storage.Searcher
	blocks map[string]string // texts of blocks, by URL
	asked  []string
}

func (x *index) Search(_ context.Context, q storage.Search) (storage.Results, error) {
	word := strings.Trim(q.Words, `"`)
	x.asked = append(x.asked, word)
	r := storage.Results{}
	for u, text := range x.blocks {
		if n := strings.Count(" "+text+" ", " "+word+" "); n > 0 {
			h := storage.Hit{Score: float64(n)}
			h.URL, h.Lineage = u, 1
			r.Hits = append(r.Hits, h)
			r.Total++
		}
	}
	slices.SortFunc(r.Hits, func(a, b storage.Hit) int { return int(b.Score - a.Score) })
	return r, nil
}

func TestEachWordOfATopicIsSearchedFor(t *testing.T) {
	d := compiler(t).Describer
	for about, want := range map[string][]string{
		"the TLS of a river":                   {"tls", "river"},
		"bird migration":                       {"bird", "migration"},
		"Storks, and storks in \"the\" IT -AI": {"storks", "ai"},
		"天文学和望远镜":                              {"天文学", "望远镜"},
	} {
		x := &index{}
		if _, err := Propose(t.Context(), x, d, &topic.Topic{ID: "topic", Description: about}, 10); err != nil || !slices.Equal(x.asked, want) {
			t.Errorf("%s: searched for %q, %v; want %q", about, x.asked, err, want)
		}
	}
}

// Words need not be adjacent, and rare ones count more.
func TestPagesWithRareWordsAreProposedFirst(t *testing.T) {
	x := &index{blocks: map[string]string{"https://both.test/": "the migration of a bird", "https://rare.test/": "one migration", "https://often.test/": "one bird"}}
	for _, u := range []string{"https://c.test/", "https://d.test/", "https://e.test/"} {
		x.blocks[u] = "no bird here"
	}
	got, err := Propose(t.Context(), x, compiler(t).Describer, &topic.Topic{ID: "topic", Description: "bird migration"}, 3)
	if err != nil || len(got) != 3 || got[0].URL != "https://both.test/" || got[1].URL != "https://rare.test/" || !slices.Equal(got[0].Words, []string{"migration", "bird"}) {
		t.Errorf("%+v, %v", got, err)
	}
}
