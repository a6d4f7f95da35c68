package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"plat/cmd/plat/app"
	"plat/cmd/plat/settings/flags"
	"plat/scripts/bare"
	"plat/workers/visitor"
)

// A contender opens pages.
type contender struct {
	name   string
	from   site // that attacks
	guards bool
	open   func(ctx context.Context, w *world, o *order) error
}

// order is the task of a contender.
type order struct {
	pages  []string
	again  []string      // those of them to open again, after the cache of names has expired
	alone  []string      // those to which no automation is attached in a bare browser
	linger time.Duration // time to wait for late packets
}

// add has a vector's page opened.
func (o *order) add(v *vector, url string) {
	if v.alone {
		o.alone = append(o.alone, url)
	}
	if v.twice {
		o.again = append(o.again, url)
		o.pages = slices.Insert(o.pages, 0, url)
		return
	}
	o.pages = append(o.pages, url)
}

// forgotten is longer than the cache of names of browsers and plat's guard: a minute.
const forgotten = 62 * time.Second

// do opens the pages, several at once.
func (o *order) do(ctx context.Context, open func(url string)) error {
	began := time.Now()
	each(o.pages, open)
	if o.again != nil {
		pause(ctx, forgotten-time.Since(began))
		each(o.again, open)
	}
	pause(ctx, o.linger)
	return ctx.Err()
}

// contenders returns a bare browser, and plat.
func contenders() []contender {
	return []contender{
		{name: "bare browser", from: public, open: openBare},
		{name: "plat", from: public, guards: true, open: openPlat()},
		{name: "plat --allow-private " + private.addr.String(), from: private, guards: true, open: openPlat("--allow-private", private.addr.String())},
	}
}

// atOnce is the number of pages open at once.
const atOnce = 4

// pageLimit is the time limit of a page in the bare browser: most contact servers that never answer.
const pageLimit = 15 * time.Second

// each has pages opened, several at once.
func each(pages []string, open func(url string)) {
	todo := make(chan string)
	var work sync.WaitGroup
	for range atOnce {
		work.Go(func() {
			for url := range todo {
				open(url)
			}
		})
	}
	for _, p := range pages {
		todo <- p
	}
	close(todo)
	work.Wait()
}

// openBare opens pages in a browser as automation starts it.
func openBare(ctx context.Context, w *world, o *order) error {
	more, err := w.flags()
	if err != nil {
		return err
	}
	var opts []chromedp.ExecAllocatorOption
	for _, f := range more {
		name, value, ok := strings.Cut(strings.TrimPrefix(f, "--"), "=")
		opts = append(opts, chromedp.Flag(name, any(value)))
		if !ok {
			opts[len(opts)-1] = chromedp.Flag(name, true)
		}
	}
	main, end, err := bare.Chrome(ctx, opts...)
	if err != nil {
		return err
	}
	defer end()
	return o.do(ctx, func(url string) {
		if slices.Contains(o.alone, url) {
			openAlone(ctx, main, url, 2*w.hold)
			return
		}
		tab, end := chromedp.NewContext(main)
		defer end()
		if chromedp.Do(tab) != nil {
			return // the page is missed at its server
		}
		limit, done := context.WithTimeout(tab, pageLimit)
		defer done()
		_ = chromedp.Do(limit, chromedp.Navigate(url)) // where it leads does not matter
		pause(ctx, w.hold/4)
	})
}

// openAlone opens a page to which no automation is attached, for a while.
func openAlone(ctx, browser context.Context, url string, lasts time.Duration) {
	made, err := chromedp.CallBrowser(browser, target.CreateTarget, target.CreateTargetParams{URL: url})
	if err != nil {
		return // the page is missed at its server
	}
	id := made.TargetID
	pause(ctx, lasts)
	_, _ = chromedp.CallBrowser(browser, target.CloseTarget, target.CloseTargetParams{TargetID: id})
}

// openPlat opens pages as plat does with these flags.
func openPlat(args ...string) func(context.Context, *world, *order) error {
	return func(ctx context.Context, w *world, do *order) error {
		a := app.New(nil, nil, io.Discard, io.Discard)
		for group, set := range flags.Of(&a.Settings) {
			if group != flags.Reaching {
				continue // their defaults are set by now
			}
			if err := set.Parse(args); err != nil {
				return err
			}
		}
		a.Chrome = os.Getenv("PLAT_CHROME")
		o, err := a.RenderOptions(atOnce, slog.New(slog.DiscardHandler))
		if err != nil {
			return err
		}
		o.Browser.Environ = os.Environ()
		if o.Browser.Flags, err = w.flags(); err != nil {
			return err
		}
		r, err := visitor.OpenRenderer(ctx, o)
		if err != nil {
			return fmt.Errorf("start plat's browser: %w", err)
		}
		defer r.Close()
		return do.do(ctx, func(url string) {
			_, _ = r.Render(ctx, url, nil) // most fail, as they should
		})
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
