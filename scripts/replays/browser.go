package main

import (
	"context"
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

// viewer is a browser of its own, with everything as a reader has it.
type viewer struct {
	ctx context.Context
	end func()

	mu     sync.Mutex
	failed []string // guarded by mu: requests since the last look
}

const (
	width   = 1280
	window  = 1024
	tallest = 4000
	rest    = 1200 * time.Millisecond // after the load event
)

func newBrowser(ctx context.Context) (*viewer, error) {
	tab, end, err := bare.Chrome(ctx, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-features", "IsolateOrigins,site-per-process"))
	if err != nil {
		return nil, err
	}
	v := &viewer{ctx: tab, end: end}
	if _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); err != nil {
		return nil, err
	}
	asked := map[network.RequestID]string{}
	sent, answers, errs := chromedp.Events(tab, network.RequestWillBeSent), chromedp.Events(tab, network.ResponseReceived), chromedp.Events(tab, network.LoadingFailed)
	go func() {
		for e, err := range sent {
			if err != nil {
				return
			}
			v.mu.Lock()
			asked[e.RequestID] = e.Request.URL
			v.mu.Unlock()
		}
	}()
	go func() {
		for e, err := range answers {
			if err != nil {
				return
			}
			if e.Response.Status >= 400 {
				v.fail(e.Response.URL)
			}
		}
	}()
	go func() {
		for e, err := range errs {
			if err != nil {
				return
			}
			v.mu.Lock()
			u := asked[e.RequestID]
			v.mu.Unlock()
			if !e.Canceled {
				v.fail(u)
			}
		}
	}()
	return v, nil
}

func (v *viewer) fail(url string) {
	if strings.HasSuffix(url, "/favicon.ico") || !strings.HasPrefix(url, "http") {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failed = append(v.failed, url[:min(len(url), 120)])
}

// seen is what a reader sees of a page.
type seen struct {
	picture []byte   // PNG
	words   []string // sorted
	height  int64
	failed  []string
}

// look opens a page. height, if not 0, is that of the page's picture, and of the frame of a player.
func (v *viewer) look(url string, height int64) (*seen, error) {
	ctx, cancel := context.WithTimeout(v.ctx, 40*time.Second)
	defer cancel()
	if strings.Contains(url, "/show?at=") { // the player registers its worker on its first page
		if err := v.load(ctx, url[:strings.Index(url, "/show?")]+"/"); err != nil {
			return nil, err
		}
	}
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: window, DeviceScaleFactor: 1}); err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.failed = nil
	v.mu.Unlock()
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return nil, err
	}
	time.Sleep(rest)
	s := &seen{height: height}
	if height == 0 {
		h, err := chromedp.Run(ctx, chromedp.Evaluate[int64](`Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0)`))
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
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: &page.Viewport{Width: width, Height: float64(s.height), Scale: 1}})
	if err != nil {
		return nil, err
	}
	s.picture = shot.Data
	v.mu.Lock()
	s.failed = slices.Clone(v.failed)
	v.mu.Unlock()
	return s, nil
}

// load opens the page of the player, and waits until it has its archive.
func (v *viewer) load(ctx context.Context, url string) error {
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

// wordsOf returns the words that have a box, of all documents, sorted.
func wordsOf(r *domsnapshot.CaptureSnapshotResult) (words []string) {
	for _, d := range r.Documents {
		for i, text := range d.Layout.Text {
			if text < 0 || int(text) >= len(r.Strings) {
				continue
			}
			if styles := d.Layout.Styles[i]; len(styles) > 0 && r.Strings[styles[0]] != "visible" {
				continue
			}
			words = append(words, strings.Fields(r.Strings[text])...)
		}
	}
	slices.Sort(words)
	return words
}
