package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

func TestDamageIsReported(t *testing.T) {
	before, last := storagetest.Doomed()
	all := append(before, last)
	leaf := all[0].Version.Blocks[2].Hash
	// Each damage is repaired when its test ends, so that one archive suffices.
	damage := func(c *mongo.Collection, id string, write func(context.Context, bson.D) (int64, error)) func(*testing.T) {
		return func(t *testing.T) {
			key := bson.D{{Key: "_id", Value: id}}
			was, err := c.FindOne(t.Context(), key).Raw()
			if err != nil {
				t.Fatal(err)
			}
			if n, err := write(t.Context(), key); err != nil || n != 1 {
				t.Fatalf("the damage had no effect: %d, %v", n, err)
			}
			t.Cleanup(func() {
				if _, err := c.ReplaceOne(context.Background(), key, was, options.Replace().SetUpsert(true)); err != nil {
					t.Errorf("repair: %v", err)
				}
			})
		}
	}
	one := func(c *mongo.Collection, id string, set bson.D) func(*testing.T) {
		return damage(c, id, func(ctx context.Context, key bson.D) (int64, error) {
			r, err := c.UpdateOne(ctx, key, bson.D{{Key: "$set", Value: set}})
			if err != nil {
				return 0, err
			}
			return r.MatchedCount, nil
		})
	}
	gone := func(c *mongo.Collection, id string) func(*testing.T) {
		return damage(c, id, func(ctx context.Context, key bson.D) (int64, error) {
			r, err := c.DeleteOne(ctx, key)
			if err != nil {
				return 0, err
			}
			return r.DeletedCount, nil
		})
	}
	url := last.Version.URL
	s := open(t, Options{})
	for _, c := range all {
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Index(t.Context(), nil); err != nil { // nothing is pending
		t.Fatal(err)
	}
	urls, versions, blocks, layouts, screenshots := s.urls, s.versions, s.blocks, s.layouts, s.screenshots
	style := last.Resources[0].Hash.String()
	one0 := func(filter bson.D) string {
		var d blockVersionDoc
		if err := s.blockVersions.FindOne(t.Context(), filter).Decode(&d); err != nil {
			t.Fatal(err)
		}
		return d.ID
	}
	begun, ended := one0(bson.D{{Key: "gone", Value: bson.D{{Key: "$exists", Value: false}}}}), one0(bson.D{{Key: "gone", Value: bson.D{{Key: "$gt", Value: 0}}}})
	for name, damage := range map[string]func(*testing.T){
		"a block is gone":                 gone(blocks, leaf.String()),
		"a layout is gone":                gone(layouts, last.Version.Layout.String()),
		"a resource is gone":              gone(s.resources, style),
		"a resource has other bytes":      one(s.resources, style, bson.D{{Key: "enc", Value: "raw"}, {Key: "content", Value: []byte("x")}}),
		"a manifest is gone":              gone(s.manifests, last.Version.Resources.String()),
		"a manifest has other resources":  one(s.manifests, last.Version.Resources.String(), bson.D{{Key: "resources.0.size", Value: 7}}),
		"a manifest refers to no hash":    one(s.manifests, last.Version.Resources.String(), bson.D{{Key: "resources.0.hash", Value: "xyz"}}),
		"a picture is gone":               gone(screenshots, last.Version.Picture.String()),
		"a version is gone":               gone(versions, versionID(url, 2)),
		"the head's version is gone":      gone(versions, versionID(url, 4)),
		"a block has another coding":      one(blocks, leaf.String(), bson.D{{Key: "enc", Value: "lzma"}}),
		"a block has another size":        one(blocks, leaf.String(), bson.D{{Key: "size", Value: 1 << 30}}),
		"a block has other bytes":         one(blocks, leaf.String(), bson.D{{Key: "enc", Value: "raw"}, {Key: "content", Value: []byte("x")}}),
		"a block's base is missing":       one(blocks, leaf.String(), bson.D{{Key: "base", Value: "none"}}),
		"a block is a document":           one(blocks, leaf.String(), bson.D{{Key: "content", Value: bson.D{}}}),
		"a layout has other slots":        one(layouts, last.Version.Layout.String(), bson.D{{Key: "slots", Value: []int32{1}}}),
		"a picture has other bytes":       one(screenshots, last.Version.Picture.String(), bson.D{{Key: "data", Value: []byte("x")}}),
		"a version refers to another":     one(versions, versionID(url, 2), bson.D{{Key: "layout", Value: plat.HashOf(nil).String()}}),
		"a version refers to no hash":     one(versions, versionID(url, 2), bson.D{{Key: "layout", Value: "xyz"}}),
		"a version is of another":         one(versions, versionID(url, 2), bson.D{{Key: "n", Value: 3}}),
		"a version has another checksum":  one(versions, versionID(url, 1), bson.D{{Key: "blocks", Value: []byte("12345678")}}),
		"a version has another size":      one(versions, versionID(url, 1), bson.D{{Key: "size", Value: 7}}),
		"a version has another base":      one(versions, versionID(url, 3), bson.D{{Key: "base", Value: 1}}),
		"a page is gone":                  gone(s.pages, urlID(url)),
		"a page has another title":        one(s.pages, urlID(url), bson.D{{Key: "capture.title", Value: "x"}}),
		"a page has another block":        one(s.pages, urlID(url), bson.D{{Key: "blocks.2.label", Value: "x"}}),
		"a page's blocks are a number":    one(s.pages, urlID(url), bson.D{{Key: "blocks", Value: 5}}),
		"a block version is gone":         gone(s.blockVersions, begun),
		"a block version has not ended":   one(s.blockVersions, ended, bson.D{{Key: "gone", Value: 0}}),
		"a block version ended otherwise": one(s.blockVersions, ended, bson.D{{Key: "ended", Value: "image"}}),
		"a block version has no URL":      one(s.blockVersions, begun, bson.D{{Key: "url", Value: 5}}),
		"the head is too high":            one(urls, urlID(url), bson.D{{Key: "head", Value: 5}}),
		"a URL counts too many visits":    one(urls, urlID(url), bson.D{{Key: "visits", Value: 77}}),
		"a URL is of another":             one(urls, urlID(url), bson.D{{Key: "url", Value: "https://other.test/"}}),
		"a URL is a number":               one(urls, urlID(url), bson.D{{Key: "head", Value: "four"}}),
		"a host is gone":                  gone(s.hosts, "doomed.test"),
		"a host is not ready":             one(s.hosts, "doomed.test", bson.D{{Key: "next", Value: farOff}}),
		"a host counts too many jobs":     one(s.hosts, "doomed.test", bson.D{{Key: "jobs", Value: 7}}),
		"a job is not in the list":        one(urls, urlID(url), bson.D{{Key: "todo", Value: "doomed.test t 1"}}),
		"a version's blocks are a number": one(versions, versionID(url, 1), bson.D{{Key: "blocks", Value: 5}}),
	} {
		t.Run(name, func(t *testing.T) {
			damage(t)
			r, err := s.Verify(t.Context(), nil)
			if err != nil || r.BrokenTotal == 0 {
				t.Errorf("Verify finds nothing: %+v, %v", r, err)
			}
			t.Logf("%q", r.Broken)
			for _, c := range all { // correct, or an error
				if v, err := s.Version(t.Context(), url, c.Version.N); err == nil && v.N != c.Version.N && name != "a version is of another" {
					t.Errorf("got version %d for %d", v.N, c.Version.N)
				}
				for i := range c.Version.Blocks {
					b := &c.Version.Blocks[i]
					if !b.Leaf() {
						continue
					}
					got, err := s.Contents(t.Context(), []plat.Hash{b.Hash})
					switch {
					case err == nil && !bytes.Equal(got[0], b.Content):
						t.Errorf("content %s changed without an error", b.Hash.Short())
					case err != nil && b.Hash != leaf && !errors.Is(err, plat.ErrCorrupt):
						t.Errorf("undamaged content %s: %v", b.Hash.Short(), err)
					}
				}
			}
		})
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 {
		t.Errorf("after all repairs: %+v, %v", r, err)
	}
}

// The queries promised in the package comment.
func TestDocumentsCanBeQueried(t *testing.T) {
	s := open(t, Options{})
	p := storagetest.NewPage("https://a.test/", 5)
	var all []*storage.Commit
	for range 6 {
		c := p.Next()
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	var page struct {
		N      int
		Blocks []struct {
			Label, Topic, Hash string
			Box                struct{ X, Y, W, H float64 }
		}
	}
	if err := s.pages.FindOne(t.Context(), bson.D{{Key: "url", Value: "https://a.test/"}}).Decode(&page); err != nil || page.N != 6 {
		t.Fatalf("version %d, %v", page.N, err)
	}
	for i, b := range page.Blocks {
		if w := all[5].Version.Blocks[i]; b.Label != string(w.Label) || b.Topic != w.Topic || b.Hash != hexOf(w.Hash) || float32(b.Box.Y) != w.Box.Y {
			t.Errorf("block %d is %+v, want %+v", i, b, w)
		}
	}
	since := all[2].Version.Taken
	cur, err := s.blockVersions.Find(t.Context(), bson.D{{Key: "host", Value: "a.test"}, {Key: "since", Value: bson.D{{Key: "$gte", Value: since}}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []struct {
		First, Gone         int
		Lineage             int32
		Began, Ended, Hash  string
		Text, Topic, Change string
	}
	if err := cur.All(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for n := 3; n <= 6; n++ {
		was, is := all[n-2].Version, all[n-1].Version
		for _, b := range is.Blocks {
			if b.Leaf() && !slices.ContainsFunc(was.Blocks, func(o plat.Block) bool { return o.Leaf() && storage.KeyOf(&o) == storage.KeyOf(&b) }) {
				want[fmt.Sprintf("%d %d %s %s", n, b.Lineage, b.Hash, b.Change)] = true
			}
		}
	}
	for _, d := range got {
		if k := fmt.Sprintf("%d %d %s %s", d.First, d.Lineage, d.Hash, d.Began); !want[k] {
			t.Errorf("a block version %s, not among %v", k, want)
		}
		if d.Text == "" || d.Gone > 0 && d.Ended == "" {
			t.Errorf("no text, or no reason: %+v", d)
		}
	}
	if len(got) != len(want) || len(got) < 4 {
		t.Errorf("%d block versions, want %d", len(got), len(want))
	}
}

// A document that cannot be decoded does not affect the reading of other data, and commits do
// not rely on it.
func TestADocumentThatCannotBeDecodedHarmsNoOther(t *testing.T) {
	s := open(t, Options{})
	p := storagetest.NewPage("https://a.test/", 3)
	c := p.Next()
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var leaves []plat.Block
	for _, b := range c.Version.Blocks {
		if b.Leaf() {
			leaves = append(leaves, b)
		}
	}
	bad, good := leaves[len(leaves)-1], leaves[0]
	if _, err := s.blocks.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: bad.Hash.String()}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "content", Value: bson.D{}}}}}); err != nil {
		t.Fatal(err)
	}
	docs, err := s.documents(t.Context(), s.blocks, []string{bad.Hash.String(), good.Hash.String()})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.content(docs, good.Hash.String()); err != nil || !bytes.Equal(got, good.Content) {
		t.Errorf("the other content is %q, %v", got, err)
	}
	if _, err := s.Contents(t.Context(), []plat.Hash{bad.Hash}); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("Contents of the damaged one: %v", err)
	}
	// A second page with the same block, which would be stored without its content.
	other := storagetest.NewPage("https://b.test/", 3).Next()
	if _, err := s.Commit(t.Context(), other); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("a commit that needs the damaged one: %v", err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || !strings.Contains(fmt.Sprint(r.Broken), bad.Hash.String()) {
		t.Errorf("Verify does not name %s: %+v, %v", bad.Hash, r, err)
	}

	// A block with such a base cannot be read either.
	if _, err := s.blocks.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: good.Hash.String()}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "base", Value: bad.Hash.String()}}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), other); !errors.Is(err, plat.ErrCorrupt) || !strings.Contains(err.Error(), good.Hash.Short()) {
		t.Errorf("a commit that needs a block with a damaged base: %v", err)
	}
	if _, err := s.Contents(t.Context(), []plat.Hash{good.Hash}); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("Contents of one with a damaged base: %v", err)
	}
}

// If a different program moves a document to a new URL, its state is not that of its job, and
// does not affect further jobs.
func TestStateOfAnotherURL(t *testing.T) {
	t.Parallel()
	s := committed(t, 1, "https://a.test/1", "https://a.test/2", "https://a.test/3")
	if _, err := s.urls.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: urlID("https://a.test/2")}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "url", Value: "https://a.test/9"}}}}); err != nil {
		t.Fatal(err)
	}
	var jobs []storage.LoadedJob
	for i := range 3 {
		jobs = append(jobs, storage.LoadedJob{URL: fmt.Sprint("https://a.test/", i+1), State: &plat.URLState{}})
	}
	if err := s.readStates(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	for i, j := range jobs {
		if known := j.State != nil; known != (i != 1) || known && (j.State.URL != j.URL || j.State.Head != 1) {
			t.Errorf("the state of %s is %+v", j.URL, j.State)
		}
	}
}
