package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat"
	"plat/cmd/plat/app"
	"plat/snapshotfile"
)

// textInfo is the JSON of text.
type textInfo struct {
	URL, Title, Date, Language, Text string
	Authors                          []string
}

func TestTextPrintsWhatAPageIsAbout(t *testing.T) {
	file, _ := snapshotFile(t, "site-1")
	const title, begins, menu = "The Harbour Notice", "The north pier closes on Monday for two weeks.", "Advertisement"
	out := must(t, "text", file)
	if !strings.HasPrefix(out, title+"\n\n") || !strings.Contains(out, begins) || strings.Contains(out, menu) {
		t.Errorf("printed:\n%s", out)
	}
	if twice := must(t, "text", file, file); strings.Count(twice, begins) != 2 {
		t.Errorf("of two files it prints:\n%s", twice)
	}
	got := jsonLines[textInfo](t, must(t, "text", file, "--json"))
	if len(got) != 1 || got[0].URL != pageURL || got[0].Title != title || got[0].Authors == nil || got[0].Date != "" || got[0].Language != "en" ||
		!strings.Contains(got[0].Text, "\n\n") || !strings.Contains(got[0].Text, begins) {
		t.Errorf("JSON: %+v", got)
	}
}

func TestTextOfSeveralPagesGoesOnAfterOneThatFails(t *testing.T) {
	file, _ := snapshotFile(t, "site-1")
	none := filepath.Join(t.TempDir(), "none")
	r := command(t, "text", none, file)
	if r.code != app.ExitPartly || !strings.Contains(r.out, "The north pier") || !strings.HasPrefix(r.err, "plat: text: ") || !strings.Contains(r.err, none) || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit %d, stderr %q, printed:\n%s", r.code, r.err, r.out)
	}
	if r := command(t, "text", none); r.code != app.ExitUsage || !strings.Contains(r.err, "name a snapshot file, or a URL") {
		t.Errorf("alone: exit %d, stderr %q", r.code, r.err)
	}
	if r := command(t, "text"); r.code != app.ExitUsage || !strings.Contains(r.err, "see plat text --help") {
		t.Errorf("of nothing: exit %d, stderr %q", r.code, r.err)
	}
}

// What a page says may hold what would make a terminal do something.
func TestTextOfAHostilePageIsCleaned(t *testing.T) {
	const evil = "\x1b\a\u202e"
	_, snap := snapshotFile(t, "site-1")
	hostile := func(s string) string { return strings.ReplaceAll(s, "e", "e"+evil) }
	authors := 0
	for i := range snap.Nodes {
		n := &snap.Nodes[i]
		switch {
		case n.Kind == plat.TextNode:
			n.Value = hostile(n.Value)
		case n.Name == "meta" && authors == 0:
			authors++
			n.Attrs = []plat.Attr{{Name: "name", Value: "author"}, {Name: "content", Value: hostile("Ann Rivers")}}
		}
	}
	snap.Title = hostile(snap.Title)
	var b bytes.Buffer
	if err := snapshotfile.Write(&b, snap); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hostile.snap")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	out := must(t, "text", file)
	lines := strings.Split(out, "\n")
	if strings.ContainsAny(out, "\x1b\a\u202e") || len(lines) < 4 || lines[0] != "The Harbour Notice" || lines[1] != "Ann Rivers" || !strings.Contains(out, "The north pier closes on Monday for two weeks.") {
		t.Errorf("printed:\n%q", out)
	}
}

// A page with styles: what its author shows beside the text or hides is none of
// it, though no name says so.
const styled = `<!doctype html><html lang="en"><head><title>North pier closes - Notice</title>
<style>.a{float:left;width:600px}.b{float:right;width:200px}.c{display:none}.d{position:fixed;bottom:0}h1{font-size:40px}</style></head><body>
<h1>North pier closes</h1><p>By Ann Rivers, 31 January 2026</p>
<div class="a"><p>The harbour office closes the north pier on Monday, because divers found loose stones below the water line.</p>
<p class="c">This can be read by subscribers only, who are asked to sign in before they read on, here or elsewhere.</p>
<p>Ferries land at the south pier in the meantime, and the timetable stays as it was printed in spring.</p></div>
<div class="b"><p>Ropes, chains and anchors for every vessel are sold on quay four from eight in the morning.</p></div>
<div class="d"><p>We would like to count how often you read this page, and to tell others what you looked at.</p></div></body></html>`

func TestTextOfARenderedPageIsWhatItsReaderSees(t *testing.T) {
	needChrome(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/pier", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, styled) })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone", http.StatusGone) })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	r := command(t, "text", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", srv.URL+"/gone", srv.URL+"/pier")
	lines := jsonLines[map[string]any](t, r.out)
	if r.code != app.ExitPartly || len(lines) != 2 || !strings.Contains(fmt.Sprint(lines[0]["error"]), "status 410") || !strings.Contains(r.err, "check the URL") {
		t.Fatalf("exit %d, stderr %q, %v", r.code, r.err, lines)
	}
	const want = "The harbour office closes the north pier on Monday, because divers found loose stones below the water line.\n\n" +
		"Ferries land at the south pier in the meantime, and the timetable stays as it was printed in spring."
	if got := lines[1]; got["text"] != want || got["title"] != "North pier closes" || fmt.Sprint(got["authors"]) != "[Ann Rivers]" || got["date"] != "2026-01-31" {
		t.Errorf("got %v", got)
	}
	if l := left(t, os.Getpid()); len(l) > 0 {
		t.Errorf("of the browser there remain %q", l)
	}
}
