// Package driver runs chromedp's actions (click, type, wait, scroll) on the page of a tab.
//
// [Attach] returns a context for them, on a separate session over the browser's pipe, and a
// function that closes it. chromedp gets only the commands that its actions need; the tab is not
// affected.
package driver
