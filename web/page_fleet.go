package web

import (
	"net/http"

	"plat/queue"
)

// tile is one number with its caption.
type tile struct {
	Name string
	N    int64
}

// mostDead is the maximum number of failed URLs on the page.
const mostDead = 100

// showFleet shows the crawl queue: waiting and running jobs, hosts, and failed
// URLs.
func (s *Server) showFleet(w http.ResponseWriter, r *http.Request, _ *params) error {
	ctx := r.Context()
	data := struct {
		page
		None   bool
		Away   string // why the queue cannot be read
		Ready  string // why the workers are not ready; empty if they are
		Tiles  []tile
		Events []tile
		Held   []queue.Held
		Dead   []queue.DeadLetter
		More   int // failed URLs not shown
	}{page: s.page("Fleet", "fleet"), None: s.Queue == nil}
	if s.Ready != nil {
		if err := s.Ready(); err != nil {
			data.Ready = err.Error()
		}
	}
	if s.Queue != nil {
		st, err := s.Queue.Stats(ctx)
		if err == nil {
			data.Held, err = s.Queue.Held(ctx)
		}
		if err == nil {
			data.Dead, err = s.Queue.Dead(ctx)
		}
		if err != nil {
			data.Away = err.Error()
		}
		if len(data.Dead) > mostDead {
			data.Dead, data.More = data.Dead[:mostDead], len(data.Dead)-mostDead
		}
		data.Tiles = []tile{
			{"URLs known", st.Known}, {"queued", st.Queued}, {"later", st.Later}, {"under way", st.Leased}, {"failed for good", st.Dead},
			{"hosts ready", st.ReadyHosts}, {"hosts resting", st.WaitingHosts}, {"in the inbox", st.Inbox}, {"rejected", st.Rejected},
		}
		data.Events = []tile{
			{"URLs added", st.Added}, {"jobs started", st.Leases}, {"jobs done", st.Done}, {"failed, put off", st.Retried},
			{"delayed by host", st.Slowed}, {"given back unvisited", st.Returned}, {"failed for good", st.Buried},
			{"workers not heard of again", st.Expired}, {"late results discarded", st.TooLate},
		}
	}
	return s.render(w, http.StatusOK, "fleet", data)
}
