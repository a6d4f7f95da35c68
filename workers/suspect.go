package workers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"plat/plat"
	"plat/workers/softerror"
)

// without begins the note of a style sheet or script that failed.
const without = "without"

// mostDoubt is the number of times of --confirm-after for which a page may show something else than itself, each
// time something different.
const mostDoubt = 3

// suspicion is the suspicion that an answer is hardly the page: an error with status 200, a login, a
// captcha, a page without its style sheet.
type suspicion struct {
	checked bool   // false: the note of earlier visits stays
	note    string // for the next visit, see plat.Memory.Doubt
	soon    bool   // the next visit comes soon, to confirm it

	shared softerror.Sign // other URLs of the host have the same answer
}

// suspect returns an error if the answer is hardly the page. An answer that has stayed for about --confirm-after is
// accepted as the page, and one without a difference is not suspected. That hardly anything remains of the page may be
// a self-change: suspectReplaced judges that.
func (w *Worker) suspect(a *attempt, snap *plat.Snapshot, page *dividedPage, last *lastVersion) (s suspicion, err error) {
	if w.opt.News.ConfirmAfter <= 0 {
		return s, nil
	}
	s.checked = true
	failed := ""
	if last.version != nil {
		failed = softerror.Failed(snap)
	}
	s.shared = w.answers.Of(a.URL, last.version, page.Blocks, page.changes.Blocks, snap, w.fleetTime(w.now()))
	if failed != "" {
		s.note = without + " " + plat.HashOf([]byte(failed)).String()[:16]
	}
	if s.note == a.memory.Doubt {
		failed = "" // it is missing for good
	}
	if !page.differs {
		return s, nil
	}
	sign := s.sign(snap, page, page.changes.Blocks, last, failed)
	if sign.Outcome == plat.OutcomeReplaced {
		return s, nil
	}
	return w.rejectUnlessStable(a, s, sign)
}

// suspectReplaced returns an error if hardly anything remains of the page besides self-changes.
func (w *Worker) suspectReplaced(a *attempt, snap *plat.Snapshot, page *dividedPage, last *lastVersion, n *news) (suspicion, error) {
	s := a.lessons.suspicion
	if !s.checked || !page.differs || n.suppressed {
		return s, nil
	}
	sign := s.sign(snap, page, n.changes.Blocks, last, "")
	if sign.Outcome != plat.OutcomeReplaced {
		return s, nil
	}
	return w.rejectUnlessStable(a, s, sign)
}

// lacks reports whether a page lacks a style sheet or a script that failed, unless that is missing for good.
func (s *suspicion) lacks(a *attempt, snap *plat.Snapshot) bool {
	return s.checked && s.note != a.memory.Doubt && softerror.Failed(snap) != ""
}

// sign returns the sign that a page which differs is hardly the page; empty if absent.
func (s *suspicion) sign(snap *plat.Snapshot, page *dividedPage, changes []plat.Change, last *lastVersion, failed string) softerror.Sign {
	if last.version != nil {
		if sign := softerror.Of(last.version, page.Blocks, changes, snap, failed); sign.Outcome != "" {
			return sign
		}
	}
	return s.shared
}

// rejectUnlessStable returns an error that names the sign, unless the sign has stayed: then the answer is accepted as
// the page. The same sign must stay for about --confirm-after, because a schedule may be a little early, and different
// ones for longer.
func (w *Worker) rejectUnlessStable(a *attempt, s suspicion, sign softerror.Sign) (suspicion, error) {
	if sign.Outcome == "" {
		return s, nil
	}
	after := w.opt.News.ConfirmAfter
	now := w.fleetTime(w.now())
	since, long := now, mostDoubt*after
	if was, at, ok := strings.Cut(a.memory.Doubt, " "); ok && was != without {
		if sec, err := strconv.ParseInt(at, 10, 64); err == nil && sec <= now.Unix() {
			since = time.Unix(sec, 0)
		}
		if was == string(sign.Outcome) {
			long = after * 9 / 10
		}
	}
	if now.Sub(since) >= long && since.Before(now) {
		return s, nil
	}
	s.note, s.soon = fmt.Sprintf("%s %d", sign.Outcome, since.Unix()), true
	return s, &plat.VisitError{Outcome: sign.Outcome, Err: fmt.Errorf("hardly the page: %s; visited again in %s, it may be a version then (--confirm-after)", sign.Why, after)}
}
