// Package window fills Redis from the archive: it brings the jobs that can be visited soon into
// the frontier's window.
//
// The archive lists all jobs (storage.Jobs); the frontier in Redis holds only those
// that can be visited soon, a bounded number. A [Loader] moves them there: every
// worker runs one, and for each shard of the frontier Redis elects one of them.
//
// # Contents of the window
//
// Hosts are the unit. The archive lists those with jobs that can be visited, the most urgent
// first, and among equals those that were loaded longest ago. The loader takes from the top of
// that list hosts that are not in the window, or have few URLs left there, and gives each an equal
// part of the room, at least one URL. If there is no room and a host of the archive is more urgent
// than the least urgent one of the window, the latter is pushed out: its URLs stay in the archive.
//
// # How exact the order is
//
// Within a host: exact, by priority, then first in, first out, among the jobs that are due when
// the host is loaded and those found later. A job that becomes due later, a revisit or a retry,
// comes in within a tick or two if it is more urgent than the queued URLs of its host, and else
// when the host runs low. Among the hosts of the window: exact. Beyond, hosts of the archive come
// in within a tick or two (0.1 s) if they are more urgent than those of the window. Hosts of equal
// urgency take turns.
//
// # Failures
//
// Loading twice is harmless: the archive rejects a job that is settled. If a loader dies, a new
// one is elected after [queue.LoaderTTL]. If Redis loses its data, the window is empty and is
// filled as usual, after the earlier leases have ended; [Leases.Held] returns the time until then.
package window
