package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plat/cmd/plat/app"
	"plat/fixtures/freeport"
	"plat/storage/history"
)

// segmentedPage is the JSON of a page, as far as tests read it.
type segmentedPage struct {
	Source, URL, Title string
	Status, Blocks     int
	Blocked            int
	Layout             string
	Coverage           float64
	Article            struct{ Title, Markdown string }
	Tree               []struct {
		history.Node
		Markdown *string
	}
}

func TestSegmentPrintsTheBlocksThatArchiveStores(t *testing.T) {
	needChrome(t)
	s, _ := site(t)
	dir := t.TempDir()
	t.Chdir(dir)
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, fmt.Appendf(nil, page, "two", ""), 0o644); err != nil {
		t.Fatal(err)
	}
	common := []string{"--allow-private=127.0.0.0/8", "--log-level=error", "--json"}
	url := s.URL + "/"
	must(t, append([]string{"archive", url, "--store=sqlite:" + filepath.Join(dir, "archive.db")}, common...)...)
	stored := jsonLines[segmentedPage](t, must(t, append([]string{"show", url, "--text", "--store=sqlite:" + filepath.Join(dir, "archive.db")}, common[1:]...)...))[0]
	for _, args := range [][]string{{url}, {file, "--base", url}} {
		found := jsonLines[segmentedPage](t, must(t, append(append([]string{"segment"}, args...), common...)...))[0]
		if found.URL != url || found.Title != "Daily" || found.Status != 200 || found.Source != args[0] || found.Layout != stored.Layout || found.Coverage != stored.Coverage || found.Blocks != stored.Blocks {
			t.Errorf("%v: %+v\nstored: %+v", args, found, stored)
		}
		for i := range found.Tree {
			if n := &found.Tree[i]; n.Leaf != (n.Markdown != nil) {
				t.Errorf("%v: block %d, leaf %t, has Markdown %v", args, i, n.Leaf, n.Markdown)
			}
			found.Tree[i].Markdown = nil
		}
		a, _ := json.Marshal(found.Tree)
		b, _ := json.Marshal(stored.Tree)
		if !bytes.Equal(a, b) {
			t.Errorf("%v: blocks\n%s\nstored are\n%s", args, a, b)
		}
		if !strings.Contains(found.Article.Markdown, "River floods") {
			t.Errorf("%v: the main text is %q", args, found.Article.Markdown)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "plat.db*")); len(left) > 0 {
		t.Errorf("segment makes %v", left)
	}
}

func TestSegmentsFormats(t *testing.T) {
	t.Parallel()
	needChrome(t)
	segment := func(args ...string) string {
		t.Helper()
		r := commandIn(t, t.Context(), nil, fmt.Sprintf(page, "two", "<p>\x1b[31mred \u202eleft <a href=/a>link</a></p>"), append([]string{"segment", "-", "--log-level=error"}, args...)...)
		if r.code != app.ExitOK || r.err != "" {
			t.Fatalf("segment %v: exit %d, %s", args, r.code, r.err)
		}
		if strings.ContainsAny(r.out, "\x1b\u202e") {
			t.Errorf("%v: a terminal would obey what is printed: %q", args, r.out)
		}
		return r.out
	}
	for _, c := range []struct {
		args      []string
		want, not string
	}{
		{nil, "└─ div", "The river rose"},
		{[]string{"--text"}, "The river rose by two metres", "## River"},
		{[]string{"--format", "md"}, "## River floods\n\nThe river rose", "http"},
		{[]string{"--format", "md", "--base", "https://nowhere.test/x"}, "[link](https://nowhere.test/a)", "<a"},
		{[]string{"--format", "md", "--label", "main"}, "<!-- 2: main, 0,", "footer"},
		{[]string{"--format", "text"}, "Imprint and terms\n", "##"},
		{[]string{"--format", "json", "--label", "main"}, `"label":"main"`, `"label":"footer"`},
		{[]string{"--label", "footer"}, "Imprint", "└─"},
	} {
		if out := segment(c.args...); !strings.Contains(out, c.want) || strings.Contains(out, c.not) {
			t.Errorf("segment %v prints no %q, or %q:\n%s", c.args, c.want, c.not, out)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(segment("--format", "csv"))).ReadAll()
	if err != nil || len(rows) < 4 || rows[0][0] != "source" || rows[1][0] != "-" {
		t.Errorf("the CSV: %v, %q", err, rows)
	}
}

func TestManyPagesAreSegmentedAndFailuresReported(t *testing.T) {
	needChrome(t)
	s, _ := site(t)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.html"), filepath.Join(dir, "bad.html")
	for name, html := range map[string]string{good: "<h1>Good</h1>", bad: "%PDF-1.7\n%\xe2\xe3"} {
		if err := os.WriteFile(name, []byte(html), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := command(t, "segment", good, bad, s.URL+"/gone", good, "--json", "--allow-private=127.0.0.0/8", "--log-level=error")
	if r.code != app.ExitPartly || strings.Count(r.out, `"source"`) != 2 || strings.Count(r.out, `"error"`) != 2 || !strings.Contains(r.err, "not HTML") || !strings.Contains(r.err, "gone: HTTP status 410") {
		t.Errorf("exit %d, %s\n%s", r.code, r.out, r.err)
	}
}

func TestSegmentSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.html")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{nil, nil, app.ExitUsage, "name an HTML file, - for standard input, or a URL"},
		{[]string{filepath.Join(dir, "none.html")}, nil, app.ExitUsage, "name an HTML file"},
		{[]string{empty}, nil, app.ExitUsage, "is empty"},
		{[]string{dir}, nil, app.ExitUsage, "is a directory"},
		{[]string{"x", "--format", "xml"}, nil, app.ExitUsage, "json, md, text, csv"},
		{[]string{"x", "--format", "md", "--json"}, nil, app.ExitUsage, "exclude each other"},
		{[]string{"x", "--label", "mian"}, nil, app.ExitUsage, "main"},
		{[]string{"x", "--base", "news"}, nil, app.ExitUsage, "https://news"},
		{[]string{"http://news.test/", "--base", "http://news.test/"}, nil, app.ExitUsage, "--base is the URL of an HTML file"},
		{[]string{"x", "--listen", "127.0.0.1:0"}, nil, app.ExitUsage, "--listen serves pages that clients send"},
		{[]string{"x", "--level", "0"}, nil, app.ExitUsage, "write 1 or more"},
		{[]string{"--listen", "0.0.0.0:0"}, nil, app.ExitConfig, "PLAT_TOKEN"},
		{[]string{"ftp://news.test/"}, nil, app.ExitUsage, "only http and https"},
	} {
		r := commandIn(t, t.Context(), c.env, "", append([]string{"segment", "--log-level=error"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) {
			t.Errorf("segment %v: exit %d, want %d: %s", c.args, r.code, c.code, r.err)
		}
	}
}

// A server with a token divides pages, and no client's page reaches the server itself.
func TestSegmentServesOthers(t *testing.T) {
	needChrome(t)
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan result, 1)
	const token = "a token of some length"
	go func() {
		ended <- commandIn(t, ctx, []string{"PLAT_TOKEN=" + token, "PLAT_COOKIES=/none", "PLAT_ALLOW_PRIVATE=127.0.0.0/8"}, "", "segment", "--listen", at, "--log-level=error")
	}()
	post := func(media, body string) (int, string) {
		r, err := http.NewRequest("POST", "http://"+at+"/api/v1/segment", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", media)
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	begun := time.Now()
	for code := 0; code != 200; {
		if code, _ = post("text/html", "<p>a"); time.Since(begun) > 30*time.Second {
			t.Fatal("it does not serve")
		}
		time.Sleep(20 * time.Millisecond)
	}
	s, _ := site(t)
	for _, c := range []struct {
		media, body string
		code        int
		want        string
	}{
		{"text/html", fmt.Sprintf(page, "two", ""), 200, "River floods"},
		{"application/json", `{"url": "` + s.URL + `/"}`, 200, "River floods"},
		{"application/json", `{"url": "` + s.URL + `/gone"}`, 422, "gone: HTTP status 410"},
		{"application/json", `{"url": "http://10.0.0.1/"}`, 422, "refused: "},
		{"application/json", `{"url": "http://` + at + `/healthz"}`, 422, "refused: "},
		{"text/html", "%PDF-1.7\n%\xe2\xe3", 400, "not HTML"},
	} {
		if code, body := post(c.media, c.body); code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%.60s: %d %.400s; want %d, %s", c.body, code, body, c.code, c.want)
		}
	}
	cancel(app.ErrInterrupted)
	if r := <-ended; r.code != app.ExitOK || !strings.Contains(r.err, "POST a page to http://"+at+"/api/v1/segment") {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}

// A server of an archive starts a browser for the first page.
func TestServeDividesPages(t *testing.T) {
	needChrome(t)
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"with a browser":    {nil, 200, "River floods"},
		"without a browser": {[]string{"--chrome", "/none"}, 503, "give the path of a Chrome or Chromium binary"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan result, 1)
		store := madeUp(t)
		go func() {
			ended <- commandIn(t, ctx, nil, "", append([]string{"serve", store, "--listen", strings.TrimPrefix(at, "http://"), "--log-level=error"}, c.args...)...)
		}()
		code, body := 0, ""
		for begun := time.Now(); code == 0 && time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
			if resp, err := http.Post(at+"/api/v1/segment", "text/html", strings.NewReader(fmt.Sprintf(page, "two", ""))); err == nil {
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				code, body = resp.StatusCode, string(b)
			}
		}
		if code != c.code || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %.400s; want %d, %s", name, code, body, c.code, c.want)
		}
		cancel(app.ErrInterrupted)
		if r := <-ended; r.code != app.ExitOK {
			t.Errorf("%s: exit %d: %s", name, r.code, r.err)
		}
	}
}

// A signal ends a command that reads from a pipe without end, and leaves no browser.
func TestASignalEndsSegment(t *testing.T) {
	needChrome(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "segment", "-")
	c.Env = append(os.Environ(), asPlat+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = c.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		_ = c.Process.Kill()
		t.Fatal("it reads on")
	}
	if code := c.ProcessState.ExitCode(); code != app.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
	if remain := left(t, c.Process.Pid); len(remain) > 0 {
		t.Errorf("left are %v", remain)
	}
}

// The user's headers, cookies and passwords are for the pages of commands: no page that a client sends gets them.
func TestPagesOfClientsUseNoLogins(t *testing.T) {
	needChrome(t)
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	var mu sync.Mutex
	var secrets []string
	asked := 0
	intranet := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		for _, name := range []string{"X-Secret", "Cookie", "Authorization"} {
			if v := r.Header.Get(name); v != "" {
				secrets = append(secrets, name+": "+v)
			}
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer intranet.Close()
	dir := t.TempDir()
	cookies := filepath.Join(dir, "cookies.txt")
	if err := os.WriteFile(cookies, []byte("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\thush\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	logins := []string{"--header", "X-Secret: hush", "--header-everywhere", "--cookies", cookies, "--auth", strings.TrimPrefix(intranet.URL, "http://") + "=anna:hush", "--auth", intranet.URL + "=anna:hush"}
	common := []string{"--allow-private=127.0.0.0/8", "--log-level=error", "--robots=false"}
	for _, serving := range [][]string{{"segment"}, {"serve", madeUp(t)}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan result, 1)
		go func() {
			ended <- commandIn(t, ctx, nil, "", append(append(append(serving, "--listen", strings.TrimPrefix(at, "http://")), logins...), common...)...)
		}()
		for _, body := range []string{`{"html": "<link rel=stylesheet href=/a.css><iframe src=/frame></iframe>", "base": "` + intranet.URL + `/"}`, `{"url": "` + intranet.URL + `/"}`} {
			code := 0
			for begun := time.Now(); (code == 0 || code == 503) && time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
				if resp, err := http.Post(at+"/api/v1/segment", "application/json", strings.NewReader(body)); err == nil {
					resp.Body.Close()
					code = resp.StatusCode
				}
			}
			if code != 200 && code != 422 {
				t.Errorf("%v: %s: %d", serving, body, code)
			}
		}
		cancel(app.ErrInterrupted)
		if r := <-ended; r.code != app.ExitOK {
			t.Fatalf("%v: exit %d: %s", serving, r.code, r.err)
		}
	}
	mu.Lock()
	if asked < 6 || len(secrets) > 0 {
		t.Errorf("of %d requests some carry %v", asked, secrets)
	}
	secrets = nil
	mu.Unlock()
	// The same on the command line, where they are wanted: so the test would see them.
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<link rel=stylesheet href=/a.css>"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, append(append([]string{"segment", page, "--base", intranet.URL + "/"}, logins...), common...)...)
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(secrets, " "); !strings.Contains(got, "X-Secret: hush") || !strings.Contains(got, "sid=hush") {
		t.Errorf("the command sends %q", got)
	}
}

func TestServersMayDivideNoPages(t *testing.T) {
	port, err := freeport.Port()
	if err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("127.0.0.1:%d", port)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan result, 1)
	store := madeUp(t)
	go func() {
		ended <- commandIn(t, ctx, nil, "", "serve", store, "--listen", at, "--segment=false", "--log-level=error")
	}()
	code := 0
	for begun := time.Now(); (code == 0 || code == 503) && time.Since(begun) < 30*time.Second; time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Post("http://"+at+"/api/v1/segment", "text/html", strings.NewReader("<p>a")); err == nil {
			resp.Body.Close()
			code = resp.StatusCode
		}
	}
	if code != 404 {
		t.Errorf("status %d", code)
	}
	cancel(app.ErrInterrupted)
	<-ended
}
