package act

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"plat/browser/devtools"
	"plat/browser/driver"
	"plat/browser/steps"
	"plat/browser/tab"
)

// maxBanners bounds the banners answered on a page: some sites have two.
const maxBanners = 3

// bannerTimeout limits the time in which an answered banner must disappear.
const bannerTimeout = 3 * time.Second

// consent answers the banners of known consent managers. A page without a banner costs one query.
// A banner that does not disappear is not a failure: it stays in the capture and is logged.
func (a *Actor) consent(ctx context.Context) error {
	answered := map[int]bool{}
	for i := range maxBanners {
		which, way, err := a.banner(ctx, answered)
		if i == 0 && which < 0 && err == nil {
			which, way, err = a.lateBanner(ctx)
		}
		if err != nil || which < 0 {
			return err
		}
		answered[which] = true
		m := &steps.Consent()[which]
		err = a.answer(ctx, m, m.Answer[way])
		if lost := a.lostOr(ctx, nil); lost != nil {
			return lost
		}
		if err != nil {
			a.o.Log.Warn("a consent banner remains", "url", a.url, "manager", m.Name, "error", short(a.redacted(err.Error())))
			continue
		}
		if err := a.Again(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lateTimeout limits the wait for a banner if the script of a manager is loaded. Many show it only
// after a timer or an animation.
const lateTimeout = 2 * time.Second

// lateBanner waits for a banner if the page has the script of a manager.
func (a *Actor) lateBanner(ctx context.Context) (which, way int, err error) {
	var all []string
	for _, m := range steps.Consent() {
		all = append(all, m.Script)
	}
	text, err := jsonv2.Marshal(strings.Join(all, "|"))
	if err != nil {
		return -1, 0, err
	}
	var there bool
	err = a.elements(ctx, fmt.Sprintf("(() => { const one = new RegExp(%s, 'i'); return [...document.scripts].some((s) => one.test(s.src)) })()", text), &there)
	var refused *devtools.ProtocolError
	if errors.As(err, &refused) || err == nil && !there {
		return -1, 0, nil
	}
	if err != nil {
		return -1, 0, err
	}
	limit, cancel := context.WithTimeoutCause(ctx, lateTimeout, errLimit)
	defer cancel()
	which = -1
	err = a.InRealTime(limit, func(ctx context.Context) error {
		return a.poll(ctx, func() (bool, error) {
			which, way, err = a.banner(ctx, nil)
			return which >= 0, err
		})
	})
	if errors.Is(err, errLimit) {
		return -1, 0, nil
	}
	return which, way, err
}

// banner finds the first manager that shows a banner, and the best way to answer it; -1 if absent.
func (a *Actor) banner(ctx context.Context, answered map[int]bool) (which, way int, err error) {
	type manager struct {
		Frame, Banner []string
		Answer        [][]string
		Done          bool
	}
	var all []manager
	for i, m := range steps.Consent() {
		x := manager{Banner: steps.SplitSelector(m.Banner), Done: answered[i]}
		if m.Frame != "" {
			x.Frame = steps.SplitSelector(m.Frame)
		}
		for _, clicks := range m.Answer {
			x.Answer = append(x.Answer, steps.SplitSelector(clicks[0]))
		}
		all = append(all, x)
	}
	text, err := jsonv2.Marshal(all)
	if err != nil {
		return -1, 0, err
	}
	var found []int
	err = a.elements(ctx, fmt.Sprintf(`(() => {
		const all = %s;
		for (let i = 0; i < all.length; i++) {
			const m = all[i];
			if (m.Done) continue;
			if (m.Frame.length) {
				if (seen(one(m.Frame))) return [i, 0];
				continue;
			}
			if (!seen(one(m.Banner))) continue;
			const way = m.Answer.findIndex((s) => seen(one(s)));
			if (way >= 0) return [i, way];
		}
		return [-1, 0];
	})()`, text), &found)
	var refused *devtools.ProtocolError
	switch {
	case errors.As(err, &refused):
		return -1, 0, nil // it is going elsewhere
	case err != nil:
		return -1, 0, err
	case len(found) != 2 || found[0] >= len(all):
		return -1, 0, nil
	}
	return found[0], found[1], nil
}

// answer clicks one way through a banner, and waits until it is gone.
func (a *Actor) answer(ctx context.Context, m *steps.Manager, way []string) error {
	ctx, cancel := tab.WithLimit(ctx, steps.Timeout, "the consent banner")
	defer cancel()
	driven, release, err := driver.Attach(ctx, a.Tab)
	if err != nil {
		return err
	}
	defer release()
	r := &steps.Rule{File: "consent", Name: m.Name}
	ways := [][]string{way}
	if m.Frame != "" { // in a frame, only a trial finds the way
		ways = m.Answer
	}
	for _, way := range ways {
		var list []steps.Step
		for _, selector := range way {
			list = append(list, steps.Step{Action: steps.Click, Selector: selector, Frame: m.Frame, Timeout: bannerTimeout})
		}
		if err = a.list(driven, r, list, "click", func(string) bool { return false }); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	gone := steps.Step{Action: steps.Wait, Selector: m.Banner, State: steps.Hidden, Timeout: bannerTimeout}
	if m.Frame != "" {
		gone.Selector = m.Frame
	}
	return a.list(driven, r, []steps.Step{gone}, "wait", nil)
}
