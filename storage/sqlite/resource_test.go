package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// format2 creates an archive in the format before resources.
func format2(t *testing.T) (path string, all []*storage.Commit) {
	t.Helper()
	path, all = format1(t)
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(withoutHosts + `DROP TABLE resources; DROP TABLE manifests; DROP TABLE memories;
		ALTER TABLE urls DROP COLUMN plan;
		ALTER TABLE urls ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
		ALTER TABLE urls ADD COLUMN scope TEXT    NOT NULL DEFAULT '';
		ALTER TABLE urls ADD COLUMN every INTEGER NOT NULL DEFAULT 0;
		PRAGMA user_version = 2`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, all
}

func TestFormat2IsReadAndUpgraded(t *testing.T) {
	path, all := format2(t)
	old, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	readsBack(t, old, all)
	h := plat.HashOf(nil)
	if _, err := old.Manifest(t.Context(), h); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("Manifest: error = %v, want plat.ErrNotFound", err)
	}
	if _, err := old.Resource(t.Context(), h); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("Resource: error = %v, want plat.ErrNotFound", err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, Options{})
	readsBack(t, s, all)
	p := storagetest.NewPage("https://c.test/", 9)
	c := p.Next()
	storagetest.SetResources(c, storagetest.Resource("https://c.test/a.css", "text/css", []byte("p{}")))
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Resource(t.Context(), c.Resources[0].Hash); err != nil || string(b) != "p{}" {
		t.Errorf("Resource: %q, %v", b, err)
	}
}

func TestTextResourcesAreCompressed(t *testing.T) {
	s := openTemp(t).(*Store)
	text := []byte(strings.Repeat("p { color: red; }\n", 1000))
	c := storagetest.NewPage("https://a.test/", 1).Next()
	storagetest.SetResources(c, storagetest.Resource("https://a.test/a.css", "text/css", text), storagetest.Resource("https://a.test/a.png", "image/png", append(text, 'x')))
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var css, png int
	if err := s.read.QueryRow("SELECT min(length(data)), max(length(data)) FROM resources").Scan(&css, &png); err != nil {
		t.Fatal(err)
	}
	if css > 200 || png != len(text)+1 {
		t.Errorf("a style sheet of %d bytes takes %d, an image of as many %d", len(text), css, png)
	}
}

func TestGCRemovesNothingIfAManifestIsUnreadable(t *testing.T) {
	path, _ := whole(t)
	s := openAt(t, path, Options{})
	if _, err := s.write.Exec("DELETE FROM manifests"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GC(t.Context(), time.Now().Add(time.Hour)); !errors.Is(err, plat.ErrNotFound) {
		t.Errorf("GC: error = %v, want plat.ErrNotFound", err)
	}
	var n int
	if err := s.read.QueryRow("SELECT count(*) FROM resources").Scan(&n); err != nil || n == 0 {
		t.Errorf("%d resources remain, %v", n, err)
	}
}
