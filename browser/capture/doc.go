// Package capture decodes Chrome's answers into a [plat.Snapshot]. It sends no queries itself: its
// caller does, and the same answers always give the same snapshot.
//
// A [Capture] is the answer to DOMSnapshot.captureSnapshot with [Styles]. [Parse] reads
// it, and [Capture.Snapshot] is its tree with boxes, styles and lines. Before that, it lists
// misplaced content, so that the caller can have Chrome move it and capture again
// ([Capture.SkippedIn], [Capture.ScrolledIn]), and accepts facts that only scripts can find: which
// images show their alternative text ([Capture.ImageLists]), which fixed elements are positioned on
// the page ([Capture.FixedOutside]).
//
// Where a page has shadow roots or templates the capture's tree is not the DOM's
// ([Capture.Flattened]). A [Tree] is the DOM as returned by DOM.getDocument, and [Capture.Merge]
// gives its nodes the boxes of the capture.
//
//	columns and nodes       decode.go, snapshot.go, tree.go
//	computed styles         style.go
//	generated content       generated.go
//	queries to the page     outofplace.go, images.go, canvases.go
//
// Boxes are CSS pixels on the page. A malformed answer gives [ErrMalformed].
package capture
