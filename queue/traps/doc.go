// Package traps keeps a crawl out of endless parts of a site, and from visiting one page under
// many addresses.
//
// It has three means, from the cheapest to the surest:
//
//   - [Rules] refuse links by their URL alone: paths that repeat, that are too deep, or
//     too long.
//   - A [Site] learns which parts of an address change nothing: a parameter such as a
//     session id, or a piece of the path such as "/print". It learns them from pairs of
//     addresses that were found to lead to the same page, and from then on a link is
//     followed under its plain address only ([Site.Plain]). This follows DUST: Bar-Yossef,
//     Keidar, Schonfeld, "Do not crawl in the DUST: different URLs with similar text",
//     WWW 2007.
//   - A [Site] knows which patterns of URLs bring text that no page of the site had
//     before. One without such text is barren ([Site.Barren]): its URLs wait, and a few of
//     them are visited.
//
// The data of a Site can be stored as text.
//
// A [Guard] applies this to a crawl, and archives a page that has several addresses under one of
// them. It keeps the data of each host as notes in the archive, which workers share:
//
//   - [Guard.Spare], before a visit: is the URL an alias of a known page, or of a
//     pattern that brings nothing?
//   - [Guard.Main], when the page is read: is it archived under a different URL already?
//   - [Guard.Keep], with the page's links: which are followed, and under which address?
//   - [Guard.Learn], or [Guard.Missed] if there was no page, records the result of the visit.
package traps
