package browser

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"plat/browser/settle"
	"plat/plat"
)

// interfaces notices when network interfaces or addresses of this machine come
// and go, as they do whenever a container starts or ends. Chrome then cuts all
// connections (ERR_NETWORK_CHANGED), those to our proxy too, which loses nothing
// by the change, and there is no flag to tell it so: images and style sheets are
// missing in a page that looks finished. Such a page is loaded once more.
type interfaces struct {
	changes atomic.Int64
	last    atomic.Int64 // when, Unix ns
}

func (n *interfaces) changed() {
	n.last.Store(time.Now().UnixNano())
	n.changes.Add(1)
}

const (
	// maxLoads is how often a page is loaded while the network does not rest.
	maxLoads = 3
	// restFor is how long the network must have rested: a container's start is a
	// handful of changes within half a second.
	restFor = 300 * time.Millisecond
)

// rest waits until nothing has changed for a while, but not for ever.
func (n *interfaces) rest(ctx context.Context) {
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		wait := restFor - time.Since(time.Unix(0, n.last.Load()))
		if wait <= 0 {
			return
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// loads renders until the network has rested before and meanwhile, or half of the limit for
// a page is gone. Chrome may hear of a change later than we do.
func (n *interfaces) loads(ctx context.Context, limit time.Duration, render func() (*plat.Snapshot, error)) (*plat.Snapshot, error) {
	began := time.Now()
	for try := 1; ; try++ {
		n.rest(ctx)
		before := n.changes.Load()
		s, err := render()
		if n.changes.Load() == before && !cutByChange(err) || ctx.Err() != nil {
			return s, err
		}
		if try == maxLoads || time.Since(began) > limit/2 {
			if s != nil {
				s.Settled = plat.SettledLimit
			}
			return s, err
		}
	}
}

// cutByChange reports whether Chrome has cut the connection of the document.
func cutByChange(err error) bool {
	var chrome *settle.NetError
	return errors.As(err, &chrome) && chrome.Text == "net::ERR_NETWORK_CHANGED"
}
