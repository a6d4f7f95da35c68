package revalidate

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

var (
	noon  = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	setup = MarkOf("setup")
)

// known returns the state of a page that may be skipped, with or without scripts.
func known(scripts bool) *State {
	s := &State{Version: 4, PageBytes: 1000, Setup: setup, Inert: !scripts, Sourced: true, Scripts: scripts, Code: MarkOf("code"),
		Chain: ChainMark(nil, "http://a.test/"), Head: MarkOf("head"),
		Document: Resource{By: ByETag, ETag: `"a"`, Mark: etagMark(`"a"`)},
		Loads: []Resource{
			{URL: "http://a.test/a.css", Kind: plat.LoadStyle, By: ByETag, ETag: `"b"`, Mark: etagMark(`"b"`)},
			{URL: "http://a.test/a.js", Kind: plat.LoadScript, By: ByModified, Modified: noon.Add(-time.Hour), Mark: modifiedMark(noon.Add(-time.Hour))},
		}}
	if scripts {
		s.Streak, s.Proven = Streak, true
	}
	return s
}

// same are findings without any change.
func same(s *State) *Findings {
	return &Findings{Document: s.Document, Loads: slices.Clone(s.Loads)}
}

// rendered is a rendering of the same page.
func rendered(s *State) Rendering {
	return Rendering{Version: s.Version, PageBytes: s.PageBytes, Setup: s.Setup, Inert: s.Inert, Chain: s.Chain, Document: s.Document, Loads: slices.Clone(s.Loads)}
}

func TestWhichVisitsAreSkipped(t *testing.T) {
	for _, tc := range []struct {
		name    string
		scripts bool
		change  func(*State, *Findings)
		chance  float64
		want    bool
	}{
		{name: "an inert page of which nothing has changed", want: true},
		{name: "a proven page with scripts", scripts: true, want: true},
		{name: "chance wants it rendered", chance: Chance / 2},
		{name: "chance just does not", chance: Chance, want: true},
		{name: "the document is another", change: func(s *State, f *Findings) { f.Verdict = Other }},
		{name: "something could not be told apart before", change: func(s *State, f *Findings) { f.Verdict = Learned }},
		{name: "not everything was requested", change: func(s *State, f *Findings) { f.Loads = f.Loads[:1] }},
		{name: "the nineteenth in a row", change: func(s *State, f *Findings) { s.Skips = Every - 2 }, want: true},
		{name: "the twentieth", change: func(s *State, f *Findings) { s.Skips = Every - 1 }},
		{name: "its HTML has a script that is not in the DOM", change: func(s *State, f *Findings) { s.Scripts = true }},
		{name: "its DOM has a script that is not in the HTML", change: func(s *State, f *Findings) { s.Inert = false }},
		{name: "its HTML is not known", change: func(s *State, f *Findings) { s.Sourced = false }},
		{name: "its HTML is known just now", change: func(s *State, f *Findings) { s.Sourced, f.Source = false, &Source{} }, want: true},
		{name: "tokens differ, seen too seldom", change: func(s *State, f *Findings) { f.Masked = true }},
		{name: "tokens differ, as they did", change: func(s *State, f *Findings) { f.Masked, s.Streak = true, Streak }, want: true},
		{name: "scripts, not proven", scripts: true, change: func(s *State, f *Findings) { s.Proven = false }},
		{name: "scripts, seen too seldom", scripts: true, change: func(s *State, f *Findings) { s.Streak-- }},
		{name: "other scripts in the HTML", scripts: true, change: func(s *State, f *Findings) { f.Source = &Source{Scripts: true, Code: MarkOf("other")} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := known(tc.scripts)
			f := same(s)
			chance := tc.chance
			if chance == 0 {
				chance = 0.5
			}
			if tc.change != nil {
				tc.change(s, f)
			}
			if got := Decide(s, f, chance); got != tc.want {
				t.Errorf("Decide = %v, want %v", got, tc.want)
			}
		})
	}
	if Decide(known(false), nil, 0.5) {
		t.Error("a visit is skipped without validation")
	}
}

func TestWhenRevalidationIsTried(t *testing.T) {
	for _, tc := range []struct {
		name     string
		change   func(*State)
		version  int
		setup    Mark
		provable bool
		want     bool
	}{
		{name: "all is as it was", version: 4, setup: setup, want: true},
		{name: "another version is stored", version: 5, setup: setup},
		{name: "other settings", version: 4, setup: MarkOf("other")},
		{name: "nothing is known", change: func(s *State) { *s = State{} }, version: 0, setup: Mark{}},
		{name: "it was contradicted", change: func(s *State) { s.Ended = Contradicted }, version: 4, setup: setup},
		{name: "its loads are not known", change: func(s *State) { s.Unfit = Unlisted }, version: 4, setup: setup},
		{name: "it changes too often", change: func(s *State) { s.Rest = 1 }, version: 4, setup: setup},
		{name: "scripts that cannot be proven", change: func(s *State) { s.Scripts = true }, version: 4, setup: setup},
		{name: "scripts that can be proven", change: func(s *State) { s.Scripts = true }, version: 4, setup: setup, provable: true, want: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := known(false)
			if tc.change != nil {
				tc.change(s)
			}
			if got := s.Asks(tc.version, tc.setup, tc.provable); got != tc.want {
				t.Errorf("Asks = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestLearn(t *testing.T) {
	type world struct {
		s *State
		f *Findings
		r Rendering
	}
	for _, tc := range []struct {
		name    string
		scripts bool
		change  func(*world)
		check   func(*State) bool
		prove   bool
	}{
		{name: "the same once more", scripts: true, change: func(w *world) { w.s.Proven, w.s.Streak = false, 0 }, check: func(s *State) bool { return s.Streak == 1 && s.Skips == 0 }},
		{name: "the third time asks for a proof", scripts: true, change: func(w *world) { w.s.Proven, w.s.Streak = false, Streak-1 }, check: func(s *State) bool { return s.Streak == Streak }, prove: true},
		{name: "a proof holds", scripts: true, check: func(s *State) bool { return s.Proven }},
		{name: "an inert page needs none", change: func(w *world) { w.s.Streak = Streak }, check: func(s *State) bool { return s.inert() }},
		{name: "it changed although nothing had", change: func(w *world) { w.r.Version++; w.r.Changed = true }, check: func(s *State) bool {
			return s.Ended == Contradicted && s.Loads == nil && s.Document.Mark.IsZero() && !s.Inert && s.Trials == 0
		}},
		{name: "it changed between question and rendering", change: func(w *world) {
			w.r.Version++
			w.r.Changed = true
			w.r.Document = Resource{By: ByETag, ETag: `"c"`, Mark: etagMark(`"c"`)}
		}, check: func(s *State) bool { return s.Ended == NoReason && !s.Sourced }},
		{name: "a load changed between question and rendering", change: func(w *world) {
			w.r.Version++
			w.r.Changed = true
			w.r.Loads[0].Mark = etagMark(`"c"`)
		}, check: func(s *State) bool { return s.Ended == NoReason }},
		{name: "what is ended stays so", change: func(w *world) { w.s.Ended = Unproven }, check: func(s *State) bool { return s.Ended == Unproven && len(s.Loads) == 0 }},
		{name: "an unfit rendering", change: func(w *world) { w.r.Unfit, w.r.Loads = Live, nil }, check: func(s *State) bool { return s.Unfit == Live && s.Ended == NoReason }},
		{name: "after an unfit rendering all begins anew", scripts: true, change: func(w *world) { w.s.Unfit = Live }, check: func(s *State) bool { return s.Unfit == NoReason && s.Streak == 0 && !s.Proven }},
		{name: "other loads by chance", scripts: true, change: func(w *world) { w.r.Loads[0].URL += "?1" }, check: func(s *State) bool { return s.Streak == 0 }},
		{name: "new words, the same scripts", scripts: true, change: func(w *world) {
			w.f = &Findings{Verdict: Other, Document: Resource{By: ByETag, ETag: `"c"`, Mark: etagMark(`"c"`)}, Source: &Source{Scripts: true, Code: w.s.Code}}
			w.r.Document, w.r.Changed = w.f.Document, true
			w.r.Version++
		}, check: func(s *State) bool { return !s.Proven && s.Streak == Streak-1 && s.Sourced }},
		{name: "new words, other scripts", scripts: true, change: func(w *world) {
			w.f = &Findings{Verdict: Other, Document: Resource{By: ByETag, ETag: `"c"`, Mark: etagMark(`"c"`)}, Source: &Source{Scripts: true, Code: MarkOf("other")}}
			w.r.Document, w.r.Changed = w.f.Document, true
			w.r.Version++
		}, check: func(s *State) bool { return !s.Proven && s.Streak == 0 }},
		{name: "another script file and the same blocks", scripts: true, change: func(w *world) {
			w.f.Verdict = Other
			w.r.Loads[1].Modified = noon.Add(-time.Minute)
			w.r.Loads[1].Mark = modifiedMark(w.r.Loads[1].Modified)
		}, check: func(s *State) bool { return !s.Proven && s.Streak == 0 }},
		{name: "questions in vain make it rest", change: func(w *world) { w.f.Verdict, w.s.Misses = Other, patience }, check: func(s *State) bool { return s.Misses == patience+1 && s.Rest == 2 }},
		{name: "it rests", change: func(w *world) { w.f, w.s.Misses, w.s.Rest = nil, patience, 2 }, check: func(s *State) bool { return s.Misses == patience && s.Rest == 1 }},
		{name: "one answer as before ends that", change: func(w *world) { w.s.Misses = patience }, check: func(s *State) bool { return s.Misses == 0 && s.Rest == 0 }},
		{name: "other settings begin anew", scripts: true, change: func(w *world) { w.r.Setup = MarkOf("other") }, check: func(s *State) bool { return s.Streak == 0 && !s.Proven && s.Setup == MarkOf("other") }},
		{name: "a body is known from the question", change: func(w *world) {
			w.s.Loads[0].By = Unknown
			w.r.Loads[0] = Resource{URL: w.r.Loads[0].URL, Kind: plat.LoadStyle}
			w.f.Verdict = Learned
			w.f.Loads[0] = Resource{URL: w.r.Loads[0].URL, By: ByBody, Mark: MarkOf("body")}
		}, check: func(s *State) bool { return s.Loads[0].By == ByBody && s.Loads[0].Mark == MarkOf("body") }},
		{name: "but not if the browser had one of before", change: func(w *world) {
			w.r.Loads[0] = Resource{URL: w.r.Loads[0].URL, Kind: plat.LoadStyle, cached: true}
			w.f.Loads[0] = Resource{URL: w.r.Loads[0].URL, By: ByBody, Mark: MarkOf("body")}
		}, check: func(s *State) bool { return s.Loads[0].By == Unknown }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &world{s: known(tc.scripts)}
			w.f, w.r = same(w.s), rendered(w.s)
			if tc.change != nil {
				tc.change(w)
			}
			next, prove := Learn(w.s, w.f, w.r)
			if !tc.check(next) || prove != tc.prove {
				t.Errorf("Learn = %+v, prove %v; want prove %v", next, prove, tc.prove)
			}
		})
	}
}

func TestAProofEndsOrAllowsSkipping(t *testing.T) {
	s := known(true)
	s.Proven = false
	s.Prove(Confirms)
	if !Decide(s, same(s), 0.5) {
		t.Error("a confirmed page is not skipped")
	}
	s.Prove(Differs)
	if s.Ended != Unproven || s.Asks(s.Version, setup, true) {
		t.Errorf("after a proof that differs: %+v", s)
	}
	s = known(true)
	s.Proven = false
	for i := range maxTrials {
		if s.Ended != NoReason {
			t.Errorf("ended after %d failures", i)
		}
		s.Prove(Failed)
	}
	if s.Ended != Unproven {
		t.Errorf("not ended after %d failures", maxTrials)
	}
}

func TestOutcomesOfProofs(t *testing.T) {
	real := rendered(known(true))
	for _, tc := range []struct {
		name    string
		change  func(*Rendering)
		differs bool
		want    Proof
	}{
		{"nothing differs", func(*Rendering) {}, false, Confirms},
		{"the blocks differ", func(*Rendering) {}, true, Differs},
		{"it loads something else", func(r *Rendering) { r.Loads[0].URL += "?1" }, false, Differs},
		{"it loads more", func(r *Rendering) { r.Loads = append(r.Loads, r.Loads[0]) }, false, Differs},
		{"it leads elsewhere", func(r *Rendering) { r.Chain = MarkOf("other") }, false, Differs},
		{"it sends data", func(r *Rendering) { r.Unfit = Sends }, false, Differs},
		{"it did not come to rest", func(r *Rendering) { r.Unfit = Restless }, true, Failed},
	} {
		moved := rendered(known(true))
		tc.change(&moved)
		if got := Compare(real, moved, tc.differs); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
	for hour := range 24 * 7 {
		for _, past := range []time.Duration{0, 29*time.Minute + 59*time.Second, 30 * time.Minute, 59*time.Minute + 59*time.Second} {
			now := noon.Add(time.Duration(hour)*time.Hour + past)
			at := OtherTime(now)
			if at.Year() == now.Year() || at.Month() == now.Month() || at.Weekday() == now.Weekday() || weekend(at) == weekend(now) ||
				at.Hour() != (now.Hour()+12)%24 || at.Minute() == now.Minute() || at.Second() == now.Second() || at.Day() == now.Day() {
				t.Errorf("instead of %v the clock shows %v", now, at)
			}
		}
	}
}

func TestCompareAnswers(t *testing.T) {
	h := func(pairs ...string) http.Header {
		out := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			out.Add(pairs[i], pairs[i+1])
		}
		return out
	}
	old, recent := noon.Add(-time.Hour).Format(http.TimeFormat), noon.Add(-10*time.Second).Format(http.TimeFormat)
	tag := func(t string) Resource { return Resource{By: ByETag, ETag: t, Mark: etagMark(t)} }
	body := Resource{By: ByBody, Mark: MarkOf("body")}
	for _, tc := range []struct {
		name string
		r    Resource
		a    Answer
		want Verdict
		by   By
	}{
		{"304", tag(`"a"`), Answer{Status: 304, Header: h()}, Same, ByETag},
		{"an unrequested 304", body, Answer{Status: 304, Header: h()}, Other, Unknown},
		{"the same tag", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"a"`), Body: MarkOf("x")}, Same, ByETag},
		{"the same tag, weak", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `W/"a"`)}, Same, ByETag},
		{"the same tag, compressed", tag(`"a-gzip"`), Answer{Status: 200, Header: h("ETag", `"a"`)}, Same, ByETag},
		{"the same tag, otherwise compressed", tag(`W/"a--br"`), Answer{Status: 200, Header: h("ETag", `"a--gzip"`)}, Same, ByETag},
		{"another tag", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"b"`)}, Other, ByETag},
		{"no tag any more", tag(`"a"`), Answer{Status: 200, Header: h(), Body: MarkOf("x")}, Other, Unknown},
		{"the same body", body, Answer{Status: 200, Header: h(), Body: MarkOf("body")}, Same, ByBody},
		{"another body", body, Answer{Status: 200, Header: h(), Body: MarkOf("other")}, Other, ByBody},
		{"the first answer, with a tag", Resource{}, Answer{Status: 200, Header: h("ETag", `"a"`, "Last-Modified", old), Body: MarkOf("x")}, Learned, ByETag},
		{"the first answer, with a date", Resource{}, Answer{Status: 200, Header: h("Last-Modified", old), Body: MarkOf("x"), Time: noon}, Learned, ByModified},
		{"the first answer, with a date just now", Resource{}, Answer{Status: 200, Header: h("Last-Modified", recent), Body: MarkOf("x"), Time: noon}, Learned, ByBody},
		{"the server's clock counts", Resource{}, Answer{Status: 200, Header: h("Last-Modified", recent, "Date", noon.Add(time.Hour).Format(http.TimeFormat)), Time: noon}, Learned, ByModified},
		{"a tag longer than anybody keeps", Resource{}, Answer{Status: 200, Header: h("ETag", `"`+strings.Repeat("a", maxETag)+`"`), Body: MarkOf("x")}, Learned, ByBody},
		{"gone", tag(`"a"`), Answer{Status: 404, Header: h("ETag", `"a"`)}, Other, Unknown},
		{"gone before, too", Resource{By: ByFailure, Mark: failureMark(404)}, Answer{Status: 404, Header: h()}, Same, ByFailure},
		{"gone before, otherwise", Resource{By: ByFailure, Mark: failureMark(500)}, Answer{Status: 404, Header: h()}, Other, ByFailure},
		{"unreachable before, too", Resource{By: ByFailure, Mark: failureMark(0)}, Answer{}, Same, ByFailure},
		{"reachable at last", Resource{By: ByFailure, Mark: failureMark(0)}, Answer{Status: 200, Header: h()}, Other, Unknown},
		{"the same redirect", Resource{By: ByRedirect, Mark: redirectMark(302, "/b")}, Answer{Status: 302, Header: h("Location", "/b")}, Same, ByRedirect},
		{"another redirect", Resource{By: ByRedirect, Mark: redirectMark(302, "/b")}, Answer{Status: 302, Header: h("Location", "/c")}, Other, ByRedirect},
		{"it depends on cookies, of which there are", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"a"`, "Vary", "Cookie", "Set-Cookie", "a=b")}, Other, Unknown},
		{"it depends on cookies, of which there are none", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"a"`, "Vary", "Accept-Encoding, Cookie")}, Same, ByETag},
		{"it depends on everything", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"a"`, "Vary", "*")}, Other, Unknown},
		{"it depends on the kind of request", tag(`"a"`), Answer{Status: 200, Header: h("ETag", `"a"`, "Vary", "Sec-Fetch-Dest")}, Other, Unknown},
	} {
		got, r := tc.r.Compare(tc.a)
		if got != tc.want || r.By != tc.by {
			t.Errorf("%s: Compare = %v by %v; want %v by %v", tc.name, got, r.By, tc.want, tc.by)
		}
	}
}

func TestHowLongAnswersAreFresh(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"":                              0,
		"max-age=60":                    time.Minute,
		"public, MAX-AGE=\"60\"":        time.Minute,
		"max-age=86400":                 MaxFresh,
		"max-age=86400, immutable":      24 * time.Hour,
		"max-age=999999999, immutable":  MaxImmutable,
		"max-age=60, no-cache":          0,
		"no-store":                      0,
		"max-age=0, must-revalidate":    0,
		"max-age=99999999999999999999x": 0,
	} {
		h := http.Header{"Cache-Control": {header}}
		for kind, times := range map[plat.LoadKind]time.Duration{plat.LoadStyle: 1, plat.LoadImage: 1, plat.LoadData: 0, plat.LoadOther: 0} {
			got := freshUntil(h, noon, kind)
			if w := want * times; w == 0 && !got.IsZero() || w > 0 && !got.Equal(noon.Add(w)) {
				t.Errorf("%q, kind %d: fresh until %v; want for %v", header, kind, got, w)
			}
		}
	}
	h := http.Header{"Cache-Control": {"max-age=60"}, "Age": {"50"}}
	if got := freshUntil(h, noon, plat.LoadStyle); !got.Equal(noon.Add(10 * time.Second)) {
		t.Errorf("with an age: until %v", got)
	}
	h = http.Header{"Expires": {noon.Add(time.Minute).Format(http.TimeFormat)}, "Date": {noon.Format(http.TimeFormat)}}
	if got := freshUntil(h, noon.Add(time.Hour), plat.LoadStyle); !got.Equal(noon.Add(time.Hour + time.Minute)) {
		t.Errorf("by Expires: until %v", got)
	}
}

func TestActiveHTMLIsDetected(t *testing.T) {
	for html, want := range map[string]bool{
		"<p>words":                   false,
		"<script>1</script>":         true,
		"<SCRIPT src=a.js></SCRIPT>": true,
		`<script type="application/ld+json">{}</script>`:         false,
		`<script type="Application/JSON ">{}</script><p>`:        false,
		`<script type="module">1</script>`:                       true,
		`<body onload="go()">`:                                   true,
		`<img onerror=go()>`:                                     true,
		`<iframe src=a>`:                                         true,
		`<meta http-equiv=" Refresh" content="5">`:               true,
		`<meta http-equiv="content-language" content="de">`:      false,
		"<svg><style><script>go()</script></style></svg>":        true,
		"<svg><animate /></svg>":                                 true,
		"<marquee>words</marquee>":                               true,
		"<\x00s\x00c\x00r\x00i\x00p\x00t\x00":                    true,
		"<!-- <script> -->":                                      true, // false positive, on the safe side
		`<a href="javascript:go()" one="x" data-on="x">go</a>`:   true, // "one" resembles a handler; a false positive costs a rendering
		`<a href="javascript:go()" data-on="x">go</a>`:           false,
		"<textarea><script type=application/json></textarea><p>": true,
	} {
		if got := ReadSource([]byte(html)).Scripts; got != want {
			t.Errorf("ReadSource(%q).Scripts = %v, want %v", html, got, want)
		}
	}
	code := func(html string) Mark { return ReadSource([]byte(html)).Code }
	if code("<p>a</p><script>1</script>") != code("<p>b</p><script>1</script>") {
		t.Error("other words make other code")
	}
	for _, other := range []string{"<script>2</script>", "<script async>1</script>", "<script>1</script><script>1</script>", "<script>1</script><b onclick=x>"} {
		if code("<script>1</script>") == code(other) {
			t.Errorf("%q has the same code as <script>1</script>", other)
		}
	}
}

func TestTokensAreTakenOutOfBodies(t *testing.T) {
	read := func(format string, a ...any) *Source { return ReadSource(fmt.Appendf(nil, format, a...)) }
	for _, token := range [][2]string{
		{"q8Rz0Xk2LmN4pQ7sT1vW9y==", "a1B2c3D4e5F6g7H8i9J0kk=="},
		{"550e8400-e29b-41d4-a716-446655440000", "660e8400-e29b-41d4-a716-446655440001"},
		{"1763812345", "1763812346"},
		{"d41d8cd98f00b204e9800998ecf8427e", "e41d8cd98f00b204e9800998ecf8427f"},
	} {
		a, b := read("<p nonce=%q>words</p>", token[0]), read("<p nonce=%q>words</p>", token[1])
		if a.Skeleton != b.Skeleton || len(a.Tokens) != 1 || drift(a.Tokens, b.Tokens) != 1 || a.Body == b.Body {
			t.Errorf("%q and %q: tokens %v and %v, skeletons the same: %v", token[0], token[1], a.Tokens, b.Tokens, a.Skeleton == b.Skeleton)
		}
	}
	if a, b := read("<p>words</p>"), read("<p>other</p>"); a.Skeleton == b.Skeleton {
		t.Error("other words have the same skeleton")
	}
	if a, b := read("<p>12345678</p>"), read("<p>12345679</p>"); a.Skeleton == b.Skeleton {
		t.Error("a short number counts as a token")
	}
	many := strings.Repeat(`<p id="1763812345">`, maxTokens+1)
	if a := read("%s", many); a.Tokens != nil {
		t.Errorf("%d tokens are kept", len(a.Tokens))
	}
}

func TestObserveFindsUnfitRenderings(t *testing.T) {
	base := func() *plat.Snapshot {
		return &plat.Snapshot{Status: 200, ContentType: "text/html", FinalURL: "http://a.test/", Taken: noon, LoadsKnown: true,
			Nodes: []plat.Node{{Kind: plat.DocumentNode, Parent: -1, End: 2}, {Kind: plat.ElementNode, Name: "p", End: 2}},
			Loads: []plat.Load{{URL: "http://a.test/a.css", Method: "GET", Kind: plat.LoadStyle, Status: 200, ETag: `"a"`}}}
	}
	for _, tc := range []struct {
		name   string
		change func(*plat.Snapshot)
		want   Reason
		loads  int
	}{
		{"a plain page", func(*plat.Snapshot) {}, NoReason, 1},
		{"unsettled", func(s *plat.Snapshot) { s.Settled = plat.SettledLimit }, Restless, 0},
		{"an image", func(s *plat.Snapshot) { s.ContentType = "image/png" }, NotHTML, 0},
		{"not 200", func(s *plat.Snapshot) { s.Status = 203 }, NotHTML, 0},
		{"loads not known", func(s *plat.Snapshot) { s.LoadsKnown = false }, Unlisted, 0},
		{"redirected by itself", func(s *plat.Snapshot) { s.Redirects = []plat.Redirect{{URL: "http://a.test/x"}} }, Moved, 0},
		{"redirected by the server", func(s *plat.Snapshot) { s.Redirects = []plat.Redirect{{URL: "http://a.test/x", Status: 301}} }, NoReason, 1},
		{"a frame", func(s *plat.Snapshot) { s.Nodes = append(s.Nodes, plat.Node{Kind: plat.DocumentNode}) }, Framed, 0},
		{"a POST", func(s *plat.Snapshot) { s.Loads[0].Method = "POST" }, Sends, 0},
		{"a WebSocket", func(s *plat.Snapshot) { s.Loads[0].Status = 101 }, Live, 0},
		{"an event stream", func(s *plat.Snapshot) { s.Loads[0].ContentType = "text/event-stream; charset=utf-8" }, Live, 0},
		{"a worker", func(s *plat.Snapshot) { s.Loads = append(s.Loads, plat.Load{Kind: plat.LoadLive}) }, Live, 0},
		{"a part", func(s *plat.Snapshot) { s.Loads[0].Status = 206 }, Partial, 0},
		{"a failure", func(s *plat.Snapshot) { s.Loads[0].Status = 0 }, NoReason, 1},
		{"a redirect to nowhere", func(s *plat.Snapshot) { s.Loads[0].Status = 302 }, Unreadable, 0},
		{"a load twice", func(s *plat.Snapshot) { s.Loads = append(s.Loads, s.Loads[0]) }, NoReason, 1},
		{"a load twice, and not the same", func(s *plat.Snapshot) { s.Loads = append(s.Loads, s.Loads[0]); s.Loads[1].ETag = `"b"` }, Repeats, 0},
		{"data twice", func(s *plat.Snapshot) { s.Loads[0].Kind = plat.LoadData; s.Loads = append(s.Loads, s.Loads[0]) }, Repeats, 0},
		{"a load that depends on everything", func(s *plat.Snapshot) { s.Loads[0].Vary = "*" }, Varies, 0},
		{"a document that depends on everything", func(s *plat.Snapshot) { s.Header = [][2]string{{"vary", "Sec-CH-UA"}} }, Varies, 0},
		{"too many", func(s *plat.Snapshot) {
			for i := range MaxLoads {
				s.Loads = append(s.Loads, plat.Load{URL: fmt.Sprint("http://a.test/", i), Method: "GET", Status: 200})
			}
		}, Many, 0},
	} {
		s := base()
		tc.change(s)
		if r := Observe(s); r.Unfit != tc.want || len(r.Loads) != tc.loads {
			t.Errorf("%s: unfit %q, %d loads; want %q, %d", tc.name, r.Unfit, len(r.Loads), tc.want, tc.loads)
		}
	}
	for attr, inert := range map[plat.Attr]bool{{Name: "class", Value: "x"}: true, {Name: "onclick", Value: "go()"}: false} {
		s := base()
		s.Nodes[1].Attrs = []plat.Attr{attr}
		if got := Observe(s).Inert; got != inert {
			t.Errorf("%v: inert %v", attr, got)
		}
	}
	s := base()
	s.Nodes[1].Name = "script"
	if Observe(s).Inert {
		t.Error("a script is inert")
	}
	s.Nodes[1].Attrs = []plat.Attr{{Name: "type", Value: "application/ld+json"}}
	if !Observe(s).Inert {
		t.Error("data is not")
	}
}

func FuzzReadSource(f *testing.F) {
	f.Add([]byte("<p nonce=q8Rz0Xk2LmN4pQ7sT1vW9y==>words<script>1</script>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := ReadSource(b)
		if again := ReadSource(b); !reflect.DeepEqual(s, again) || len(s.Tokens) > maxTokens {
			t.Fatalf("%+v and %+v", s, again)
		}
	})
}
