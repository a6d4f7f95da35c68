package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"plat/browser"
	"plat/cmd/plat/app"
	"plat/fixtures/freeport"
	"plat/plat"
	"plat/segment/markup"
	"plat/workers/batch"
)

// asPlat, set in the environment, turns the test binary into plat itself, for tests of signals,
// which need a process of their own.
const asPlat = "PLAT_TEST_AS_PLAT"

func TestMain(m *testing.M) {
	if os.Getenv(asPlat) == "1" {
		os.Args = append([]string{"plat"}, os.Args[1:]...)
		main()
	}
	// The tests keep their state in a folder of their own, not in that of the user who runs them.
	state, err := os.MkdirTemp("", "plat-state-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_STATE_HOME", state)
	code := m.Run()
	os.RemoveAll(state)
	if madeIn != "" {
		os.RemoveAll(madeIn)
	}
	os.Exit(code)
}

// needChrome skips where there is no browser; in CI there has to be one.
func needChrome(t *testing.T) {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs a browser: ", err)
	}
}

// left lists the remaining processes and profiles of the browsers that process pid started.
func left(t *testing.T, pid int) []string {
	t.Helper()
	profile := filepath.Join(os.TempDir(), fmt.Sprintf("plat-chrome-%d-", pid))
	found, err := filepath.Glob(profile + "*")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if b, err := os.ReadFile(l); err == nil && bytes.Contains(b, []byte(profile)) {
			found = append(found, l+" "+string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
		}
	}
	return found
}

const page = `<!doctype html><html lang="en"><head><title>Daily</title></head><body style="margin:0">
<div style="background:#223;color:#fff;padding:20px"><h1>Daily News</h1><p>All that happened</p></div>
<div style="padding:20px"><h2>River floods</h2><p>The river rose by %s metres on Monday night, and the lower town had to be left.</p>%s</div>
<div style="background:#333;color:#ccc;padding:12px"><p>Imprint and terms</p></div></body></html>`

// site is a web site with all kinds of answers. Its front page changes when
// edition does.
func site(t *testing.T) (s *httptest.Server, edition *atomic.Int32) {
	edition = &atomic.Int32{}
	hang := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		if edition.Load() == 0 {
			fmt.Fprintf(w, page, "two", "")
		} else {
			fmt.Fprintf(w, page, "three", "<p>Helpers came from far away.</p>")
		}
	})
	mux.HandleFunc("/quick/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, page, r.URL.Path, "") })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "gone", http.StatusGone) })
	mux.HandleFunc("/broken", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "oh", http.StatusInternalServerError) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/zip")
		w.Header().Set("Content-Disposition", "attachment; filename=a.zip")
		w.Write([]byte("PK"))
	})
	mux.HandleFunc("/hang/", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	s = httptest.NewServer(mux)
	t.Cleanup(func() { close(hang); s.Close() })
	return s, edition
}

func TestAPageIsArchivedComparedAndRestored(t *testing.T) {
	needChrome(t)
	s, edition := site(t)
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	front := s.URL + "/"
	common := []string{db, "--allow-private=127.0.0.0/8", "--log-level=error"}
	visit := func() batch.Page {
		t.Helper()
		lines := jsonLines[batch.Page](t, must(t, append([]string{"archive", "--json", front, front + "#again"}, common...)...))
		if len(lines) != 1 {
			t.Fatalf("one URL, named twice, gives %d lines", len(lines))
		}
		return lines[0]
	}
	if a := visit(); a.Outcome != plat.OutcomeNew || !a.Stored || a.Version != 1 || a.Status != 200 || a.Blocks < 2 || a.StoredBytes == 0 || a.Coverage < 0.99 {
		t.Errorf("first visit: %+v", a)
	}
	if a := visit(); a.Outcome != plat.OutcomeUnchanged || a.Stored || a.Version != 1 || a.StoredBytes != 0 || a.NewBlocks != 0 {
		t.Errorf("second visit: %+v", a)
	}
	edition.Store(1)
	if a := visit(); a.Outcome != plat.OutcomeChanged || !a.Stored || a.Version != 2 || a.Changes[plat.Content]+a.Changes[plat.Added] == 0 {
		t.Errorf("visit of the changed page: %+v", a)
	}
	file := filepath.Join(t.TempDir(), "page.snapshot")
	must(t, append([]string{"snapshot", "save", front, "-o", file}, common...)...)
	snap, err := readSnapshot(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := must(t, "restore", "--raw", front, db), string(markup.Serialize(snap)); got != want {
		t.Errorf("restored:\n%s\nthe browser had:\n%s", got, want)
	}
	if d := must(t, "diff", front, db); !strings.Contains(d, "[-two-] {+three+}") {
		t.Errorf("diff says:\n%s", d)
	}
	if e := must(t, append([]string{"explain", "--live", front, "--only", "blocks"}, common...)...); !strings.Contains(e, "BLOCK") {
		t.Errorf("explain says:\n%s", e)
	}
	must(t, "verify", db)
	if l := left(t, os.Getpid()); len(l) > 0 {
		t.Errorf("of the browsers there remain %q", l)
	}
}

// A different scroll position, as of sidebars and chats, makes no difference.
func TestAPageScrolledElsewhereIsUnchanged(t *testing.T) {
	needChrome(t)
	var where atomic.Int32
	items := strings.Builder{}
	for i := range 120 {
		fmt.Fprintf(&items, "<p>Chapter %d of the book</p>", i)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/where" {
			fmt.Fprint(w, where.Load())
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><title>Book</title><style>.box { height: 300px; overflow: auto } #chat { display: flex; flex-direction: column-reverse } #wide { writing-mode: vertical-rl }</style>
<h1>The book</h1><div class=box id=side>%[1]s</div><p>Text of the first chapter.</p><div class=box id=chat>%[1]s</div><div class=box dir=rtl id=wide>%[1]s</div>
<div class=box><div class=box id=inner style="height: 600px">%[1]s</div><p>After it</p></div>
<script>fetch('/where').then((r) => r.json()).then((at) => { for (const box of document.querySelectorAll('.box')) box.scrollTo(box.id === 'wide' ? -at : at, box.id === 'chat' ? -at : at) })</script>`, items.String())
	}))
	defer s.Close()
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for i, at := range []int32{0, 400, 2500} {
		where.Store(at)
		a := jsonLines[batch.Page](t, must(t, "archive", "--json", "--always-render", s.URL+"/", db, "--allow-private=127.0.0.0/8", "--log-level=error"))[0]
		if want := map[bool]plat.Outcome{true: plat.OutcomeNew, false: plat.OutcomeUnchanged}[i == 0]; a.Outcome != want || a.Coverage != 1 {
			t.Errorf("scrolled to %d px: %v, %v, coverage %v", at, a.Outcome, a.Changes, a.Coverage)
		}
	}
	if text := must(t, "show", "--text", s.URL+"/", db); strings.Count(text, " Chapter 0 of the book\n") != 4 || strings.Count(text, " Chapter 119 of the book\n") != 4 {
		t.Errorf("not all is shown:\n%s", text)
	}
}

func TestEveryBadURLHasItsOutcomeAndTheOthersAreArchived(t *testing.T) {
	needChrome(t)
	s, _ := site(t)
	closed := freeport.Unused(t)
	want := map[string]plat.Outcome{
		s.URL + "/gone":             plat.OutcomeGone,
		s.URL + "/broken":           plat.OutcomeHTTPError,
		s.URL + "/loop":             plat.OutcomeRedirects,
		s.URL + "/file":             plat.OutcomeNew,
		"http://" + closed + "/":    plat.OutcomeUnreachable,
		"http://10.0.0.1/":          plat.OutcomeRefused,
		"http://169.254.169.254/":   plat.OutcomeRefused,
		"file:///etc/passwd":        plat.OutcomeBadURL,
		"chrome://version":          plat.OutcomeBadURL,
		"news.test":                 plat.OutcomeBadURL,
		"http://me:hush@127.0.0.1/": plat.OutcomeBadURL,
		s.URL + "/":                 plat.OutcomeNew,
		strings.Replace(s.URL, "127.0.0.1", "me.localhost", 1) + "/": plat.OutcomeNew,
	}
	var list strings.Builder
	for u := range want {
		fmt.Fprintln(&list, u)
	}
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	r := commandIn(t, t.Context(), []string{"PLAT_ALLOW_PRIVATE=127.0.0.0/8"}, list.String(),
		"archive", "-f", "-", "--json", "--retries=0", "--log-level=error", db)
	if r.code != app.ExitPartly || r.err != "" || strings.Contains(r.out, "hush") {
		t.Errorf("exit %d, stderr %q, stdout %q", r.code, r.err, r.out)
	}
	got := jsonLines[batch.Page](t, r.out)
	if len(got) != len(want) {
		t.Errorf("%d lines for %d URLs", len(got), len(want))
	}
	for _, a := range got {
		o, ok := want[strings.Replace(a.URL, "//…@", "//me:hush@", 1)]
		if !ok || a.Outcome != o || (a.Error == "") != (o == plat.OutcomeNew) {
			t.Errorf("%s is %s (%s), want %s", a.URL, a.Outcome, a.Error, o)
		}
	}
	must(t, "verify", db)
}

// process is plat as a process of its own.
func process(t *testing.T, args ...string) (cmd *exec.Cmd, out *bufio.Scanner, errs *bytes.Buffer) {
	t.Helper()
	return processOf(t, self(t), args...)
}

// self is the program of the tests, which is plat in processes that it starts.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// processOf is process by a program that ends as plat.
func processOf(t *testing.T, program string, args ...string) (cmd *exec.Cmd, out *bufio.Scanner, errs *bytes.Buffer) {
	t.Helper()
	cmd, errs = exec.Command(program, args...), &bytes.Buffer{}
	cmd.Env = append(os.Environ(), asPlat+"=1")
	cmd.Stderr = errs
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(pipe), errs
}

func TestASignalInTheMiddleEndsInSecondsAndLeavesNothingBehind(t *testing.T) {
	needChrome(t)
	for name, signals := range map[string]int{"one signal": 1, "two signals": 2} {
		t.Run(name, func(t *testing.T) {
			s, _ := site(t)
			list := filepath.Join(t.TempDir(), "urls")
			// Three visitors share two tabs, and a page that never loads holds one: so a quick
			// page is first in any order of visits.
			urls := s.URL + "/quick/1\n" + s.URL + "/hang/1\n" + s.URL + "/quick/2\n" + s.URL + "/hang/2\n"
			if err := os.WriteFile(list, []byte(urls), 0o644); err != nil {
				t.Fatal(err)
			}
			db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
			cmd, out, errs := process(t, "archive", "-f", list, "--json", "--allow-private=127.0.0.0/8", "--log-level=error", "--tabs=2", db)
			if !out.Scan() { // a page is done, more are under way
				t.Fatalf("no line of output; stderr %q", errs)
			}
			begun := time.Now()
			for range signals {
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
			}
			interrupted := 0
			for out.Scan() {
				var a batch.Page
				if err := json.Unmarshal(out.Bytes(), &a); err != nil {
					t.Errorf("%q: %v", out.Text(), err)
				}
				if a.Outcome == plat.OutcomeInterrupted {
					interrupted++
				}
			}
			cmd.Wait() // the exit code is checked next
			if code, spent := cmd.ProcessState.ExitCode(), time.Since(begun); code != app.ExitInterrupted || spent > 10*time.Second {
				t.Errorf("exit %d after %v; stderr %q", code, spent, errs)
			}
			if signals == 1 && (interrupted == 0 || !strings.Contains(errs.String(), "interrupted; 1 of 4 URLs were visited") &&
				!strings.Contains(errs.String(), "interrupted; 2 of 4 URLs were visited")) {
				t.Errorf("%d pages interrupted; stderr %q", interrupted, errs)
			}
			if l := left(t, cmd.Process.Pid); len(l) > 0 {
				t.Errorf("of the browsers there remain %q", l)
			}
			must(t, "verify", db)
		})
	}
}

// So do other commands that begin visits, and the help.
func TestCommandsSayThatViewsOfScriptsAreNotVisited(t *testing.T) {
	db := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	for fragment, says := range map[string]bool{"#/ships": true, "#!ships": true, "#ships": false} {
		r := command(t, "watch", "add", db, "http://a.test/"+fragment)
		if r.code != app.ExitOK || strings.Contains(r.err, "names a view that a script") != says {
			t.Errorf("%s: exit %d: %s", fragment, r.code, r.err)
		}
	}
	if r := command(t, "archive", "--help"); !strings.Contains(r.out, "#/ships") {
		t.Error("the help of archive does not say it")
	}
}

// A view that a script makes has no page of its own: archive says so.
func TestArchiveSaysWhatItDoesNotVisit(t *testing.T) {
	needChrome(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><p>ships</p>") }))
	t.Cleanup(srv.Close)
	for fragment, says := range map[string]bool{"#/ships": true, "#!ships": true, "#ships": false} {
		r := command(t, "archive", "--allow-private", "127.0.0.0/8", "--store=sqlite:"+filepath.Join(t.TempDir(), "a.db"), srv.URL+"/"+fragment)
		if r.code != app.ExitOK || strings.Contains(r.err, "names a view that a script") != says {
			t.Errorf("%s: exit %d: %s", fragment, r.code, r.err)
		}
	}
}
