package main

import (
	"context"
	_ "embed"
	"os"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"plat/browser"
)

//go:embed truth.js
var truthScript string

// A truth is the result of truth.js for a page.
type truth struct {
	Words    string      `json:"words"`
	Unseen   [][2]string `json:"unseen"`
	Extra    string      `json:"extra"`
	Counters bool        `json:"counters"`
}

// witness is a browser independent of plat's: no stealth, no guard, no
// snapshot, only the same viewport.
type witness struct {
	main context.Context
	stop context.CancelFunc
}

func newWitness(ctx context.Context, chrome string) (*witness, error) {
	path, err := browser.Find(chrome)
	if err != nil {
		return nil, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(width, height),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		// Pages load nothing from the network.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, cancel := chromedp.NewExecAllocator(ctx, opts...)
	main, _ := chromedp.NewContext(alloc)
	if err := chromedp.Do(main); err != nil {
		cancel()
		return nil, err
	}
	return &witness{main, cancel}, nil
}

// quiet keeps dialogs from blocking the page.
const quiet = `window.alert = () => {}; window.confirm = () => false; window.prompt = () => null; window.print = () => {};`

// look opens a page in a browser context of its own, for isolation between
// pages, and waits for the given time after its load.
func (w *witness) look(url string, wait time.Duration) (*truth, error) {
	tab, end := chromedp.NewContext(w.main, chromedp.WithNewBrowserContext())
	defer end()
	if err := chromedp.Do(tab); err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(tab, pageTimeout)
	defer done()
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: quiet}); err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url), chromedp.Sleep(wait)); err != nil {
		return nil, err
	}
	t, err := chromedp.Run(ctx, chromedp.Evaluate[truth](truthScript, chromedp.EvalAwaitPromise))
	return &t, err
}
