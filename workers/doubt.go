package workers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plat/plat"
	"plat/workers/softerror"
)

// without begins what is noted of a style sheet or script that failed.
const without = "without"

// mostDoubt is for how many times the time to confirm an answer a page may be anything else
// than itself, each time another.
const mostDoubt = 3

// doubt fails a visit whose answer is hardly the page, unless it was so before, a while ago:
// then it has become the page. That hardly anything is left of it, it may do by itself; see
// doubtAll.
func (w *Worker) doubt(a *attempt, f *found) error {
	if w.opt.ConfirmAfter <= 0 {
		return nil
	}
	failed := ""
	if f.last.version != nil {
		failed = softerror.Failed(f.snap)
	}
	f.shared = w.answers.Of(a.URL, f.last.version, f.now.page.Blocks, f.now.changes.Blocks, f.snap, w.fleetTime(w.now()))
	a.judged, a.doubt = true, ""
	if failed != "" {
		a.doubt = without + " " + plat.HashOf([]byte(failed)).String()[:16]
	}
	if a.doubt == a.memory.Doubt {
		failed = "" // it stays away
	}
	sign := w.sign(f, failed)
	if sign.Outcome == plat.OutcomeReplaced {
		return nil
	}
	return w.believe(a, sign)
}

// doubtAll fails a visit of whose page hardly anything is left but what it changes by itself.
func (w *Worker) doubtAll(a *attempt, f *found) error {
	if !a.judged {
		return nil
	}
	sign := w.sign(f, "")
	if sign.Outcome != plat.OutcomeReplaced {
		return nil
	}
	return w.believe(a, sign)
}

func (w *Worker) sign(f *found, failed string) softerror.Sign {
	if !f.now.differs || f.now.itself {
		return softerror.Sign{}
	}
	if f.last.version != nil {
		if sign := softerror.Of(f.last.version, f.now.page.Blocks, f.now.changes.Blocks, f.snap, failed); sign.Outcome != "" {
			return sign
		}
	}
	return f.shared
}

// believe fails a visit for what its answer seems to be, unless that has stayed so.
func (w *Worker) believe(a *attempt, sign softerror.Sign) error {
	if sign.Outcome == "" {
		return nil
	}
	// It has become the page if the same came for long enough, for a schedule may bring it a
	// little early, or anything but the page for longer.
	now := w.fleetTime(w.now())
	since, long := now, mostDoubt*w.opt.ConfirmAfter
	if was, at, ok := strings.Cut(a.memory.Doubt, " "); ok && was != without {
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil && sec <= now.Unix() {
			since = time.Unix(sec, 0)
		}
		if was == string(sign.Outcome) {
			long = w.opt.ConfirmAfter * 9 / 10
		}
	}
	if now.Sub(since) >= long && since.Before(now) {
		return nil
	}
	a.doubt, a.soon = fmt.Sprintf("%s %d", sign.Outcome, since.Unix()), true
	return &plat.VisitError{Outcome: sign.Outcome, Err: fmt.Errorf("hardly the page: %s; visited again in %s, it may be a version then (--confirm-after)", sign.Why, w.opt.ConfirmAfter)}
}
