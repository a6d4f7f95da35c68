// Package segmenter divides single pages into labelled blocks, and stores nothing: HTML that is given, or a URL.
//
// [Segmenter.Segment] renders a page in a browser, which it starts first if need be, and returns its blocks with
// their labels, texts and Markdown, as the first visit of the page would store them: the rendering is that of
// package visitor, and the division that of [label.Describer.Divide]. Blocks of other pages of the site, which the
// visits of an archive take as evidence for labels, are unknown here.
//
// HTML that is given is rendered at the URL of its [Source]. Its resources are requested through the guard, as those
// of visits. Without a URL the page requests nothing.
package segmenter
