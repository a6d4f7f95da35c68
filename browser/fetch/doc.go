// Package fetch requests what a crawl needs of sites beside their pages, without a browser.
//
// A [Client] obeys robots.txt, of which it keeps the last, reads sitemaps, and asks where a
// URL redirects to. It does not wait between requests: who calls it holds the host's lease,
// and heeds the delay that [Client.Obey] returns.
package fetch
