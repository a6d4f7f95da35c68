package replay

// shownNoscript is the name of a <noscript> that the page showed. Parsers with scripts read the content of a <noscript> as
// text, and those without as elements.
const shownNoscript = "plat-noscript"

// standIn is written in place of an element that is left out: rules that count siblings count it. It shows nothing, runs
// nothing, and parsers do not move it, also not in tables and lists.
const standIn = "<template></template>"

// standIn writes it for an element that is left out of the innermost element.
func (w *rewriter) standIn() { w.standInside(&w.stack[len(w.stack)-1]) }

// standInFor is standIn for the innermost element itself.
func (w *rewriter) standInFor() { w.standInside(&w.stack[len(w.stack)-2]) }

func (w *rewriter) standInside(parent *opened) {
	if parent.frame != nil || parent.foreign || parent.muted || parent.hollow || parent.literal || parent.void {
		return
	}
	switch parent.name {
	case "html", "head", "frameset", "style", "title", "textarea", "iframe", "frame", "embed", "video", "audio", "canvas", "object":
		return // nothing counts there, or text
	}
	w.out().WriteString(standIn)
}
