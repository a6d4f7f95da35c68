package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plat/browser/snapshotfile"
	"plat/cmd/plat/app"
	"plat/plat"
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

func TestTextIsSetAsMarkdown(t *testing.T) {
	file, _ := snapshotFile(t, "site-1")
	out := must(t, "text", file, "--markdown")
	if !strings.HasPrefix(out, "# The Harbour Notice\n\n## North pier closes for repairs\n\nThe north pier closes on Monday") || !strings.Contains(out, "\n\n### [The old crane stays](http://site-1.test/crane.html)\n\n") {
		t.Errorf("printed:\n%s", out)
	}
	with, without := jsonLines[map[string]any](t, must(t, "text", file, "--markdown", "--json"))[0], jsonLines[map[string]any](t, must(t, "text", file, "--json"))[0]
	if body, _ := with["markdown"].(string); !strings.HasPrefix(body, "## North pier closes for repairs\n\n") || !strings.HasSuffix(out, body+"\n") {
		t.Errorf("JSON has %q, printed:\n%s", body, out)
	}
	if delete(with, "markdown"); !reflect.DeepEqual(with, without) {
		t.Errorf("beside it JSON has %v, not %v", with, without)
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

// The text of a page may contain control characters of a terminal.
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
	if md := must(t, "text", file, "--markdown"); strings.ContainsAny(md, "\x1b\a\u202e") || !strings.Contains(md, "# The Harbour Notice\n\n_Ann Rivers_\n\n") {
		t.Errorf("as Markdown:\n%q", md)
	}
	lines := strings.Split(out, "\n")
	printed := strings.ReplaceAll("The north pier closes on Monday for two weeks.", "e", "e ") // signs become blanks
	if strings.ContainsAny(out, "\x1b\a\u202e") || len(lines) < 4 || lines[0] != "The Harbour Notice" || lines[1] != "Ann Rivers" || !strings.Contains(out, printed) {
		t.Errorf("printed:\n%q", out)
	}
}

func TestTextAndExplainReadTheArchive(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	one, _ := snapshotFile(t, "site-1")
	two, _ := snapshotFile(t, "site-2")
	live := map[string]string{pageURL + "@1": must(t, "text", one), pageURL + "@2": must(t, "text", two), pageURL: must(t, "text", two)}
	must(t, "snapshot", "load", store, one, two)
	for where, want := range live {
		if got := must(t, "text", where, store); got != want {
			t.Errorf("text %s prints\n%s\nthe page says\n%s", where, got, want)
		}
	}
	for n, file := range []string{one, two} {
		if got, want := must(t, "text", fmt.Sprint(pageURL, "@", n+1), store, "--markdown"), must(t, "text", file, "--markdown"); got != want || !strings.HasPrefix(got, "# ") {
			t.Errorf("Markdown of version %d is\n%s\nof the page\n%s", n+1, got, want)
		}
	}
	if both := must(t, "text", pageURL+"@1", pageURL+"@2", store); both != live[pageURL+"@1"]+"\n"+live[pageURL+"@2"] {
		t.Errorf("text of two versions prints\n%s", both)
	}
	if e := must(t, "explain", pageURL+"@1", store); !strings.Contains(e, "version 1") || !strings.Contains(e, "BLOCK #3, level 1, separator; navigation 0.") || !strings.Contains(e, ": in nav 1.00") {
		t.Errorf("explain prints\n%s", e)
	}
	type block struct {
		URL                 string
		Version, Level      int
		Path                []int32
		Rule                plat.Rule
		Leaf                bool
		Label, Because, Tag string
	}
	all, few := jsonLines[block](t, must(t, "explain", pageURL, store, "--json")), jsonLines[block](t, must(t, "explain", pageURL, store, "--json", "--depth", "3"))
	if len(few) == 0 || len(few) >= len(all) || all[1].URL != pageURL || all[1].Version != 2 || all[1].Because == "" || all[1].Label == "" {
		t.Errorf("explain --json prints %d blocks, with --depth 3 %d: %+v", len(all), len(few), all)
	}
}

func TestWhatOfAVersionIsNotShownIsNamed(t *testing.T) {
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	file, _ := snapshotFile(t, "flink-community")
	must(t, "snapshot", "load", store, file)
	type unshown struct {
		URL         string
		Version     int
		Index       int
		State, Text string
	}
	got := jsonLines[unshown](t, must(t, "explain", pageURL, store, "--only", "text", "--json"))
	if len(got) != 2 || got[0].URL != pageURL || got[0].Version != 1 || got[0].Index < 1 || got[0].State != "folded" || !strings.HasPrefix(got[0].Text, "With Flink") {
		t.Errorf("explain --only text --json prints %+v", got)
	}
	if out := must(t, "explain", pageURL, store, "--only", "text"); !strings.Contains(out, "folded  “With Flink") || !strings.Contains(out, "2 texts folded, 0 texts hidden; the reasons are not archived: plat explain "+pageURL+" --live") {
		t.Errorf("explain --only text prints\n%s", out)
	}
}

func TestVersionsAreNamedByTime(t *testing.T) {
	store := madeUp(t) // versions of 3, 4 and 5 January 2026, 03:04:05
	for when, n := range map[string]string{"2026-01-03": "1", "2026-01-03T03:04:05Z": "1", "2026-01-04T03:04:04Z": "1", "2026-01-04T04:04:05+01:00": "2", "2026-01-04T03:04:05": "2", "2026-01-04": "2", "2030-01-01": "3"} {
		if got := must(t, "show", paperURL+"@"+when, store); !strings.Contains(got, "version "+n+",") {
			t.Errorf("@%s shows\n%s\nwant version %s", when, got, n)
		}
		if got := must(t, "explain", paperURL+"@"+when, store); !strings.Contains(got, "version "+n+",") {
			t.Errorf("@%s explains\n%s\nwant version %s", when, got, n)
		}
	}
	if page := must(t, "restore", paperURL+"@2026-01-03", store); !strings.Contains(page, "two metres on Monday") {
		t.Errorf("restored was %s", page)
	}
	for where, says := range map[string]string{
		paperURL + "@2026-01-02":       "its first version was taken at 2026-01-03T03:04:05Z",
		paperURL + "@2026-02-31":       "write a date",
		"http://none.test/@2026-01-03": "archive it first, with plat archive",
	} {
		if r := command(t, "show", where, store); r.code == app.ExitOK || !strings.Contains(r.err, says) {
			t.Errorf("show %s: exit %d, %q; want %q", where, r.code, r.err, says)
		}
	}
}

func TestWhatIsNotInTheArchiveIsSaidToBeThere(t *testing.T) {
	store, none := madeUp(t), "--store=sqlite:"+filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"text", "http://new.test/", store}, app.ExitError, []string{"not found in the archive", "archive it first, with plat archive", "--live"}},
		{[]string{"explain", "http://new.test/", store}, app.ExitError, []string{"not found in the archive", "archive it first, with plat archive", "--live"}},
		{[]string{"text", "http://gone.test/", store}, app.ExitError, []string{"no visit found a page", "--live"}},
		{[]string{"text", paperURL + "@9", store}, app.ExitError, []string{"plat versions lists those that are"}},
		{[]string{"text", paperURL + "@1", store}, app.ExitError, []string{"archived before texts were kept", "--live", "plat archive"}},
		{[]string{"text", "http://new.test/", none}, app.ExitStore, []string{"there is no archive", "--live"}},
		{[]string{"text", "http://new.test/", paperURL, none}, app.ExitStore, []string{"there is no archive"}},
		{[]string{"explain", paperURL, store, "--level", "2"}, app.ExitUsage, []string{"--level is for pages that are rendered now", "--live"}},
		{[]string{"text", paperURL, store, "--steps", "x.yaml"}, app.ExitUsage, []string{"--steps is for pages that are rendered now"}},
	} {
		r := command(t, c.args...)
		if r.code != c.code || r.out != "" || strings.Count(r.err, "\n") != 1 {
			t.Errorf("plat %q: exit %d, want %d; %q, stderr %q", c.args, r.code, c.code, r.out, r.err)
		}
		for _, says := range c.says {
			if !strings.Contains(r.err, says) {
				t.Errorf("plat %q says %q, and nothing of %q", c.args, r.err, says)
			}
		}
	}
	if r := command(t, "text", "http://new.test/", paperURL, store); r.code != app.ExitPartly || !strings.Contains(r.out, "River floods") {
		t.Errorf("the other page: exit %d, %q, %q", r.code, r.out, r.err)
	}
}

// A page with styles: text that the author moves aside or hides does not belong to the article,
// though no name marks it.
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
	r := command(t, "text", "--live", "--json", "--allow-private=127.0.0.0/8", "--log-level=error", srv.URL+"/gone", srv.URL+"/pier")
	lines := jsonLines[map[string]any](t, r.out)
	if r.code != app.ExitPartly || len(lines) != 2 || !strings.Contains(fmt.Sprint(lines[0]["error"]), "status 410") || !strings.Contains(r.err, "check the URL") {
		t.Fatalf("exit %d, stderr %q, %v", r.code, r.err, lines)
	}
	const want = "The harbour office closes the north pier on Monday, because divers found loose stones below the water line.\n\n" +
		"Ferries land at the south pier in the meantime, and the timetable stays as it was printed in spring."
	if got := lines[1]; got["text"] != want || got["title"] != "North pier closes" || fmt.Sprint(got["authors"]) != "[Ann Rivers]" || got["date"] != "2026-01-31" {
		t.Errorf("got %v", got)
	}
	// The archived text is the same.
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	must(t, "archive", srv.URL+"/pier", db, "--allow-private=127.0.0.0/8", "--log-level=error")
	kept := jsonLines[map[string]any](t, must(t, "text", "--json", db, srv.URL+"/pier"))[0]
	if kept["version"] != 1.0 || kept["taken"] == nil {
		t.Errorf("of the archive it has %v", kept)
	}
	delete(kept, "version")
	delete(kept, "taken")
	if !reflect.DeepEqual(kept, lines[1]) {
		t.Errorf("the archive has %v, the page %v", kept, lines[1])
	}
	if l := left(t, os.Getpid()); len(l) > 0 {
		t.Errorf("of the browser there remain %q", l)
	}
}

// codeArticle is an article with code: as one text, and in lines that are blocks.
const codeArticle = `<!doctype html><html lang="en"><title>Leases</title><nav><a href="/">Home</a> <a href="/all">All posts</a></nav><article><h1>Leases</h1>
<p class="byline">By <a rel="author" href="/ann">Ann Rivers</a>, <time datetime="2026-01-31">31 January 2026</time></p>
<p>A worker that dies keeps its page for a while, and then another one takes it: that is all that a lease is, and this is how it is written.</p>
<pre><code class="language-go">func take() (err error) {
	for range 3 {
		<b>if</b> err = try(); err == nil {
			return nil
		}

	}

	return err
}
</code></pre>
<p>The call of it may be anywhere, and whoever calls it must be ready to lose the page again, because another one has taken it meanwhile.</p>
<pre><div>x = {</div><div>   y: [1,  2]</div><div><br></div><div>}</div></pre>
<p>This is the end of what is to be said about leases here; more is in the documents of the queue, which everybody should read once.</p></article>`

func TestTextOfAnArticleHasItsCode(t *testing.T) {
	needChrome(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, codeArticle) }))
	defer srv.Close()
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	must(t, "archive", srv.URL, db, "--allow-private=127.0.0.0/8", "--log-level=error")
	const one, two = "func take() (err error) {\n\tfor range 3 {\n\t\tif err = try(); err == nil {\n\t\t\treturn nil\n\t\t}\n\n\t}\n\n\treturn err\n}\n", "x = {\n   y: [1,  2]\n\n}\n"
	for how, around := range map[string][2]string{"": {"\n", "\n"}, "--markdown": {"```go\n", "```\n"}} {
		args := []string{"text", srv.URL, "--log-level=error"}
		if how != "" {
			args = append(args, how)
		}
		kept, live := must(t, append(args, db)...), must(t, append(args, "--live", "--allow-private=127.0.0.0/8")...)
		if kept != live {
			t.Errorf("the archive has\n%s\nthe page\n%s", kept, live)
		}
		if !strings.Contains(kept, around[0]+one+around[1]) || !strings.Contains(kept, two) || strings.Count(kept, "```") != 2*2*len(how)/len("--markdown") {
			t.Errorf("text %s prints\n%s", how, kept)
		}
	}
}
