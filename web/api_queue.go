package web

import (
	"net/http"
	"time"

	"plat/queue"
)

// noFrontier is the error of servers without a crawl queue.
var noFrontier = &mistake{http.StatusNotFound, "no crawl queue connected"}

func (s *Server) apiQueue(w http.ResponseWriter, r *http.Request, _ *params) error {
	if s.Queue == nil {
		return noFrontier
	}
	stats, err := s.Queue.Stats(r.Context())
	if err != nil {
		return err
	}
	return reply(w, r, stats)
}

// apiDead lists the failed URLs, latest first.
func (s *Server) apiDead(w http.ResponseWriter, r *http.Request, p *params) error {
	limit := p.limit()
	var after struct {
		Time time.Time
		URL  string
	}
	resumed := p.cursor(&after)
	if p.err != nil {
		return p.err
	}
	if s.Queue == nil {
		return noFrontier
	}
	letters, err := s.Queue.Dead(r.Context())
	if err != nil {
		return err
	}
	var items []queue.DeadLetter
	for _, l := range letters {
		switch {
		case resumed && (l.Time.After(after.Time) || l.Time.Equal(after.Time) && l.URL <= after.URL):
		case len(items) == limit:
			after.Time, after.URL = items[limit-1].Time, items[limit-1].URL
			return replyList(w, r, p, items, after)
		default:
			items = append(items, l)
		}
	}
	return replyList(w, r, p, items, nil)
}
