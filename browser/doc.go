// Package browser turns a URL into a [plat.Snapshot] with a headless Chrome.
//
// A [Pool] runs one Chrome at a time with several tabs, each in a separate browser context: no
// cookie or storage passes from one page to the next. [Pool.Render] loads a page, waits until it
// has settled, and takes the snapshot. The context is then discarded, or cleared if the next page
// has the same origin; see [tab.Tab.Clear]. The next context is opened while the current pages
// load.
//
// # DevTools protocol
//
// The client of the DevTools protocol ([devtools.Pipe]) uses cdproto's types, but not chromedp.
// chromedp routes only sessions that it has attached, enables nine domains on each, and decodes
// every message twice. Without chromedp, HTML and snapshot together are 1.25 times as fast (288
// real pages, 3 tabs, 2 cores). Package plat/browser/tab lists the domains enabled in a tab.
//
// The steps of a page (click, type, wait, scroll) use chromedp's actions; see plat/browser/driver
// and plat/browser/act. chromedp is attached only for pages with steps, on a separate session over
// the same pipe, and is detached before the page is captured.
//
// # Packages
//
// This package keeps the pool of tabs and calls the packages below for each page ([Pool.Render]).
// Each of them imports only those above it:
//
//	devtools     the client of the protocol
//	egress       the guard: a proxy that decides which addresses pages may reach
//	process      starts and ends Chrome
//	stealth      hides that Chrome is headless
//	origin       which requests belong to the site of a page
//	cookies      cookie files
//	redact       removes secrets from texts
//	steps        the format of steps
//	requests     lists the requests of a page
//	concurrency  adapts the number of tabs
//	capture      decodes Chrome's capture into a snapshot
//	tab          a browser with pages in it
//	settle       waits until a page is ready
//	driver, act  perform steps
//	resources    fetches the resources of a page
//
// # When a page is ready
//
// See [settle.Page.Settle] and docs/rendering.md. Pages have virtual time, granted in
// slices ([tab.Tab.Advance]): waiting costs nothing, and seconds of a page's time pass in an
// instant of real time. Virtual time pauses while a request is in flight. The headless shell draws
// a frame only on [tab.Tab.Draw], when a page requests one; full Chromium draws unprompted.
// hooks.js records the requests of a page for frames and timers. Real time is limited too, and
// [plat.Settled] gives the reason why the wait ended.
//
// # Number of tabs
//
// As many as keep the machine busy ([concurrency.Scale]), up to [Options.Tabs].
//
// # Limits and errors
//
// Every call to Chrome, every step and the rendering have time limits. A tab that does not respond
// is closed; if that fails its process is killed, and if that fails the browser is replaced. All
// errors of Render are [*plat.VisitError].
package browser
