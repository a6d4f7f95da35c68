// Package settle loads a page in a tab and waits until it is ready to be taken.
//
// [Page.Navigate] leads the tab to a URL, [Page.Load] waits for the load event, [Page.Settle] for
// the end of what scripts do then; [Page.Again] does so once more after something was done on the
// page. How that end is known is told at Settle; the measurements behind its limits are in
// docs/rendering.md. Time is virtual, granted in slices, and stands still while requests are under
// way; frames come on need. Limits in real time end whatever keeps a page from settling, and
// [Page.Settled] says which it was.
package settle
