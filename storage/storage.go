// Package storage specifies the archive of versioned blocks.
//
// A store keeps, per URL, its state, its versions and its visits, and, shared by all
// URLs, blocks and layouts under the hash of their content. The comments of [Store]
// are the specification; package storagetest tests it against every backend.
//
// No transactions are needed. Commit writes blocks, then the layout, picture and
// resources, then the version, then moves the URL's head by compare-and-swap. Every
// write is idempotent, so a crash between two of them leaves at worst unreferenced
// blocks, or a complete version that is not yet the head; repeating the commit
// completes it. A store that has transactions may use one.
//
// Values are returned as stored, with these exceptions. Instants and durations are truncated to
// whole milliseconds and returned in UTC. Two instants within one millisecond are equal. An
// empty slice or map may be returned as nil, except contents. Hosts have the form that [Host]
// returns.
package storage

import (
	"context"
	"iter"
	"time"

	"plat/plat"
)

// Store is an archive with search and maintenance. Begin a new backend with
// [Archive].
type Store interface {
	Archive
	Searcher
	Keeper
	Clock
	Subscriptions
	Outbox
	Crawls
}

// Clock tells the time for decisions on what is old, which would differ between processes whose clocks do.
type Clock interface {
	// Now returns the time by the clock of the server, or of this process if that is earlier.
	Now(ctx context.Context) (time.Time, error)
}

// Archive stores and returns versions. All methods, including those of Searcher and
// Keeper, are safe for concurrent use by goroutines and processes. Callers pass
// canonical URLs; stores do not canonicalize.
//
// Sequences end after the first error, which they yield with a zero value. They hold
// no lock and no connection while the loop's body runs, so it may call any method.
// They may or may not include concurrent writes.
type Archive interface {
	States
	Jobs
	Addresses
	Notes
	Versions
	Contents

	Close() error
}

// States stores the state of URLs, and their visits.
type States interface {
	// State returns the state of a URL, or plat.ErrNotFound if it was neither visited
	// nor enlisted.
	State(ctx context.Context, url string) (plat.URLState, error)

	// States yields the states of all URLs that begin with prefix and sort after
	// after, sorted by URL. An empty prefix yields all; an empty after starts with
	// the first. Memory is omitted.
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]

	// Visits yields the visits of url, latest first, at most limit (0: all).
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]

	// Record stores a visit that found no new version, and updates the URL's state: Visits and
	// PageBytes grow, Last, Status and Outcome come from the latest visit, and First from the
	// earliest. The order of calls does not matter. Record is idempotent: recording the same
	// (URL, Time) again is a no-op, also if a commit stored that visit.
	//
	// An Unkept visit settles its job and updates the Memory, and changes nothing else: the URL
	// counts as only enlisted.
	//
	// A non-empty Memory of a visit or commit becomes that of the URL, atomically with the rest
	// of the state. If it exceeds plat.MaxMemory bytes, the visit is rejected. Memory is a
	// cache, and may be lost when a different process completes an interrupted commit.
	//
	// A visit or commit that settles a job sets the URL's Settled to its Settles and Due to its
	// Next, atomically with the rest of the state. A job is settled only once: if Settled is
	// not before the visit's Settles, Record and Commit return a *plat.SettledError with the
	// URL's Due, in preference to plat.ErrConflict, and nothing refers to the data written.
	// Exceptions are a visit that is already stored, and the completion of an interrupted
	// commit.
	Record(ctx context.Context, v plat.Visit, pageBytes int64) error

	// SwapMemory replaces the Memory of a URL if it still equals was, and reports whether it
	// did: a visit may have changed it since was read. An empty memory removes it. Nothing else
	// of the state changes. SwapMemory returns plat.ErrNotFound if the URL was neither visited
	// nor enlisted, and an error if the memory exceeds plat.MaxMemory bytes.
	SwapMemory(ctx context.Context, url, was, memory string) (bool, error)
}

// Versions stores the versions of pages: layouts and blocks, of which only changed ones are
// stored again.
type Versions interface {
	// Version returns version n of url with its block tree; n = 0 is the head.
	// Content and Text of the blocks are not loaded. plat.ErrNotFound if there is no
	// such version up to the head, plat.ErrForgotten if it was forgotten. The layout and all blocks of a returned version
	// are stored.
	Version(ctx context.Context, url string, n int) (*plat.Version, error)

	// Last returns the last version of a URL as Version does, of a state that State returned
	// before, which may be old by now.
	Last(ctx context.Context, st *plat.URLState) (*plat.Version, error)

	// Versions yields the versions of url up to the head that are kept, oldest first, without their
	// block trees (Blocks is nil).
	Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error]

	// Trees yields the versions from..to of url with their block trees, as Version
	// returns them, oldest first; contents may be loaded into the blocks of each. Bounds are clamped to the oldest version that is kept and the
	// head; a URL without versions yields nothing.
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]

	// Times returns the capture times of the versions of url: version n at index n-1, zero if
	// it was forgotten. It returns plat.ErrNotFound for a URL without versions, and
	// plat.ErrForgotten if all were forgotten.
	Times(ctx context.Context, url string) ([]time.Time, error)

	// Commit stores a version and the visit that found it. c.Version.N must be the state's
	// Next, otherwise Commit returns plat.ErrConflict and nothing refers to the data written.
	// Blocks, layouts, resources and manifests already stored under the same hash are not
	// written again. Readers never see a version without all of its blocks, its manifest and
	// the stored resources in it. Commit is idempotent: repeating the same version (URL, N,
	// Taken) completes an interrupted commit, and is otherwise a no-op.
	//
	// A commit that contradicts itself is rejected and writes nothing: see [Commit.Check].
	// Commit returns plat.ErrNotFound if a block has no Content, or a resource that was not
	// omitted has no Data, and its Hash is not stored. Commit does not modify c.
	Commit(ctx context.Context, c *Commit) (Written, error)

	// Attach adds a picture and resources to version n of url, the head, if the version has no
	// picture, or no resources. It keeps those that the version has, so it is idempotent. Written is the
	// cost, and zero if nothing was added. The state's PictureBytes and ResourceBytes grow by it,
	// and nothing else of the state and the version changes.
	//
	// Attach returns plat.ErrConflict if n is not the head, also for an unknown URL, and the errors
	// of Commit for resources. Like Commit, it writes data before a version refers to it. Repeating
	// an interrupted call completes it; so do GC and Index.
	Attach(ctx context.Context, url string, n int, a *Attachment) (Written, error)
}

// Contents returns the data that versions refer to, by hash.
type Contents interface {
	// Contents returns the contents of blocks, in the order of hashes, which may
	// contain duplicates. plat.ErrNotFound if one is missing, plat.ErrCorrupt if one
	// does not match its hash.
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)

	// Layout returns a layout, with the errors of Contents.
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)

	// Picture returns a screenshot, with the errors of Contents.
	Picture(ctx context.Context, h plat.Hash) (plat.Picture, error)

	// Manifest returns a version's list of resources, with the errors of Contents.
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)

	// Resource returns the bytes of a resource, with the errors of Contents.
	Resource(ctx context.Context, h plat.Hash) ([]byte, error)
}

// Searcher finds blocks.
type Searcher interface {
	// Find yields the block versions that match q: the leaf blocks of all versions up
	// to the head, each content once in its lineage, where it first appeared. URLs
	// are sorted; within a URL the latest come first, within a version blocks are in page
	// order. With q.Head it yields the blocks of the last versions; N and Taken belong to the
	// version in which their content first appeared. With q.Changes it yields the changes of all versions up
	// to the heads instead, in the order of [BlockQuery.ChangesIn] within a version.
	Find(ctx context.Context, q BlockQuery) iter.Seq2[Found, error]

	// Index adds everything committed since the last call to the search index. It is
	// idempotent, may be interrupted and repeated, and may run in several processes
	// at once: the result depends only on the versions up to the heads. Without new
	// versions it is nearly free. It reports progress in versions, if progress is not nil. A
	// URL that cannot be read is skipped, and reported as an error at the end. It is retried
	// when it has a new version or the store is reopened.
	Index(ctx context.Context, progress func(done, total int64)) error

	// Reindex rebuilds what is derived from versions and contents, such as the search index. Searches find less meanwhile. It may be interrupted, and repeated; until
	// then Index continues it. It reports progress in versions, if progress is not nil.
	Reindex(ctx context.Context, progress func(done, total int64)) error

	// Search returns the indexed spans that match q, best first: by BM25 over the
	// [Terms] of text and topic, where topic words weigh more, then by latest
	// beginning. Without words, all spans that match the other fields are returned.
	// The order is stable as long as the index does not change. If more than
	// [MaxRanked] match, only the latest of them may be ranked, and More is set; the
	// same applies to spans read to find phrases, see [MaxRead].
	Search(ctx context.Context, q Search) (Results, error)
}

// Keeper maintains an archive.
type Keeper interface {
	// Stats returns one row per visited host, sorted by host. URLs that are only
	// enlisted do not count.
	Stats(ctx context.Context) ([]SiteStats, error)

	// Verify checks that every head's version exists, that every version up to the
	// head has its layout, blocks and resources, and that all stored bytes decode and
	// match their hash, and counts unreferenced data. It reports progress, if
	// progress is not nil; err means that the check could not be completed.
	Verify(ctx context.Context, progress func(done, total int64)) (Report, error)

	// Forget removes the versions of a URL that cut selects. It also removes the visits before
	// the one that found the oldest kept version, the items of subscriptions about the removed
	// versions, and the memory of the last visit. For a whole page it also removes the job, the
	// memories of subscriptions, and the readings of focused crawls. Its URL remains known, so
	// that IfNew does not enlist it. The state records the last forgotten version, and the
	// time.
	//
	// Readers no longer find the removed data. Contents that no kept version has are
	// unreferenced: GC removes them, from Until on. Version numbers do not change, and a
	// content is as old as the oldest kept version that has it. A later Record of a visit that
	// found a forgotten version is ignored, and a Commit of a version that was compared with a
	// forgotten one returns plat.ErrConflict.
	//
	// If dry, Forget only returns the counts. It is idempotent, and can be repeated after a
	// crash. Aliases of the page need separate calls. Forget returns plat.ErrNotFound for an
	// unknown URL.
	Forget(ctx context.Context, url string, cut Cut, dry bool) (Forgotten, error)

	// GC removes unreferenced blocks, layouts, versions past the head, pictures,
	// manifests and resources that were written before the given time. Younger data may belong
	// to a commit in progress, so the time must be longer ago than any commit takes. A store
	// without a commit in progress may remove younger data too. A complete version past the
	// head may be committed instead. If a version or its manifest cannot be read, nothing is
	// removed.
	GC(ctx context.Context, before time.Time) (Swept, error)

	// Migrate gives an archive of an older format the current one, and returns the formats before
	// and after. A store may do so when it is opened. It may be interrupted, and repeated. It reports
	// progress in versions, if progress is not nil.
	Migrate(ctx context.Context, progress func(done, total int64)) (from, to int, err error)

	// Vacuum rewrites the files of the archive if data was removed since the last Vacuum, so
	// that no byte of that data is left in them. It may take as much time and space as copying
	// them. A store whose server manages its own files does nothing.
	Vacuum(ctx context.Context) error

	// Probe returns an error if writes would fail. It changes nothing, and costs at most as
	// much as one write.
	Probe(ctx context.Context) error

	// Size returns the bytes on disk, indexes included. A search index in a separate file does
	// not count, because it can be rebuilt.
	Size(ctx context.Context) (int64, error)
}

// Commit is everything that one visit adds to the archive.
type Commit struct {
	// Version is the new version. Its leaf blocks carry Content if it is new to the URL; a nil
	// Content means that a block of that Hash is already stored (empty content is not nil). A
	// block's Base, if not zero, is the hash of its lineage's content in the previous version.
	Version *plat.Version

	// Layout is the layout of the new version. Version.Layout is its hash, Layout.Sum().
	Layout plat.Layout

	// LayoutBase is the hash of the previous version's layout, or zero. A store may
	// delta-encode the new layout against it.
	LayoutBase plat.Hash

	// Picture is the screenshot, or nil. Version.Picture is the hash of its Data.
	Picture *plat.Picture

	// Resources are the files that the page used for its rendering, unordered, without
	// duplicates. Version.Resources is the hash of their manifest, or zero without resources.
	// Nil Data of a resource that was not omitted means that it is already stored.
	Resources []plat.Resource

	// Visit has the same URL, and Version's number in its Version.
	Visit plat.Visit

	// Fingerprint serves to find similar pages: see [Addresses.Lookalikes]. 0: no fingerprint.
	Fingerprint uint64
}

// Attachment is a picture and resources that a version gets after its commit.
type Attachment struct {
	Picture   *plat.Picture   // nil: none
	Resources []plat.Resource // as in Commit; empty: none
}

// Written is the cost of a commit or an attachment: bytes written, compressed; an estimate where the backend
// cannot tell.
type Written struct {
	Blocks    int   // contents that were not stored before
	Bytes     int64 // bytes of blocks, layout and version, metadata included
	Pictures  int64 // bytes
	Resources int64 // bytes, with their manifest
}

// SiteStats sums up one host.
type SiteStats struct {
	Host        string
	URLs        int
	Visits      int
	Versions    int
	PageBytes   int64 // bytes of whole pages as HTML, summed over all visits
	StoredBytes int64 // bytes written for them

	PictureBytes  int64
	ResourceBytes int64
}

// ReadOnly reports whether an archive was opened for reading only, so that all writes fail: stores that can be opened so
// have the method ReadOnly.
func ReadOnly(a Archive) bool {
	x, ok := a.(interface{ ReadOnly() bool })
	return ok && x.ReadOnly()
}

// Total adds up the statistics of sites.
func Total(sites []SiteStats) SiteStats {
	var all SiteStats
	for _, s := range sites {
		all.URLs += s.URLs
		all.Visits += s.Visits
		all.Versions += s.Versions
		all.PageBytes += s.PageBytes
		all.StoredBytes += s.StoredBytes
		all.PictureBytes += s.PictureBytes
		all.ResourceBytes += s.ResourceBytes
	}
	return all
}

// Report is the result of Verify. A clean store has no Broken. Unreferenced data is
// harmless; GC removes it. URLs includes those only enlisted.
type Report struct {
	URLs, Versions, Blocks, Layouts, Pictures, Manifests, Resources int64

	Broken       []string // one sentence each, at most 1,000
	BrokenTotal  int64
	Unreferenced int64
}

// Swept counts the data that GC removed.
type Swept struct {
	Blocks, Layouts, Versions, Pictures, Manifests, Resources int64

	Bytes int64
}
