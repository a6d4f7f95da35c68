// Package fileview makes pages of files that Chrome does not show, or not as people read them: tables of
// comma-separated values, text that Chrome offers as a download, and feeds of news.
//
// [Page] returns the HTML of such a page. It is for a browser that gets it in place of the file, under the URL of
// the file, with the policy [Policy]: then it is a page like others, with blocks, links and a picture. The file
// itself is stored beside it; see [plat.FileURL].
//
// Files are untrusted. A page has no script, no form and no frame of its file: what feeds quote is reduced to
// a list of elements and attributes. What is read of a document is bounded in bytes, and the text on its page to 8 MiB. The same
// bytes always give the same page.
package fileview
