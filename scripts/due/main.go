// Due measures the cost of a budget that very many URLs share: an archive in SQLite, a real
// Redis, and workers whose visits take no time, but do all the work of planning. A day is short,
// and from the middle on pages change three times as often, so that the threshold moves.
//
//	go run ./scripts/due                          a million URLs; the archive is built first, some minutes
//	go run ./scripts/due -policy fixed            the same visits at fixed intervals, to compare with
//	go run ./scripts/due -urls 1e5 -hosts 1e3 -for 1m
//
// It listens on 127.0.0.1, and needs an idle machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/redistest"
	"plat/queue/schedule"
	"plat/storage/sqlite"
)

// options are the size of the archive and of the run.
type options struct {
	urls, hosts int
	perPage     float64 // days from one visit of a page to the next, on average
	day, lasts  time.Duration
	warm        time.Duration
	policy      string
	workers     int
	dir         string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "due:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	urls, hosts := flag.Float64("urls", 1e6, "URLs"), flag.Float64("hosts", 1e4, "hosts of these URLs")
	flag.Float64Var(&o.perPage, "per-page", 20, "days of the budget from one visit of a page to the next")
	flag.DurationVar(&o.day, "day", 2*time.Minute, "how long a day lasts")
	flag.DurationVar(&o.lasts, "for", 10*time.Minute, "how long")
	flag.DurationVar(&o.warm, "warm", 5*time.Minute, "how long before; only its visits are counted")
	flag.StringVar(&o.policy, "policy", schedule.Default, "of the budget; fixed: intervals instead")
	flag.IntVar(&o.workers, "workers", 4, "that visit at the same time")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "work folder")
	flag.Parse()
	o.urls, o.hosts = int(*urls), int(*hosts)
	if o.urls < 1 || o.hosts < 1 || o.hosts > o.urls {
		return errors.New("write at least as many -urls as -hosts, and at least 1")
	}
	var err error
	if o.dir, err = os.MkdirTemp(o.dir, "plat-due-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	store, err := sqlite.Open(filepath.Join(o.dir, "due.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	w := &world{options: &o}
	if err := w.fill(ctx, store); err != nil {
		return err
	}
	redis, err := redistest.New(o.dir)
	if err != nil {
		return err
	}
	defer redis.Kill()
	q, err := queue.Open(ctx, queue.Options{URL: redis.URL()})
	if err != nil {
		return err
	}
	defer q.Close()
	if _, err := q.Begin(ctx, 0); err != nil {
		return err
	}
	c := newCrew(w, store, q, redis)
	defer c.start(ctx)()
	return c.watch(ctx)
}

// plan is that of all URLs.
func (o *options) plan() plat.Plan {
	if o.policy == "fixed" {
		return plat.Plan{Schedule: plat.Schedule{Every: o.interval()}}
	}
	return plat.Plan{Schedule: plat.Schedule{Policy: o.policy, Budget: strconv.FormatFloat(o.perDay(), 'f', -1, 64) + "/day"}}
}

// interval returns the mean time between visits of a page.
func (o *options) interval() time.Duration { return time.Duration(o.perPage * float64(o.day)) }

// perDay returns the number of visits of a day.
func (o *options) perDay() float64 { return float64(o.urls) / o.perPage }
