package tab

import (
	"context"

	"github.com/chromedp/cdproto/audits"

	"plat/browser/devtools"
)

// Refusal is a file that the security policy of a document has refused to load.
type Refusal struct {
	Directive string // "img-src"
	URL       string // or only a scheme, as "data"
}

// maxRefusals bounds the refusals of a page that are listed.
const maxRefusals = 500

// Refusals returns the files that the security policies of the page and of its frames have refused to load. Chrome keeps them
// as issues and reports them late: a document without scripts has no event of them.
func (t *Tab) Refusals(ctx context.Context) []Refusal {
	t.View(func(s *State) { s.refusals = nil })
	if _, err := t.Session.Send(audits.Enable.Method, nil).Wait(ctx); err != nil {
		return nil
	}
	t.Session.Send(audits.Disable.Method, nil).Forget()
	var all []Refusal
	t.View(func(s *State) { all, s.refusals = s.refusals, nil })
	return all
}

// auditsEvent notes an issue.
func (s *State) auditsEvent(method string, params []byte) {
	var e struct {
		Issue struct {
			Details struct {
				Refusal *struct {
					URL       string `json:"blockedURL"`
					Directive string `json:"violatedDirective"`
					Reported  bool   `json:"isReportOnly"`
					Kind      string `json:"contentSecurityPolicyViolationType"`
				} `json:"contentSecurityPolicyIssueDetails"`
			} `json:"details"`
		} `json:"issue"`
	}
	if method != audits.IssueAdded.Method || devtools.Unmarshal(params, &e) != nil {
		return
	}
	r := e.Issue.Details.Refusal
	if r == nil || r.Reported || r.Kind != string(audits.ContentSecurityPolicyViolationTypeKURLViolation) || len(s.refusals) == maxRefusals {
		return
	}
	s.refusals = append(s.refusals, Refusal{r.Directive, r.URL})
}
