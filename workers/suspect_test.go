//go:build !race

// With a browser, one visit follows another: the race detector has nothing to find here, and need not
// build the browser.

package workers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"plat/diff/noise"
	"plat/fixtures"
	"plat/plat"
	"plat/storage/sqlite/sqlitetest"
	"plat/workers"
)

// whole is a page with a style sheet and a script, without which it looks otherwise.
func whole(rows int) string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><title>Ships of the week</title><link rel="stylesheet" href="/style.css"><body>
<header><h1>Ships of the week</h1><nav><a href="/a">Ships</a> <a href="/b">Quays</a> <a href="/c">Tides</a></nav><ul class="menu"><li>All ships by name</li><li>All ships by quay</li><li>All ships by cargo</li><li>Old lists of ships</li></ul></header><main><ul class="ships">`)
	for i := range rows {
		fmt.Fprintf(&b, "<li><h3>Ship number %d of the line</h3><p>It carries %d crates of herring from the northern mole to the %dth quay, and comes back with salt.</p></li>", i, 7*i+3, i*i+2)
	}
	b.WriteString(`</ul><section id="late"></section></main><footer><p>Written by the people of the harbour, who count every ship.</p></footer><script src="/script.js"></script></body></html>`)
	return b.String()
}

const (
	shipsStyle  = ".menu{display:none}body{margin:0;font:16px sans-serif}nav a{display:inline-block;width:200px}.ships{display:grid;grid-template-columns:1fr 1fr 1fr;list-style:none}li{background:#eee;margin:8px;padding:8px}footer{background:#333;color:#fff}"
	shipsScript = `document.getElementById("late").innerHTML = "<h2>Tides</h2>" + [1,2,3,4,5,6,7,8].map(i => "<p>On day " + i + " the water stands " + (3 + i) + " metres above the sill of the old lock, as the pilots have written down.</p>").join("")`
)

func answer(title, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html><html><title>%s</title><body>%s</body></html>", title, body)
	}
}

// cut sends some tenths of a page, and closes the connection.
func cut(tenths int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		text := whole(24)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		w.Write([]byte(text[:len(text)*tenths/10]))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// A failing is an answer that is not the page, and the outcome that it gets. Empty paths
// are the page's.
type failing struct {
	name string
	path string
	how  func(http.ResponseWriter, *http.Request)
	want []plat.Outcome
	// stays: once it has stayed so, it is a version.
	stays bool
}

func status(code int, then func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("Content-Type", "text/html"); then == nil {
			http.Error(w, "away", code)
			return
		}
		w.WriteHeader(code)
		then(w, r)
	}
}

var failings = []failing{
	{"cut after a tenth", "", cut(1), []plat.Outcome{plat.OutcomeCut}, false},
	{"cut after three tenths", "", cut(3), []plat.Outcome{plat.OutcomeCut}, false},
	{"cut after half", "", cut(5), []plat.Outcome{plat.OutcomeCut}, false},
	{"cut after nine tenths", "", cut(9), []plat.Outcome{plat.OutcomeCut}, false},
	{"empty", "", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/html") }, []plat.Outcome{plat.OutcomeBlank}, true},
	{"blank", "", answer("Ships of the week", "<div></div>"), []plat.Outcome{plat.OutcomeBlank}, true},
	{"style sheet 503", "/style.css", status(503, nil), []plat.Outcome{plat.OutcomePartial}, true},
	{"script 500", "/script.js", status(500, nil), []plat.Outcome{plat.OutcomePartial}, true},
	{"script empty", "/script.js", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/javascript") }, []plat.Outcome{plat.OutcomePartial}, true},
	{"login", "", answer("Sign in", `<h1>Sign in</h1><form><label>Name <input></label><label>Password <input type="password"></label><button>Go on</button></form>`), []plat.Outcome{plat.OutcomeLogin}, true},
	{"redirect to a login", "", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) }, []plat.Outcome{plat.OutcomeLogin}, true},
	{"redirect to the home page", "", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/home", http.StatusFound) }, []plat.Outcome{plat.OutcomeMoved}, true},
	{"captcha", "", answer("Just a moment...", "<h1>harbour.example</h1><p>Checking your browser before you go on. This takes a few seconds.</p>"), []plat.Outcome{plat.OutcomeBlocked}, true},
	{"captcha with 403", "", status(403, answer("Attention", "<p>Verify you are human</p>")), []plat.Outcome{plat.OutcomeHTTPError}, false},
	{"maintenance", "", answer("Back soon", "<h1>We are down for maintenance</h1><p>Please come back in an hour or two, when the new crane stands.</p>"), []plat.Outcome{plat.OutcomeMaintenance}, true},
	{"maintenance in German", "", answer("Gleich wieder da", "<h1>Wartungsarbeiten</h1><p>Wir sind in Kürze wieder für Sie da.</p>"), []plat.Outcome{plat.OutcomeMaintenance}, true},
	{"maintenance with 503", "", status(503, answer("Maintenance", "<p>Back soon</p>")), []plat.Outcome{plat.OutcomeHTTPError}, false},
	{"soft 404", "", answer("Page not found", "<h1>404</h1><p>The page that you look for is not here. Go back to the start, or search for it.</p>"), []plat.Outcome{plat.OutcomeMissing}, true},
	{"half of the list", "", func(w http.ResponseWriter, r *http.Request) { answer("", "")(w, r); w.Write([]byte(whole(10))) }, []plat.Outcome{plat.OutcomePartial}, true},
	{"another page", "", answer("Bread", "<h1>Bread</h1>"+strings.Repeat("<p>Flour, water, salt and a night of patience make a loaf that keeps for a week in a linen bag.</p>", 12)), []plat.Outcome{plat.OutcomeReplaced}, true},
}

// An answer that is not the page is no version at one visit, and is when it stays.
func TestAnswersThatAreNotThePage(t *testing.T) {
	slow(t)
	for i, f := range failings {
		if i%fixtures.OneIn(4) != 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			var fails atomic.Bool
			mux := http.NewServeMux()
			serve := func(path, kind, text string) {
				mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
					if fails.Load() && (f.path == path || f.path == "" && path == "/ships") {
						f.how(w, r)
						return
					}
					w.Header().Set("Content-Type", kind)
					w.Header().Set("Cache-Control", "no-store")
					w.Write([]byte(text))
				})
			}
			serve("/ships", "text/html; charset=utf-8", whole(24))
			serve("/style.css", "text/css", shipsStyle)
			serve("/script.js", "text/javascript", shipsScript)
			mux.HandleFunc("/login", answer("Sign in", `<h1>Sign in</h1><form><input name="n"><input type="password"></form>`))
			mux.HandleFunc("/home", answer("The harbour", "<h1>The harbour</h1><p>All that happens between the moles, from the first tide to the last lamp, for those who come by sea.</p>"))
			srv := httptest.NewServer(mux)
			t.Cleanup(srv.Close)
			pool := thePool(t)
			store := sqlitetest.Open(t)
			w := workers.New(chrome{pool}, store, describer(t), workers.Options{News: workers.News{ConfirmAfter: confirm}})
			url := srv.URL + "/ships"
			visit := func() workers.Report {
				t.Helper()
				r, err := w.Visit(t.Context(), plat.Job{URL: url})
				if failed := new(plat.VisitError); err != nil && !errors.As(err, &failed) {
					t.Fatal(err)
				}
				return r
			}
			expect := func(when string, r workers.Report, stored bool, want ...plat.Outcome) {
				t.Helper()
				if r.Stored != stored || !slices.Contains(want, r.Outcome) {
					t.Errorf("%s: %s, stored %v, changes %v, want %v", when, r.Outcome, r.Stored, r.Changes, want)
				}
			}
			expect("at first", visit(), true, plat.OutcomeNew)
			fails.Store(true)
			expect("while it fails", visit(), false, f.want...)
			fails.Store(false)
			expect("afterwards", visit(), false, plat.OutcomeUnchanged)
			st, err := store.State(t.Context(), url)
			if m, bad := plat.DecodeMemory(st.Memory); err != nil || bad != nil || m.Doubt != "" {
				t.Errorf("afterwards %q is remembered, %v, %v", m.Doubt, err, bad)
			}

			fails.Store(true)
			expect("when it fails again", visit(), false, f.want...)
			expect("at once after that", visit(), false, f.want...)
			time.Sleep(confirm)
			if !f.stays {
				expect("while it stays so", visit(), false, f.want...)
				return
			}
			expect("when it has stayed so", visit(), true, plat.OutcomeChanged, plat.OutcomeBlank)
			expect("after that", visit(), false, plat.OutcomeUnchanged)
		})
	}
}

// What is left of a page that was replaced must not be learned as a self-change of the page.
func TestAReplacedPageTeachesNothing(t *testing.T) {
	slow(t)
	var replaced atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if replaced.Load() {
			failings[len(failings)-1].how(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, whole(24))
	}))
	t.Cleanup(srv.Close)
	store := sqlitetest.Open(t)
	w := workers.New(chrome{thePool(t)}, store, describer(t), workers.Options{News: workers.News{SecondLook: noise.Always, ConfirmAfter: time.Hour}})
	visit := func(want plat.Outcome) (mask string) {
		t.Helper()
		r, err := w.Visit(t.Context(), plat.Job{URL: srv.URL})
		if failed := new(plat.VisitError); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		st, err := store.State(t.Context(), srv.URL)
		m, bad := plat.DecodeMemory(st.Memory)
		if r.Outcome != want || err != nil || bad != nil {
			t.Fatalf("%s, want %s; state: %v, %v", r.Outcome, want, err, bad)
		}
		return m.Noise
	}
	visit(plat.OutcomeNew)
	before := visit(plat.OutcomeUnchanged)
	replaced.Store(true)
	if after := visit(plat.OutcomeReplaced); after != before {
		t.Errorf("the mask was %x, and is %x after a page that was rejected", before, after)
	}
}
