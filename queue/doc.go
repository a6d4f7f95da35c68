// Package queue is the frontier: which URLs are to be visited, by whom, and not
// before when. It lives in Redis 7, one server or a cluster, or inside the
// process ([Embed]); the code is the same.
//
// # Nouns
//
// A job is a URL with the time its visit is due. A lease is the right to visit
// one URL, and with it, as long as it lasts, the only right to visit its host:
// no host is ever visited twice at once. A lease has a token that was never used
// before; whatever a worker says of a lease it shows the token, and is refused if
// the lease has passed to somebody else (a fencing token). The worker lengthens
// the lease by heartbeats; one that dies loses it, and the URL goes back, its
// attempt counted. A clock is the time before which a host is left alone.
//
// # What is promised
//
// A job that was added is given out until it is settled or buried, whatever dies
// in between. If Redis is restarted, with all of its data, with older data or with
// none, the archive's jobs are merged in ([Queue.Rebuild]): it knows of every one
// (storage's Enlist comes before [Queue.Add]). No lease is given out while one of
// before the restart could still be held.
//
// It is given out at least once. That it counts once is the archive's doing: a
// visit says which job it settles, by the Due that names it.
//
// # Order
//
// Hosts go by the priority of their best URL, then by how long they have been
// ready; a host's URLs by priority, then in the order in which they came. With
// several shards the order of hosts holds within each.
//
// # Redis
//
// Every step that touches several keys is one Lua script (folder lua, KEYS, ARGV
// and results above each). A host belongs to one shard; the keys of a shard have
// one hash tag and all of them are named to each script, as a cluster wants it.
// Time is Redis' own, so that clocks of workers do not matter. No key has a TTL:
// deadlines are scores of sorted sets.
package queue
