package mongo

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

var siteVersions = flag.Int("site-versions", 1000, "versions of the site whose answers are measured")

// reading counts the documents of replies, and their bytes.
type reading struct{ commands, documents, bytes int }

func (r *reading) succeeded(_ context.Context, e *event.CommandSucceededEvent) {
	r.commands++
	for _, batch := range []string{"firstBatch", "nextBatch"} {
		list, ok := e.Reply.Lookup("cursor", batch).ArrayOK()
		if !ok {
			continue
		}
		values, err := list.Values()
		if err != nil {
			continue
		}
		r.documents += len(values)
		for _, v := range values {
			r.bytes += len(v.Value)
		}
	}
}

// TestReadsOfAnswers logs what answers of the same size read from a site with some versions, and from one with ten times as
// many: the same. Which index serves each is what the plan check says.
//
//	go test ./storage/mongo -run ReadsOfAnswers -v -timeout 1h -args -site-versions 20000
func TestReadsOfAnswers(t *testing.T) {
	const pages = 10
	end := time.Now().UTC().Truncate(time.Millisecond)
	measure := func(versions int) (names []string, got map[string]reading) {
		var r reading
		s := open(t, Options{})
		a := &bulkArchive{t: t, s: s}
		for p := range pages {
			a.history(fmt.Sprintf("https://a.test/%02d", p), versions/pages, end)
		}
		a.flush(true)
		if err := s.countAllHosts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Verify(t.Context(), nil); err != nil || v.BrokenTotal > 0 || v.Versions != int64(versions) {
			t.Fatalf("Verify = %+v, %v", v, err)
		}
		q := open(t, Options{Database: s.db.Name(), Monitor: &event.CommandMonitor{Succeeded: r.succeeded}}) // has nothing in memory
		const url = "https://a.test/07"
		got = map[string]reading{}
		ask := func(name string, answer func() (int, error)) {
			t.Helper()
			r = reading{}
			n, err := answer()
			if err != nil || n == 0 {
				t.Fatalf("%s: %d, %v", name, n, err)
			}
			names = append(names, name)
			got[name] = r
		}
		one := func(_ any, err error) (int, error) { return 1, err }
		ctx := t.Context()
		ask("the page now", func() (int, error) { return one(q.Version(ctx, url, 0)) })
		ask("a version of long ago", func() (int, error) { return one(q.Version(ctx, url, 2)) })
		ask("a version of the middle", func() (int, error) { return one(q.Version(ctx, url, versions/pages/2)) })
		ask("the state of a URL", func() (int, error) { return one(q.State(ctx, url)) })
		ask("its last ten visits", func() (int, error) { return length(q.Visits(ctx, url, 10)) })
		ask("blocks of a site: new in two hours", func() (int, error) {
			return length(q.Find(ctx, storage.BlockQuery{Host: "a.test", Since: end.Add(-2 * time.Hour)}))
		})
		ask("blocks of a page: the latest twenty", func() (int, error) { return length(q.Find(ctx, storage.BlockQuery{URL: url, Limit: 20})) })
		ask("changes of a page: the latest twenty", func() (int, error) {
			return length(q.Find(ctx, storage.BlockQuery{URL: url, Changes: true, Limit: 20}))
		})
		ask("changes of a site: the latest twenty", func() (int, error) {
			return length(q.Find(ctx, storage.BlockQuery{Host: "a.test", Changes: true, Limit: 20}))
		})
		ask("blocks of a site now", func() (int, error) { return length(q.Find(ctx, storage.BlockQuery{Host: "a.test", Head: true})) })
		ask("search: a rare word", func() (int, error) {
			all, err := q.Search(ctx, storage.Search{Words: fmt.Sprintf("number%d", versions/pages), Limit: 10})
			return len(all.Hits), err
		})
		ask("stats", func() (int, error) {
			all, err := q.Stats(ctx)
			return len(all), err
		})
		ask("start page: the latest changes", func() (int, error) {
			all, err := q.Search(ctx, storage.Search{Limit: 10})
			for _, h := range all.Hits {
				if err == nil {
					_, err = q.Version(ctx, h.URL, h.First)
				}
			}
			return len(all.Hits), err
		})
		ask("mongosh: the last ten versions of a page", func() (int, error) {
			all, err := findAll[bson.Raw](ctx, q.versions, bson.D{{Key: "url", Value: url}}, options.Find().SetSort(bson.D{{Key: "n", Value: -1}}).SetLimit(10).SetProjection(bson.D{{Key: "blocks", Value: 0}}))
			return len(all), err
		})
		ask("mongosh: main blocks new on a site in two hours", func() (int, error) {
			all, err := findAll[bson.Raw](ctx, q.blockVersions, bson.D{{Key: "host", Value: "a.test"}, {Key: "since", Value: bson.D{{Key: "$gt", Value: end.Add(-2 * time.Hour)}}}, {Key: "label", Value: "main"}})
			return len(all), err
		})
		return names, got
	}
	_, few := measure(*siteVersions / 10)
	names, many := measure(*siteVersions)
	for _, name := range names {
		a, b := few[name], many[name]
		t.Logf("%-50s %6d versions: %3d commands, %5d documents, %7d bytes; %d: %3d, %5d, %7d", name, *siteVersions/10, a.commands, a.documents, a.bytes, *siteVersions, b.commands, b.documents, b.bytes)
		// A version is read with those on which it depends, 64 at most.
		versions := 1
		if strings.HasPrefix(name, "start page") {
			versions = 10
		}
		if b.documents > a.documents+64*versions || b.bytes > 2*a.bytes+versions*64<<10 {
			t.Errorf("%s reads %d documents, %d bytes; with a tenth of the versions %d and %d", name, b.documents, b.bytes, a.documents, a.bytes)
		}
	}
}

// length returns the length of a sequence.
func length[T any](all iter.Seq2[T, error]) (n int, err error) {
	for _, err = range all {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

var footerPages = flag.Int("footer-pages", 10, "pages of that site that get a new footer")

// A content that is new on pages, and stored already, is looked up where it was: visits that find it read as much on
// pages with many versions as on others.
//
//	go test ./storage/mongo -run NewFooter -v -timeout 2h -args -site-versions 100000 -footer-pages 100
func TestANewFooterOnPagesWithManyVersions(t *testing.T) {
	footer := []byte("<footer>The new footer of all pages of the site</footer>")
	each := *siteVersions / *footerPages
	reads := map[int][]reading{} // of the visits of some pages but the first, by versions of a page, the fewest documents first
	for _, versions := range []int{each / 10, each} {
		var r reading
		s := open(t, Options{Monitor: &event.CommandMonitor{Succeeded: r.succeeded}})
		a := &bulkArchive{t: t, s: s}
		for p := range *footerPages {
			a.history(fmt.Sprintf("https://a.test/%02d", p), versions, time.Now())
		}
		a.flush(true)
		if err := s.countAllHosts(t.Context()); err != nil {
			t.Fatal(err)
		}
		// FerretDB, which has no index on hashes, examines all block versions in each visit: at most twelve.
		for p := 0; p < *footerPages; p += max(1, *footerPages/12) {
			old, err := s.Version(t.Context(), fmt.Sprintf("https://a.test/%02d", p), 0)
			if err != nil {
				t.Fatal(err)
			}
			layout, err := s.Layout(t.Context(), old.Layout)
			if err != nil {
				t.Fatal(err)
			}
			now := *old
			now.N, now.Taken, now.Changes = old.N+1, time.Now().UTC().Truncate(time.Millisecond), map[plat.Kind]int{plat.Content: 1}
			last := &now.Blocks[len(now.Blocks)-1]
			last.Hash, last.Content, last.Change = plat.HashOf(footer), footer, plat.Content
			c := &storage.Commit{Version: &now, Layout: layout, Visit: plat.Visit{URL: now.URL, Time: now.Taken, Outcome: plat.OutcomeChanged, Version: now.N}}
			r = reading{}
			if _, err := s.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if p > 0 {
				reads[versions] = append(reads[versions], r)
			}
		}
		slices.SortFunc(reads[versions], func(a, b reading) int { return cmp.Compare(a.documents, b.documents) })
		if versions**footerPages > 20_000 {
			continue // verify would take FerretDB an hour, of documents that no visit has written
		}
		if v, err := s.Verify(t.Context(), nil); err != nil || v.BrokenTotal > 0 {
			t.Fatalf("Verify = %+v, %v", v, err)
		}
	}
	last := len(reads[each]) - 1
	for _, n := range []int{each / 10, each} {
		t.Logf("%d pages of %d versions: a visit reads %+v in the median, %+v at most", *footerPages, n, reads[n][last/2], reads[n][last])
	}
	few, many := reads[each/10][last], reads[each][last]
	// One of the visits may have looked at the note on the format, which is done every 30 s.
	if many.documents > few.documents+2 || many.commands > few.commands+1 {
		t.Errorf("a visit of a page with %d versions reads %+v, with %d %+v", each, many, each/10, few)
	}
}

// A content that comes and goes is looked up where it first was: its visits read as much after many returns as after a few.
func TestAContentThatComesAndGoes(t *testing.T) {
	var r reading
	s := open(t, Options{Monitor: &event.CommandMonitor{Succeeded: r.succeeded}})
	const url = "https://a.test/"
	contents := [][]byte{[]byte("<p>Monday's banner of the page</p>"), []byte("<p>Tuesday's banner of the page</p>")}
	layout := plat.Layout{HTML: []byte("<html></html>"), Slots: []int32{6}}
	reads := map[int]reading{} // by version
	for n := 1; n <= 80; n++ {
		taken, c := day().Add(time.Duration(n)*time.Hour), contents[n%2]
		v := &plat.Version{URL: url, N: n, Taken: taken, Profile: "visual", Lineages: 1, Layout: layout.Sum(), Capture: plat.Capture{FinalURL: url, Status: 200},
			Blocks: []plat.Block{{Run: 1, Parent: -1, Tag: "html", Slot: -1}, {Path: []int32{0, 1}, Run: 1, Level: 1, Tag: "p", Hash: plat.HashOf(c), Content: c, Label: plat.LabelMain, Lineage: 1}}}
		if n > 1 {
			v.Blocks[1].Change, v.Changes = plat.Content, map[plat.Kind]int{plat.Content: 1}
		}
		r = reading{}
		if _, err := s.Commit(t.Context(), &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: taken, Outcome: plat.OutcomeChanged, Version: n, Status: 200}}); err != nil {
			t.Fatal(err)
		}
		reads[n] = r
	}
	t.Logf("version 8: %+v; version 80: %+v", reads[8], reads[80])
	if reads[80].documents > reads[8].documents+1 { // the note on the format
		t.Errorf("the visit that finds version 80 reads %+v, and version 8 %+v", reads[80], reads[8])
	}
	if v, err := s.Verify(t.Context(), nil); err != nil || v.BrokenTotal > 0 {
		t.Errorf("Verify = %+v, %v", v, err)
	}
}
