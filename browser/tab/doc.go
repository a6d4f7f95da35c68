// Package tab is a running browser and the pages in it: a [Browser] opens a [Tab], which is one
// page in a browser context of its own, behind a lane of the egress guard.
//
// A tab hears of its page by events ([State]), passes virtual time to it ([Tab.Advance]) and
// frames ([Tab.Draw]), runs scripts in it ([Tab.Evaluate]), takes pictures ([Tab.FramePicture],
// [Tab.Screenshot]), and is closed, or cleared for another page of the same origin. What to do
// with a page, and when it is ready, is for others to say.
//
// The DevTools protocol is spoken with cdproto's types, not through chromedp: only what is listed
// in its prepare is enabled. Calls fail with [wire.ErrGone] when the browser is gone, and with
// [ErrCrashed] or [ErrClosedItself] when the page is; see [Tab.Lost].
package tab
