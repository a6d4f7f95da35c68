// Package metadata gives versions metadata by rules that people write (BWAP section 3.1,
// "MetaData Generator"): a name and its value, found in the URL, the header or the page.
//
// Rules are written in YAML:
//
//	rules:
//	  - url: ^https://news\.example/          # regular expression; none: every URL
//	    set:
//	      publisher: Example News             # these words
//	      section:   {url: '^https://[^/]+/([^/]+)/'}
//	      published: {meta: 'article:published_time'}
//	      author:    {select: '.byline a', attr: title}   # attr: none is the text
//	      licence:   {header: link, match: '<([^>]+)>; rel="license"'}
//
// match picks a part of what a source gives: the first group, or all of it where
// there is none. Rules apply in order; of two that set the same name the later
// wins, if it finds a value.
//
// White space in a value is folded, and of a long one the first 1,024 bytes are kept.
package metadata
