package workers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plat"
	"plat/softerror"
)

// doubt fails a visit whose answer is hardly the page, unless it was so before, a while ago:
// then it has become the page.
func (w *Worker) doubt(a *attempt, f *found) error {
	if w.opt.ConfirmAfter <= 0 || f.last.version == nil {
		return nil
	}
	failed := softerror.Failed(f.snap)
	a.judged, a.doubt = true, ""
	if failed != "" {
		a.doubt = "without " + plat.HashOf([]byte(failed)).String()[:16]
	}
	if !f.now.differs || f.now.itself {
		return nil
	}
	if a.doubt == a.memory.Doubt {
		failed = "" // it stays away
	}
	sign := softerror.Of(f.last.version, f.now.page.Blocks, f.now.changes.Blocks, f.snap, failed)
	if sign.Outcome == "" {
		return nil
	}
	now := w.fleetTime(w.now())
	since := now
	if was, at, ok := strings.Cut(a.memory.Doubt, " "); ok && was == string(sign.Outcome) {
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil {
			since = time.Unix(sec, 0)
		}
	}
	// A schedule may bring it a little early.
	if now.Sub(since) >= w.opt.ConfirmAfter*9/10 && since.Before(now) {
		return nil
	}
	a.doubt, a.soon = fmt.Sprintf("%s %d", sign.Outcome, since.Unix()), true
	return &plat.VisitError{Outcome: sign.Outcome, Err: fmt.Errorf("hardly the page: %s; if it stays so for %s, it is a version", sign.Why, w.opt.ConfirmAfter)}
}
