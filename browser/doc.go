// Package browser turns a URL into a [plat.Snapshot] with a headless Chrome.
//
// A [Pool] runs one Chrome at a time and as many pages in it as it has tabs,
// each in a browser context of its own: no cookie or storage passes from one
// page to the next. [Pool.Render] loads a page, waits until it has settled, and
// takes the snapshot. The context is then thrown away, or cleared if pages of
// the same origin come one after another; see [tab.Tab.Clear]. The next context is
// opened while others load.
//
// # The wire
//
// The DevTools protocol is spoken by a client of our own ([wire.Pipe]) with cdproto's
// types, not through chromedp. chromedp routes only the sessions that it has
// attached itself, with nine domains enabled on each, and decodes every message
// twice: on 288 real pages, 3 tabs and 2 cores, html and snapshot together are
// 1.25 times as fast without that. What is enabled in a tab, plat/browser/tab says.
//
// chromedp's actions (click, type, wait, scroll) are what the steps of a page are
// done with; see plat/browser/driver and plat/browser/act. It is attached only where
// there are steps, on a session of its own over the same pipe, and gone before the page
// is taken.
//
// # The packages
//
// Each knows only those above it here: wire speaks to Chrome over a pipe; egress is the guard;
// process starts and ends Chrome; stealth says what hides that it is headless; loads lists what
// a page has loaded; concurrency says how many pages there are at once; capture makes a snapshot
// of what Chrome answers; tab is a browser with pages in it; settle waits until a page is ready;
// driver and act do on it what steps say; resources takes what it loaded. This package keeps the
// pool of tabs and leads each page through all of that ([Pool.Render]).
//
// # When a page is ready
//
// See [settle.Page.Settle] and docs/rendering.md. Pages have virtual time, granted in
// slices ([tab.Tab.Advance]): waiting costs nothing, and a page is watched for seconds of its
// own time in an instant of ours. It stands still while a request is under way. In
// the headless shell frames come only when a page asks for them ([tab.Tab.Draw]); full
// Chromium draws by itself. hooks.js tells what a page asks for. Whatever keeps a
// page from settling has a limit in real time, and [plat.Settled] says why a page was
// taken when it was.
//
// # How many tabs
//
// As many as keep the machine busy ([concurrency.Scale]), up to [Options.Tabs].
//
// # How it ends
//
// Every call to Chrome has a limit, every step has one, and the rendering has
// one. A tab that does not answer is closed, its process killed when that does
// not help, the browser replaced when that does not help either. All errors of
// Render are [*plat.VisitError].
package browser
