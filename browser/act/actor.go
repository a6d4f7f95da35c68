package act

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"plat/browser/devtools"
	"plat/browser/driver"
	"plat/browser/redact"
	"plat/browser/settle"
	"plat/browser/steps"
	"plat/browser/tab"
	"plat/plat"
)

// errLimit is the cause of a step's end at a limit that is not a failure.
var errLimit = errors.New("the limit of a step")

// Options configure the actors of all pages.
type Options struct {
	Secret   func(steps.Ref) (string, error) // resolves references; nil: steps have no secrets
	Evaluate bool                            // steps may run scripts
	Sessions *Sessions                       // sessions shared by all pages
	Log      *slog.Logger                    // logs logins, and banners that remain
}

// Actor performs a plan's steps on a page, and keeps the secrets typed into it out of snapshots,
// messages and pictures. It is for one goroutine at a time.
type Actor struct {
	*settle.Page
	o        Options
	url      string // requested
	plan     steps.Plan
	secrets  []string         // typed into the page; output must not contain them
	redactor *redact.Redactor // of secrets; nil without secrets
	ran      bool             // the plan was carried out
	kept     *kept            // the session's, if the plan has one
	edition  int              // of kept, that this page began with
	script   string           // restores local storage in new documents
	begun    int              // documents begun before the last step that may lead to a new one

	entered map[cdp.FrameID]bool // frames that steps have named
}

// New returns an actor for a page before its navigation to a URL. The plan is not empty.
func New(p *settle.Page, url string, plan steps.Plan, o Options) *Actor {
	return &Actor{Page: p, url: url, plan: plan, o: o, entered: map[cdp.FrameID]bool{}}
}

// Run performs the plan on the page once it has settled, and lets it settle again. Error responses
// and documents other than HTML are left alone: they are not the page that the steps are for.
func (a *Actor) Run(ctx context.Context) error {
	if !a.actable() {
		return nil
	}
	start, settled := time.Now(), a.Timing.Settle
	if a.plan.Session != nil {
		if err := a.logIn(ctx); err != nil {
			return a.lostOr(ctx, err)
		}
		if a.refused() {
			return nil
		}
	}
	a.ran = true
	if a.plan.Consent {
		if err := a.consent(ctx); err != nil {
			return a.lostOr(ctx, err)
		}
	}
	if err := a.follow(ctx); err != nil {
		return a.lostOr(ctx, err)
	}
	a.Timing.Settle = settled + time.Since(start)
	return a.Conceal(ctx)
}

// actable reports whether the loaded document is a page that steps can act on.
func (a *Actor) actable() bool {
	return a.Is(func(s *tab.State) bool {
		if n := s.Status(); n >= 400 && !(a.plan.Session != nil && (n == 401 || n == 403)) {
			return false
		}
		return s.MIME == "" || plat.IsHTML(s.MIME)
	})
}

// refused reports whether the answer is an error.
func (a *Actor) refused() bool { return a.Is(func(s *tab.State) bool { return s.Status() >= 400 }) }

// lostOr returns the reason why the visit cannot continue, or else err, the steps' own error.
func (a *Actor) lostOr(ctx context.Context, err error) error {
	var page *plat.VisitError
	switch {
	case a.Crashed():
		return tab.ErrCrashed
	case !a.Browser.Running():
		return devtools.ErrGone
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case a.Lane.Stats().Capped, errors.As(err, &page):
		return err
	}
	select {
	case <-a.Session.Detached():
		return a.Lost()
	default:
		return err
	}
}

// follow runs the steps of the rules.
func (a *Actor) follow(ctx context.Context) error {
	some := false
	for _, r := range a.plan.Rules {
		some = some || len(r.Steps) > 0
	}
	if !some {
		return nil
	}
	limit, cancel := tab.WithLimit(ctx, steps.Total, "all steps")
	defer cancel()
	driven, release, err := driver.Attach(limit, a.Tab)
	if err != nil {
		return fmt.Errorf("steps: %w", err)
	}
	defer release()
	for _, r := range a.plan.Rules {
		if err := a.list(driven, r, r.Steps, "step", r.Covers); err != nil {
			return a.stepsFailed(ctx, plat.OutcomeStepsFailed, err)
		}
	}
	if err := a.scrollPage(limit, "0"); err != nil {
		if limit.Err() != nil {
			err = a.stepsFailed(ctx, plat.OutcomeStepsFailed, context.Cause(limit))
		}
		return err
	}
	return a.Again(ctx)
}

// stepsFailed returns the error of a page on which a step failed, with a picture of it.
func (a *Actor) stepsFailed(ctx context.Context, o plat.Outcome, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.As(err, new(*focusError)) {
		o = plat.OutcomeFocusTaken
	}
	return &plat.VisitError{Outcome: o, Err: errors.New(a.redacted(err.Error())), Picture: a.lastPicture(ctx)}
}
