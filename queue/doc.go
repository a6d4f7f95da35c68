// Package queue is the crawl frontier: it holds the URLs that can be visited now, and leases them
// to workers. It is stored in Redis 7, one server or a cluster, or inside the process ([Embed] and
// package embedded), with the same code.
//
// # When a URL is visited
//
// A URL passes these packages in a circle:
//
//  1. Package window fills Redis from the archive: it brings jobs that are due into the window,
//     described below. It puts off those that are not worth a visit yet
//     ([schedule.Planner.Waits]).
//  2. Package queue leases a job of the window to a worker, which visits the URL.
//  3. Package schedule decides, after the visit, when the next one is due. The worker stores that
//     time with the visit in the archive, and it is the due time of the URL's next job.
//
// Three packages support the circle:
//
//   - Package forecast tells what is expected of a URL: how often it changes, whether it has
//     changed by now, and when and why it is visited next. It also gives known URLs a new schedule.
//   - Package slots plans periods: it chooses the days of a month, say, on which a page is best
//     visited. forecast.Season makes such a plan from the archive; policy "plan" of package schedule
//     follows it.
//   - Package simulate replays the policies of package schedule on traces of changes, to compare
//     them without a crawl.
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
// archive first, and then offer them ([Queue.Offer]). A job whose host is not in the
// window waits in the archive. For other jobs:
//
//   - If there is room, it comes in. But if the archive has further due URLs of the
//     host, it must precede the last of the host's URLs in the window, so that it does
//     not overtake those in the archive.
//   - If there is no room, it replaces the last of the host's URLs in the window if it
//     precedes that one.
//
// When a lease is settled, its URL leaves the window; retries, later visits and failures
// are in the archive. A host without URLs leaves the window, unless the archive may have
// more of them. The host then has a stamp, which changes whenever a URL is left to the
// archive: so a loader does not overlook jobs that were offered after it read the archive.
//
// # Guarantees
//
// A job in the window is delivered until it is settled or pushed out, despite crashes.
// Every job is in the archive, so a loss of Redis loses none. After a restart of Redis,
// whether it still has its data, older data or no data, the window starts empty
// ([Queue.Begin]). No lease is granted while an earlier one could still be held: until all have
// expired, or all workers that could hold one have said that they do not ([Queue.Rejoin]).
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
// deadlines are scores of sorted sets. The data that pages share to plan their visits
// ([Queue.Share]) has keys of its own, which expire when they are unused for long.
package queue
