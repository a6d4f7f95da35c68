package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"plat/browser/devtools"
	"plat/plat"
)

// browsersIn returns the command lines of browsers with a profile in a directory.
func browsersIn(dir string) (commands []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			commands = append(commands, file)
		}
	}
	return commands
}

func TestACrashedTabIsReplaced(t *testing.T) {
	t.Parallel()
	p := pool(t)
	srv := site(t, map[string]string{"/ok": `<title>ok</title>`})
	for _, where := range []string{"while it loads", "when it is taken"} {
		crash := func(ctx context.Context, v *visit) error {
			_, err := devtools.Call(ctx, v.Session, page.Crash, cdp.Empty{})
			return err
		}
		r := Request{URL: srv.URL + "/ok"}
		if where == "when it is taken" {
			r.inspect = func(ctx context.Context, v *visit, _ *plat.Snapshot) error {
				if err := crash(ctx, v); err != nil {
					return err
				}
				_, err := v.capture(ctx)
				return err
			}
		} else {
			began := make(chan struct{}, 1)
			slow := serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				if q.URL.Path == "/image" { // the document has arrived
					began <- struct{}{}
				} else {
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, "<img src=/image>"+strings.Repeat(" ", 4096))
					w.(http.Flusher).Flush()
				}
				<-q.Context().Done()
			}))
			r.URL = slow.URL
			go func() {
				<-began
				p.mu.Lock()
				c := p.current
				p.mu.Unlock()
				for _, t := range c.Tabs() {
					if t.Session != nil && t.Origin == slow.URL {
						t.Session.Send(page.Crash.Method, nil).Forget()
					}
				}
			}()
		}
		_, err := p.Render(t.Context(), r)
		var v *plat.VisitError
		if !errors.As(err, &v) || v.Outcome != plat.OutcomeCrashed || !v.Retry {
			t.Errorf("crash %s: error %v, want crashed, to be tried again", where, err)
		}
		if s := render(t, p, srv.URL+"/ok"); s.Title != "ok" {
			t.Errorf("after the crash %s: title %q", where, s.Title)
		}
	}
}

func TestABrowserIsRecycledWithoutLosingPages(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) { o.RecyclePages = 4; o.Tabs = 2 })
	srv := site(t, map[string]string{"/ok": `<title>ok</title>`})
	seen := map[int]bool{}
	var mu sync.Mutex
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for range 8 {
				_, err := p.Render(t.Context(), Request{URL: srv.URL + "/ok", inspect: func(_ context.Context, v *visit, _ *plat.Snapshot) error {
					mu.Lock()
					seen[v.Browser.PID()] = true
					mu.Unlock()
					return nil
				}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if len(seen) < 3 {
		t.Errorf("16 pages at 4 a browser were rendered by %d browsers", len(seen))
	}
}

func TestAClosedPoolInterrupts(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(o *Options) {})
	began := make(chan struct{})
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		close(began)
		<-q.Context().Done()
	}))
	end := make(chan error)
	go func() {
		_, err := p.Render(context.Background(), Request{URL: srv.URL})
		end <- err
	}()
	<-began
	p.Close()
	var v *plat.VisitError
	if err := <-end; !errors.As(err, &v) || v.Outcome != plat.OutcomeInterrupted || !v.Retry {
		t.Errorf("error %v, want interrupted, to be tried again", err)
	}
	if _, err := p.Render(t.Context(), Request{URL: srv.URL}); !errors.As(err, &v) || v.Outcome != plat.OutcomeInterrupted {
		t.Errorf("error %v of a closed pool, want interrupted", err)
	}
}
