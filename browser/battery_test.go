package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/go-rod/stealth"

	"plat/plat"
)

// finding is the result of one check of testdata/battery in one browser.
type finding struct {
	Group, Name string
	OK          bool
	Got         string // the mark that gave the browser away
}

// battery serves the checks, and receives their findings.
type battery struct {
	*httptest.Server
	found chan []finding

	mu    sync.Mutex
	names json.RawMessage // the names in a window that no script has touched
}

// npm returns the folder of the packages with the public checks; empty without them.
func npm(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", ".work", "npm", "node_modules")
	for _, name := range []string{"@fingerprintjs/botd", "fpscanner", "headless-detector"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Log("skipped: the checks of public packages, which scripts/setup installs: ", err)
			return ""
		}
	}
	return dir
}

func newBattery(t *testing.T, packages string) *battery {
	b := &battery{found: make(chan []finding, 1), names: json.RawMessage("[]")}
	mux := http.NewServeMux()
	html := func(path, policy, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			io.WriteString(w, body)
		})
	}
	const says = "navigator.webdriver, typeof chrome, navigator.plugins.length"
	public := ""
	if packages != "" {
		public = "<script src=/battery/public.js></script>"
		mux.Handle("GET /npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(packages))))
	}
	html("/{$}", "", "<!doctype html><html lang=en><title>Battery</title><body><p>Checks run.</p>"+public+"<script src=/battery/battery.js></script>")
	html("/frame", "", "<script>parent.postMessage(["+says+"], '*')</script>")
	html("/policy", "default-src 'none'; script-src 'self'", "<script src=/says.js></script>")
	html("/trusted", "require-trusted-types-for 'script'; trusted-types none", "<script src=/says.js></script>")
	mux.HandleFunc("GET /says.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, "parent.postMessage(["+says+", Function.prototype.toString.toString()], '*')")
	})
	mux.HandleFunc("GET /service.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, "onmessage = (e) => e.ports[0].postMessage(navigator.userAgent)")
	})
	mux.Handle("GET /battery/", http.StripPrefix("/battery/", http.FileServer(http.Dir("testdata/battery"))))
	mux.HandleFunc("GET /headers", func(w http.ResponseWriter, r *http.Request) {
		h := map[string]string{}
		for name := range r.Header {
			h[name] = r.Header.Get(name)
		}
		json.NewEncoder(w).Encode(h)
	})
	mux.HandleFunc("GET /second", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /names", func(w http.ResponseWriter, _ *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		w.Write(b.names)
	})
	mux.HandleFunc("POST /results", func(w http.ResponseWriter, r *http.Request) {
		var report struct {
			Results []finding
			Names   json.RawMessage
		}
		if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
			t.Error(err)
		}
		b.mu.Lock()
		if string(b.names) == "[]" {
			b.names = report.Names
		}
		b.mu.Unlock()
		b.found <- report.Results
	})
	b.Server = serve(t, mux)
	return b
}

// patience is the time limit of a check, in seconds. The script of go-rod/stealth leaves
// some without an answer, so it gets less.
const (
	patience    = 60
	rodPatience = 2
)

// run makes the checks in a browser.
func (b *battery) run(t *testing.T, patience int, change func(*Options)) []finding {
	t.Helper()
	p := poolWith(t, func(o *Options) { o.Tabs = 1; change(o) })
	defer p.Close()
	var found []finding
	_, err := p.Render(t.Context(), Request{URL: fmt.Sprintf("%s/#%d", b.URL, patience), inspect: func(ctx context.Context, v *visit, _ *plat.Snapshot) error {
		return v.InRealTime(ctx, func(ctx context.Context) error { // for checks that are still running
			select {
			case found = <-b.found:
				return nil
			case <-time.After(2 * time.Minute):
				return fmt.Errorf("the checks have not come to an end")
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// stays are the checks that detect plat in spite of stealth, with the reasons; see
// docs/stealth.md.
var stays = map[string]string{
	"chrome object: its place among the window's keys": "a script can only put a name behind those that are there",
	"window: scrollbars take room":                     "they are hidden, so that pages have the same boxes everywhere",
	"fpscanner: hasUTCTimezone":                        "the host's time zone, which servers have; --time-zone gives another",
}

// The battery shows what a page can detect of Chrome without stealth, with the script of
// go-rod/stealth alone, and with plat's stealth. Run it with
//
//	go test ./browser -run Battery -v
func TestBattery(t *testing.T) {
	t.Parallel()
	packages := npm(t)
	b := newBattery(t, packages)
	plain := b.run(t, patience, func(o *Options) { o.NoStealth, o.script = true, ";" })
	rod := b.run(t, rodPatience, func(o *Options) { o.NoStealth, o.script = true, stealth.JS })
	ours := b.run(t, patience, func(*Options) {})
	off := b.run(t, patience, func(o *Options) { o.NoStealth = true })
	if len(plain) != len(rod) || len(plain) != len(ours) || len(plain) != len(off) || len(plain) < 45 {
		t.Fatalf("%d, %d, %d and %d checks", len(plain), len(rod), len(ours), len(off))
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	mark := func(f finding) string {
		if f.OK {
			return "ok"
		}
		return "seen"
	}
	total := [3]int{}
	fmt.Fprintln(w, "check\tplain\tgo-rod\tours")
	var notes []string
	missing := map[string]bool{}
	for key := range stays {
		missing[key] = true
	}
	for i := range plain {
		key := plain[i].Group + ": " + plain[i].Name
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", key, mark(plain[i]), mark(rod[i]), mark(ours[i]))
		for k, f := range []finding{plain[i], rod[i], ours[i]} {
			if f.OK {
				total[k]++
			}
		}
		reason, known := stays[key]
		delete(missing, key)
		switch {
		case !ours[i].OK && !known:
			t.Errorf("%s: %s", key, ours[i].Got)
		case !ours[i].OK:
			notes = append(notes, key+": "+reason)
		case known:
			t.Errorf("%s is passed; take it off the list of what stays", key)
		}
		if rod[i].OK && !ours[i].OK {
			t.Errorf("%s is passed by go-rod/stealth alone, and not by ours", key)
		}
		if plain[i].OK && !off[i].OK {
			t.Errorf("%s is passed by Chrome as it is, and not without stealth: %s", key, off[i].Got)
		}
		if testing.Verbose() && os.Getenv("PLAT_BATTERY") != "" {
			t.Logf("%s\n\tplain %s\n\trod %s\n\tours %s\n\toff %s", key, plain[i].Got, rod[i].Got, ours[i].Got, off[i].Got)
		}
	}
	fmt.Fprintf(w, "total of %d\t%d\t%d\t%d\n", len(plain), total[0], total[1], total[2])
	w.Flush()
	slices.Sort(notes)
	t.Logf("\n%s\nWhat stays:\n%s", table.String(), strings.Join(notes, "\n"))
	for key := range missing {
		if group, _, _ := strings.Cut(key, ":"); packages != "" || group != "fpscanner" {
			t.Errorf("there is no check %q", key)
		}
	}
}
