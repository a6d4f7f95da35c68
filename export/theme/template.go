package theme

import (
	"embed"
	"html/template"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"plat/plat"
)

//go:embed parts.html
var pieces embed.FS

// New returns a template with the shared functions and snippets, to parse pages
// into.
func New() *template.Template {
	return template.Must(template.New("").Funcs(functions).ParseFS(pieces, "parts.html"))
}

var functions = template.FuncMap{
	"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"clock": Clock,
	"size":  func(n int64) string { return humanize.Bytes(uint64(max(0, n))) },
	"count": Count,
	"plural": func(n int, noun string) string {
		if n == 1 {
			return "1 " + noun
		}
		return Count(n) + " " + noun + "s"
	},
	"kinds": kindCounts,
	"held":  plat.SuppressedKinds,
	"join":  func(s []string) string { return strings.Join(s, ", ") },
	"ratio": func(pages, stored int64) string {
		if stored <= 0 {
			return "–"
		}
		return humanize.FtoaWithDigits(float64(pages)/float64(stored), 2) + "×"
	},
}

// Clock formats an instant for display, in UTC.
func Clock(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// Count formats an int, int32 or int64 for display: 1,234.
func Count(n any) string {
	switch n := n.(type) {
	case int:
		return humanize.Comma(int64(n))
	case int32:
		return humanize.Comma(int64(n))
	case int64:
		return humanize.Comma(n)
	}
	return "?"
}

// kindCount is the number of blocks with one kind of change.
type kindCount struct {
	Kind  plat.Kind
	Count int
}

// kindCounts sorts numbers of changes into display order.
func kindCounts(n map[plat.Kind]int) []kindCount {
	var all []kindCount
	for _, k := range plat.Kinds {
		if n[k] > 0 {
			all = append(all, kindCount{k, n[k]})
		}
	}
	return all
}
