package window

import (
	"context"

	"plat/queue"
	"plat/storage"
)

// A candidate is a host to be loaded: it is not in the window, or has few URLs left
// there.
type candidate struct {
	host   string
	queued int   // in the window
	stamp  int64 // see [queue.HostJobs]
}

// A finder looks for candidates in the archive, in its order.
type finder struct {
	l    *Loader
	w    *queue.Window
	full bool // there is no room
	most int  // candidates

	outside bool // there are candidates that are not in the window

	// If there is no room: how many URLs less urgent than priority should leave.
	urgent   int
	priority float32
}

// find returns the candidates, the most urgent first. Without room these are only
// hosts that are more urgent than one of the window.
func (f *finder) find(ctx context.Context) (all []candidate, err error) {
	var after storage.ReadyHost
	for range maxPages {
		page, err := f.l.archive.Ready(ctx, after, perPage)
		if err != nil {
			return nil, err
		}
		var hosts []string
		var rows []storage.ReadyHost
		for _, h := range page {
			if f.full && storage.Rank(h.Priority) >= storage.Rank(f.w.Worst) {
				page = nil // all others are no more urgent
				break
			}
			if f.l.queue.ShardOf(h.Host) == f.w.Shard {
				hosts, rows = append(hosts, h.Host), append(rows, h)
			}
		}
		in, err := f.l.queue.Hosts(ctx, f.w.Shard, hosts)
		if err != nil {
			return nil, err
		}
		for i, h := range in {
			if h.In && !h.Low {
				continue
			}
			if !h.In {
				f.outside = true
				if f.full {
					// A host that leaves makes room for several, if it has many URLs.
					f.urgent += fewest
					f.priority = rows[i].Priority
				}
			}
			if !f.full || !h.In {
				all = append(all, candidate{host: hosts[i], queued: h.Queued, stamp: h.Stamp})
			}
			if len(all) >= f.most {
				return all, nil
			}
		}
		if len(page) < perPage {
			return all, nil
		}
		after = page[len(page)-1]
	}
	return all, nil
}
