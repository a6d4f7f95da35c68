// Package revalidate decides when a page cannot have changed, so that a visit
// can end without rendering it.
//
// The content of a page is a function of its HTML, its loads and, if it has scripts, of clock and
// random numbers. A visit may be settled as unchanged if
//
//   - the HTML is the same: by its validators (RFC 9110 section 8.8), else by the
//     hash of the body, without the tokens that were observed to change on every
//     request without effect;
//   - everything that the last rendering loaded is the same: still fresh (RFC 9111
//     section 4.2, for at most [MaxFresh]), or by its validators, or by the hash of
//     the body; failed loads have to fail again;
//   - and clock and random numbers have no effect. Either nothing in the page can
//     run (in the HTML as sent, since scripts may remove themselves, and in the
//     DOM); or over [Streak] renderings the same HTML and the same loads gave the
//     same blocks, and so did one more with a different clock and different random numbers.
//
// As a check, one visit in twenty is rendered at random, and the twentieth
// after the last rendering always. If such a rendering shows a change, the URL
// is always rendered from then on: see [State.Ended].
//
// # Usage
//
// [State] is the data stored per URL; [Decode] and [State.Encode] convert it from and to bytes.
// Before a visit, [State.Asks] reports whether revalidation can save a rendering. The caller sends
// the requests ([Resource.Conditions], [Resource.Compare]) and fills in [Findings]; [Decide]
// reports whether they settle the visit. If so, the next state is that of [State.Skipped].
// Otherwise the page is rendered, [Observe] extracts the relevant properties of the rendering, and
// [Learn] makes the next state from them.
//
// Validation always precedes rendering. So if a body has the same hash in two
// validations, it also had it in the rendering between them, whose bodies are
// not available.
//
// All but the Checker is pure: without I/O, clock and random numbers.
//
// A [Checker] sends the requests. The one for the document follows the redirects of the rendering. A
// style sheet, script, font or image is requested once for all pages of a site that are visited within
// [Options.Share]; other files are requested each time. The client decides which addresses are reached:
// pass the egress guard's, so that these requests have the limits of pages.
package revalidate
