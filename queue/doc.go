// Package queue is the crawl frontier: which URLs are due, who visits them, and when.
// It is stored in Redis 7, one server or a cluster, or inside the process ([Embed]),
// with the same code.
//
// # Terms
//
// A job is a URL with the due time of its visit. A lease is the exclusive right to
// visit one URL and, while it lasts, its host: a host has at most one lease. A lease
// has a unique fencing token, and every operation on the lease must present it, so
// that a worker that has lost its lease is rejected. The worker extends the lease by
// heartbeats; if it crashes, the lease expires, and the URL is enqueued again with
// its attempt counted. A clock is the time before which a host must not be visited.
//
// # Guarantees
//
// A job that was added is delivered until it is settled or buried, despite crashes.
// If Redis is restarted, with all of its data, with older data or with none, the
// archive's jobs, which include all others (storage's Enlist precedes [Queue.Add]),
// are merged ([Queue.Rebuild]). No lease is granted while an earlier one could still
// be held.
//
// Delivery is at least once. The archive makes it count once: a visit names the job
// it settles by its Due.
//
// # Order
//
// Hosts are sorted by the priority of their best URL, then by how long they have been
// ready; a host's URLs by priority, then first in, first out. With several shards the
// order of hosts holds within each.
//
// # Redis
//
// Every step that touches several keys is one Lua script (folder lua, with KEYS, ARGV
// and results above each). A host belongs to one shard; the keys of a shard have one
// hash tag, and every script declares all of them, as a cluster requires. Time is
// Redis' own, so that clocks of workers do not matter. No key has a TTL: deadlines
// are scores of sorted sets.
package queue
