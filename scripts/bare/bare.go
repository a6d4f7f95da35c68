// Package bare starts Chrome without plat, to compare plat with it.
package bare

import (
	"context"
	"os"

	"github.com/chromedp/chromedp"

	"plat/browser"
)

// Chrome starts the browser that PLAT_CHROME names, or the first that plat finds, as automation starts
// it. Tabs are contexts made from the returned one; end closes the browser.
func Chrome(ctx context.Context, opts ...chromedp.ExecAllocatorOption) (_ context.Context, end func(), err error) {
	path, err := browser.Find(os.Getenv("PLAT_CHROME"))
	if err != nil {
		return nil, nil, err
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)], chromedp.ExecPath(path))
	if os.Getuid() == 0 {
		all = append(all, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(ctx, append(all, opts...)...)
	main, close := chromedp.NewContext(alloc)
	end = func() { close(); stop() }
	if err := chromedp.Do(main); err != nil {
		end()
		return nil, nil, err
	}
	return main, end, nil
}
