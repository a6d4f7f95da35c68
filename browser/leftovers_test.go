package browser

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"plat"
	"plat/browser/egress"
	"plat/browser/wire"
)

// browsersIn are the processes whose profile lies in a directory.
func browsersIn(dir string) (pids []int) {
	eachProcess(func(pid int) {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && bytes.Contains(line, []byte("--user-data-dir="+dir)) {
			pids = append(pids, pid)
		}
	})
	return pids
}

// asHolder says that the test binary is to start a browser and wait to be killed.
const asHolder = "PLAT_TEST_HOLDS_A_BROWSER"

// hold is what the helper process does.
func hold() int {
	g, err := egress.New(egress.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p, err := New(context.Background(), Options{Guard: g})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// The helper's own pipe is closed when it dies, and Chrome leaves. One that
	// is stopped cannot.
	signalGroup(p.current.cmd.Process.Pid, syscall.SIGSTOP)
	fmt.Println(p.current.profile)
	select {}
}

func TestWhatAKilledProcessLeavesIsRemovedAtTheNextStart(t *testing.T) {
	testOptions(t, nil)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asHolder+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	profile, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	profile = strings.TrimSpace(profile)
	if err := cleanLeftovers(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(profile); err != nil {
		t.Fatalf("the profile of a process that lives is gone: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if len(browsersIn(profile)) == 0 {
		t.Fatal("the browser has left by itself, so nothing is tested")
	}
	if err := cleanLeftovers(); err != nil {
		t.Fatal(err)
	}
	if left := browsersIn(profile); len(left) > 0 {
		t.Errorf("processes %v still run", left)
	}
	if _, err := os.Stat(profile); !os.IsNotExist(err) {
		t.Errorf("the profile is still there: %v", err)
	}
}

func TestACrashedTabIsReplaced(t *testing.T) {
	p := pool(t)
	srv := site(t, map[string]string{"/ok": `<title>ok</title>`})
	for _, where := range []string{"while it loads", "when it is taken"} {
		crash := func(ctx context.Context, v *visit) error {
			_, err := wire.Call(ctx, v.session, page.Crash, cdp.Empty{})
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
				if q.URL.Path == "/image" { // the document is there
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
				c.mu.Lock()
				var tabs []*tab
				for _, t := range c.contexts {
					tabs = append(tabs, t)
				}
				c.mu.Unlock()
				for _, t := range tabs {
					if t.session != nil && t.origin == slow.URL {
						t.session.Send(page.Crash.Method, nil).Forget()
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
					seen[v.c.cmd.Process.Pid] = true
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
