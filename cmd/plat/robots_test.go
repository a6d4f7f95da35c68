package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plat/cmd/plat/app"
)

// restricted is a site whose robots.txt disallows a part for plat; it logs the requested paths.
type restricted struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int
	agents map[string]string // by path, of who asked last
}

func newRestricted(t *testing.T) *restricted {
	s := &restricted{asked: map[string]int{}, agents: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.agents[r.URL.Path] = r.UserAgent()
		s.mu.Unlock()
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: plat\nDisallow: /private\nDisallow: /in\n\nUser-agent: *\nAllow: /\n")
		case "/forbidden":
			w.WriteHeader(http.StatusForbidden)
		case "/to-private":
			http.Redirect(w, r, "/private/page", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><h1>A heading of %[1]s</h1><p>%[2]s", r.URL.Path, strings.Repeat("Some words that stand there. ", 20))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *restricted) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func (s *restricted) agent(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agents[path]
}

func TestArchiveObeysRobots(t *testing.T) {
	needChrome(t)
	s := newRestricted(t)
	store := "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")
	visit := func(flags ...string) (result, map[string]string) {
		args := append([]string{"archive", s.URL + "/open", s.URL + "/other", s.URL + "/private/page", s.URL + "/to-private", "--allow-private", "127.0.0.0/8", "--json", store}, flags...)
		r := command(t, args...)
		got := map[string]string{}
		for _, p := range jsonLines[map[string]any](t, r.out) {
			if forbidden := p["url"] == s.URL+"/private/page" && p["outcome"] == "disallowed"; p["rendered"] == forbidden || (p["looks"] == 0.) != forbidden {
				t.Errorf("%v: %v, but rendered: %v, looks: %v", p["url"], p["outcome"], p["rendered"], p["looks"])
			}
			got[strings.TrimPrefix(p["url"].(string), s.URL)] = fmt.Sprint(p["outcome"], " ", p["error"])
		}
		return r, got
	}
	r, got := visit()
	if r.code != app.ExitPartly {
		t.Errorf("exit %d, %q", r.code, r.err)
	}
	for path, want := range map[string]string{"/open": "new", "/other": "new", "/private/page": "disallowed robots.txt disallows it for plat; --robots=false", "/to-private": "disallowed it leads to " + s.URL + "/private/page: robots.txt disallows it for plat"} {
		if !strings.HasPrefix(got[path], want) {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	if n, who := s.count("/robots.txt"), s.agent("/robots.txt"); n != 1 || !strings.Contains(who, "(compatible; plat/") {
		t.Errorf("robots.txt was asked for %d times, by %q", n, who)
	}
	if r, got = visit("--robots=false"); r.code != app.ExitOK || got["/private/page"] == "" || strings.HasPrefix(got["/private/page"], "disallowed") {
		t.Errorf("exit %d, %q, %v", r.code, r.err, got)
	}
	if n := s.count("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was asked for %d times, although it is disregarded", n)
	}
}

func TestPagesAreVisitedUnderPlatsNameUnlessStealthIsWanted(t *testing.T) {
	t.Parallel()
	needChrome(t)
	s := newRestricted(t)
	for _, tc := range []struct {
		flags []string
		named bool
		says  string
	}{
		{nil, true, "(compatible; plat/"},
		{[]string{"--contact", "https://a.test/bot"}, true, "; https://a.test/bot)"},
		{[]string{"--stealth"}, false, ""},
		{[]string{"--user-agent", "other/1"}, false, "other/1"},
	} {
		for _, args := range [][]string{{"archive", s.URL + "/open", "--store=sqlite:" + filepath.Join(t.TempDir(), "a.db")}, {"text", "--live", s.URL + "/open"}} {
			must(t, append(append(args, "--allow-private", "127.0.0.0/8", "--robots=false", "--log-level=error"), tc.flags...)...)
			if who := s.agent("/open"); strings.Contains(who, "compatible; plat/") != tc.named || !strings.Contains(who, tc.says) || strings.Contains(who, "Headless") || !strings.Contains(who, "Chrome/") && tc.says != "other/1" {
				t.Errorf("%s with %q visits as %q", args[0], tc.flags, who)
			}
		}
	}
	if r := command(t, "text", "--live", s.URL+"/forbidden", "--allow-private", "127.0.0.0/8"); r.code != app.ExitError || !strings.Contains(r.err, "--stealth") {
		t.Errorf("a page that is forbidden: exit %d, %q", r.code, r.err)
	}
}

func TestCommandsThatVisitAPageObeyRobots(t *testing.T) {
	needChrome(t)
	s := newRestricted(t)
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"text": {"text", "--live", "URL"}, "explain": {"explain", "--live", "URL"}, "watch": {"watch", "test", "URL"},
		"snapshot": {"snapshot", "save", "URL", "-o", filepath.Join(dir, "s.snapshot")},
	} {
		for _, path := range []string{"/in/" + name, "/to-private"} {
			with := append([]string{}, args...)
			for i := range with {
				with[i] = strings.ReplaceAll(with[i], "URL", s.URL+path)
			}
			with = append(with, "--allow-private", "127.0.0.0/8")
			if r := command(t, with...); r.code != app.ExitError || r.out != "" || !strings.Contains(r.err, "robots.txt disallows it for plat; --robots=false visits it regardless") {
				t.Errorf("%s %s: exit %d, %q, %q", name, path, r.code, r.out, r.err)
			}
			if path != "/to-private" && s.count(path) > 0 {
				t.Errorf("%s has visited the page", name)
			}
		}
		if name != "explain" {
			continue
		}
		// A different name has different rules.
		if r := command(t, "explain", "--live", s.URL+"/in/"+name, "--allow-private", "127.0.0.0/8", "--agent", "other"); r.code != app.ExitOK {
			t.Errorf("%s under another name: exit %d, %q", name, r.code, r.err)
		}
	}
}
