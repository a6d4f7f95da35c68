// Package batch visits a list of URLs without a frontier, several at once.
//
// [Seeds] hands out the URLs, each once, while the list is still being read. A [Batch]
// visits them with retries, tells of each [Page] as it is done, and stops beginning
// more when the archive is out of reach or nobody hears of the pages any more. [Totals]
// is what all of it came to. Nothing is printed here.
package batch
