// Package settle loads a page in a tab and waits until it is ready for capture.
//
// [Page.Navigate] navigates the tab to a URL, [Page.Load] waits for the load event, [Page.Settle]
// until scripts have finished the page, and [Page.Again] until it settles after an action. Settle
// documents the criteria; docs/rendering.md has the measurements behind the limits. Time is
// virtual, granted in slices, and pauses while requests are in flight; frames are drawn on demand.
// Limits in real time end the wait for a page that does not settle, and [Page.Settled] returns the
// reason.
package settle
