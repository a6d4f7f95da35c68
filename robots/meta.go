package robots

import "strings"

// Directives are what a page asks of those who have fetched it. No standard
// defines them; the words are those of the vendors' pages that Meta names.
type Directives struct {
	// NoIndex: the page is not to be found by a search.
	NoIndex bool
	// NoFollow: the page's links are not to be followed.
	NoFollow bool
	// NoArchive: no copy of the page is to be shown.
	NoArchive bool
}

// None reports whether the page asks for what the directive "none" stands for.
func (d Directives) None() bool { return d.NoIndex && d.NoFollow }

// Or is what d and e ask for together: where several tags and headers speak of
// one page, the more restrictive prevails.
func (d Directives) Or(e Directives) Directives {
	return Directives{d.NoIndex || e.NoIndex, d.NoFollow || e.NoFollow, d.NoArchive || e.NoArchive}
}

// Meta reads the content of a <meta name="robots"> or <meta name="token">, or the
// value of one X-Robots-Tag header, for the crawler of that product token. The
// value of a header may name the crawler that the directives behind it are for
// ("otherbot: noindex, nofollow"); without a name they are for all. Case does not
// matter, unknown directives and those that allow ("index", "follow", "all") are
// ignored.
//
// Give it one header at a time and join the results with [Directives.Or]: joined
// by commas, the second's directives would be those of the crawler that the first
// one names.
//
// Sources: Google Search Central, "Robots meta tag, data-nosnippet, and
// X-Robots-Tag specifications" (developers.google.com/search/docs/crawling-indexing/
// robots-meta-tag); Bing Webmaster Help, "Robots Metatags", also for "nocache" as
// another word for "noarchive" and for lists without commas.
func Meta(content, token string) Directives {
	var d Directives
	ours := true
	for item := range strings.SplitSeq(content, ",") {
		for strings.Contains(item, ":") {
			name, rest, _ := strings.Cut(item, ":")
			name = strings.TrimSpace(name)
			if !isCrawler(name) {
				item = "" // a directive with a value, or the rest of a date
				break
			}
			ours = name == "*" || strings.EqualFold(name, token)
			item = rest
		}
		if !ours {
			continue
		}
		for word := range strings.FieldsSeq(item) {
			switch strings.ToLower(word) {
			case "noindex":
				d.NoIndex = true
			case "nofollow":
				d.NoFollow = true
			case "noarchive", "nocache":
				d.NoArchive = true
			case "none":
				d.NoIndex, d.NoFollow = true, true
			}
		}
	}
	return d
}

// isCrawler reports whether the word before a colon names a crawler: it is no
// directive that takes a value, and looks like a name. Names have digits, too,
// whatever RFC 9309 says of product tokens.
func isCrawler(name string) bool {
	switch strings.ToLower(name) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return false
	case "":
		return false
	}
	if c := name[0] | 0x20; (c < 'a' || c > 'z') && name != "*" {
		return false
	}
	return !strings.ContainsAny(name, " \t\r\n\f\v\"'=")
}
