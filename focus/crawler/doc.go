// Package crawler runs focused crawls: it requests the pages with the best prospects according to
// package focus, reads the results of visits, and learns from them.
//
//	Steerer     requests pages and learns, for all crawls that run          steerer.go, course.go
//	Assessors   decides for workers whether a page belongs to a topic       assessors.go
//	Compile     a crawl's topic from its words and examples                 compile.go
//	Report      the state of a crawl while it runs                          report.go
//	Begin       a new crawl from a user's settings                          begin.go
//	Resume      a crawl that was stopped or is done; Stop, Change           resume.go
//	Status      a crawl and its pages as commands and servers show them     status.go
//	Explain     the reasons for the request of a page                       explain.go
//
// A crawl requests a few pages at a time, and more after their visits; only those are jobs of the
// frontier, so the links that wait cost no storage, and a crawl that ends leaves nothing behind.
// The requests and their results are in the archive: if a process dies, any other process
// continues the crawl from there, because package focus makes the same crawl of the same pages.
//
// No process is elected. If two request pages of one crawl, the archive refuses the later one,
// which then watches, and takes over if the first one stops.
package crawler
