package main

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"plat/cmd/plat/app"
	"plat/fixtures"
	"plat/storage/history"
)

// kept archives the front page of the sample site twice, and returns the resources of the two
// versions.
func kept(t *testing.T, set string) (pages []string, all []*history.ResourcesInfo) {
	t.Helper()
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(site)
	defer s.Close()
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for v := range 2 {
		site.Set(v + 1)
		must(t, "archive", db, "--allow-private=127.0.0.0/8", "--log-level=error", "--resources", set, s.URL+"/")
	}
	for line := range strings.Lines(must(t, "versions", db, "--json", s.URL+"/")) {
		var v history.VersionInfo
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v.Resources)
	}
	for _, n := range []string{"@1", "@2"} {
		// The port of the site differs in each run.
		pages = append(pages, strings.ReplaceAll(must(t, "restore", db, s.URL+"/"+n), s.URL, ""))
	}
	if shown := must(t, "show", db, s.URL+"/@2"); strings.Contains(shown, " resource") != (set != "none") {
		t.Errorf("show of a version with resources %s:\n%.300s", set, shown)
	}
	return pages, all
}

func TestVersionsSayWhatIsKeptToShowThem(t *testing.T) {
	t.Parallel()
	needChrome(t)
	plain, none := kept(t, "none")
	if len(none) != 2 || none[0] != nil || none[1] != nil {
		t.Errorf("with --resources none versions have %+v", none)
	}
	pages, css := kept(t, "css")
	for i, r := range css {
		if r == nil || r.Kept != 1 || r.Bytes == 0 || r.LeftOut != 0 || len(r.Manifest) != 64 {
			t.Errorf("with --resources css version %d has %+v", i+1, r)
		}
		if pages[i] != plain[i] {
			t.Errorf("version %d is restored otherwise where its resources are kept", i+1)
		}
	}
}

func TestASetOfResourcesThatIsNoneIsRefused(t *testing.T) {
	r := command(t, "archive", "--resources", "images", "https://a.test/")
	if r.code != app.ExitUsage || !strings.Contains(r.err, "write none, css or all") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}
