package robots

import "strings"

// Directives are a page's instructions for crawlers. There is no standard; they
// follow the vendors' documentation named at Meta.
type Directives struct {
	// NoIndex: exclude the page from search results.
	NoIndex bool
	// NoFollow: do not follow the page's links.
	NoFollow bool
	// NoArchive: show no copy of the page.
	NoArchive bool
}

// Or combines directives: if several tags and headers apply to a page, the more
// restrictive prevails.
func (d Directives) Or(e Directives) Directives {
	return Directives{d.NoIndex || e.NoIndex, d.NoFollow || e.NoFollow, d.NoArchive || e.NoArchive}
}

// Meta parses the content of a <meta name="robots"> or <meta name="token">, or
// the value of one X-Robots-Tag header, for the crawler with that product
// token. A header value may name the crawler that the following directives
// apply to ("otherbot: noindex, nofollow"); without a name they apply to all.
// Case is ignored, and so are unknown directives and permissive ones ("index",
// "follow", "all").
//
// Pass one header at a time and combine the results with [Directives.Or]: if
// headers were joined by commas, the directives of the second would apply to
// the crawler named by the first.
//
// Sources: Google Search Central, "Robots meta tag, data-nosnippet, and
// X-Robots-Tag specifications"
// (developers.google.com/search/docs/crawling-indexing/robots-meta-tag); Bing
// Webmaster Help, "Robots Metatags", also for "nocache" as a synonym of
// "noarchive" and for lists without commas.
func Meta(content, token string) Directives {
	var d Directives
	ours := true
	for item := range strings.SplitSeq(content, ",") {
		for strings.Contains(item, ":") {
			name, rest, _ := strings.Cut(item, ":")
			name = strings.TrimSpace(name)
			if !isCrawler(name) {
				item = "" // skip a directive with a value, or the rest of a date
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

// isCrawler reports whether the word before a colon names a crawler: it has the form of a name and
// is not a directive that takes a value. Unlike product tokens in RFC 9309, names may contain
// digits.
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
