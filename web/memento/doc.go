// Package memento implements RFC 7089: the list of a URL's versions and their times, the nearest
// version to a time, and the syntax of lists and addresses.
//
// The addresses follow the convention of web archives: /web/TIME/URL is a memento, /timegate/URL
// redirects to the nearest, /timemap/link/URL and /timemap/json/URL list them. They contain a URL
// unescaped, so they must be parsed from the raw request line. Parse errors show the valid form.
package memento
