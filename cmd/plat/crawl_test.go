package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/export/warc/warctest"
	"plat/plat"
)

// linked is a site of pages with links, which counts its requests.
type linked struct {
	*httptest.Server
	port  string
	links map[string][]string // of each page, by path
	slow  time.Duration       // of each answer

	mu    sync.Mutex
	asked map[string]int // requests by path; guarded by mu
	say   string         // a sentence of all pages; guarded by mu
}

func newLinked(t *testing.T, links map[string][]string) *linked {
	t.Helper()
	s := &linked{links: links, asked: map[string]int{}, say: "The harbour is open."}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	_, s.port, _ = net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	return s
}

func (s *linked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.URL.Path]++
	say := s.say
	s.mu.Unlock()
	time.Sleep(s.slow)
	links, is := s.links[r.URL.Path]
	switch {
	case r.URL.Path == "/style.css":
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, "h1 { color: navy }")
	case r.URL.Path == "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	case strings.HasPrefix(r.URL.Path, "/moved/"):
		http.Redirect(w, r, "/"+strings.TrimPrefix(r.URL.Path, "/moved/"), http.StatusMovedPermanently)
	case r.URL.Path == "/broken":
		http.Error(w, "oh", http.StatusInternalServerError)
	case !is:
		http.NotFound(w, r)
	default:
		fmt.Fprintf(w, "<!DOCTYPE html><title>Page %[1]s</title><link rel=stylesheet href=/style.css><h1>Page %[1]s</h1><p>%[2]s This is what %[1]s has to say, and no other page of the site says %[1]s, which is a word of %[3]d letters.</p>", r.URL.Path, say, len(r.URL.Path))
		for _, l := range links {
			fmt.Fprintf(w, "<p><a href=%q>to %s</a></p>\n", l, l)
		}
	}
}

// visits are the requests for pages since the last call.
func (s *linked) visits() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.asked
	s.asked = map[string]int{}
	delete(was, "/robots.txt")
	delete(was, "/style.css")
	delete(was, "/favicon.ico")
	return was
}

// crawl runs plat crawl on the site.
func (s *linked) crawl(t *testing.T, args ...string) result {
	t.Helper()
	return command(t, append([]string{"crawl", "--allow-private=127.0.0.0/8", "--allow-port=" + s.port, "--delay=0s", "--retry-delay=10ms", "--sitemaps=false", "--second-look=never", "--log-level=error"}, args...)...)
}

// crawled is the output of plat crawl --json.
type crawled struct {
	visits map[string]plat.Outcome // the last attempt, by path
	depth  map[string]int
	tries  map[string]int // attempts
	sum    struct {
		Pages, Earlier, Failed int
		Outcomes               map[plat.Outcome]int
		Left                   int `json:"not_visited"`
		Export                 *struct {
			Files    []string
			Versions int
		}
	}
}

func readCrawl(t *testing.T, site, out string) (c crawled) {
	t.Helper()
	c.visits, c.depth, c.tries = map[string]plat.Outcome{}, map[string]int{}, map[string]int{}
	for _, line := range jsonLines[json.RawMessage](t, out) {
		var v struct {
			URL     string
			Outcome plat.Outcome
			Depth   int
			Crawl   json.RawMessage
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Crawl != nil {
			if err := json.Unmarshal(v.Crawl, &c.sum); err != nil {
				t.Fatal(err)
			}
			continue
		}
		path := strings.TrimPrefix(v.URL, site)
		c.visits[path], c.depth[path] = v.Outcome, v.Depth
		c.tries[path]++
	}
	return c
}

func TestACrawlVisitsEachPageOnceAndCountsEveryOutcome(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s := newLinked(t, map[string][]string{
		"/":       {"/a", "/b", "/moved/a", "/missing", "/broken", "/private/x", "https://elsewhere.test/"},
		"/a":      {"/", "/a", "/b", "/deep"},
		"/b":      {"/a", "/#top"},
		"/deep":   {"/deeper"},
		"/deeper": {"/"},
	})
	dir := t.TempDir()
	store := "--store=sqlite:" + filepath.Join(dir, "a.db")
	file := filepath.Join(dir, "site.warc.gz")
	r := s.crawl(t, s.URL, store, "--json", "-o", file)
	if r.code != app.ExitPartly || r.err != fmt.Sprintf("plat: crawling %s/, scope host, any number of pages, into %s\n", s.URL, filepath.Join(dir, "a.db")) {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
	c := readCrawl(t, s.URL, r.out)
	want := map[string]plat.Outcome{"/": "new", "/a": "new", "/b": "new", "/deep": "new", "/deeper": "new", "/moved/a": "alias", "/missing": "gone", "/broken": "http-error", "/private/x": "disallowed"}
	if !maps.Equal(c.visits, want) {
		t.Errorf("visits %v, want %v", c.visits, want)
	}
	if c.depth["/"] != 0 || c.depth["/a"] != 1 || c.depth["/deep"] != 2 || c.depth["/deeper"] != 3 || c.tries["/broken"] != 3 || c.tries["/missing"] != 1 {
		t.Errorf("depths %v, tries %v", c.depth, c.tries)
	}
	if c.sum.Pages != 9 || c.sum.Failed != 2 || c.sum.Left != 0 || !maps.Equal(c.sum.Outcomes, map[plat.Outcome]int{"new": 5, "alias": 1, "gone": 1, "http-error": 1, "disallowed": 1}) {
		t.Errorf("summary %+v", c.sum)
	}
	delete(want, "/private/x")
	for path, n := range s.visits() {
		if _, is := want[path]; !is || n > 1 && path != "/broken" && path != "/a" { // the redirect leads to /a
			t.Errorf("%s was requested %d times", path, n)
		}
	}

	// The pages are in the file, with the style sheet of one of them.
	targets := map[string]bool{}
	for _, rec := range warctest.Records(t, file) {
		if rec.Head.Get("WARC-Type") == "resource" {
			targets[strings.TrimPrefix(rec.Head.Get("WARC-Target-URI"), s.URL)] = true
		}
	}
	for path, o := range want {
		if is := targets[path]; is != (o == "new") {
			t.Errorf("%s (%s) in the file: %v", path, o, is)
		}
	}
	if !targets["/style.css"] {
		t.Error("the style sheet is not in the file")
	}
	if c.sum.Export == nil || c.sum.Export.Versions != 5 {
		t.Errorf("export %+v", c.sum.Export)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "a.db-crawl*")); len(left) > 0 {
		t.Errorf("the crawl leaves %q", left)
	}

	// A second crawl visits all pages again and stores the changes.
	s.mu.Lock()
	s.say = "The harbour is closed until Monday, because of ice."
	s.mu.Unlock()
	wacz := filepath.Join(dir, "again.wacz")
	r = s.crawl(t, s.URL, store, "-o", wacz)
	if r.code != app.ExitPartly {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
	for _, line := range []string{"outcome     pages", "changed         5", "gone            1  status 404 or 410", "http-error      1", "disallowed      1"} {
		if !strings.Contains(r.out, line) {
			t.Errorf("the summary has no %q:\n%s", line, r.out)
		}
	}
	if !strings.Contains(r.out, "/missing\n") {
		t.Errorf("the failure is not printed:\n%s", r.out)
	}
	z, err := zip.OpenReader(wacz)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	list, err := z.Open("pages/pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := io.ReadAll(list)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(pages, []byte(`"url":`)); n != 5 {
		t.Errorf("the file lists %d pages, want the last version of each:\n%s", n, pages)
	}
	// A limit of URLs per host counts those of the crawl, not those that the archive knows.
	c = readCrawl(t, s.URL, s.crawl(t, s.URL, store, "--max-urls=4", "--json").out)
	if c.sum.Pages != 4 {
		t.Errorf("with --max-urls=4: %+v", c.sum)
	}
	if r := s.crawl(t, s.URL, store, "-q"); r.code != app.ExitPartly || r.err != "" || strings.Contains(r.out, "outcome") || strings.Count(r.out, s.URL) != 2 {
		t.Errorf("with -q: exit %d, %q, %q, want the two failures", r.code, r.out, r.err)
	}
}

func TestACrawlKeepsFilesOutsideItsScope(t *testing.T) {
	needChrome(t)
	files := &shelf{files: map[string][2]string{
		"/tides.csv":   {"text/csv", "Port,Water\nHarlow,4.2\n"},
		"/cover.pdf":   {"text/html", `<p>A page in the place of a file. <a href="/further.csv">Further</a></p>`},
		"/further.csv": {"text/csv", "a,b\n1,2\n"},
		"/page":        {"text/html", "<p>A page of another host.</p>"},
	}}
	elsewhere := httptest.NewServer(files)
	t.Cleanup(elsewhere.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(elsewhere.URL, "http://"))
	s := newLinked(t, map[string][]string{"/": {elsewhere.URL + "/tides.csv", elsewhere.URL + "/cover.pdf", elsewhere.URL + "/page", "/a"}, "/a": {"/b", "/missing.zip"}, "/b": nil})
	for _, x := range []struct {
		files string
		want  []string
	}{
		{"linked", []string{"/", "/a"}},
		{"all", []string{"/", "/a", "/missing.zip", elsewhere.URL + "/cover.pdf", elsewhere.URL + "/tides.csv"}},
	} {
		c := readCrawl(t, s.URL, s.crawl(t, s.URL, "--depth=1", "--allow-port="+port, "--files="+x.files, "--json", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db")).out)
		if got := slices.Sorted(maps.Keys(c.visits)); !slices.Equal(got, x.want) {
			t.Errorf("--files %s visits %q, want %q", x.files, got, x.want)
		}
	}
}

func TestACrawlHasALimitADepthAndAScope(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s := newLinked(t, map[string][]string{"/": {"/docs/", "/a"}, "/a": {"/b"}, "/b": {"/c"}, "/c": nil, "/docs/": {"/docs/x", "/a"}, "/docs/x": nil})
	for _, x := range []struct {
		name string
		args []string
		want []string
		left int
	}{
		{"limit", []string{s.URL, "--limit=3"}, []string{"/", "/a", "/docs/"}, 2},
		{"one page", []string{s.URL, "--limit=1"}, []string{"/"}, 2},
		{"depth", []string{s.URL, "--depth=1"}, []string{"/", "/a", "/docs/"}, 0},
		{"no depth", []string{s.URL, "--depth=0"}, []string{"/"}, 0},
		{"prefix", []string{s.URL + "/docs/", "--scope=prefix"}, []string{"/docs/", "/docs/x"}, 0},
		{"exclude", []string{s.URL, "--scope", "host exclude=/docs exclude=/c$"}, []string{"/", "/a", "/b"}, 0},
		{"two URLs", []string{s.URL + "/b", s.URL + "/docs/x", s.URL + "/b"}, []string{"/b", "/c", "/docs/x"}, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			s.visits()
			r := s.crawl(t, append(x.args, "--json", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"))...)
			c := readCrawl(t, s.URL, r.out)
			if got := slices.Sorted(maps.Keys(c.visits)); r.code != app.ExitOK || !slices.Equal(got, x.want) || c.sum.Left != x.left {
				t.Errorf("exit %d, %q, %d left, want %q, %d; %s", r.code, got, c.sum.Left, x.want, x.left, r.err)
			}
			if got := slices.Sorted(maps.Keys(s.visits())); !slices.Equal(got, x.want) {
				t.Errorf("requests for %q", got)
			}
		})
	}
}

func TestACrawlThatWasKilledContinues(t *testing.T) {
	needChrome(t)
	const n = 24
	links := map[string][]string{}
	for i := range n {
		path := func(i int) string { return fmt.Sprintf("/%d", i%n) }
		links[path(i)] = []string{path(2*i + 1), path(2*i + 2), path(i / 2)}
	}
	s := newLinked(t, links)
	s.slow = 20 * time.Millisecond
	dir := t.TempDir()
	file := filepath.Join(dir, "site.warc.gz")
	args := []string{"crawl", s.URL + "/0", "--json", "--allow-private=127.0.0.0/8", "--allow-port=" + s.port, "--delay=0s", "--sitemaps=false", "--second-look=never",
		"--log-level=error", "--store=sqlite:" + filepath.Join(dir, "a.db"), "-o", file}
	done := map[string]int{}
	for round, end := range []func(pid int){
		func(pid int) { syscall.Kill(pid, syscall.SIGKILL) },
		func(pid int) { syscall.Kill(pid, syscall.SIGKILL) },
		func(pid int) { syscall.Kill(pid, syscall.SIGINT) },
		nil,
	} {
		cmd, out, errs := process(t, args...)
		var text bytes.Buffer
		for lines := 0; out.Scan(); lines++ {
			if text.WriteString(out.Text() + "\n"); lines == 4 && end != nil {
				end(cmd.Process.Pid)
			}
		}
		cmd.Wait()
		c := readCrawl(t, s.URL, text.String())
		for path, o := range c.visits {
			if o == plat.OutcomeNew {
				done[path]++
			}
		}
		for path, n := range done {
			if n > 1 {
				t.Errorf("round %d: %s is new for the %d. time", round, path, n)
			}
		}
		if round > 0 && !strings.Contains(errs.String(), "plat: continuing the crawl of ") {
			t.Errorf("round %d says %q", round, errs)
		}
		switch code := cmd.ProcessState.ExitCode(); round {
		case 2:
			if code != app.ExitInterrupted || !strings.Contains(errs.String(), "run the command again to continue") {
				t.Errorf("interrupted: exit %d, %s", code, errs)
			}
		case 3:
			if code != app.ExitOK || c.sum.Pages != n || c.sum.Earlier == 0 || c.sum.Export == nil || c.sum.Export.Versions != n {
				t.Errorf("at last: exit %d, %+v, %s", code, c.sum, errs)
			}
		}
		// A process that is killed leaves its browser to the system.
		if round < 2 {
			time.Sleep(100 * time.Millisecond)
		}
	}
	again := 0
	for path, asked := range s.visits() {
		if again += asked - 1; asked > 2 {
			t.Errorf("%s was visited %d times", path, asked)
		}
	}
	if again > 3 { // one page at a time is visited, and may be lost with each process
		t.Errorf("%d visits were repeated", again)
	}
	if len(warctest.Records(t, file)) < n {
		t.Error("pages are missing in the file")
	}
}

func TestWhyTheFirstPageIsTriedAgainIsSaidAtOnce(t *testing.T) {
	needChrome(t)
	s := newLinked(t, map[string][]string{"/": nil})
	r := s.crawl(t, s.URL+"/broken", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	if want := "plat: " + s.URL + "/broken: HTTP status 500; it is tried again\n"; r.code != app.ExitPartly || strings.Count(r.err, want) != 1 {
		t.Errorf("exit %d, %q, want %q once", r.code, r.err, want)
	}
}

func TestACrawlRunsOnce(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s := newLinked(t, map[string][]string{"/": {"/a"}, "/a": nil})
	s.slow = 2 * time.Second
	dir := t.TempDir()
	store := "--store=" + filepath.Join(dir, "a.db")
	cmd, out, errs := process(t, "crawl", s.URL, store, "--json", "--allow-private=127.0.0.0/8", "--allow-port="+s.port, "--delay=0s", "--sitemaps=false", "--second-look=never", "--log-level=error")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if found, _ := filepath.Glob(filepath.Join(dir, "a.db-crawl-*-lock")); len(found) == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not start")
		}
	}
	if r := s.crawl(t, s.URL, store); r.code != app.ExitError || !strings.Contains(r.err, fmt.Sprintf("this crawl is running already, in process %d", cmd.Process.Pid)) {
		t.Errorf("the same crawl: exit %d, %s", r.code, r.err)
	}
	if r := s.crawl(t, s.URL+"/a", store); r.code != app.ExitOK {
		t.Errorf("another crawl: exit %d, %s", r.code, r.err)
	}
	for out.Scan() {
	}
	if cmd.Wait(); cmd.ProcessState.ExitCode() != app.ExitOK {
		t.Errorf("the first crawl: exit %d, %s", cmd.ProcessState.ExitCode(), errs)
	}
}

func TestACrawlOfAnUnknownHostEndsAtOnce(t *testing.T) {
	needChrome(t)
	began := time.Now()
	r := command(t, "crawl", "https://no-such.test/", "--no-dns", "--log-level=error", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	if r.code != app.ExitPartly || !strings.Contains(r.out, "no such host") || time.Since(began) > 20*time.Second {
		t.Errorf("exit %d after %v:\n%s%s", r.code, time.Since(began), r.out, r.err)
	}
}

func TestACrawlChecksItsFlagsFirst(t *testing.T) {
	dir := t.TempDir()
	for _, x := range []struct {
		args []string
		says string
	}{
		{nil, "plat crawl https://example.com/"},
		{[]string{"https://a.test/", "--limit=-1"}, "write 1 or more"},
		{[]string{"https://a.test/", "--depth=-2"}, "write 0 or more"},
		{[]string{"https://a.test/", "--scope", "host depth=2", "--depth=1"}, "leave one of them out"},
		{[]string{"https://a.test/", "--scope", "site"}, "host, domain or any"},
		{[]string{"https://a.test/", "-o", "site.html"}, ".wacz, .warc.gz or .jsonl"},
		{[]string{"https://a.test/", "-o", "site"}, ".wacz, .warc.gz or .jsonl"},
		{[]string{"https://a.test/", "-o", filepath.Join(dir, "none", "site.wacz")}, "make the folder first"},
	} {
		db := filepath.Join(dir, "a.db")
		r := command(t, append(append([]string{"crawl"}, x.args...), "--store=sqlite:"+db)...)
		if r.code != app.ExitUsage || !strings.Contains(r.err, x.says) {
			t.Errorf("%q: exit %d, %q, want %q", x.args, r.code, r.err, x.says)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("%q makes an archive", x.args)
		}
	}
}
