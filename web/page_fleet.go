package web

import (
	"net/http"

	"plat/queue"
	"plat/queue/window"
	"plat/storage"
	"plat/web/api"
)

// tile is one number with its caption.
type tile struct {
	Name string
	N    int64
}

// Limits of the page: failed URLs, and hosts.
const (
	mostDead  = 100
	mostHosts = 20
)

// showFleet shows the crawl queue: waiting and running jobs, hosts, and failed
// URLs.
func (s *Server) showFleet(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	ctx := r.Context()
	data := struct {
		page
		None   bool
		Away   string // why the queue cannot be read
		Ready  string // why the workers are not ready; empty if they are
		Tiles  []tile
		Events []tile
		Held   []queue.Held
		Fleet  []queue.Worker
		Dead   []storage.DeadURL
		More   int64 // failed URLs not shown
		Hosts  []storage.HostCount
	}{page: s.page("Fleet", "fleet"), None: s.Queue == nil}
	if s.Ready != nil {
		if err := s.Ready(); err != nil {
			data.Ready = err.Error()
		}
	}
	if s.Queue != nil {
		archive := window.FleetCounter{Queue: s.Queue, Archive: s.Store}
		st, err := window.ReadStats(ctx, s.Queue, archive)
		if err == nil {
			data.Held, err = window.Underway(ctx, s.Queue, archive)
		}
		if err == nil {
			data.Fleet, err = s.Queue.Workers(ctx)
		}
		if err == nil {
			data.Hosts, err = s.Store.HostCounts(ctx, mostHosts)
		}
		for d, lost := range s.Store.Dead(ctx) {
			if lost != nil {
				err = lost
			}
			if lost != nil || len(data.Dead) == mostDead {
				break
			}
			data.Dead = append(data.Dead, d)
		}
		if err != nil {
			data.Away = err.Error()
			return s.render(w, http.StatusOK, "fleet", data)
		}
		data.More = st.Jobs.Dead - int64(len(data.Dead))
		data.Tiles = []tile{
			{"to be visited first", st.Jobs.Backlog}, {"due again", st.Jobs.Due}, {"later", st.Jobs.Later}, {"failed for good", st.Jobs.Dead},
			{"hosts with jobs", st.Jobs.Hosts}, {"queued in Redis", st.Queued}, {"under way", st.Leased},
			{"hosts ready", st.ReadyHosts}, {"hosts resting", st.WaitingHosts}, {"in the inbox", st.Inbox}, {"rejected", st.Rejected},
		}
		data.Events = []tile{
			{"moved to Redis", st.Added}, {"jobs started", st.Leases}, {"jobs done", st.Done}, {"failed, retried later", st.Retried},
			{"delayed by host", st.Slowed}, {"postponed: no news expected", st.PutOff}, {"given back unvisited", st.Returned}, {"failed for good", st.Buried},
			{"leases expired", st.Expired}, {"late results discarded", st.TooLate},
		}
	}
	return s.render(w, http.StatusOK, "fleet", data)
}
