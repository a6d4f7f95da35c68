// Package storage is the contract of an archive of versioned blocks.
//
// A store keeps, per URL, its state, its versions and its visits, and, shared by
// all URLs, blocks and layouts under the hash of their content. The comments of
// [Store] are the specification; package storagetest checks each sentence, and
// every backend passes it.
//
// No transactions are needed. Commit writes blocks, then the layout, picture and
// resources, then the version, then moves the URL's head by compare-and-swap. Every write is
// idempotent, so a crash between any two of them leaves at worst blocks that
// nothing refers to, or a version that is whole and not yet the head; the same
// commit done again completes it. A store that has transactions may use one.
//
// What comes back is what was stored, with these exceptions. Instants and
// durations are kept in whole milliseconds, cut off, and come back in UTC; two
// instants within one millisecond are the same. A slice or map that was empty
// may come back nil, except contents. A host is what [Host] makes of a URL.
package storage

import (
	"context"
	"iter"
	"time"

	"plat"
)

// Store is an archive that can also be searched and looked after. A new backend begins
// with [Archive].
type Store interface {
	Archive
	Searcher
	Keeper
}

// Archive keeps versions and gives them back. All methods, those of Searcher and Keeper
// too, are safe for concurrent use, by several processes too. URLs are canonical; nothing
// here makes them so.
//
// Sequences end after the first error, which they yield with a zero value. They
// hold no lock and no connection while the loop's body runs: it may call any
// method. What is stored meanwhile may or may not be seen.
type Archive interface {
	States
	Versions
	Contents

	Close() error
}

// States is what an archive knows of URLs: their visits and their jobs.
type States interface {
	// State returns what is known of a URL, or plat.ErrNotFound if it was neither
	// visited nor enlisted.
	State(ctx context.Context, url string) (plat.URLState, error)

	// States yields the state of all URLs whose text begins with prefix and comes
	// after the text of after, in order of URL. An empty prefix yields all, and an
	// empty after begins with the first. Their Memory is left out.
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]

	// Visits yields the visits of url, latest first, at most limit (0: all).
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]

	// Enlist makes URLs known that are to be visited, and when and how: what a
	// frontier must find again after it has lost everything. Of a URL that is
	// known already, the priority becomes the higher of both, the plan is merged
	// (see [plat.Plan.Merge]), and Due is taken if it is earlier, or if there was
	// none; but a Due that is not after Settled is not, for that visit is done. A URL of which only visits without a
	// job are known takes all of the job: see [Merge]. Enlisting the same once more
	// is a no-op, and completes what a crash left undone; no URL is left half
	// merged. A job without URL or Due is an error, and then none is taken.
	Enlist(ctx context.Context, jobs []plat.Job) error

	// Record stores a visit that found no new version, and what it says of the
	// URL's state: Visits and PageBytes grow; Last, Status and Outcome are those
	// of the latest visit, First that of the earliest, in whatever order they
	// are recorded. Recording the same (URL, Time) once more is a no-op, also if
	// the visit there was a commit's.
	//
	// A visit that is Unkept settles its job and leaves its Memory, and changes
	// nothing else: the URL is known as one that was enlisted.
	//
	// The Memory of a visit, a commit's too, becomes the URL's in the same step as the
	// rest of the state, if it is not empty. One of more than plat.MaxMemory bytes is
	// refused, and with it the visit. If a crash is completed by somebody else, the
	// Memory may be lost: it is never needed.
	//
	// A visit that settles a job, a commit's too, makes the URL's Settled its
	// Settles and Due its Next, in the same step as the rest of the state. No job
	// is settled twice: if Settled is not before the visit's Settles, Record and
	// Commit are a *plat.SettledError with the URL's Due, rather than
	// plat.ErrConflict where it would be both, and nothing refers to what was
	// written, unless that very visit is stored already or the commit completes it.
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error
}

// Versions are what pages were: layouts of blocks, of which only those are new that
// changed.
type Versions interface {
	// Version returns version n of url with its block tree; n = 0 is the head.
	// Content and Text of the blocks are not loaded. plat.ErrNotFound if there
	// is no such version up to the head. A version returned is complete: its
	// layout and all of its blocks are there.
	Version(ctx context.Context, url string, n int) (*plat.Version, error)

	// Versions yields the versions of url, oldest first, without their block
	// trees (Blocks is nil). Only versions up to the head are seen.
	Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error]

	// Trees yields the versions from..to of url with their block trees, as Version
	// returns them, oldest first. Bounds beyond the first version and the head
	// are theirs; a URL without versions has none to yield.
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]

	// Times returns when the versions of url were taken, that of version n at
	// index n-1. plat.ErrNotFound if it has none.
	Times(ctx context.Context, url string) ([]time.Time, error)

	// Commit stores a version and the visit that found it. c.Version.N must be
	// the head's number plus one, else plat.ErrConflict and nothing refers to
	// what was written. Blocks, layouts, resources and manifests already stored
	// under the same hash are not written again. A reader never sees a version
	// without all of its blocks, its manifest and the resources that this lists as
	// kept. Committing the same version (URL, N, Taken) once more is a no-op
	// that completes what a crash left undone.
	//
	// A commit that contradicts itself is refused and writes nothing: see
	// [Commit.Check]. plat.ErrNotFound if a block has no Content, or a resource
	// that was not left out no Data, and none is stored under its Hash. c is not
	// written to.
	Commit(ctx context.Context, c *Commit) (Written, error)
}

// Contents are what versions refer to, by hash.
type Contents interface {
	// Contents returns the content of blocks, in the order of hashes; the same
	// hash may be asked for twice. plat.ErrNotFound if one is missing,
	// plat.ErrCorrupt if one does not have the hash it is stored under.
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)

	// Layout returns a layout, under the same errors as Contents.
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)

	// Picture returns a screenshot, under the same errors as Contents.
	Picture(ctx context.Context, h plat.Hash) (plat.Picture, error)

	// Manifest returns the list of resources that a version refers to, under the
	// same errors as Contents.
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)

	// Resource returns the bytes of a resource, under the same errors as Contents.
	Resource(ctx context.Context, h plat.Hash) ([]byte, error)
}

// Searcher finds blocks.
type Searcher interface {
	// Find yields the block versions that q asks for: the leaf blocks of all
	// versions up to the head, each content once in its lineage, where it first
	// appeared. Latest first within a URL, in page order within a version, URLs
	// in order. With q.Head it yields the blocks of the last versions as they
	// stand there; N and Taken say where their content first appeared.
	Find(ctx context.Context, q BlockQuery) iter.Seq2[Found, error]

	// Index takes into the search index what was committed since it was last called.
	// The index is made of what is up to the heads, so it may be interrupted and
	// called again, by several processes at once too, and what it comes to is the
	// same. Where there is nothing to do, it costs next to nothing. It reports
	// progress, if progress is not nil, in versions. A URL that cannot be read is
	// passed over, and is an error when all others are done. It is tried again, and
	// an error again, when it has another version or the store is opened anew.
	Index(ctx context.Context, progress func(done, total int64)) error

	// Search returns the spans that the index holds and q asks for, those first
	// whose words fit best: by BM25 over the [Terms] of text and topic, where a
	// word of the topic weighs more; then those that began last. Without words all
	// that q asks for answer. The order is the same each time while the index is.
	// Where more than [MaxRanked] answer, only the latest of them may be ranked, and
	// More says so; the same goes for those read to find phrases, see [MaxRead].
	Search(ctx context.Context, q Search) (Results, error)
}

// Keeper is for those who look after an archive.
type Keeper interface {
	// Stats returns one row per host that was visited, in order of host. URLs
	// that are only enlisted do not count.
	Stats(ctx context.Context) ([]SiteStats, error)

	// Verify checks everything: that every head's version is there, that every
	// version up to the head has its layout, blocks and resources, that all stored
	// bytes decode and have their hash, and which are referred to by nothing. It
	// reports progress, if progress is not nil, and what it found; err is only
	// for a check that could not be finished.
	Verify(ctx context.Context, progress func(done, total int64)) (Report, error)

	// GC removes blocks, layouts, versions past the head, pictures, manifests and
	// resources that nothing refers to, if they were written before the given time: what is
	// younger may belong to a commit under way, so that time must be longer ago
	// than any commit takes. A version past the head of which all is there may be
	// finished instead. If a version or its manifest cannot be read, nothing is
	// removed.
	GC(ctx context.Context, before time.Time) (Swept, error)

	// Probe says why nothing can be stored, nil if it seems that all can. It
	// changes nothing, and asks for no more than one write would.
	Probe(ctx context.Context) error

	// Size returns the bytes the store takes on disk, indexes included. What Index
	// makes can be made again, and does not count where it is a file of its own.
	Size(ctx context.Context) (int64, error)
}

// Commit is everything that one visit adds to the archive.
type Commit struct {
	// Version is the new version. Its leaf blocks carry Content where the
	// content is new to the URL; where Content is nil, a block of that Hash is
	// in the store already (content that is empty is not nil). Base of a block, where not zero, is the hash of
	// the same lineage's content in the version before.
	Version *plat.Version

	// Layout is the new version's; Version.Layout is its hash, Layout.Sum().
	Layout plat.Layout

	// LayoutBase is the layout of the version before, zero if none; a store may
	// keep the new layout as a difference against it.
	LayoutBase plat.Hash

	// Picture is nil if none was taken; Version.Picture is the hash of its Data.
	Picture *plat.Picture

	// Resources are what the page used to look as it does, in any order, none twice;
	// Version.Resources is the hash of their manifest, zero if there are none.
	// Where Data of one that was not left out is nil, it is in the store already.
	Resources []plat.Resource

	// Visit is of the same URL, its Version is that of Version.
	Visit plat.Visit
}

// Written says what a commit cost.
type Written struct {
	Blocks int   // contents that were not stored before
	Bytes  int64 // bytes written, compressed, metadata included; an estimate where the backend cannot tell
}

// SiteStats sums up one host.
type SiteStats struct {
	Host        string
	URLs        int
	Visits      int
	Versions    int
	PageBytes   int64 // of whole pages, every visit
	StoredBytes int64 // written for them
}

// Total sums up sites.
func Total(sites []SiteStats) SiteStats {
	var all SiteStats
	for _, s := range sites {
		all.URLs += s.URLs
		all.Visits += s.Visits
		all.Versions += s.Versions
		all.PageBytes += s.PageBytes
		all.StoredBytes += s.StoredBytes
	}
	return all
}

// Report is what Verify found. A clean store has no Broken; Unreferenced is
// nothing to worry about, GC removes it. URLs counts those only enlisted too.
type Report struct {
	URLs, Versions, Blocks, Layouts, Pictures, Manifests, Resources int64

	Broken       []string // one sentence each, at most 1,000
	BrokenTotal  int64
	Unreferenced int64
}

// Swept is what GC removed.
type Swept struct {
	Blocks, Layouts, Versions, Pictures, Manifests, Resources int64

	Bytes int64
}
