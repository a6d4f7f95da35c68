// Package memento speaks RFC 7089: which versions of a URL were taken when, which is
// nearest to a time, and how lists of them and addresses are written.
//
// The addresses are those of other archives: /web/TIME/URL is a memento,
// /timegate/URL leads to the nearest, /timemap/link/URL and /timemap/json/URL list
// them. A URL stands in them as it is, so they are read from the request line as it
// came. Errors of reading say what to write instead.
package memento
