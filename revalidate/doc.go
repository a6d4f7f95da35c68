// Package revalidate decides when a page cannot have changed, so that a visit can
// end without rendering it.
//
// What a page shows is a function of its HTML, of what it loads, and, if it has
// scripts, of clock and chance. A visit may be settled as unchanged if
//
//   - the HTML is the same: by its validators (RFC 9110 section 8.8), else by the
//     hash of the body, without the tokens that this page's history has shown to
//     change on every request and to make no difference;
//   - everything that the last rendering loaded is the same: still fresh (RFC 9111
//     section 4.2, for at most [MaxFresh]), or by its validators, or by the hash of
//     the body; what failed has to fail again;
//   - and clock and chance have no part in it. Either nothing in the page can run
//     (in the HTML as it was sent, for scripts may remove themselves, and in the
//     DOM); or over [Streak] renderings the same HTML and the same loads gave the
//     same blocks, and so did one more with another clock and other random numbers.
//
// At random one visit in twenty is rendered all the same, and the twentieth after
// the last rendering always. If such a rendering contradicts, the URL is rendered
// from then on: see [State.Ended].
//
// # How it is used
//
// [State] is what is remembered of a URL, [Decode] and [State.Encode] make bytes of
// it. Before a visit, [State.Asks] says whether asking the site can save a
// rendering. Who asks ([Resource.Conditions], [Resource.Compare]) fills in
// [Findings], and [Decide] says whether they settle the visit: then the state is
// that of [State.Skipped]. Else the page is rendered, [Observe] says what the
// rendering shows of the page, and [Learn] makes the next state of it.
//
// The question always comes before the rendering. So if a body has the same hash in
// two questions, it also had it in the rendering between them, whose bodies nobody
// else sees.
//
// Nothing here does I/O, reads a clock or draws random numbers.
package revalidate
