package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/storage/history"
	"plat/workers/batch"
)

// sampleSite serves the sample site, and returns an empty archive's flag.
func sampleSite(t *testing.T) (url, db string) {
	t.Helper()
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(site)
	t.Cleanup(s.Close)
	return s.URL + "/", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
}

func TestAPictureAndFilesAreAddedLater(t *testing.T) {
	needChrome(t)
	url, db := sampleSite(t)
	archive := func(more ...string) batch.Page {
		t.Helper()
		var p batch.Page
		out := must(t, append([]string{"archive", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", db, url}, more...)...)
		if err := json.Unmarshal([]byte(out), &p); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		return p
	}
	versions := func() (all []history.VersionInfo) {
		t.Helper()
		for line := range strings.Lines(must(t, "versions", db, "--json", url)) {
			var v history.VersionInfo
			if err := json.Unmarshal([]byte(line), &v); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		return all
	}
	if p := archive(); p.Outcome != "new" || len(p.Added) > 0 {
		t.Fatalf("the first visit is %+v", p)
	}
	bare := must(t, "restore", db, url)
	for _, x := range []struct {
		flags              []string
		added              string
		picture, resources bool
	}{
		{[]string{"--screenshot"}, "picture", true, false},
		{[]string{"--screenshot"}, "", true, false},
		{[]string{"--screenshot", "--resources=all"}, "resources", true, true},
		{[]string{"--screenshot", "--resources=all"}, "", true, true},
	} {
		p := archive(x.flags...)
		if p.Outcome != "unchanged" || p.Version != 1 || p.Stored || strings.Join(p.Added, " ") != x.added {
			t.Errorf("%v: %+v", x.flags, p)
		}
		if adds := x.added != ""; adds != (p.Pictures+p.Resources > 0) || adds && !p.Rendered {
			t.Errorf("%v: %d bytes of pictures, %d of resources; rendered: %v", x.flags, p.Pictures, p.Resources, p.Rendered)
		}
		if all := versions(); len(all) != 1 || all[0].Picture != "" != x.picture || (all[0].Resources != nil) != x.resources {
			t.Errorf("%v: the versions are %+v", x.flags, all)
		}
	}
	if all := versions(); all[0].Resources == nil || all[0].Resources.Kept == 0 {
		t.Errorf("the version has the resources %+v", all[0].Resources)
	}
	if shown := must(t, "show", db, url); !strings.Contains(shown, " resource") {
		t.Errorf("show says nothing of its files:\n%.400s", shown)
	}
	if must(t, "restore", db, url) != bare {
		t.Error("the page is restored otherwise")
	}
	warc := filepath.Join(t.TempDir(), "a.wacz")
	must(t, "export", "--format", "wacz", "-o", warc, db, url)
	must(t, "verify", db)
}

func TestArchiveSaysThatOnlyBlocksAreKept(t *testing.T) {
	needChrome(t)
	url, db := sampleSite(t)
	archive := func(more ...string) string {
		t.Helper()
		master, slave := pseudoTerminals(t)
		read := make(chan string)
		go func() {
			var all bytes.Buffer
			_, _ = all.ReadFrom(master) // it fails when the other side is closed
			read <- all.String()
		}()
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"archive", "--allow-private=127.0.0.0/8", "--log-level=error", db, url}, more...), nil, strings.NewReader(""), slave, &stderr)
		slave.Close()
		if code != 0 {
			t.Fatalf("exit %d: %s", code, stderr.String())
		}
		return <-read
	}
	const hint = "no picture and no files of the pages are kept"
	if first := archive(); strings.Count(first, hint) != 1 || !strings.Contains(first, "--screenshot --resources all") {
		t.Errorf("the first visit says\n%s", first)
	}
	if again := archive(); strings.Contains(again, hint) {
		t.Errorf("a visit that stores nothing says\n%s", again)
	}
	if added := archive("--screenshot", "--resources=all"); strings.Contains(added, hint) || !strings.Contains(added, "picture added, ") || !strings.Contains(added, "resources added, ") {
		t.Errorf("the visit that adds both says\n%s", added)
	}
	other, into := sampleSite(t)
	if piped := must(t, "archive", "--allow-private=127.0.0.0/8", "--log-level=error", into, other); strings.Contains(piped, hint) {
		t.Errorf("a pipe gets\n%s", piped)
	}
}
