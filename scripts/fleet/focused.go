package main

import (
	"context"
	"fmt"
	"time"
)

// focus runs a focused crawl undisturbed, and begins a second one on the same pages.
func (r *chaosRun) focus(ctx context.Context) error {
	if err := r.calm.begin(ctx, r.plat, r.f.uri); err != nil {
		return err
	}
	if err := r.calm.done(ctx, r.f); err != nil {
		return err
	}
	r.note("the undisturbed focused crawl is done")
	return r.fired.begin(ctx, r.plat, r.f.uri)
}

// killSteerer kills the worker that steers the focused crawl.
func (r *chaosRun) killSteerer(context.Context) error {
	w, _ := r.f.steers(r.fired.id)
	if w == nil {
		w = r.victim()
	}
	w.kill()
	r.killedWorkers++
	return w.start()
}

// checkFocused compares the archive with the expected results of the focused crawls, and removes
// their pages from found. wrong is the last difference: killed and restarted, a crawl finds as
// much as undisturbed, within a tenth, as answers come in a different order.
func (r *chaosRun) checkFocused(ctx context.Context, found map[string]*page) (wrong string, err error) {
	for _, c := range []*focusedRun{r.calm, r.fired} {
		what, err := c.check(ctx, r.f, found)
		if err != nil {
			return "", err
		}
		if what != "" {
			wrong = what
		}
	}
	if n, least := r.fired.at(topicalCrawl), r.calm.at(topicalCrawl)*9/10; n < least {
		wrong = fmt.Sprintf("%d of %d pages of the focused crawl belong to the topic, want %d", n, topicalCrawl, least)
	}
	if r.steered < 2 {
		wrong = "the process that asked for the pages of the focused crawl was never replaced"
	}
	return wrong, nil
}

// focusedRudeness adds the impolite requests to the hosts of the focused crawls.
func (r *chaosRun) focusedRudeness() {
	for _, c := range []*focusedRun{r.calm, r.fired} {
		requests, atOnce, tooSoon, closest := c.site.rudeness(func(int) time.Duration { return chaosDelay })
		r.requests, r.atOnce, r.tooSoon, r.closest = r.requests+requests, r.atOnce+atOnce, r.tooSoon+tooSoon, min(r.closest, closest)
	}
}

// harvests says how much the focused crawls have found.
func (r *chaosRun) harvests() string {
	if !r.o.focused {
		return ""
	}
	return fmt.Sprintf("%v (%v), %d", r.fired, r.calm, r.steered)
}
