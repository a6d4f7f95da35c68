package web

import (
	"net/http"
	"time"

	"plat/queue/window"
	"plat/storage"
	"plat/web/api"
)

// noFrontier is the error of servers without a crawl queue.
var noFrontier = api.NotFound("no crawl queue connected")

func (s *Server) apiQueue(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	if s.Queue == nil {
		return noFrontier
	}
	stats, err := window.ReadStats(r.Context(), s.Queue, window.FleetCounter{Queue: s.Queue, Archive: s.Store})
	if err != nil {
		return err
	}
	return reply(w, r, stats)
}

// apiWorkers lists the workers of the fleet. They are few, so one page has them all.
func (s *Server) apiWorkers(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	if s.Queue == nil {
		return noFrontier
	}
	all, err := s.Queue.Workers(r.Context())
	if err != nil {
		return err
	}
	return replyList(w, r, p, all, nil)
}

// apiDead lists the failed URLs, latest first.
func (s *Server) apiDead(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit := p.Limit()
	var after struct {
		Time time.Time
		URL  string
	}
	resumed := p.Cursor(&after)
	if p.Err != nil {
		return p.Err
	}
	if s.Queue == nil {
		return noFrontier
	}
	var items []storage.DeadURL
	for d, err := range s.Store.Dead(r.Context()) {
		switch {
		case err != nil:
			return err
		case resumed && (d.Time.After(after.Time) || d.Time.Equal(after.Time) && d.URL <= after.URL):
		case len(items) == limit:
			after.Time, after.URL = items[limit-1].Time, items[limit-1].URL
			return replyList(w, r, p, items, after)
		default:
			items = append(items, d)
		}
	}
	return replyList(w, r, p, items, nil)
}
