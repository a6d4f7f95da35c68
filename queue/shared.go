package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"plat/plat"
	"plat/queue/schedule"
)

// Share adds the contribution of a visit to the data that the pages of its budget and of its site
// share, and returns that data; with the zero Learned it only reads. Data that Redis has lost is
// replaced by the budget as this process saw it last, and by v.Memory, which is of the URL's last
// visit. It returns nil if the URL has no budget. So a loss of Redis loses only the contributions
// since then.
func (q *Queue) Share(ctx context.Context, v *schedule.Visit, l schedule.Learned) (*schedule.Shared, error) {
	s := v.State.Schedule
	host := plat.HostOf(v.State.URL)
	pool := schedule.Pool(s, host)
	if pool == "" {
		return nil, nil
	}
	b, err := schedule.ParseBudget(s.Budget)
	if err != nil {
		return nil, err
	}
	shard := q.ShardOf(host)
	of := 0 // a fleet's budget is kept in one place
	if b.Host {
		of = shard
	}
	x := sharing{
		q: q, was: schedule.Remembered(v.Memory, pool), rate: b.Visits / float64(v.Length().Milliseconds()),
		budget: q.tag(of) + "budget:" + pool, site: q.tag(shard) + "site:" + host,
	}
	var all *schedule.Shared
	if l == (schedule.Learned{}) {
		all, err = x.read(ctx)
	} else {
		all, err = x.add(ctx, &l)
	}
	if err != nil {
		return nil, fmt.Errorf("the shared data of %s: %w", v.State.URL, err)
	}
	return all, nil
}

// tag returns the beginning of the names of a shard's keys.
func (q *Queue) tag(shard int) string {
	return "{" + q.o.Prefix + ":" + strconv.Itoa(shard) + "}:"
}

// sharing identifies the shared data of a URL.
type sharing struct {
	q            *Queue
	was          schedule.Shared // at its last visit
	rate         float64         // visits that the budget allows per millisecond
	budget, site string          // keys
}

// add adds a contribution to the shared data, and returns the result.
func (x *sharing) add(ctx context.Context, l *schedule.Learned) (*schedule.Shared, error) {
	args := []any{text(x.rate), text(l.Visits), text(l.Pages), 1 + rand.Uint32N(math.MaxUint32)}
	for _, was := range []tally{x.q.tallies.of(x.budget), tallyOf(&x.was)} {
		args = append(args, text(was.pages), text(was.offset), was.epoch, text(was.counted))
	}
	words, err := budgetScript.Run(ctx, x.q.rdb, []string{x.budget}, args...).StringSlice()
	budget, err := numbers(5, words, err)
	if err != nil {
		return nil, err
	}
	all := &schedule.Shared{Steering: schedule.Steering{Pages: budget[0], Beyond: budget[1], Offset: budget[2]}, Epoch: uint32(budget[3]), Counted: budget[4]}
	x.q.tallies.set(x.budget, tallyOf(all))
	args = []any{schedule.SiteDays + 1}
	for _, all := range [][schedule.SiteNumbers]float64{l.Site, x.was.Site()} {
		for _, n := range all {
			args = append(args, text(n))
		}
	}
	words, err = siteScript.Run(ctx, x.q.rdb, []string{x.site}, args...).StringSlice()
	site, err := numbers(len(l.Site), words, err)
	if err != nil {
		return nil, err
	}
	all.SetSite([schedule.SiteNumbers]float64(site))
	return all, nil
}

// read reads the shared data. Commands are cheaper than a script, above all in the in-process
// Redis, and a visit reads several times.
func (x *sharing) read(ctx context.Context) (*schedule.Shared, error) {
	all, last := x.was, x.q.tallies.of(x.budget)
	if last.pages > all.Pages { // used if Redis has no data
		last.into(&all)
	}
	all.Beyond = 0
	pipe := x.q.rdb.Pipeline()
	budget := pipe.HMGet(ctx, x.budget, "pages", "beyond", "offset", "at", "known", "epoch", "sum", fmt.Sprint("life:", x.was.Epoch), fmt.Sprint("life:", last.epoch))
	site, at := pipe.Get(ctx, x.site), pipe.Time(ctx)
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if err := at.Err(); err != nil {
		return nil, err
	}
	if fields := budget.Val(); len(fields) == 9 && fields[3] != nil {
		if fields[4] == nil { // of an older version
			fields[4] = fields[0]
		}
		var words []string
		for _, f := range fields {
			words = append(words, fmt.Sprint(cmp.Or(f, any("0"))))
		}
		n, err := numbers(9, words, nil)
		if err != nil {
			return nil, err
		}
		now := tally{n[0], n[2], n[0] - n[4], uint32(n[5])}
		most := now.recall(tallyOf(&x.was), n[6], n[7])
		if other := now.recall(last, n[6], n[8]); other.pages > most.pages {
			most = other
		}
		most.into(&all)
		all.Beyond = n[1]
		all.Earned(x.rate * (float64(at.Val().UnixMicro())/1000 - n[3]))
	}
	if words := strings.Fields(site.Val()); len(words) > 0 {
		n, err := numbers(schedule.SiteNumbers, words, nil)
		if err != nil {
			return nil, err
		}
		if all.Days <= restored*n[schedule.SiteDays] {
			all.SetSite([schedule.SiteNumbers]float64(n))
		}
	}
	return &all, nil
}

// restored is the factor by which the remembered days of a site must exceed those in Redis to
// replace its data, which is then taken to be lost; see lua/site.lua.
const restored = 2.5

// text returns a number without an exponent, which the in-process Redis does not read.
func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// numbers parses so many.
func numbers(n int, words []string, err error) ([]float64, error) {
	if err == nil && len(words) != n {
		err = fmt.Errorf("%d numbers, not %d", len(words), n)
	}
	if err != nil {
		return nil, err
	}
	all := make([]float64, n)
	for i, s := range words {
		if all[i], err = strconv.ParseFloat(s, 64); err != nil {
			return nil, err
		}
	}
	return all, nil
}
