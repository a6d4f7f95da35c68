// Package queue is the crawl frontier: which URLs can be visited now, and who visits
// them. It is stored in Redis 7, one server or a cluster, or inside the process
// ([Embed] and package embedded), with the same code.
//
// # Terms
//
// The archive is the list of all jobs. A job is a URL with the due time of its visit.
// The window is the part of the archive that Redis holds: jobs that are due, bounded in
// all and per host. A lease is the exclusive right to visit one URL and, while it lasts,
// its host: a host has at most one lease. A lease has a unique fencing token, and every
// operation on the lease must present it, so that a worker that has lost its lease is
// rejected. The worker extends the lease by heartbeats; if it crashes, the lease expires,
// and the URL is enqueued again with its attempt counted. A clock is the time before
// which a host must not be visited.
//
// # The window
//
// A process that is elected loader of a shard ([Queue.Window]) brings hosts in, and
// further URLs of those with few left ([Queue.Load]). If the window is full, it can push
// less urgent hosts out ([Queue.Evict]). Workers write jobs that they find to the
// archive first, and then offer them ([Queue.Offer]). They come in if their host is in
// the window, there is room, and they precede all of the host's URLs that are in the
// archive only; if there is no room, in the place of the host's last one. When a lease
// is settled, its URL leaves the window; retries, later visits and failures are in the
// archive. A host without URLs leaves the window, unless the archive may have more of
// it, which is noted with a stamp, so that a loader does not overlook what was offered
// since it read the archive.
//
// # Guarantees
//
// A job in the window is delivered until it is settled or pushed out, despite crashes.
// What is not in the window is in the archive: nothing is lost if Redis is. If Redis is
// restarted, with all of its data, with older data or with none, the window is begun
// anew ([Queue.Begin]). No lease is granted while an earlier one could still be held.
//
// Delivery is at least once. The archive makes it count once: a visit names the job
// it settles by its Due.
//
// # Order
//
// Hosts in the window are sorted by the priority of their best URL, then by how long
// they have been ready; a host's URLs by priority, then first in, first out. With
// several shards the order of hosts holds within each.
//
// # Redis
//
// Every step that touches several keys is one Lua script (folder lua, with KEYS, ARGV
// and results above each). A host belongs to one shard; the keys of a shard have one
// hash tag, and every script of the window declares all of them, as a cluster requires. Time is
// Redis' own, so that clocks of workers do not matter. No key of the window has a TTL:
// deadlines are scores of sorted sets. What pages share to plan their visits ([Queue.Share]) has
// keys of its own, which end when nobody has used them for long.
package queue
