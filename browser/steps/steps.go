package steps

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/decodeerror"
	"plat/plat/urlpattern"
)

// Limits of a file and its rules.
const (
	MaxFile    = decodeerror.MaxYAML // bytes
	MaxRules   = 1000
	MaxSteps   = 100 // of a rule, and of a login
	MaxRepeat  = 100
	MaxText    = 16 << 10 // bytes of a selector, a value or a script
	MaxTimeout = 60 * time.Second

	// Timeout limits a step without a separate limit.
	Timeout = 10 * time.Second

	// Total limits all steps of a page together, and a login.
	Total = 60 * time.Second
)

// Action is the kind of a step.
type Action string

// The actions.
const (
	Click    Action = "click"
	Fill     Action = "fill"
	Press    Action = "press"
	Wait     Action = "wait"
	Scroll   Action = "scroll"
	Select   Action = "select"
	Goto     Action = "goto"
	Evaluate Action = "evaluate"
)

// State is the state of an element that a wait waits for.
type State string

// The states.
const (
	Visible State = "visible"
	Hidden  State = "hidden" // not visible, or absent
	Present State = "present"
	Absent  State = "absent"
)

// Targets of a scroll other than an element.
const (
	Top    = "top"
	Bottom = "bottom"
)

// Step is one action. Its JSON is hashed, so new fields must be omitted when empty.
type Step struct {
	Action   Action        `json:"action"`
	Selector string        `json:"selector,omitempty"`
	Frame    string        `json:"frame,omitempty"` // selector of the iframe to search
	Value    string        `json:"value,omitempty"` // of fill and select, references unresolved
	Key      string        `json:"key,omitempty"`   // of press
	State    State         `json:"state,omitempty"` // of wait
	URL      string        `json:"url,omitempty"`   // of goto; of wait, a pattern
	Pause    time.Duration `json:"pause,omitempty"` // of wait
	To       string        `json:"to,omitempty"`    // of scroll: Top or Bottom
	Script   string        `json:"script,omitempty"`
	Repeat   int           `json:"repeat,omitempty"` // of click: while the element is present, at most this often
	Optional bool          `json:"optional,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"` // 0: [Timeout]

	Line int `json:"-"` // in the file
}

// Limit returns the time limit of the step.
func (s *Step) Limit() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return max(Timeout, s.Pause+time.Second)
}

// String describes the step without the text it types.
func (s *Step) String() string {
	text := string(s.Action)
	switch {
	case s.Selector != "":
		text += fmt.Sprintf(" %q", s.Selector)
	case s.Key != "":
		text += " " + s.Key
	case s.URL != "":
		text += " " + s.URL
	case s.Pause > 0:
		text += " " + s.Pause.String()
	case s.To != "":
		text += " " + s.To
	}
	if s.Frame != "" {
		text += fmt.Sprintf(" in frame %q", s.Frame)
	}
	return text
}

// Check determines whether a page shows the logged-in state. All conditions that are
// set must hold.
type Check struct {
	Present string              `json:"present,omitempty"` // an element is present
	Absent  string              `json:"absent,omitempty"`  // an element is absent
	URL     *urlpattern.Pattern `json:"url,omitempty"`     // the page's URL matches
	NotURL  *urlpattern.Pattern `json:"not_url,omitempty"` // it does not
}

// Session is a login that is stored and reused.
type Session struct {
	Name  string   `json:"name"`
	Hosts []string `json:"hosts"` // whose cookies and storage belong to it, subdomains included
	Check Check    `json:"check"`
	Login []Step   `json:"login"`
}

// Covers reports whether a host is one of the session's.
func (s *Session) Covers(host string) bool { return covers(s.Hosts, host) }

// Hash identifies the session's definition. A state saved under a different definition is
// not used.
func (s *Session) Hash() plat.Hash { return hashOf(s) }

// Rule is a list of steps for matching pages.
type Rule struct {
	Name    string               `json:"name"`
	Match   []urlpattern.Pattern `json:"match"`
	Consent bool                 `json:"consent,omitempty"`
	Session *Session             `json:"session,omitempty"`
	Steps   []Step               `json:"steps,omitempty"`

	File string `json:"-"`
	Line int    `json:"-"`
}

// Hash identifies the rule's content: it changes with the rule, but not with the
// secrets that it refers to.
func (r *Rule) Hash() plat.Hash { return hashOf(r) }

// Covers reports whether a secret of the rule may be typed into a page of the host:
// one that the rule names.
func (r *Rule) Covers(host string) bool {
	for i := range r.Match {
		if h := r.Match[i].Host(); h != "*" && covers([]string{strings.TrimPrefix(h, "*.")}, host) {
			return true
		}
	}
	return false
}

// Matches reports whether the rule matches a URL.
func (r *Rule) Matches(u *url.URL) bool {
	return slices.ContainsFunc(r.Match, func(p urlpattern.Pattern) bool { return p.Matches(u) })
}

// Secrets lists the references in the rule, without duplicates.
func (r *Rule) Secrets() []Ref {
	var all []Ref
	add := func(steps []Step) {
		for i := range steps {
			for _, part := range references(steps[i].Value) {
				if part.ref != (Ref{}) && !slices.Contains(all, part.ref) {
					all = append(all, part.ref)
				}
			}
		}
	}
	if r.Session != nil {
		add(r.Session.Login)
	}
	add(r.Steps)
	return all
}

// Evaluates reports whether the rule runs scripts.
func (r *Rule) Evaluates() bool {
	is := func(s Step) bool { return s.Action == Evaluate }
	return slices.ContainsFunc(r.Steps, is) || r.Session != nil && slices.ContainsFunc(r.Session.Login, is)
}

func hashOf(v any) plat.Hash {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // rules contain only texts and numbers
	}
	return plat.HashOf(b)
}

// Set is the rules of all files, in order.
type Set struct {
	Rules []*Rule

	// Consent answers the banners of known consent managers on every page.
	Consent bool
}

// Plan is the list of rules and the session for one page. The zero Plan is empty.
type Plan struct {
	Rules   []*Rule
	Session *Session // nil: no session
	Owner   *Rule    // whose session it is
	Consent bool
}

// Empty reports whether the plan has neither rules nor consent.
func (p *Plan) Empty() bool { return len(p.Rules) == 0 && !p.Consent }

// Hash identifies the plan, zero if it is empty.
func (p *Plan) Hash() plat.Hash {
	if p.Empty() {
		return plat.Hash{}
	}
	var all []plat.Hash
	for _, r := range p.Rules {
		all = append(all, r.Hash())
	}
	if p.Consent {
		all = append(all, ConsentHash())
	}
	if len(all) == 1 {
		return all[0]
	}
	return hashOf(all)
}

// For returns the plan for a URL. A nil Set has only empty plans.
func (s *Set) For(u *url.URL) Plan {
	if s == nil {
		return Plan{}
	}
	p := Plan{Consent: s.Consent}
	for _, r := range s.Rules {
		if !r.Matches(u) {
			continue
		}
		p.Rules = append(p.Rules, r)
		p.Consent = p.Consent || r.Consent
		if r.Session != nil && p.Session == nil {
			p.Session, p.Owner = r.Session, r
		}
	}
	return p
}

// covers reports whether host is one of hosts, or a subdomain of one.
func covers(hosts []string, host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(hosts, func(h string) bool {
		return host == h || strings.HasSuffix(host, "."+h) && net.ParseIP(h) == nil
	})
}

// Kept is the stored state of a login.
type Kept struct {
	Session plat.Hash         // of the session that it belongs to
	Saved   time.Time         //
	Cookies []Cookie          `json:",omitempty"`
	Storage map[string]Values `json:",omitempty"` // by origin
}

// Values are the entries of a local storage.
type Values map[string]string

// Cookie is a cookie of a stored session.
type Cookie struct {
	Name, Value, Path string
	Domain            string    // with a leading dot: includes subdomains
	Expires           time.Time `json:",omitzero"` // zero: a session cookie
	Secure, HTTPOnly  bool      `json:",omitempty"`
	SameSite          string    `json:",omitempty"`
}
