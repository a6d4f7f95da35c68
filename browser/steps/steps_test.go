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
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse("rules.yaml", []byte(tc.text))
			if err == nil || !strings.HasPrefix(err.Error(), "rules.yaml: ") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one that says %q", err, tc.want)
			}
		})
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
