package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plat/export/draw"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/queue/forecast"
	"plat/queue/schedule"
	"plat/web/api"
	"plat/web/cache"
)

const (
	maxRates   = 10  // blocks of a page whose changes are counted
	maxLatest  = 100 // visits that the API lists with a schedule
	spentDays  = 30
	mostSpent  = 2000 // URLs of a host whose visits are counted: more would take seconds
	spentEvery = time.Minute
)

// past returns the visits of a URL, the earliest first; it must not be modified.
func (s *Server) past(ctx context.Context, st *plat.URLState) ([]forecast.Visit, error) {
	return cache.Remember(ctx, s.cache, fmt.Sprintf("past %d %s", st.Visits, versionsKey(st)), func(all []forecast.Visit) int64 { return 90 * int64(len(all)) },
		func(ctx context.Context) ([]forecast.Visit, error) { return forecast.History(ctx, s.Store, st.URL) })
}

// rates returns the blocks of a URL that change most.
func (s *Server) rates(ctx context.Context, st *plat.URLState) ([]forecast.Block, error) {
	if st.Kept() < 2 {
		return nil, nil
	}
	return cache.Remember(ctx, s.cache, "rates "+versionsKey(st), func(all []forecast.Block) int64 { return 300 * int64(len(all)) },
		func(ctx context.Context) ([]forecast.Block, error) {
			return forecast.Blocks(ctx, s.Store, st.URL, st.Head, maxRates)
		})
}

// outlook returns the forecast for a URL, with its visits.
func (s *Server) outlook(ctx context.Context, st *plat.URLState) (*forecast.Outlook, error) {
	r := forecast.Reader{Archive: s.Store, Now: time.Now().UTC(), Day: s.Day}
	if s.Queue != nil {
		r.Share = s.Queue.Share
	}
	o, err := r.Believe(ctx, st)
	if err != nil && s.Queue != nil { // without Redis, use the parameters of the last visit
		r.Share = nil
		o, err = r.Believe(ctx, st)
	}
	if err != nil {
		return nil, err
	}
	o.Visits, err = s.past(ctx, st)
	o.Counts = forecast.Count(o.Visits)
	return o, err
}

// scheduleInfo is the forecast for a URL, its latest visits, and its blocks.
type scheduleInfo struct {
	*forecast.Outlook
	Blocks []forecast.Block `json:"blocks"`
}

// apiSchedule answers with the next visit of a URL, its reason, and the results of past visits.
func (s *Server) apiSchedule(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u := p.URL()
	if p.Err != nil {
		return p.Err
	}
	st, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	o, err := s.outlook(r.Context(), &st)
	if err != nil {
		return err
	}
	o.Visits = o.Visits[max(0, len(o.Visits)-maxLatest):]
	info := scheduleInfo{Outlook: o, Blocks: []forecast.Block{}}
	if blocks, err := s.rates(r.Context(), &st); err != nil {
		return err
	} else if blocks != nil {
		info.Blocks = blocks
	}
	return reply(w, r, info)
}

// apiSpent answers with the cost of a host's pages in visits, and the results of these.
func (s *Server) apiSpent(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	host := strings.ToLower(p.Text("host", maxText))
	if host == "" {
		p.Fail("the parameter host is missing")
	}
	days := p.Number("days", spentDays, 1, 366)
	if p.Err != nil {
		return p.Err
	}
	spent, err := s.spent(r.Context(), host, days)
	if err != nil {
		return err
	}
	return reply(w, r, struct {
		Host string `json:"host"`
		Days int    `json:"days"`
		forecast.Spent
	}{host, days, spent})
}

// spent counts the visits of the last days on a host; at most spentEvery ago.
func (s *Server) spent(ctx context.Context, host string, days int) (forecast.Spent, error) {
	now := time.Now().Truncate(spentEvery)
	return cache.Remember(ctx, s.cache, fmt.Sprintf("spent %d %d %s", days, now.Unix(), host), func(forecast.Spent) int64 { return 200 },
		func(ctx context.Context) (forecast.Spent, error) {
			return forecast.SpentOn(ctx, s.Store, host, now.AddDate(0, 0, -days), mostSpent)
		})
}

// spentPart is the section on visits of the page of a host.
type spentPart struct {
	forecast.Spent
	Days int
}

// Parts returns the visits by result, including results without visits.
func (s spentPart) Parts() []spentOn {
	x := 0.0
	var all []spentOn
	for i, n := range []int{s.First + s.News, s.Nothing, s.Failed} {
		share := 100 * float64(n) / float64(max(1, s.Visits))
		all = append(all, spentOn{lanes[i].class, lanes[i].name, n, x, share})
		x += share
	}
	return all
}

// spentOn is a part of a bar of visits; X and W are percent.
type spentOn struct {
	Class, Name string
	N           int
	X, W        float64
}

// schedulePart is the section on past and future visits of the page of a URL.
type schedulePart struct {
	Policy  string
	Every   string // from change to change
	Chance  string
	Next    time.Time // since when it is due, if it is Overdue
	Overdue bool
	Dead    time.Time
	Why     string
	Picture *draw.Visits
	Blocks  []blockRate
	Compare int // versions that Blocks looks at
	Sources []sourceRow
}

// sourceRow is a source of signals, with percentages: of the changes that it announced, and of
// its announcements that were wrong.
type sourceRow struct {
	Name         string
	Right, Wrong int
}

// blockRate is a block in the list of those that change most.
type blockRate struct {
	forecast.Block
	Heading string
	Words   string // how often
}

// lanes are the kinds of results in pictures of visits; the first versions are with the news.
var lanes = []struct{ class, name string }{{"found-news", "news"}, {"found-nothing", "nothing new"}, {"found-failed", "failed"}}

var laneOf = map[forecast.Result]int{forecast.First: 0, forecast.News: 0, forecast.Nothing: 1, forecast.Failed: 2}

// schedulePart describes when a URL is visited again.
func (s *Server) schedulePart(ctx context.Context, st *plat.URLState) (*schedulePart, error) {
	o, err := s.outlook(ctx, st)
	if err != nil {
		return nil, err
	}
	blocks, err := s.rates(ctx, st)
	if err != nil {
		return nil, err
	}
	p := &schedulePart{Policy: cmp.Or(o.Schedule(), "none"), Next: o.Next, Dead: st.Dead, Compare: min(st.Kept(), forecast.MaxVersions+1)}
	if o.Why != "" {
		p.Why = strings.ToUpper(o.Why[:1]) + o.Why[1:] + "."
	}
	if !o.Due.IsZero() && !o.Next.After(time.Now()) {
		p.Next, p.Overdue = o.Due, true
	}
	if o.ChangesEvery > 0 {
		p.Every, p.Chance = schedule.About(o.ChangesEvery), fmt.Sprintf("%.0f %%", 100*o.Chance)
	}
	for _, x := range blocks {
		heading := cmp.Or(excerpt.Line(x.Topic, 80), string(x.Label), "block")
		p.Blocks = append(p.Blocks, blockRate{x, heading, schedule.About(x.Every)})
	}
	for _, x := range o.Sources {
		p.Sources = append(p.Sources, sourceRow{x.Source, int(100*x.Recall + 0.5), int(100*x.False + 0.5)})
	}
	if len(o.Visits) > 0 {
		p.Picture = visitsPicture(st.URL, o.Visits, o.Next)
	}
	return p, nil
}

func visitsPicture(u string, past []forecast.Visit, next time.Time) *draw.Visits {
	var all []draw.Lane
	for _, l := range lanes {
		all = append(all, draw.Lane{Class: l.class, Name: l.name})
	}
	marks := make([]draw.VisitMark, len(past))
	for i, v := range past {
		marks[i] = draw.VisitMark{Time: v.Time, Lane: laneOf[v.Result], Name: string(v.Outcome)}
		if v.Stored {
			marks[i].Name += ", version " + strconv.Itoa(v.Version)
			marks[i].Href = link("/version", "url", u, "version", strconv.Itoa(v.Version))
		}
	}
	return draw.NewVisits(marks, all, time.Now(), next)
}
