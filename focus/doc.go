// Package focus decides which pages a focused crawl visits: a crawl for the pages of a topic.
//
// It implements Li, Zhao and Yu, "Design and Realization of Focused Web Crawler"
// (基于主题的Web信息采集系统的设计与实现), abbreviated DRFW, with extensions.
//
//	Read        a page's words, and its links with their surroundings        read.go
//	Topic       the subject: the relevance of a page and of a link           topic.go
//	Crawl       the links that wait, the best first                          crawl.go
//	orders      the expected relevance of a link                             order.go, blocks.go
//	ranks       PageRank and IPageRank, kept up to date as pages arrive      rank.go
//	Why         the reasons for a link's score                               why.go
//
// The order blocks, the default, learns while it crawls: from each page that arrives, whether the
// links to it were worth following. It learns from their words, from the blocks and pages that
// contain them, and from the folders of their targets.
//
// The package is pure: it does no I/O and has no clock. The same pages in the same order make the
// same crawl, so that a crawl that was killed can be restored from its pages.
package focus
