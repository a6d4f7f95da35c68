// Broken visits the pages of a site that breaks one answer of three: closed before the head, in the
// head, in the body, reset, or late and then closed. It compares each page in plat and in the
// same Chrome alone: its existence, and the files that have arrived.
//
//	scripts/bench broken [-pages 300] [-scheme http|https|http2] [-tabs 2] [-seed 1]
//	scripts/bench broken -mutate -pages 500       answers whose heads, lengths and encodings are mutated at random
//
// It exits with 1 if a page ends differently.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"plat/browser"
	"plat/browser/egress"
	"plat/plat"
	"plat/scripts/bare"
)

var (
	pages  = flag.Int("pages", 300, "how `many`")
	scheme = flag.String("scheme", "http", "http, https or http2")
	tabs   = flag.Int("tabs", 0, "of plat; 0: its default")
	seed   = flag.Int("seed", 1, "which answers break")
	mutate = flag.Bool("mutate", false, "mutate heads, lengths and encodings; over http")
)

// notWhole is a missing or incomplete page. Chrome shows its own page for errors, or the part that
// has arrived; plat stores neither.
const notWhole = "not whole"

// outcome is the result of a page: exists and is complete, or not, and its words.
type outcome struct{ kind, words string }

func (o outcome) String() string { return strings.TrimSpace(o.kind + " " + o.words) }

// read makes an outcome of the text of page n.
func read(text string, n int) outcome {
	o := outcome{kind: "page"}
	for _, w := range words {
		if strings.Contains(" "+text+" ", fmt.Sprintf("%s-%d", w, n)) && (w != "IMAGE" || strings.Contains(strings.ReplaceAll(text, "NOIMAGE", ""), fmt.Sprintf("IMAGE-%d", n))) {
			o.words += " " + w
		}
	}
	if !strings.Contains(o.words, "END") {
		return outcome{kind: notWhole} // how much of it a browser shows is a matter of time
	}
	return o
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("broken: ")
	flag.Parse()
	if flag.NArg() > 0 || *scheme != "http" && *scheme != "https" && *scheme != "http2" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	differ, err := run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if differ > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context) (differ int, err error) {
	if *mutate {
		return runMutants(ctx)
	}
	s := site{*seed}
	srv := httptest.NewUnstartedServer(s)
	defer srv.Close()
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if srv.EnableHTTP2 = *scheme == "http2"; *scheme == "http" {
		srv.Start()
	} else {
		srv.StartTLS()
	}
	defer srv.CloseClientConnections()
	ours, theirs, err := byBoth(ctx, srv.URL, read)
	if err != nil {
		return 0, err
	}
	kinds := map[string]int{}
	for n := range ours {
		kinds[theirs[n].kind]++
		if ours[n] != theirs[n] {
			differ++
			fmt.Printf("page %d (its document breaks: %v): Chrome %v; plat %v\n", n, s.breaks(fmt.Sprint("/page/", n)), theirs[n], ours[n])
		}
	}
	fmt.Printf("%d pages by %s: in Chrome %d are there, %d are not; %d end differently in plat\n",
		len(ours), *scheme, kinds["page"], kinds[notWhole], differ)
	return differ, nil
}

// runMutants compares the pages of mutants.
func runMutants(ctx context.Context) (differ int, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	m := mutants{*seed}
	go m.serve(l)
	ours, theirs, err := byBoth(ctx, "http://"+l.Addr().String(), readMutant)
	if err != nil {
		return 0, err
	}
	kinds := map[string]int{}
	for n := range ours {
		kinds[theirs[n].kind]++
		if ours[n] != theirs[n] {
			differ++
			answer, did := m.answer(n)
			fmt.Printf("page %d (%s):\n  Chrome %.120s\n  plat   %.120s\n  %.400q\n", n, strings.Join(did, ", "), theirs[n], ours[n], answer)
		}
	}
	fmt.Printf("%d mutated answers: in Chrome %d are pages, %d are not; %d end differently in plat\n", len(ours), kinds["page"], kinds[notWhole], differ)
	return differ, nil
}

// each calls f for every page, a few at once.
func each(at int, f func(n int)) {
	var wg sync.WaitGroup
	free := make(chan struct{}, at)
	for n := range *pages {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			f(n)
		})
	}
	wg.Wait()
}

// byBoth opens the pages in plat, then in Chrome alone.
func byBoth(ctx context.Context, root string, read func(text string, n int) outcome) (ours, theirs []outcome, err error) {
	if ours, err = byPlat(ctx, root, read); err != nil {
		return nil, nil, err
	}
	theirs, err = byChrome(ctx, root, read)
	return ours, theirs, err
}

// byPlat renders the pages as a visit does.
func byPlat(ctx context.Context, root string, read func(text string, n int) outcome) ([]outcome, error) {
	g, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		return nil, err
	}
	defer g.Close()
	o := browser.Options{Guard: g, Tabs: *tabs, Chrome: os.Getenv("PLAT_CHROME"), Flags: []string{"--ignore-certificate-errors"}}
	p, err := browser.New(ctx, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	all := make([]outcome, *pages)
	each(max(*tabs, 4), func(n int) {
		snap, err := p.Render(ctx, browser.Request{URL: fmt.Sprint(root, "/page/", n)})
		var v *plat.VisitError
		switch {
		case errors.As(err, &v) && ((v.Outcome == plat.OutcomeCut || v.Outcome == plat.OutcomeUnreachable) && v.Retry || *mutate): // for Chrome, too, a download is no page
			all[n] = outcome{kind: notWhole}
		case err != nil:
			all[n] = outcome{kind: err.Error()}
		default:
			var text strings.Builder
			for i := range snap.Nodes {
				if node := &snap.Nodes[i]; node.Kind == plat.TextNode && node.HasBox {
					text.WriteString(node.Value + " ")
				}
			}
			all[n] = read(text.String(), n)
		}
	})
	return all, nil
}

// poll is the interval of checks whether a page's scripts have got their answers.
const poll = 300 * time.Millisecond

// byChrome opens the pages in Chrome alone, each in a context of its own.
func byChrome(ctx context.Context, root string, read func(text string, n int) outcome) ([]outcome, error) {
	main, end, err := bare.Chrome(ctx, chromedp.Flag("ignore-certificate-errors", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if err != nil {
		return nil, err
	}
	defer end()
	all := make([]outcome, *pages)
	each(4, func(n int) {
		tab, end := chromedp.NewContext(main, chromedp.WithNewBrowserContext())
		defer end()
		limit, done := context.WithTimeout(tab, time.Minute)
		defer done()
		if err := chromedp.Do(limit, chromedp.Navigate(fmt.Sprint(root, "/page/", n))); err != nil {
			if !strings.Contains(err.Error(), "net::ERR_") {
				all[n].kind = err.Error()
				return
			}
			all[n].kind = notWhole
			return
		}
		// The load event does not wait for requests of scripts, and Chrome repeats a request if a
		// reused connection breaks.
		for waited := time.Duration(0); ; waited += poll {
			text, err := chromedp.Run(limit, chromedp.Evaluate[string](`document.body.innerText + ' ' + Array.from(frames).map((f) => { try { return f.document.body.innerText } catch { return '' } }).join(' ')`))
			if err != nil {
				all[n].kind = err.Error()
				return
			}
			all[n] = read(text, n)
			if *mutate || waited >= 6*lateness || all[n].kind != "page" || strings.Contains(text, "FETCHED") || strings.Contains(text, "REJECTED") {
				return
			}
			select {
			case <-time.After(poll):
			case <-ctx.Done():
				return
			}
		}
	})
	return all, ctx.Err()
}
