// Package fetch requests the resources that a crawl needs beside pages, without a browser.
//
// A [Client] obeys robots.txt, which it caches, reads sitemaps, and resolves redirects. It does not
// wait between requests: its caller holds the host's lease, and observes the delay that
// [Client.Obey] returns.
package fetch
