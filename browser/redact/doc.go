// Package redact removes secrets from texts, in every form in which a browser writes them.
//
// A secret is not searched for encoding by encoding. A text is decoded layer by layer, as
// percent-encoding (URL Standard section 1.3, of forms, components, paths, queries, fragments and
// user information, and that of escape()), character references (HTML Standard section 13.5) and
// escapes of JSON, JavaScript and CSS (CSSOM section 2.1). After each layer it is folded: to one case (hosts of URLs,
// text-transform), one normal form (NFKC), one blank (rendered text), and without zero-width
// characters. A match of the folded secret is replaced at its place in the original text. So mixed
// and repeated encodings are found as well. Base64 of a secret is searched for at
// each of its three alignments. Legacy charsets of forms have separate patterns.
//
// Consecutive texts, such as those of a page's nodes, are searched as one text: also without the
// blanks between them, and without hidden texts.
//
// The time is linear in the text, times the number of its layers and patterns: a handful.
package redact
