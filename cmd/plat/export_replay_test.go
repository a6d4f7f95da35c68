package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"plat/browser"
	"plat/cmd/plat/app"
	"plat/export"
	"plat/fixtures"
	"plat/fixtures/history"
	"plat/fixtures/wabac"
)

// npmModules is where scripts/setup installs the modules of scripts/npm/package.json. Without
// them the test is skipped, but not in CI.
func npmModules(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".work", "npm", "node_modules"))
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "warcio"))
	}
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs node and the packages that scripts/setup installs: ", err)
	}
	return dir
}

// visited is an archive of the sample site, both issues of it with pictures and all resources,
// and a repeated visit of one page without news. The site is no longer served.
func visited(t *testing.T) (storeFlag, front string) {
	t.Helper()
	needChrome(t)
	return onceFor(t, "site", visitSite)
}

// madeOnce are the archives that several tests read, by name.
var madeOnce = map[string][2]string{}

// madeIn is the folder of those archives; TestMain removes it.
var madeIn string

// onceFor returns an archive that is made for the first test that wants it.
func onceFor(t *testing.T, name string, fill func(t *testing.T, storeFlag string) (front string)) (storeFlag, front string) {
	t.Helper()
	if madeIn == "" {
		var err error
		if madeIn, err = os.MkdirTemp("", "plat-archives-"); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := madeOnce[name]; !ok {
		storeFlag = "--store=sqlite:" + filepath.Join(madeIn, name+".db")
		madeOnce[name] = [2]string{storeFlag, fill(t, storeFlag)}
	}
	return madeOnce[name][0], madeOnce[name][1]
}

func visitSite(t *testing.T, store string) (front string) {
	t.Helper()
	site, err := fixtures.NewSite("site")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(site)
	defer srv.Close()
	front = srv.URL + "/"
	for _, issue := range []int{1, 1, 2} {
		site.Set(issue)
		args := []string{"archive", "--allow-private", "127.0.0.0/8", "--resources", "all", "--screenshot", "--quiet", store, front, srv.URL + "/zh.html"}
		if r := command(t, args...); r.code != app.ExitOK {
			t.Fatalf("exit %d: %s", r.code, r.err)
		}
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // players tell captures apart by the second
	}
	return front
}

// recorded is an archive of versions of a page of the recorded histories.
func recorded(t *testing.T) (storeFlag, front string) {
	t.Helper()
	needChrome(t)
	return onceFor(t, "recorded", func(t *testing.T, store string) string { return record(t, store, "activemq/index.html", 4) })
}

func record(t *testing.T, store, id string, most int) (front string) {
	t.Helper()
	dir, ok := history.Dir()
	if !ok {
		if os.Getenv("PLAT_REQUIRE_DATA") == "1" {
			t.Fatal("there are no recorded pages at ", dir)
		}
		t.Skip("skipped, it needs the recorded pages: there is no ", dir)
	}
	set, err := history.Open(filepath.Join(dir, "history", "news", "dev"), filepath.Join(dir, "history", "ext"))
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range set.Sites {
		srv := httptest.NewServer(site)
		for _, v := range set.Visits()[site] {
			if v.Page.ID != id || most == 0 {
				continue
			}
			most--
			site.Set(v.Time)
			front = srv.URL + strings.TrimSuffix(v.Page.Path, "index.html")
			args := []string{"archive", "--allow-private", "127.0.0.0/8", "--resources", "all", "--screenshot", "--quiet", store, front}
			if r := command(t, args...); r.code != app.ExitOK {
				t.Fatalf("exit %d: %s", r.code, r.err)
			}
		}
		srv.Close()
	}
	if front == "" {
		t.Fatalf("there is no page %s in the record", id)
	}
	return front
}

// heard is a record as warcio read it.
type heard struct {
	Version      string
	Head         map[string]string
	Offset, Size int64
	Length       int64
	SHA256       string
}

// byWarcio reads a file with an independent reader.
func byWarcio(t *testing.T, modules, file string) []heard {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", filepath.Join("..", "..", "scripts", "npm", "read.mjs"), modules, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	return jsonLines[heard](t, string(out))
}

func TestAnotherReaderFindsEveryRecordWhole(t *testing.T) {
	t.Parallel()
	modules := npmModules(t)
	for name, archive := range map[string]func(t *testing.T) (string, string){
		"sample site":      visited,
		"recorded history": recorded,
	} {
		t.Run(name, func(t *testing.T) {
			store, front := archive(t)
			file := filepath.Join(t.TempDir(), "a.warc.gz")
			sum := jsonLines[exported](t, must(t, "export", store, "--json", "-o", file))[0]
			all := byWarcio(t, modules, file)
			types, ids := map[string]int{}, map[string]bool{}
			at := int64(0)
			for i, r := range all {
				types[r.Head["warc-type"]]++
				if r.Version != "WARC/1.1" || r.SHA256 != r.Head["warc-block-digest"] || fmt.Sprint(r.Length) != r.Head["content-length"] || r.Offset != at {
					t.Errorf("record %d is %+v", i, r)
				}
				if r.Head["warc-type"] == "resource" && r.SHA256 != r.Head["warc-payload-digest"] {
					t.Errorf("record %d has the payload %s", i, r.SHA256)
				}
				at += r.Size
				ids[r.Head["warc-record-id"]] = true
				if i == 0 != (r.Head["warc-type"] == "warcinfo") {
					t.Errorf("record %d is a %s", i, r.Head["warc-type"])
				}
			}
			if len(ids) != len(all) || len(all) != sum.Records+1 || types["revisit"] != sum.Revisits || sum.Revisits == 0 || at != sum.Bytes {
				t.Errorf("%d records with %d IDs, %v in %d bytes; export says %+v", len(all), len(ids), types, at, sum)
			}
			for _, urn := range []string{"", export.CaptureURN, export.ViewURN, export.TextURN, export.BlocksURN} {
				found := false
				for _, r := range all {
					found = found || r.Head["warc-target-uri"] == urn+front
				}
				if !found {
					t.Errorf("there is no record of %s", urn+front)
				}
			}
			sameIndex(t, modules, file, all, store)
		})
	}
}

// sameIndex holds the keys of our index against those of webrecorder's indexer.
func sameIndex(t *testing.T, modules, file string, all []heard, store string) {
	t.Helper()
	theirs, err := exec.CommandContext(t.Context(), filepath.Join(modules, ".bin", "warcio"), "cdx-index", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	wacz := filepath.Join(t.TempDir(), "a.wacz")
	must(t, "export", store, "-o", wacz)
	keys := func(lines *bufio.Scanner) map[string]int {
		n := map[string]int{}
		for lines.Scan() {
			key, _, _ := strings.Cut(lines.Text(), " {")
			n[key]++
		}
		return n
	}
	want := keys(bufio.NewScanner(strings.NewReader(string(theirs))))
	got := keys(bufio.NewScanner(strings.NewReader(indexOf(t, wacz))))
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d keys, warcio has %d", len(got), len(want))
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s stands %d times in the index, warcio has it %d times", k, got[k], n)
		}
	}
}

// playing serves a WACZ to a player in a browser of its own.
func playing(t *testing.T, modules, wacz string) context.Context {
	t.Helper()
	srv := httptest.NewServer(wabac.Player(modules, wacz))
	t.Cleanup(srv.Close)
	path, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-features", ""))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(end)
	ctx, close := chromedp.NewContext(alloc)
	t.Cleanup(close)
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx, chromedp.Navigate(srv.URL+"/")); err != nil {
		t.Fatal(err)
	}
	if title := await(t, ctx, `document.title === "player" ? "" : document.title`); title != "loaded" {
		t.Fatalf("the player says: %s", title)
	}
	return ctx
}

// await evaluates a script until it yields something.
func await(t *testing.T, ctx context.Context, script string) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](script))
		if err == nil && got != "" {
			return got
		}
	}
	return ""
}

// longest is the longest line that a version says.
func longest(v *export.Document) string {
	line := ""
	for i := range v.Tree {
		if v.Tree[i].Text == nil {
			continue
		}
		for l := range strings.SplitSeq(*v.Tree[i].Text, "\n") {
			if len(l) > len(line) {
				line = l
			}
		}
	}
	return line
}

func TestAPlayerShowsTheVersionsOfAWACZ(t *testing.T) {
	modules := npmModules(t)
	for _, tc := range []struct {
		name    string
		archive func(t *testing.T) (string, string)
		says    []string // by version; nil: its longest line
		styled  string   // whether document d has the styles of its style sheets
	}{
		{"sample site", visited, []string{"for two weeks", "for three weeks"}, `getComputedStyle(d.querySelector("header")).backgroundColor !== "rgba(0, 0, 0, 0)"`},
		{"recorded history", recorded, nil, `getComputedStyle(d.body).marginTop === "0px"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store, front := tc.archive(t)
			wacz := filepath.Join(t.TempDir(), "a.wacz")
			must(t, "export", store, "-o", wacz)
			ctx := playing(t, modules, wacz)
			for i, v := range jsonLines[export.Document](t, must(t, "export", front, "--format", "jsonl", store)) {
				want := longest(&v)
				if tc.says != nil {
					want = tc.says[i]
				}
				at := "/w/a/" + v.Taken.Format("20060102150405") + "mp_/" + front
				// Players show pages in a frame; narrower than it was captured, a page may hide some.
				await(t, ctx, `(() => { const f = document.createElement("iframe"); f.width = 1280; f.height = 1024; f.src = `+strconv.Quote(at)+`; document.body.replaceChildren(f); return "asked for"; })()`)
				const page = `document.querySelector("iframe").contentDocument`
				if got := await(t, ctx, `(() => { const d = `+page+`; return d.readyState === "complete" ? d.body.innerText : ""; })()`); !strings.Contains(got, want) {
					t.Errorf("version %d shows %.300q, not %q", v.Version, got, want)
				}
				if got := await(t, ctx, `(() => { const d = `+page+`; return String(`+tc.styled+`); })()`); got != "true" {
					t.Errorf("version %d is shown without its style sheets", v.Version)
				}
			}
		})
	}
}
