package browser

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"plat/browser/settle"
	"plat/plat"
)

// interfaces counts changes of the network interfaces and addresses of this machine, such as a
// container's start or end. Chrome then cuts all connections (ERR_NETWORK_CHANGED), even those to
// the local proxy, which are unaffected, and no flag prevents it: images and style sheets are
// missing in a page that looks finished. Such a page is loaded again.
type interfaces struct {
	changes atomic.Int64
	last    atomic.Int64 // when, Unix ns
}

func (n *interfaces) changed() {
	n.last.Store(time.Now().UnixNano())
	n.changes.Add(1)
}

const (
	// maxLoads is the maximum number of loads of a page while the network changes.
	maxLoads = 3
	// restFor is the time without a change after which the network is at rest: a container's start
	// causes several changes within half a second.
	restFor = 300 * time.Millisecond
)

// rest waits until the network has been at rest for restFor, at most 3 s.
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

// loads renders until the network has not changed during a rendering, at most maxLoads times and
// within half of the limit for a page. Chrome may learn of a change later than this process.
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
