package mongo

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// forgetFormat removes the note on the format.
func forgetFormat(t testing.TB, s *Store) {
	t.Helper()
	if _, err := s.notes.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: formatNote}}); err != nil {
		t.Fatal(err)
	}
}

// migrated returns a store on a database whose archive it has migrated.
func migrated(t testing.TB, database string) *Store {
	t.Helper()
	s := open(t, Options{Database: database, Migrate: true})
	if from, to, err := s.Migrate(t.Context(), nil); err != nil || from != 1 || to != format {
		t.Fatalf("Migrate = %d, %d, %v", from, to, err)
	}
	return open(t, Options{Database: database})
}

// downgrade gives an archive the documents of format 1.
func downgrade(t testing.TB, s *Store) {
	t.Helper()
	ctx := t.Context()
	for st, err := range s.States(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		var prev *standing
		for v, err := range s.trees(ctx, st.URL, st.Oldest(), 1, st.Head) {
			if err != nil {
				t.Fatal(err)
			}
			now := &standing{Tree: *v, first: firsts(&v.Version, prev), at: make([]time.Time, len(v.Blocks))}
			prev = now
			d, err := s.readVersion(ctx, st.URL, v.N)
			if err != nil {
				t.Fatal(err)
			}
			p := plainDoc{Page: *newPageDoc(now), Look: d.Look, Visit: d.Visit, Written: d.Written}
			p.Page.ID = d.ID
			for i := range p.Page.Blocks {
				p.Page.Blocks[i].At, p.Page.Blocks[i].First, p.Page.Blocks[i].Block.Change = nil, 0, ""
			}
			if _, err := s.versions.ReplaceOne(ctx, bson.D{{Key: "_id", Value: d.ID}}, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := s.pages.DeleteMany(ctx, bson.D{})
	_, more := s.blockVersions.DeleteMany(ctx, bson.D{})
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "terms", Value: []string{"x"}}, {Key: "searched", Value: 1}}}, {Key: "$unset", Value: bson.D{{Key: "pending", Value: ""}}}}
	_, still := s.urls.UpdateMany(ctx, bson.D{}, set)
	_, yet := s.db.Collection("spans").InsertOne(ctx, bson.D{{Key: "_id", Value: "x"}})
	_, index := s.urls.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "terms", Value: 1}, {Key: "url", Value: 1}}})
	if err := errors.Join(err, more, still, yet, index); err != nil {
		t.Fatal(err)
	}
	forgetFormat(t, s)
}

// exported returns everything that an archive has, in versions and contents.
func exported(t testing.TB, s *Store, changes bool) (all []string) {
	t.Helper()
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%+v", st))
		for v, err := range s.Trees(t.Context(), st.URL, 1, st.Head) {
			if err != nil {
				t.Fatal(err)
			}
			contents := storagetest.Leaves(t, s, v)
			layout, err := s.Layout(t.Context(), v.Layout)
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Blocks {
				if !changes {
					v.Blocks[i].Change = ""
				}
			}
			article := v.Article
			v.Article = nil
			all = append(all, fmt.Sprintf("%+v %+v %q %q", v, article, contents, layout.HTML))
		}
	}
	return all
}

func TestAMigrationMayBeInterrupted(t *testing.T) {
	t.Parallel()
	s := committed(t, 40, "https://a.test/")
	for i := range 3 {
		p := storagetest.NewPage(fmt.Sprintf("https://b.test/%d", i), uint64(10+i))
		for range 4 {
			if _, err := s.Commit(t.Context(), p.Next()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Forget(t.Context(), "https://b.test/1", storage.Cut{KeepLast: 2}, false); err != nil {
		t.Fatal(err)
	}
	whole, err := s.Verify(t.Context(), nil) // may find contents of what is forgotten, which no GC has removed
	if err != nil || whole.BrokenTotal > 0 {
		t.Fatalf("Verify = %+v, %v", whole, err)
	}
	want := exported(t, s, false)
	downgrade(t, s)
	name, cuts := s.db.Name(), 0
	for left := 3; ; left += 7 {
		m := open(t, Options{Database: name, Migrate: true, Dialer: &cutter{fault: func(string) error {
			if left--; left < 0 {
				return errors.New("cut")
			}
			return nil
		}}})
		_, _, err := m.Migrate(t.Context(), nil)
		if err == nil {
			break
		}
		if cuts++; !strings.Contains(err.Error(), "run plat migrate again") {
			t.Fatalf("interrupted: %v", err)
		}
		if _, err := Open(t.Context(), server, Options{Database: name}); !errors.Is(err, plat.ErrOlder) {
			t.Fatalf("after %d interruptions the archive is opened: %v", cuts, err)
		}
		left = max(left, 0)
	}
	t.Logf("%d interruptions", cuts)
	if cuts < 10 {
		t.Errorf("%d interruptions, want 10", cuts)
	}
	s = open(t, Options{Database: name})
	if got := exported(t, s, false); !slices.Equal(got, want) {
		t.Errorf("after the migration %d states and versions differ, or some of %d", len(got), len(want))
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced != whole.Unreferenced {
		t.Errorf("Verify = %+v, %v; before %+v", r, err, whole)
	}
	for _, c := range []string{"spans"} {
		if n, err := s.db.Collection(c).EstimatedDocumentCount(t.Context()); err != nil || n > 0 {
			t.Errorf("%s has %d documents, %v", c, n, err)
		}
	}
	if slices.Contains(indexesOf(t, s.urls), "{terms: 1, url: 1}") {
		t.Error("an index of format 1 is left")
	}
	plain, err := s.versions.CountDocuments(t.Context(), bson.D{{Key: "size", Value: bson.D{{Key: "$exists", Value: false}}}})
	if err != nil || plain > 0 {
		t.Errorf("%d versions are plain, %v", plain, err)
	}
	before := blockVersionsOf(t, s)
	if err := s.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if after := blockVersionsOf(t, s); !slices.Equal(before, after) {
		t.Errorf("Reindex writes different block versions: %d, and there were %d", len(after), len(before))
	}
}

// A damaged version does not keep the rest of an archive from being migrated and used. Forgetting its page mends the archive.
func TestAMigrationGoesOnPastADamagedPage(t *testing.T) {
	const damaged = "https://a2.test/"
	s := committed(t, 3, "https://a0.test/", "https://a1.test/", damaged, "https://a3.test/")
	downgrade(t, s)
	which := bson.D{{Key: "url", Value: damaged}, {Key: "n", Value: 1}}
	if _, err := s.versions.UpdateOne(t.Context(), which, bson.D{{Key: "$set", Value: bson.D{{Key: "layout", Value: "zz"}}}}); err != nil {
		t.Fatal(err)
	}
	m := open(t, Options{Database: s.db.Name(), Migrate: true})
	from, to, err := m.Migrate(t.Context(), nil)
	if from != 1 || to != format || !errors.Is(err, plat.ErrCorrupt) || !strings.Contains(err.Error(), "apart from pages with damaged versions: "+damaged+"; ") {
		t.Fatalf("Migrate = %d, %d, %v", from, to, err)
	}
	if from, to, err := m.Migrate(t.Context(), nil); from != format || to != format || err != nil {
		t.Errorf("once more: Migrate = %d, %d, %v", from, to, err)
	}
	s = open(t, Options{Database: s.db.Name()})
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal != 2 || !strings.Contains(strings.Join(r.Broken, "\n"), damaged) {
		t.Errorf("Verify = %+v, %v", r, err)
	}
	if r, err := s.Search(t.Context(), storage.Search{}); err != nil || r.Unreadable != 1 || r.Behind > 0 || len(r.Hits) == 0 {
		t.Errorf("Search = %d hits, %d behind, %d unreadable, %v", len(r.Hits), r.Behind, r.Unreadable, err)
	}
	visit(t, s, "https://a3.test/")
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("GC = %v", err)
	}
	if _, err := s.Forget(t.Context(), damaged, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || r.BrokenTotal > 0 || r.Unreferenced > 0 {
		t.Errorf("after Forget: Verify = %+v, %v", r, err)
	}
}

// visit commits one more version of a URL.
func visit(t *testing.T, s *Store, url string) {
	t.Helper()
	v, err := s.Version(t.Context(), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := s.Layout(t.Context(), v.Layout)
	if err != nil {
		t.Fatal(err)
	}
	v.N++
	v.Oldest, v.Taken = false, v.Taken.Add(time.Hour)
	c := &storage.Commit{Version: v, Layout: layout, Visit: plat.Visit{URL: url, Time: v.Taken, Outcome: plat.OutcomeChanged, Version: v.N, Status: 200}}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Errorf("the next version of %s: %v", url, err)
	}
}

// A migration that is continued tells its progress from where it was.
func TestAContinuedMigrationTellsWhereItWas(t *testing.T) {
	var urls []string
	for i := range 6 {
		urls = append(urls, fmt.Sprintf("https://a%d.test/", i))
	}
	s := committed(t, 3, urls...)
	downgrade(t, s)
	ids, err := findIDs(t.Context(), s.urls, bson.D{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.putFormat(t.Context(), &formatDoc{ID: formatNote, Migrated: ids[3]}, 1); err != nil {
		t.Fatal(err)
	}
	var told []string
	m := open(t, Options{Database: s.db.Name(), Migrate: true})
	if _, _, err := m.Migrate(t.Context(), func(done, total int64) { told = append(told, fmt.Sprint(done, "/", total)) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"13/18", "14/18", "15/18", "16/18", "17/18", "18/18"}; !slices.Equal(told, want) {
		t.Errorf("it tells %v, want %v", told, want)
	}
}

// A plat from before format 2 may still store first versions: it reports an error for all others.
func TestAVersionOfFormat1IsRead(t *testing.T) {
	s := committed(t, 3, "https://a.test/")
	want := exported(t, s, true)
	var d plainDoc
	v, err := s.page(t.Context(), "https://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	packed, err := s.readVersion(t.Context(), v.URL, 3)
	if err != nil {
		t.Fatal(err)
	}
	d.Page, d.Visit, d.Written = *newPageDoc(v), packed.Visit, packed.Written
	d.Page.ID = packed.ID
	if _, err := s.versions.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: packed.ID}}, d); err != nil {
		t.Fatal(err)
	}
	if got := exported(t, s, true); !reflect.DeepEqual(got, want) {
		t.Error("a plain version is read otherwise than a packed one")
	}
	// The older plat's type of that field.
	var old struct{ Blocks []bson.D }
	first, err := s.versions.FindOne(t.Context(), bson.D{{Key: "n", Value: 2}}).Raw()
	if err == nil {
		err = bson.Unmarshal(first, &old)
	}
	if err == nil {
		t.Error("an older plat reads a packed version as one without blocks")
	}
}

func TestANewerFormatIsRefused(t *testing.T) {
	s := committed(t, 1, "https://a.test/")
	set := func(n int) {
		t.Helper()
		if _, err := s.notes.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: formatNote}}, bson.D{{Key: "$set", Value: bson.D{{Key: "text", Value: fmt.Sprint(n)}}}}, options.UpdateOne()); err != nil {
			t.Fatal(err)
		}
	}
	set(format + 1)
	if _, err := Open(t.Context(), server, Options{Database: s.db.Name()}); !errors.Is(err, plat.ErrNewer) {
		t.Errorf("Open = %v, want plat.ErrNewer", err)
	}
	// A process that had opened it before finds out.
	p := storagetest.NewPage("https://b.test/", 7)
	s.checked.Store(int64(uptime() - formatCheck))
	for range 2 {
		if _, err := s.Commit(t.Context(), p.Next()); !errors.Is(err, plat.ErrNewer) {
			t.Errorf("Commit = %v, want plat.ErrNewer", err)
		}
		if err := s.Record(t.Context(), plat.Visit{URL: "https://b.test/", Time: day(), Outcome: plat.OutcomeGone}, 0); !errors.Is(err, plat.ErrNewer) {
			t.Errorf("Record = %v, want plat.ErrNewer", err)
		}
	}
	set(format)
	if _, err := s.Commit(t.Context(), storagetest.NewPage("https://b.test/", 7).Next()); err != nil {
		t.Errorf("Commit = %v", err)
	}
}

func day() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }
