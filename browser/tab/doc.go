// Package tab is a running browser and the pages in it: a [Browser] opens a [Tab], which is one
// page in a separate browser context, behind a lane of the egress guard.
//
// A tab tracks its page by events ([State]), grants it virtual time ([Tab.Advance]) and frames
// ([Tab.Draw]), runs scripts ([Tab.Evaluate]) and captures pictures ([Tab.FramePicture],
// [Tab.Screenshot]). It is then closed, or cleared for the next page of the same origin. Packages
// settle and act decide when a page is ready and act on it.
//
// It uses the DevTools protocol with cdproto's types, not through chromedp: only the domains in
// Tab.prepare are enabled. Calls fail with [devtools.ErrGone] when the browser is gone, and with
// [ErrCrashed] or [ErrSelfClosed] when the page is; see [Tab.Lost].
package tab
