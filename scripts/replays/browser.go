package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/domsnapshot"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"plat/scripts/bare"
)

// viewer is a browser of its own, with everything as a reader has it. Each page has a tab of its own, and after a page
// that is not shown a new browser starts: such a page costs no other one.
type viewer struct {
	ctx context.Context // of the whole run
	tab context.Context // of the browser; nil if none runs
	end func()
}

const (
	width   = 1280
	window  = 1024
	tallest = 4000
	deepest = 20_000                  // px, of scrolling
	pause   = 250 * time.Millisecond  // at each viewport
	rest    = 1200 * time.Millisecond // after the load event, and after scrolling
)

func (v *viewer) start() (err error) {
	v.tab, v.end, err = bare.Chrome(v.ctx, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-features", "IsolateOrigins,site-per-process"))
	return err
}

func (v *viewer) close() {
	if v.tab != nil {
		v.end()
		v.tab = nil
	}
}

// look opens a page in a new tab, for at most limit. height is 0 for a live page, which is scrolled through; else it is that
// of the page's picture, and of the frame of a player.
func (v *viewer) look(url string, height int64, limit time.Duration) (*seen, error) {
	if v.tab == nil {
		if err := v.start(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(v.tab, limit)
	defer cancel()
	tab, done := chromedp.NewContext(ctx)
	s, err := show(tab, url, height)
	if err != nil {
		v.close()
	}
	done()
	return s, err
}

// watched are the failed requests of a tab.
type watched struct {
	mu     sync.Mutex
	failed []string // guarded by mu
}

// watch lists the failed requests of a tab, and closes its dialogs, as plat does; an open one stops every command.
func watch(tab context.Context) (*watched, error) {
	w := &watched{}
	asked := map[network.RequestID]string{} // by one goroutine only
	err := chromedp.Listen(tab, func(ev any) {
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			asked[e.RequestID] = e.Request.URL
		case *network.EventResponseReceived:
			if e.Response.Status >= 400 {
				w.fail(e.Response.URL)
			}
		case *network.EventLoadingFailed:
			if !e.Canceled {
				w.fail(asked[e.RequestID])
			}
		case *page.EventJavascriptDialogOpening:
			go chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false}) // else the page is not shown in time
		}
	})
	if err != nil {
		return nil, err
	}
	_, err = chromedp.Call(tab, network.Enable, network.EnableParams{})
	return w, err
}

func (w *watched) fail(url string) {
	if strings.HasSuffix(url, "/favicon.ico") || !strings.HasPrefix(url, "http") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = append(w.failed, url[:min(len(url), 120)])
}

// take returns the failed requests since the last call.
func (w *watched) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	failed := w.failed
	w.failed = nil
	return failed
}

// seen is what a reader sees of a page.
type seen struct {
	picture []byte   // PNG
	words   []string // sorted
	height  int64
	failed  []string
}

func show(ctx context.Context, url string, height int64) (*seen, error) {
	w, err := watch(ctx)
	if err != nil {
		return nil, err
	}
	if strings.Contains(url, "/show?at=") { // the player registers its worker on its first page
		if err := load(ctx, url[:strings.Index(url, "/show?")]+"/"); err != nil {
			return nil, err
		}
	}
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: window, DeviceScaleFactor: 1}); err != nil {
		return nil, err
	}
	w.take()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return nil, err
	}
	time.Sleep(rest)
	s := &seen{height: height}
	if height == 0 {
		h, err := scroll(ctx)
		if err != nil {
			return nil, err
		}
		s.height = min(max(h, 100), tallest)
	}
	if strings.Contains(url, "/show?at=") {
		time.Sleep(rest)
	}
	r, err := chromedp.Call(ctx, domsnapshot.CaptureSnapshot, domsnapshot.CaptureSnapshotParams{ComputedStyles: []string{"visibility"}})
	if err != nil {
		return nil, err
	}
	s.words = wordsOf(&r)
	if s.picture, err = picture(ctx, s.height); err != nil {
		return nil, err
	}
	s.failed = w.take()
	return s, nil
}

// picture returns the picture of a page in a window of its height. Scripts may no more react to that.
func picture(ctx context.Context, height int64) ([]byte, error) {
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		return nil, err
	}
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1}); err != nil {
		return nil, err
	}
	time.Sleep(pause)
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &page.Viewport{Width: width, Height: float64(height), Scale: 1}})
	return shot.Data, err
}

// scroll scrolls through a page, as plat does, because scripts load images on the way, and returns its height.
func scroll(ctx context.Context) (height int64, err error) {
	to := func(y int64) error {
		height, err = chromedp.Run(ctx, chromedp.Evaluate[int64](fmt.Sprintf(
			`scrollTo({top: %d, behavior: "instant"}); Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0)`, y)))
		return err
	}
	if err := to(0); err != nil || height <= window {
		return height, err
	}
	for y := int64(window); y < min(height, deepest); y += window {
		if err := to(y); err != nil {
			return 0, err
		}
		time.Sleep(pause)
	}
	if err := to(0); err != nil {
		return 0, err
	}
	time.Sleep(rest)
	return height, to(0)
}

// load opens the page of the player, and waits until it has its archive.
func load(ctx context.Context, url string) error {
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		title, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.title"))
		if err == nil && title == "loaded" {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return context.Cause(ctx)
}

// wordsOf returns the words that have a box, of all documents, sorted. Comments divide no words, and replays have none.
func wordsOf(r *domsnapshot.CaptureSnapshotResult) (words []string) {
	for _, d := range r.Documents {
		var b strings.Builder
		last := int64(-1) // text node
		for i, text := range d.Layout.Text {
			if text < 0 || int(text) >= len(r.Strings) {
				continue
			}
			if styles := d.Layout.Styles[i]; len(styles) > 0 && r.Strings[styles[0]] != "visible" {
				continue
			}
			if node := d.Layout.NodeIndex[i]; !onlyComments(d.Nodes, last, node) {
				b.WriteByte(' ')
			}
			last = d.Layout.NodeIndex[i]
			b.WriteString(r.Strings[text])
		}
		words = append(words, strings.Fields(b.String())...)
	}
	slices.Sort(words)
	return words
}

// onlyComments reports whether two nodes are siblings with nothing but comments between them.
func onlyComments(nodes *domsnapshot.NodeTreeSnapshot, from, to int64) bool {
	if from < 0 || from >= to || nodes.ParentIndex[from] != nodes.ParentIndex[to] {
		return false
	}
	const comment = 8
	for k := from + 1; k < to; k++ {
		if nodes.NodeType[k] != comment {
			return false
		}
	}
	return true
}
