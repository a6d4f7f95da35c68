package steps

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
)

const example = `
rules:
  - name: news
    match: [https://news.example/*, www.news.example]
    consent: true
    session:
      check: {present: a.logout, not_url: "news.example/login*"}
      login:
        - goto: https://login.news.example/
        - fill: {selector: "#user", value: "${env:NEWS_USER}"}
        - fill: {selector: "#password", value: "${file:/run/secrets/news}"}
        - press: Enter
        - wait: {url: "https://news.example/*", timeout: 20s}
    steps:
      - click: {selector: "app-root >>> button.more", repeat: 20, optional: true}
      - wait: 500ms
      - wait: {selector: .spinner, state: hidden}
      - scroll: bottom
      - select: {selector: "#per-page", value: "100", frame: iframe.list}
      - evaluate: document.title
`

func parse(t *testing.T, text string) []*Rule {
	t.Helper()
	rules, err := Parse("rules.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestParse(t *testing.T) {
	r := parse(t, example)[0]
	if r.Name != "news" || len(r.Match) != 2 || !r.Consent || r.Line != 3 || !r.Evaluates() {
		t.Errorf("rule: %+v", r)
	}
	s := r.Session
	if s == nil || s.Name != "news.example" || !slices.Equal(s.Hosts, []string{"news.example"}) || s.Check.Present != "a.logout" || s.Check.NotURL.String() != "news.example/login*" || s.Check.URL != nil {
		t.Errorf("session: %+v", s)
	}
	if len(s.Login) != 5 || s.Login[1].Action != Fill || !s.Login[1].Secret() || s.Login[4].Limit() != 20*time.Second || s.Login[4].URL != "https://news.example/*" || s.Login[0].Line != 9 {
		t.Errorf("login: %+v", s.Login)
	}
	want := []string{`click "app-root >>> button.more"`, "wait 500ms", `wait ".spinner"`, "scroll bottom", `select "#per-page" in frame "iframe.list"`, "evaluate"}
	for i := range r.Steps {
		if got := r.Steps[i].String(); got != want[i] {
			t.Errorf("step %d is %s, want %s", i+1, got, want[i])
		}
	}
	if c := r.Steps[0]; c.Repeat != 20 || !c.Optional || c.Limit() != Timeout {
		t.Errorf("click: %+v", c)
	}
	if got := fmt.Sprint(r.Secrets()); got != "[${env:NEWS_USER} ${file:/run/secrets/news}]" {
		t.Errorf("secrets: %s", got)
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	const head = "rules:\n  - match: a.test\n    steps:\n      - "
	for _, tc := range []struct{ name, text, want string }{
		{"an empty file", "", "the file is empty"},
		{"no rules", "rules: []", "there are no rules"},
		{"two documents", "rules: []\n---\nrules: []", "more than one document"},
		{"an unknown key of the file", "rule: []", `line 1: a file of rules has no "rule"; write rules`},
		{"an unknown key of a rule", "rules:\n  - match: a.test\n    step: []", `line 3: a rule has no "step"`},
		{"an unknown action", head + "hover: a", `line 4: a step has no "hover"`},
		{"an unknown key of an action", head + "click: {selector: a, times: 2}", `line 4: click has no "times"`},
		{"a key given twice", head + "click: {selector: a, selector: b}", `line 4: "selector" is given twice`},
		{"two actions in a step", head + "click: a\n        press: Enter", "line 5: a step is one action"},
		{"no match", "rules:\n  - steps: [{click: a}]", "matches nothing"},
		{"nothing to do", "rules:\n  - match: a.test", "does nothing"},
		{"a bad pattern", "rules:\n  - match: ftp://a.test\n    consent: true", "line 2: pattern"},
		{"a star in the host", "rules:\n  - match: a.*.test\n    consent: true", "is not a host"},
		{"a bad selector", head + `click: "a["`, "line 4: click: selector"},
		{"an empty part of a selector", head + `click: "a >>> "`, "a part is empty"},
		{"a fill without value", head + "fill: {selector: a}", `fill needs "value"`},
		{"a reference without a kind", head + `fill: {selector: a, value: "${NAME}"}`, "is not a reference"},
		{"an open reference", head + `fill: {selector: a, value: "${env:NAME"}`, "not closed"},
		{"a bad variable", head + `fill: {selector: a, value: "${env:A B}"}`, "not the name of a variable"},
		{"a secret to select", head + `select: {selector: a, value: "${env:A}"}`, "only be filled in"},
		{"a secret for every host", "rules:\n  - match: '*'\n    steps:\n      - fill: {selector: a, value: '${env:A}'}", "to any; name the hosts"},
		{"an unknown key to press", head + "press: Hyper", `unknown key "Hyper"`},
		{"a wait for nothing", head + "wait: {timeout: 2s}", "wait needs a selector or a url"},
		{"a wait for ever", head + "wait: 2h", "write a duration up to 1m0s"},
		{"an unknown state", head + "wait: {selector: a, state: gone}", `unknown state "gone"`},
		{"a bad repeat", head + "click: {selector: a, repeat: 1000}", "write 1 to 100"},
		{"goto among steps", head + "goto: https://a.test/", "goto is allowed in login only"},
		{"goto to another site", "rules:\n  - match: a.test\n    session:\n      check: {present: a}\n      login:\n        - goto: https://b.test/", "line 6: goto https://b.test/ leads to a host that is not one of the session's (a.test)"},
		{"a session without check", "rules:\n  - match: a.test\n    session:\n      login: [{click: a}]", `the session has no "check"`},
		{"an empty check", "rules:\n  - match: a.test\n    session:\n      check: {}\n      login: [{click: a}]", "check is empty"},
		{"a session for every host", "rules:\n  - match: '*'\n    session:\n      check: {present: a}\n      login: [{click: a}]", "must name its own"},
		{"a session of a public suffix", "rules:\n  - match: a.co.uk\n    session:\n      hosts: [co.uk]\n      check: {present: a}\n      login: [{click: a}]", "under which different owners register"},
		{"two rules of a name", "rules:\n  - {name: a, match: a.test, consent: true}\n  - {name: a, match: b.test, consent: true}", `two rules named "a"`},
		{"yes instead of true", "rules:\n  - {match: a.test, consent: 1}", "consent is true or false"},
		{"too many steps", "rules:\n  - match: a.test\n    steps:\n" + strings.Repeat("      - click: a\n", MaxSteps+1), "at most 100"},
		{"no YAML", "rules: [", "yaml:"},
		{"a file of the greatest length", strings.Repeat("\n", MaxFile-8) + "rules: [", "yaml:"},
		{"a large file", "rules: []" + strings.Repeat("\n", MaxFile), "more than 1048576 bytes"},
		{"a rule that is a text", "rules: [a]", "line 1: a rule is a mapping"},
		{"steps that are a text", "rules:\n  - {match: a.test, steps: click}", "line 2: steps is a list"},
		{"no steps", "rules:\n  - {match: a.test, steps: []}", "line 2: steps is empty"},
		{"an empty step", head + "{}", "line 4: the step is empty"},
		{"a list to click", head + "click: {selector: [a]}", "line 4: selector is a text"},
		{"nothing to click", head + "click: {selector: }", "selector is a text"},
		{"blanks to click", head + "click: '  '", "click is empty"},
		{"a long text", head + "evaluate: " + strings.Repeat("a", MaxText+1), "script has more than"},
		{"a click without selector", head + "click: {repeat: 2}", `click needs "selector"`},
		{"no repeat", head + "click: {selector: a, repeat: 0}", "write 1 to 100"},
		{"one repeat too many", head + "click: {selector: a, repeat: 101}", "write 1 to 100"},
		{"a repeat in words", head + "click: {selector: a, repeat: twice}", "write 1 to 100"},
		{"a frame in a shadow root", head + "click: {selector: a, frame: 'b >>> iframe'}", "cannot be in a shadow root"},
		{"a select without value", head + "select: {selector: a}", `select needs "value"`},
		{"a press of nothing", head + "press: {selector: a}", `press needs "key"`},
		{"two characters to press", head + "press: ab", `unknown key "ab"`},
		{"a wait for two things", head + "wait: {selector: a, url: a.test}", "wait needs a selector or a url"},
		{"a wait for a url in a state", head + "wait: {url: a.test, state: hidden}", "neither state nor frame"},
		{"a wait for a url in a frame", head + "wait: {url: a.test, frame: iframe}", "neither state nor frame"},
		{"no wait", head + "wait: 0s", "write a duration up to 1m0s"},
		{"a negative timeout", head + "wait: {selector: a, timeout: -1s}", "timeout is \"-1s\""},
		{"a timeout without unit", head + "wait: {selector: a, timeout: 5}", "timeout is \"5\""},
		{"a scroll to nothing", head + "scroll: {optional: true}", "scroll needs to (top or bottom), or a selector"},
		{"a scroll to two places", head + "scroll: {to: top, selector: a}", "scroll needs to (top or bottom), or a selector"},
		{"a script of nothing", head + "evaluate: {optional: true}", `evaluate needs "script"`},
		{"an optional that is a text", head + "click: {selector: a, optional: 'true'}", "optional is true or false"},
		{"a number as a key", "rules:\n  - {match: a.test, 1: x}", `a rule has no "1"`},
		{"a list as a key", "rules:\n  - {match: a.test, [consent]: true}", "a rule has no"},
		{"a reference to nothing", head + `fill: {selector: a, value: "${env:}"}`, "is not a reference"},
		{"a reference to elsewhere", head + `fill: {selector: a, value: "${vault:A}"}`, "is not a reference"},
		{"matches that are a mapping", "rules:\n  - {match: {a: b}, consent: true}", "match is a list"},
		{"two rules that match nothing", "rules:\n  - {match: [], consent: true}", "matches nothing"},
		{"a session without login", "rules:\n  - match: a.test\n    session:\n      check: {present: a}", `the session has no "login"`},
		{"an empty login", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: []}", "login is empty"},
		{"a host with a path", "rules:\n  - match: a.test\n    session: {hosts: [a.test/x], check: {present: a}, login: [{click: a}]}", `"a.test/x" is not a host`},
		{"a host with a port", "rules:\n  - match: a.test\n    session: {hosts: ['a.test:80'], check: {present: a}, login: [{click: a}]}", `"a.test:80" is not a host`},
		{"a host with a port alone", "rules:\n  - match: a.test\n    session: {hosts: ['a.test:'], check: {present: a}, login: [{click: a}]}", `"a.test:" is not a host`},
		{"a host with a blank", "rules:\n  - match: a.test\n    session: {hosts: ['a b'], check: {present: a}, login: [{click: a}]}", `"a b" is not a host`},
		{"a goto by ftp", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{goto: 'ftp://a.test/'}]}", "is not a page's URL"},
		{"a goto without host", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{goto: 'https:///x'}]}", "is not a page's URL"},
		{"a goto with a password", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{goto: 'https://u:p@a.test/'}]}", "is not a page's URL"},
		{"a goto that is no URL", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{goto: 'https://a.test/%zz'}]}", "is not a page's URL"},
		{"a goto of nothing", "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{goto: {optional: true}}]}", `goto needs "url"`},
		{"the first of two errors", head + "click: 'a['\n      - hover: a", "line 4: click: selector"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("rules.yaml", []byte(tc.text))
			if err == nil || !strings.HasPrefix(err.Error(), "rules.yaml: ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
	}
}

func TestFormsOfSteps(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Step
	}{
		{"click: a", Step{Action: Click, Selector: "a"}},
		{"click: {selector: a, repeat: 1}", Step{Action: Click, Selector: "a", Repeat: 1}},
		{"click: {selector: a, repeat: 100, timeout: 1m}", Step{Action: Click, Selector: "a", Repeat: 100, Timeout: time.Minute}},
		{"click: 'a:hover-of-tomorrow(x)'", Step{Action: Click, Selector: "a:hover-of-tomorrow(x)"}}, // the browser may know it
		{"fill: {selector: a, value: b, frame: iframe, optional: true}", Step{Action: Fill, Selector: "a", Value: "b", Frame: "iframe", Optional: true}},
		{"select: {selector: a, value: b}", Step{Action: Select, Selector: "a", Value: "b"}},
		{"press: x", Step{Action: Press, Key: "x"}},
		{"press: ä", Step{Action: Press, Key: "ä"}},
		{"press: {key: Tab, selector: a, frame: iframe}", Step{Action: Press, Key: "Tab", Selector: "a", Frame: "iframe"}},
		{"wait: 9s", Step{Action: Wait, Pause: 9 * time.Second}},
		{"wait: 0.5s", Step{Action: Wait, Pause: time.Second / 2}},
		{"wait: 1m", Step{Action: Wait, Pause: time.Minute}},
		{"wait: a", Step{Action: Wait, Selector: "a", State: Visible}},
		{"wait: {selector: a}", Step{Action: Wait, Selector: "a", State: Visible}},
		{"wait: {selector: a, state: absent, frame: iframe}", Step{Action: Wait, Selector: "a", State: Absent, Frame: "iframe"}},
		{"wait: {selector: a, state: present}", Step{Action: Wait, Selector: "a", State: Present}},
		{"wait: {url: a.test/x*}", Step{Action: Wait, URL: "a.test/x*"}},
		{"scroll: top", Step{Action: Scroll, To: Top}},
		{"scroll: a", Step{Action: Scroll, Selector: "a"}},
		{"scroll: {to: bottom}", Step{Action: Scroll, To: Bottom}},
		{"scroll: {selector: a, frame: iframe}", Step{Action: Scroll, Selector: "a", Frame: "iframe"}},
		{"evaluate: {script: x, optional: true}", Step{Action: Evaluate, Script: "x", Optional: true}},
		{"evaluate: x", Step{Action: Evaluate, Script: "x"}},
	} {
		tc.want.Line = 1
		got := parse(t, "rules: [{match: a.test, steps: [{"+tc.text+"}]}]")[0].Steps
		if len(got) != 1 || got[0] != tc.want {
			t.Errorf("%s is %+v, want %+v", tc.text, got, tc.want)
		}
	}
	login := parse(t, "rules:\n  - match: a.test\n    session: {check: {absent: b, url: a.test/in*}, login: [{goto: {url: 'http://www.a.test/', timeout: 2s}}]}\n")[0].Session
	if l := login.Login[0]; l.URL != "http://www.a.test/" || l.Limit() != 2*time.Second || l.String() != "goto http://www.a.test/" {
		t.Errorf("login: %+v", l)
	}
	if c := login.Check; c.Absent != "b" || c.URL.String() != "a.test/in*" || c.NotURL != nil {
		t.Errorf("check: %+v", c)
	}
}

func TestAliasesAreFollowed(t *testing.T) {
	rules := parse(t, "rules:\n  - {name: a, match: &m [a.test, b.test], steps: &s [{click: &c x}]}\n  - {name: b, match: *m, steps: *s}\n  - {name: c, match: c.test, steps: [{click: *c}]}\n")
	if len(rules[1].Match) != 2 || len(rules[1].Steps) != 1 || rules[1].Steps[0].Selector != "x" || rules[2].Steps[0].Selector != "x" {
		t.Errorf("rules %+v, %+v", rules[1], rules[2])
	}
}

func TestAStepIsDescribed(t *testing.T) {
	for want, s := range map[string]Step{
		"press Enter":           {Action: Press, Key: "Enter"},
		`press "#a"`:            {Action: Press, Key: "Enter", Selector: "#a"},
		"wait https://a.test/*": {Action: Wait, URL: "https://a.test/*"},
		"scroll top":            {Action: Scroll, To: Top},
		"wait 2s":               {Action: Wait, Pause: 2 * time.Second},
		"evaluate":              {Action: Evaluate, Script: "1"},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %s, want %s", s, got, want)
		}
	}
	if s := (Step{Pause: 30 * time.Second}); s.Limit() != 31*time.Second {
		t.Errorf("a pause of 30 s may take %v", s.Limit())
	}
	if s := (Step{Pause: time.Second}); s.Limit() != Timeout {
		t.Errorf("a pause of 1 s may take %v", s.Limit())
	}
}

func TestHostsOfASession(t *testing.T) {
	hosts := func(match, more string) []string {
		return parse(t, "rules:\n  - match: "+match+"\n    session: {check: {present: a}, login: [{click: a}]"+more+"}\n")[0].Session.Hosts
	}
	for _, tc := range []struct {
		match, more string
		want        []string
	}{
		{"[www.a.co.uk, '*.a.co.uk', b.test]", "", []string{"a.co.uk", "b.test"}},
		{"['*', a.test]", "", []string{"a.test"}},
		{"'*'", ", hosts: [A.test., '[::1]', 127.0.0.1, localhost]", []string{"a.test", "::1", "127.0.0.1", "localhost"}},
	} {
		if got := hosts(tc.match, tc.more); !slices.Equal(got, tc.want) {
			t.Errorf("%s%s: %q, want %q", tc.match, tc.more, got, tc.want)
		}
	}
	s := parse(t, "rules:\n  - match: a.test\n    session: {name: mine, check: {present: a}, login: [{click: a}]}\n")[0].Session
	if s.Name != "mine" {
		t.Errorf("the session is named %q", s.Name)
	}
}

func TestASecretIsForTheHostsOfItsRule(t *testing.T) {
	r := parse(t, "rules:\n  - match: ['*', a.test, '*.b.test/x']\n    steps: [{fill: {selector: a, value: '${env:A}'}}]\n")[0]
	for host, want := range map[string]bool{
		"a.test": true, "www.a.test": true, "b.test": true, "www.b.test": true,
		"c.test": false, "test": false, "nota.test": false, "a.test.c.test": false, "": false,
	} {
		if got := r.Covers(host); got != want {
			t.Errorf("%s: %t, want %t", host, got, want)
		}
	}
}

func TestWhatARuleRefersTo(t *testing.T) {
	r := parse(t, "rules:\n  - match: a.test\n    steps: [{fill: {selector: a, value: 'x${env:A}${env:A}y$${file:B}'}}, {fill: {selector: b, value: plain}}]\n")[0]
	if got := fmt.Sprint(r.Secrets()); got != "[${env:A} ${file:B}]" {
		t.Errorf("secrets: %s", got)
	}
	value, secrets, err := r.Steps[0].Resolve(func(r Ref) (string, error) { return "<" + r.Name + ">", nil })
	if err != nil || value != "x<A><A>y$<B>" || len(secrets) != 3 {
		t.Errorf("value %q, secrets %q, %v", value, secrets, err)
	}
	if r.Evaluates() || r.Steps[1].Secret() {
		t.Error("a rule without a script runs one, or a plain text is a secret")
	}
	r = parse(t, "rules:\n  - match: a.test\n    session: {check: {present: a}, login: [{evaluate: x}]}\n")[0]
	if !r.Evaluates() {
		t.Error("a script of the login is none")
	}
}

func TestThePlanOfNoRules(t *testing.T) {
	var none *Set
	u := &url.URL{Scheme: "http", Host: "a.test", Path: "/"}
	if p := none.For(u); !p.Empty() || p.Consent {
		t.Errorf("plan %+v", p)
	}
	two := parse(t, "rules:\n  - {match: a.test, steps: [{click: a}]}\n  - {match: a.test, steps: [{click: b}]}\n")
	turned, err := Join([]*Rule{two[1], two[0]})
	if err != nil {
		t.Fatal(err)
	}
	set, err := Join(two)
	if err != nil {
		t.Fatal(err)
	}
	a, b := set.For(u), turned.For(u)
	if a.Hash() == b.Hash() || a.Session != nil || a.Owner != nil {
		t.Error("the order of rules does not matter to the hash, or there is a session")
	}
}

func TestHashCoversTheRuleButNotTheSecret(t *testing.T) {
	hash := func(text string) string { return parse(t, text)[0].Hash().String() }
	base := hash(example)
	if again := hash("# a comment\n" + example); again != base {
		t.Errorf("a comment changes the hash")
	}
	for _, change := range [][2]string{{"repeat: 20", "repeat: 21"}, {"NEWS_USER", "OTHER_USER"}, {"a.logout", "a.leave"}, {"timeout: 20s", "timeout: 21s"}, {"www.news", "w3.news"}} {
		if hash(strings.Replace(example, change[0], change[1], 1)) == base {
			t.Errorf("%s instead of %s has the same hash", change[1], change[0])
		}
	}
	// A fixed value, because hashes stored with versions must not change with plat.
	const want = "dbb182d533c41cea809664247adf615bf29859db552c06ed647fc5fe937dc4f5"
	if base != want {
		t.Errorf("the hash of the example is %s, was %s", base, want)
	}
}

func TestResolve(t *testing.T) {
	s := Step{Action: Fill, Value: "a${env:X}b${file:/y}"}
	value, secrets, err := s.Resolve(func(r Ref) (string, error) { return "<" + r.Name + ">", nil })
	if err != nil || value != "a<X>b</y>" || !slices.Equal(secrets, []string{"<X>", "</y>"}) {
		t.Errorf("value %q, secrets %q, error %v", value, secrets, err)
	}
	boom := errors.New("boom")
	if _, _, err := s.Resolve(func(Ref) (string, error) { return "hidden", boom }); !errors.Is(err, boom) || err.Error() != "${env:X}: boom" {
		t.Errorf("error %v", err)
	}
	if _, _, err := s.Resolve(nil); err == nil {
		t.Error("Resolve invented a secret")
	}
	if strings.Contains(s.String(), "env") {
		t.Errorf("the step is written as %s", s.String())
	}
}

func TestPlanOfAURL(t *testing.T) {
	a := parse(t, "rules:\n  - {name: a, match: a.test, steps: [{click: x}]}\n  - name: b\n    match: '*.test'\n    session: {check: {present: y}, login: [{click: z}], hosts: [a.test]}\n")
	b := parse(t, "rules:\n  - {name: c, match: a.test/c*, consent: true}")
	set, err := Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	plan := func(raw string) Plan {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return set.For(u)
	}
	if p := plan("http://b.example/"); !p.Empty() || !p.Hash().IsZero() {
		t.Errorf("a URL without rules has the plan %+v", p)
	}
	one, two, three := plan("http://b.test/"), plan("http://a.test/"), plan("http://a.test/c")
	if len(one.Rules) != 1 || len(two.Rules) != 2 || len(three.Rules) != 3 || one.Consent || !three.Consent || two.Session == nil || two.Owner != a[1] {
		t.Errorf("plans: %+v\n%+v\n%+v", one, two, three)
	}
	if one.Hash() != a[1].Hash() || two.Hash() == one.Hash() || two.Hash() == three.Hash() {
		t.Error("the plans do not differ in their hashes")
	}
	set.Consent = true
	if p := plan("http://b.example/"); p.Empty() || p.Hash() != ConsentHash() {
		t.Errorf("with consent everywhere: %+v", p)
	}
	other := parse(t, "rules:\n  - name: d\n    match: a.test\n    session: {name: a.test, check: {present: other}, login: [{click: z}]}\n")
	if _, err := Join(a, other); err == nil || !strings.Contains(err.Error(), `session "a.test" differs`) {
		t.Errorf("two sessions of one name: %v", err)
	}
	if _, err := Join(a, a); err != nil {
		t.Errorf("the same session twice: %v", err)
	}
}

func TestSessionCovers(t *testing.T) {
	s := Session{Hosts: []string{"news.example", "127.0.0.1"}}
	for host, want := range map[string]bool{"news.example": true, "www.news.example": true, "WWW.news.example.": true, "badnews.example": false, "example": false, "127.0.0.1": true, "1.127.0.0.1": false} {
		if got := s.Covers(host); got != want {
			t.Errorf("%s: %t, want %t", host, got, want)
		}
	}
}

func TestConsent(t *testing.T) {
	names, scripts := map[string]bool{}, []string{}
	for _, m := range Consent() {
		if m.Name == "" || names[m.Name] || m.Banner == "" || m.Script == "" || len(m.Answer) == 0 {
			t.Errorf("%+v is incomplete, or a duplicate", m)
		}
		names[m.Name] = true
		scripts = append(scripts, m.Script)
		for _, way := range append(m.Answer, []string{m.Banner}, []string{m.Frame}) {
			if len(way) == 0 {
				t.Errorf("%s: an answer without a click", m.Name)
			}
			for _, sel := range way {
				for _, part := range SplitSelector(sel) {
					if _, err := cascadia.ParseGroup(part); err != nil && sel != "" {
						t.Errorf("%s: %v", m.Name, err)
					}
				}
			}
		}
	}
	if _, err := regexp.Compile(strings.Join(scripts, "|")); err != nil {
		t.Error(err)
	}
	if len(names) < 15 {
		t.Errorf("there are %d managers", len(names))
	}
}

// FuzzParse: every file is either parsed within the limits or rejected with a
// message, and the hash of the parsed rules does not depend on formatting.
func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("rules:\n  - &a {match: a.test, consent: true}\n  - *a"))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("rules:\n  - {match: '*', steps: [{click: 'a >>> b'}, {wait: 1s}]}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rules, err := Parse("x", b)
		if err != nil {
			if len(rules) > 0 || !strings.HasPrefix(err.Error(), "x: ") {
				t.Fatalf("%d rules with error %v", len(rules), err)
			}
			return
		}
		for _, r := range rules {
			if len(r.Steps) > MaxSteps || r.Hash().IsZero() || len(r.Match) == 0 {
				t.Fatalf("rule %+v", r)
			}
			for i := range r.Steps {
				s := &r.Steps[i]
				if s.Action == "" || s.Limit() <= 0 || s.Limit() > MaxTimeout+time.Second || s.Action == Goto {
					t.Fatalf("step %+v", s)
				}
				if _, _, err := s.Resolve(func(Ref) (string, error) { return "", nil }); err != nil {
					t.Fatalf("step %+v: %v", s, err)
				}
			}
			_ = r.Secrets()
			_ = r.Matches(&url.URL{Scheme: "https", Host: "a.test", Path: "/"})
		}
	})
}
