package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/queue/redistest"
	"plat/storage"
)

// knownOptions set the size of the archive and of the crawl.
type knownOptions struct {
	archive        knownArchive
	store, uri     string
	dir            string
	window         int
	workers        int
	lasts, every   time.Duration
	ttl            time.Duration
	rounds, small  int
	json, justFill bool
}

// Goals of the measurement.
const (
	goalRate   = 20_000 // lease and ack a second
	goalBack   = 10.0   // s
	goalFirst  = 3.0    // s
	goalGrowth = 1.1    // of Redis' memory, from the first row with a full window
)

// known is long because it has many flags.
func known(ctx context.Context, args []string) error {
	var o knownOptions
	flags := newFlags("known", "", "-urls 1e5 -hosts 1e3 -for 10s -ttl 3s", "-urls 1e7 -fill", "-store mongo -urls 1e6 -hosts 1e4", "-store mongo -uri mongodb://127.0.0.1:27017 -urls 1e6 -json")
	urls := flags.String("urls", "1e7", "URLs that the archive knows")
	hosts := flags.String("hosts", "1e5", "hosts of these URLs; a tenth of the URLs at most")
	flags.StringVar(&o.store, "store", "sqlite", "sqlite, or mongo: MongoDB's wire, by the server of the tests unless -uri names one")
	flags.StringVar(&o.uri, "uri", "", "of a MongoDB server")
	flags.Float64Var(&o.archive.ShareDue, "share-due", 0.1, "share of the URLs that are to be visited now; all others were visited and have a visit in 30 days")
	flags.Float64Var(&o.archive.ShareFresh, "share-fresh", 0.5, "share of those that are due: never visited")
	flags.StringVar(&o.dir, "dir", filepath.Join(os.TempDir(), "plat-frontier-known"), "work folder: archives are kept there and used again")
	flags.BoolVar(&o.justFill, "fill", false, "only build the archive, or go on building it")
	flags.IntVar(&o.window, "window", 0, "URLs in the window, 0: the default of a Redis without maxmemory")
	flags.IntVar(&o.workers, "workers", 64, "that lease and settle at the same time, without a pause")
	flags.DurationVar(&o.lasts, "for", 30*time.Second, "length of each part of the crawl")
	flags.DurationVar(&o.ttl, "ttl", 30*time.Second, "of leases")
	flags.IntVar(&o.rounds, "rounds", 5, "of lease and ack on a full window")
	flags.IntVar(&o.small, "small", 10_000, "URLs of a small archive, all due, to compare lease+ack with, 0: none")
	flags.BoolVar(&o.json, "json", false, "print one JSON document for each archive")
	flags.Parse(args)
	var err error
	if o.archive.URLs, err = number("urls", *urls); err != nil {
		return err
	}
	if o.archive.Hosts, err = number("hosts", *hosts); err != nil {
		return err
	}
	if o.store != "sqlite" && o.store != "mongo" {
		return fmt.Errorf("-store %s: write sqlite or mongo", o.store)
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	o.every = max(o.lasts/10, time.Second)
	sizes := []int{o.archive.URLs}
	if o.small > 0 && o.small < o.archive.URLs && !o.justFill {
		sizes = []int{o.small, o.archive.URLs}
	}
	var all []*knownResult
	for _, n := range sizes {
		a := o.archive
		a.URLs, a.Hosts = n, max(1, min(a.Hosts, n/10))
		if n < o.archive.URLs {
			a.ShareDue = 1 // for a window of some size
		}
		r, err := o.measure(ctx, a)
		if err != nil {
			return fmt.Errorf("%d URLs: %w", n, err)
		}
		all = append(all, r)
	}
	if o.json || o.justFill {
		return nil
	}
	return conclude(all)
}

// number reads a number such as 1e7 or 10_000.
func number(name, text string) (int, error) {
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || x < 1 || x > 1e9 || x != float64(int(x)) {
		return 0, fmt.Errorf("-%s %s: write a number such as 100000 or 1e5", name, text)
	}
	return int(x), nil
}

// A knownResult is the result for an archive.
type knownResult struct {
	Store string `json:"store"`
	knownArchive
	Counts   storage.JobCounts `json:"jobs"`
	Bytes    float64           `json:"bytes_per_url"`
	BuiltPer float64           `json:"built_urls_per_s"`

	First  float64 `json:"first_lease_s"` // on a fresh Redis, without earlier workers
	Filled float64 `json:"filled_s"`      // until the window is as full as it becomes
	Window int     `json:"window"`

	Curve   []knownRow `json:"curve"`         // workers and loader, the queue alone
	Written []knownRow `json:"curve_written"` // with the archive's write
	Twice   int64      `json:"settled_twice"` // refused by the archive

	// Lease and ack, a full window and nothing else.
	Rate     float64 `json:"lease_ack_per_s"` // median of the rounds
	RedisUS  float64 `json:"redis_us"`        // CPU time for each
	ClientUS float64 `json:"client_us"`

	Lost struct {
		Before float64 `json:"per_s_before"`
		Held   float64 `json:"held_s"`         // until the previous leases have ended
		First  float64 `json:"first_lease_s"`  // after that
		Back   float64 `json:"full_rate_s"`    // after that
		Leases int64   `json:"leases_refused"` // settlements of previous leases

		Curve []knownRow `json:"curve"`
	} `json:"redis_emptied"`
	Again float64 `json:"first_lease_again_s"` // on a second fresh Redis, at the end
}

func (o *knownOptions) say(format string, args ...any) {
	if !o.json {
		fmt.Printf(format, args...)
	}
}

// measure is long because its steps follow each other.
func (o *knownOptions) measure(ctx context.Context, a knownArchive) (*knownResult, error) {
	r := &knownResult{Store: o.store, knownArchive: a}
	s, end, err := o.open(ctx, &a)
	if err != nil {
		return nil, err
	}
	defer end()
	defer s.Close()
	if err := o.build(ctx, s, r); err != nil || o.justFill {
		return r, err
	}
	dir, err := os.MkdirTemp(o.dir, "redis-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	redis, err := redistest.New(dir, "--appendonly", "no")
	if err != nil {
		return nil, err
	}
	defer func() { redis.Kill() }()
	if err := o.forget(ctx, s); err != nil {
		return nil, err
	}
	c, err := newKnownCrew(ctx, o, s, redis)
	if err != nil {
		return nil, err
	}
	defer func() { c.close() }()
	r.Window = c.queue.Size()
	steps := []func(context.Context, *knownCrew, *knownResult) error{o.begin, o.curves, o.emptied}
	if a.URLs < o.archive.URLs {
		steps = steps[:1]
	}
	for _, step := range steps {
		if err := step(ctx, c, r); err != nil {
			return r, err
		}
	}
	c.close()
	if err := o.rates(ctx, s, redis, r); err != nil {
		return r, err
	}
	redis.Kill()
	if err := redis.Restart(); err != nil { // it keeps nothing
		return r, err
	}
	if c, err = newKnownCrew(ctx, o, s, redis); err != nil {
		return r, err
	}
	if r.Again, err = c.first(ctx); err != nil {
		return r, err
	}
	o.say("a fresh Redis once more, first lease after %.2f s\n\n", r.Again)
	if o.json {
		return r, json.NewEncoder(os.Stdout).Encode(r)
	}
	return r, nil
}

// build builds the archive.
func (o *knownOptions) build(ctx context.Context, s knownStore, r *knownResult) error {
	said, began, from := time.Now(), time.Now(), -1
	b, err := r.fill(ctx, s, func(done int) {
		if from < 0 {
			from = done
		}
		if time.Since(said) > 10*time.Second && !o.json {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "%d of %d URLs, %.0f a second\n", done, r.URLs, float64(done-from)/time.Since(began).Seconds())
		}
	})
	if err != nil {
		return fmt.Errorf("build the archive: %w", err)
	}
	size, err := s.Size(ctx)
	if err != nil {
		return err
	}
	if r.Counts, err = s.Counts(ctx, time.Now()); err != nil {
		return err
	}
	r.Bytes, r.BuiltPer = float64(size-b.Bytes)/float64(r.URLs), float64(r.URLs)/b.Spent.Seconds()
	o.say("%s: %d known URLs over %d hosts: %d never visited, %d due, %d later\n", o.store, r.URLs, r.Hosts, r.Counts.Backlog, r.Counts.Due, r.Counts.Later)
	how := "built"
	if from < 0 {
		how = "was built"
	}
	o.say("%s in %.0f s, %.0f URLs a second, %.0f bytes each (%.2f GB)\n", how, b.Spent.Seconds(), r.BuiltPer, r.Bytes, float64(size)/1e9)
	return nil
}

// forget removes notes of workers of an interrupted run: no worker holds a lease.
func (o *knownOptions) forget(ctx context.Context, s knownStore) error {
	notes, err := s.Notes(ctx, "leases/")
	if err != nil {
		return err
	}
	for name := range notes {
		if err := s.SetNote(ctx, name, ""); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until something is so.
func (c *knownCrew) wait(ctx context.Context, limit time.Duration, is func() (bool, error)) error {
	for end := time.Now().Add(limit); ; {
		if ok, err := is(); ok || err != nil {
			return err
		}
		select {
		case err := <-c.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Now().After(end) {
			return fmt.Errorf("nothing after %v", limit)
		}
	}
}

// first waits for the first lease, and returns the time since the crew started.
func (c *knownCrew) first(ctx context.Context) (float64, error) {
	err := c.wait(ctx, 2*time.Minute, func() (bool, error) { return c.firstAt.Load() != 0, nil })
	return time.Unix(0, c.firstAt.Load()).Sub(c.began).Seconds(), err
}

func (o *knownOptions) begin(ctx context.Context, c *knownCrew, r *knownResult) (err error) {
	r.First, err = c.first(ctx)
	o.say("fresh Redis, no worker before: first lease after %.2f s; window of at most %d URLs\n", r.First, r.Window)
	return err
}

const knownHead = "%9s %11s %9s %9s %9s %9s %10s %10s\n"

func (o *knownOptions) head(what string) {
	o.say("%s\n"+knownHead, what, "s", "settled", "jobs/s", "Redis MB", "queued", "hosts", "Redis CPU", "own CPU")
}

func (o *knownOptions) print(x *knownRow) {
	o.say("%9.1f %11d %9.0f %9d %9d %9d %9.0f%% %9.0f%%\n", x.At, x.Settled, x.Rate, x.Memory, x.Queued, x.Hosts, 100*x.Redis, 100*x.Client)
}

// curve prints how a crawl goes.
func (o *knownOptions) curve(ctx context.Context, c *knownCrew) (all []knownRow, err error) {
	before, err := c.row(ctx, nil)
	for end := time.Now().Add(o.lasts); err == nil && time.Now().Before(end); {
		pause(ctx, o.every)
		var x knownRow
		if x, err = c.row(ctx, &before); err != nil {
			break
		}
		o.print(&x)
		all, before = append(all, x), x
	}
	return all, errors.Join(err, context.Cause(ctx))
}

func (o *knownOptions) curves(ctx context.Context, c *knownCrew, r *knownResult) (err error) {
	o.head("workers and loader; visits are not written to the archive:")
	if r.Curve, err = o.curve(ctx, c); err != nil {
		return err
	}
	o.head("the same; visits are written:")
	c.write.Store(true)
	r.Written, err = o.curve(ctx, c)
	c.write.Store(false)
	r.Twice = c.twice.Load()
	return err
}

// rateOver is the rate of settlements over a time.
func (c *knownCrew) rateOver(ctx context.Context, d time.Duration) float64 {
	n, began := c.settled.Load(), time.Now()
	pause(ctx, d)
	return float64(c.settled.Load()-n) / time.Since(began).Seconds()
}

// emptied empties Redis in the middle of the crawl.
func (o *knownOptions) emptied(ctx context.Context, c *knownCrew, r *knownResult) error {
	// The full rate is the one that loader and workers sustain, not that of a full window.
	var rates []float64
	for begun := time.Now(); time.Since(begun) < max(o.lasts, 5*time.Second) && ctx.Err() == nil; {
		rates = append(rates, c.rateOver(ctx, 500*time.Millisecond))
	}
	slices.Sort(rates)
	r.Lost.Before = rates[len(rates)/2]
	lost := c.lost.Load()
	c.holdEnd.Store(0)
	at := time.Now()
	if err := c.redis.Do(ctx, "FLUSHALL"); err != nil {
		return err
	}
	if err := c.wait(ctx, 2*time.Minute, func() (bool, error) { return c.holdEnd.Load() != 0, nil }); err != nil {
		return err
	}
	held := time.Unix(0, c.holdEnd.Load())
	r.Lost.Held = held.Sub(at).Seconds()
	o.say("Redis is emptied at %.0f jobs/s; leases of before end after %.1f s\n", r.Lost.Before, r.Lost.Held)
	if err := c.wait(ctx, o.ttl*3+time.Minute, func() (bool, error) { return c.firstAt.Load() != 0, nil }); err != nil {
		return err
	}
	r.Lost.First = time.Unix(0, c.firstAt.Load()).Sub(held).Seconds()
	o.head("after that:")
	before, err := c.row(ctx, nil)
	if err != nil {
		return err
	}
	err = c.wait(ctx, time.Minute, func() (bool, error) {
		pause(ctx, 500*time.Millisecond)
		x, err := c.row(ctx, &before)
		if err != nil {
			return false, err
		}
		o.print(&x)
		r.Lost.Curve = append(r.Lost.Curve, x)
		if x.Rate < 0.9*r.Lost.Before {
			before = x
			return false, nil
		}
		r.Lost.Back = before.time.Sub(held).Seconds()
		return true, nil
	})
	r.Lost.Leases = c.lost.Load() - lost
	o.say("first lease %.2f s after that, 90 %% of the rate of before %.2f s after it; %d late settlements were refused\n", r.Lost.First, r.Lost.Back, r.Lost.Leases)
	return err
}

// rates measures lease and ack alone: the loader fills the window and is stopped, then
// the workers take half of it.
func (o *knownOptions) rates(ctx context.Context, s knownStore, redis *redistest.Server, r *knownResult) error {
	var rates, ofRedis, ofClient []float64
	for range o.rounds {
		if err := redis.Do(ctx, "FLUSHALL"); err != nil {
			return err
		}
		few := *o
		few.workers = 0
		c, err := newKnownCrew(ctx, &few, s, redis)
		if err != nil {
			return err
		}
		rate, x, y, err := o.round(ctx, c, r)
		c.close()
		if err != nil {
			return err
		}
		rates, ofRedis, ofClient = append(rates, rate), append(ofRedis, x), append(ofClient, y)
	}
	median := func(all []float64) float64 { slices.Sort(all); return all[len(all)/2] }
	r.Rate, r.RedisUS, r.ClientUS = median(rates), median(ofRedis), median(ofClient)
	o.say("lease+ack alone, half of a full window, median of %d rounds: %.0f/s (%.0f to %.0f); CPU for each: Redis %.0f µs, client %.0f µs\n",
		len(rates), r.Rate, rates[0], rates[len(rates)-1], r.RedisUS, r.ClientUS)
	limit := "the one thread of Redis"
	if r.ClientUS > r.RedisUS {
		limit = "the client"
	}
	o.say("the window was full after %.1f s; what limits lease+ack is %s: at most %.0f/s by its CPU time, with a core of its own\n", r.Filled, limit, 1e6/max(r.RedisUS, r.ClientUS))
	return nil
}

// restTime is the time for the archive's server to finish the loader's queries.
const restTime = 3 * time.Second

// round fills a window and takes half of it. It returns jobs a second and µs of CPU
// for each.
func (o *knownOptions) round(ctx context.Context, c *knownCrew, r *knownResult) (rate, redis, client float64, err error) {
	c.begin(ctx)
	last, since := int64(-1), time.Now()
	err = c.wait(ctx, 5*time.Minute, func() (bool, error) {
		s, err := c.queue.Stats(ctx)
		if s.Queued != last {
			last, since = s.Queued, time.Now()
		}
		pause(ctx, 50*time.Millisecond)
		return s.Queued >= s.Size || time.Since(since) > 3*time.Second, err
	})
	if err != nil {
		return 0, 0, 0, err
	}
	r.Filled = since.Sub(c.began).Seconds()
	c.loads()
	<-c.loaded
	pause(ctx, restTime)
	if last < 100 {
		return 0, 0, 0, fmt.Errorf("only %d URLs are in the window; -share-due is too small, or a run before has visited them: remove %s", last, o.dir)
	}
	fromRedis, fromClient, err := c.cpu(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	began := time.Now()
	if err := c.take(ctx, o.workers, last/2); err != nil {
		return 0, 0, 0, err
	}
	took := time.Since(began).Seconds()
	toRedis, toClient, err := c.cpu(ctx)
	n := float64(last / 2)
	return n / took, (toRedis - fromRedis) / n * 1e6, (toClient - fromClient) / n * 1e6, err
}

// conclude compares archives with the goals and with each other.
func conclude(all []*knownResult) error {
	last := all[len(all)-1]
	var failed []string
	check := func(ok bool, format string, args ...any) {
		verdict := "ok    "
		if !ok {
			verdict = "MISSED"
			failed = append(failed, fmt.Sprintf(format, args...))
		}
		fmt.Printf("%s  %s\n", verdict, fmt.Sprintf(format, args...))
	}
	growth, low, high := 1.0, int64(0), int64(0)
	for _, x := range slices.Concat(last.Curve, last.Written) {
		if x.Queued*100 >= int64(last.Window)*97 && low == 0 {
			low = max(1, x.Memory)
		}
		high = max(high, x.Memory)
	}
	if low > 0 {
		growth = float64(high) / float64(low)
	}
	check(growth <= goalGrowth, "Redis' memory: at most %d MB, %.2f times that when the window was full first", high, growth)
	check(last.Rate >= goalRate, "lease+ack %.0f/s, goal %d", last.Rate, goalRate)
	if len(all) > 1 {
		// By CPU time, as other processes may use the machine; the larger window is a few steps deeper.
		check(last.RedisUS <= 1.25*all[0].RedisUS, "lease+ack with %d URLs known: %.2f times Redis' CPU time, and %.2f of the rate, of that with %d", last.URLs,
			last.RedisUS/all[0].RedisUS, last.Rate/all[0].Rate, all[0].URLs)
	}
	check(last.Lost.Back <= goalBack, "Redis emptied: back to the full rate %.1f s after leases of before have ended, goal %.0f s", last.Lost.Back, goalBack)
	check(max(last.First, last.Again) <= goalFirst, "fresh Redis: first lease after %.2f s and %.2f s, goal %.0f s", last.First, last.Again, goalFirst)
	if len(failed) > 0 {
		return fmt.Errorf("%d goals are missed", len(failed))
	}
	return nil
}
