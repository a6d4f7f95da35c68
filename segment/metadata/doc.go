// Package metadata adds metadata to versions by user-defined rules (BWAP section 3.1,
// "MetaData Generator"): a name and its value, taken from the URL, the header or the
// page.
//
// Rules are written in YAML:
//
//	rules:
//	  - url: ^https://news\.example/          # regular expression; without: every URL
//	    set:
//	      publisher: Example News             # these words
//	      section:   {url: '^https://[^/]+/([^/]+)/'}
//	      published: {meta: 'article:published_time'}
//	      author:    {select: '.byline a', attr: title}   # without attr: the text
//	      licence:   {header: link, match: '<([^>]+)>; rel="license"'}
//
// match selects a part of a source's value: the first group, or the whole match
// without a group. Rules apply in order; of two that set the same name the later wins,
// if it finds a value.
//
// White space in a value is collapsed, and values are truncated to 1,024 bytes.
package metadata
