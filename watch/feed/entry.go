package feed

import (
	"html"
	"strings"
	"time"

	"plat/plat/excerpt"
)

// Entry is one entry of a feed. Its texts have only characters that XML can represent.
type Entry struct {
	ID        string // unique, never changes
	Title     string // plain text
	Link      string
	HTML      string
	Published time.Time
	Updated   time.Time
	Tags      []string

	// Extension holds plat's own fields in JSON Feed, which are written under "_plat".
	Extension any
}

// maxText is the maximum number of characters shown of a text.
const maxText = 4000

// plain removes characters from an untrusted text that XML cannot represent, and control
// characters.
func plain(text string) string { return string(excerpt.Shown([]byte(excerpt.XML(text)))) }

// escapeLines returns a text as HTML.
func escapeLines(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
}
