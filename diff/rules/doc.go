// Package rules holds the user's rules for the changes of pages: changes to ignore, and
// changes that are always news.
//
// A [Rule] names pages and a part of them: a block by its lineage, a text by a regular
// expression, or elements by a CSS selector. [Set.Given] applies the rules of a page to a
// comparison, for package noise. Rules are stored as notes of the archive, one each, so that
// every worker of a fleet has them: [Note] and [FromNotes]. Users read and write them as
// YAML, [Set.YAML] and [Parse]:
//
//	ignore:
//	  - {url: https://example.com/, block: 12}
//	  - {url: example.com/news/*, text: "[0-9]+ readers"}
//	  - {url: "*", selector: "aside.weather"}
//	watch:
//	  - {url: https://example.com/, selector: "#price"}
//
// A URL may be a pattern; see [plat/urlpattern.Pattern]. If both an ignore and a watch rule
// apply, the change is news.
//
// The package has no side effects.
package rules
