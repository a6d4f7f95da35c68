package markup

// rawKind is the way in which the text in an HTML element is written.
type rawKind uint8

const (
	notRaw    rawKind = iota
	rawSeen           // unescaped and shown
	rawUnseen         // unescaped and never shown
)

// rawText implements the list of the HTML Living Standard, section 13.3, with scripting on: a browser
// that runs scripts treats the content of <noscript> as text.
func rawText(name string) rawKind {
	switch name {
	case "script", "style", "iframe", "noembed", "noframes", "noscript":
		return rawUnseen
	case "xmp", "plaintext":
		return rawSeen
	}
	return notRaw
}

// NeverShown reports whether an HTML element never shows its content. An iframe
// may hold a document.
func NeverShown(name string) bool { return rawText(name) == rawUnseen && name != "iframe" }

// VoidElement reports whether an HTML element has neither end tag nor content.
func VoidElement(name string) bool {
	switch name {
	case "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img",
		"input", "keygen", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}
