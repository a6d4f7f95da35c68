// Package crawler runs focused crawls: it asks for the pages that package focus expects most of,
// reads what visits have found, and learns from it.
//
//	Steerer     asks for pages and learns, for all crawls that run          steerer.go, course.go
//	Assessors   tells workers whether a page belongs to a crawl's topic      assessors.go
//	Compile     a crawl's topic from its words and examples                  compile.go
//	Report      what is shown of a crawl while it runs                       report.go
//	Begin       a crawl from what somebody wishes                            begin.go
//	Resume      a crawl that was stopped or is done; Stop, Change            resume.go
//	Status      a crawl and its pages as commands and servers show them      status.go
//	Explain     why a page was asked for                                     explain.go
//
// A crawl asks for a few pages at a time, more when they were visited; only those are jobs of the
// frontier, so the links that wait cost no storage, and a crawl that ends leaves nothing
// behind. What was asked for, and what was found there, is in the archive: a crawl whose
// process dies goes on from that in any other, as package focus makes the same crawl of the same
// pages.
//
// No process is elected. If two ask for pages of one crawl, the archive refuses the later one,
// which then watches, and takes over if the other stops.
package crawler
