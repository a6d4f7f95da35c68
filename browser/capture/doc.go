// Package capture makes a [plat.Snapshot] of what Chrome answers. It asks nothing itself: who
// takes the page does, and the same answers always give the same snapshot.
//
// A [Capture] is the answer to DOMSnapshot.captureSnapshot, asked with [Styles]. [Parse] reads
// it, and [Capture.Snapshot] is its tree with boxes, styles and lines. Before that a capture
// says what is not where a reader finds it, so that Chrome can be asked to put it there and
// the page captured again ([Capture.SkippedIn], [Capture.ScrolledIn]), and takes what only
// elements themselves know: which images show their alternative text ([Capture.ImageLists]),
// which fixed elements stand on the page ([Capture.FixedOutside]).
//
// Where a page has shadow roots or templates the capture's tree is not the DOM's
// ([Capture.Flattened]). A [Tree] is the DOM as DOM.getDocument tells it, and [Capture.Merge]
// gives its nodes the boxes of the capture.
//
//	columns and nodes       decode.go, tree.go
//	computed styles         style.go
//	what Chrome generates   generated.go
//	what is asked about     outofplace.go, images.go, canvases.go
//
// Boxes are CSS pixels on the page. A malformed answer gives [ErrMalformed].
package capture
