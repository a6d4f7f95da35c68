// Package batch visits a list of URLs without a frontier, several at once.
//
// [Seeds] hands out the URLs, each once, while the list is still being read. A [Batch]
// visits them with retries, passes on each [Page] when it is done, and starts no
// more when the archive is unreachable or the reader of the pages is gone. [Totals]
// has the sums. The package prints nothing.
package batch
