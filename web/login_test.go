package web

import (
	"strings"
	"testing"

	"plat/plat"
	"plat/storage"
	"plat/storage/sqlite/sqlitetest"
	"plat/storage/storagetest"
)

// firstOf is the commit of the first version of a page.
func firstOf(url string, seed uint64) *storage.Commit { return storagetest.NewPage(url, seed).Next() }

// A version that is probably a login has its mark in every list.
func TestLoginsAreMarked(t *testing.T) {
	store := sqlitetest.Open(t)
	c := firstOf("http://a.test/", 1)
	c.Version.Meta = map[string]string{plat.MetaSeems: string(plat.OutcomeLogin)}
	if _, err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), firstOf("http://b.test/", 2)); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Store: store})
	for target, marks := range map[string]int{
		"/urls?prefix=http": 1, "/url" + param("url", "http://a.test/"): 1, "/url" + param("url", "http://b.test/"): 0,
		"/version" + param("url", "http://a.test/"): 1, "/version" + param("url", "http://b.test/"): 0,
	} {
		if page := get(s, "GET", target).Body.String(); strings.Count(page, ">login?</span>") != marks {
			t.Errorf("%s has not %d marks:\n%s", target, marks, page)
		}
	}
}
