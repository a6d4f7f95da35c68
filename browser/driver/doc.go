// Package driver lets chromedp's actions (click, type, wait, scroll) run on the page of a tab.
//
// [Attach] gives a context for them, on a session of its own over the browser's pipe, and takes it
// back. chromedp gets no more of the protocol than its actions need; the tab does not notice.
package driver
