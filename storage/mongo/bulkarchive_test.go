package mongo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/plat/weburl"
	"plat/storage/tree"
)

// bulkArchive fills an archive with the documents of commits, many in one command.
type bulkArchive struct {
	t        testing.TB
	s        *Store
	contents int
	docs     map[*mongo.Collection][]any
}

// page adds a page with one version, and n contents, a tenth of which no version refers to.
func (a *bulkArchive) page(url string, n int) {
	taken := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	layout := plat.Layout{HTML: []byte("<html><body>" + url + "</body></html>")}
	v := &standing{Tree: tree.Tree{Version: plat.Version{URL: url, N: 1, Taken: taken, Layout: layout.Sum(), Level: 1, Lineages: int32(n),
		Blocks: []plat.Block{{Parent: -1, Slot: -1}}}, Since: []int32{0}}, first: []int32{0}, at: make([]time.Time, 1)}
	for i := range n {
		content := fmt.Appendf(nil, "<p>%s of %s</p>", strings.Repeat(fmt.Sprint("content ", a.contents, " "), 4), url)
		d := a.s.encode(plat.HashOf(content).String(), content, nil)
		d.Written = taken
		a.add(a.s.blocks, d)
		if a.contents++; i%10 == 9 {
			continue
		}
		v.Blocks = append(v.Blocks, plat.Block{Parent: 0, Level: 1, Slot: int32(i), Hash: plat.HashOf(content), Content: content, Lineage: int32(i + 1), Label: plat.LabelMain})
		v.Since, v.first, v.at = append(v.Since, 1), append(v.first, 1), append(v.at, taken)
	}
	l := a.s.encode(layout.Sum().String(), layout.HTML, nil)
	a.add(a.s.layouts, l)
	visit := newVisitDoc(&plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: 1})
	d := a.s.newVersionDoc(&v.Tree, nil)
	d.Visit = visit
	a.add(a.s.versions, d)
	a.add(a.s.visits, visit)
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			a.add(a.s.blockVersions, newBlockVersionDoc(v, nil, i, v.Blocks[i].Content, linkBase(weburl.NewBase(url), &layout)))
		}
	}
	a.add(a.s.pages, newPageDoc(v))
	u := newURLDoc(url)
	u.Rev, u.Head, u.Newest, u.Changes = 1, 1, taken, 1
	u.count(&visit, 1000)
	a.add(a.s.urls, u)
	a.flush(false)
}

func (a *bulkArchive) add(c *mongo.Collection, doc any) {
	if a.docs == nil {
		a.docs = map[*mongo.Collection][]any{}
	}
	a.docs[c] = append(a.docs[c], doc)
}

func (a *bulkArchive) flush(all bool) {
	for c, docs := range a.docs {
		if len(docs) >= 2000 || all {
			if _, err := c.InsertMany(a.t.Context(), docs); err != nil {
				a.t.Fatal(err)
			}
			delete(a.docs, c)
		}
	}
}

// history adds a page of n versions a quarter of an hour apart, up to an hour before the time: each changes one of ten blocks.
func (a *bulkArchive) history(url string, n int, end time.Time) {
	const leaves = 10
	layout := plat.Layout{HTML: []byte("<html><body>" + url + "</body></html>")}
	ld := a.s.encode(layout.Sum().String(), layout.HTML, nil)
	a.add(a.s.layouts, ld)
	blocks := []plat.Block{{Parent: -1, Slot: -1}}
	var prev *standing
	stands := map[string]*blockVersionDoc{}
	u := newURLDoc(url)
	for k := 1; k <= n; k++ {
		taken := end.Add(-time.Hour - time.Duration(n-k)*15*time.Minute)
		fresh := map[plat.Hash]bool{}
		blocks = slices.Clone(blocks)
		for i := range leaves {
			if k > 1 && i != k%leaves {
				blocks[i+1].Change, blocks[i+1].Content = "", nil
				continue
			}
			content := fmt.Appendf(nil, "<p>News number%d of the block with lineage %d on %s, which everybody reads today</p>", k, i+1, url)
			b := plat.Block{Parent: 0, Level: 1, Slot: int32(i), Hash: plat.HashOf(content), Content: content, Lineage: int32(i + 1), Label: plat.LabelMain, Topic: "news"}
			if k > 1 {
				b.Change = plat.Content
				blocks[i+1] = b
			} else {
				blocks = append(blocks, b)
			}
			fresh[b.Hash] = true
			d := a.s.encode(b.Hash.String(), content, nil)
			a.add(a.s.blocks, d)
		}
		v := plat.Version{URL: url, N: k, Taken: taken, Layout: layout.Sum(), Level: 1, Lineages: leaves, Blocks: blocks}
		if k > 1 {
			v.Changes = map[plat.Kind]int{plat.Content: 1}
		}
		now, err := a.s.follow(a.t.Context(), &v, prev, fresh)
		if err != nil {
			a.t.Fatal(err)
		}
		visit := newVisitDoc(&plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: k})
		var base *tree.Tree
		if prev != nil {
			base = &prev.Tree
		}
		d := a.s.newVersionDoc(&now.Tree, base)
		d.Visit = visit
		a.add(a.s.versions, d)
		a.add(a.s.visits, visit)
		u.Head, u.Newest, u.Changes = k, taken, k
		u.count(&visit, 1000)
		begun, ends := turnover(now, prev)
		for _, i := range begun {
			d := newBlockVersionDoc(now, prev, i, blocks[i].Content, linkBase(weburl.NewBase(url), &layout))
			stands[d.ID] = d
		}
		for _, e := range ends {
			d := stands[e.id]
			d.Gone, d.Until, d.Ended = k, instant(taken), text(e.how)
			a.add(a.s.blockVersions, d)
			delete(stands, e.id)
		}
		prev = now
		a.flush(false)
	}
	for _, d := range stands {
		a.add(a.s.blockVersions, d)
	}
	a.add(a.s.pages, newPageDoc(prev))
	u.Rev = 1
	a.add(a.s.urls, u)
	a.flush(false)
}
