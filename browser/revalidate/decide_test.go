package revalidate

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// byBody is the state of a page that is compared by its body, with tokens of which the second is known to vary.
func byBody() *State {
	s := known(false)
	s.Document = Resource{By: ByBody, Mark: MarkOf("body")}
	s.Head = HeadMark(http.Header{"Content-Type": {"text/html"}})
	s.Skeleton, s.Tokens, s.Volatile = MarkOf("skeleton"), []uint32{1, 2, 3}, 2
	return s
}

func TestWhatTheDocumentOfAVisitTells(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*State, *Answer, *Source)
		want   Verdict
		masked bool
		drift  uint64
	}{
		{name: "the same body", change: func(s *State, a *Answer, _ *Source) { a.Body = MarkOf("body") }, want: Same},
		{name: "a token that varies", change: func(_ *State, _ *Answer, src *Source) { src.Tokens[1] = 9 }, want: Same, masked: true},
		{name: "a token that did not vary so far", change: func(_ *State, _ *Answer, src *Source) { src.Tokens[0] = 9 }, want: Other, drift: 1},
		{name: "both", change: func(_ *State, _ *Answer, src *Source) { src.Tokens[0], src.Tokens[1] = 9, 9 }, want: Other, drift: 3},
		{name: "other words", change: func(_ *State, _ *Answer, src *Source) { src.Skeleton = MarkOf("other") }, want: Other},
		{name: "a token more", change: func(_ *State, _ *Answer, src *Source) { src.Tokens = append(src.Tokens, 4) }, want: Other},
		{name: "a page without tokens", change: func(s *State, _ *Answer, src *Source) { s.Tokens, src.Tokens = nil, nil }, want: Other},
		{name: "a page whose tokens matter", change: func(s *State, _ *Answer, src *Source) { s.NoMask, src.Tokens[1] = true, 9 }, want: Other},
		{name: "a page that is compared by a tag", change: func(s *State, a *Answer, src *Source) {
			s.Document = Resource{By: ByETag, ETag: `"a"`, Mark: etagMark(`"a"`)}
			a.Header.Set("ETag", `"b"`)
			src.Tokens[1] = 9
		}, want: Other},
		{name: "an answer that is no page", change: func(_ *State, a *Answer, src *Source) { a.Status, src.Tokens[1] = 404, 9 }, want: Other},
		{name: "the same body with another header", change: func(_ *State, a *Answer, _ *Source) {
			a.Body = MarkOf("body")
			a.Header.Set("X-Robots-Tag", "noindex")
		}, want: Other},
		{name: "a token that varies, with another header", change: func(_ *State, a *Answer, src *Source) {
			src.Tokens[1] = 9
			a.Header.Set("X-Robots-Tag", "noindex")
		}, want: Other},
		{name: "the header is not known yet", change: func(s *State, a *Answer, _ *Source) { s.Head, a.Body = Mark{}, MarkOf("body") }, want: Same},
		{name: "a token that varies, the header not known yet", change: func(s *State, _ *Answer, src *Source) { s.Head, src.Tokens[1] = Mark{}, 9 }, want: Same, masked: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, f := byBody(), &Findings{}
			a := Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: MarkOf("new"), Time: noon}
			src := &Source{Skeleton: s.Skeleton, Tokens: slices.Clone(s.Tokens)}
			tc.change(s, &a, src)
			f.CompareDocument(s, a, src)
			if f.Verdict != tc.want || f.Masked != tc.masked || f.Drift != tc.drift {
				t.Errorf("verdict %v, masked %v, drift %b; want %v, %v, %b", f.Verdict, f.Masked, f.Drift, tc.want, tc.masked, tc.drift)
			}
			if f.Head != HeadMark(a.Header) || f.Source != src {
				t.Error("the header or the source is not kept")
			}
		})
	}
	s, f := byBody(), &Findings{}
	if f.CompareDocument(s, Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: MarkOf("new")}, nil); f.Verdict != Other {
		t.Errorf("another body that was not read: %v", f.Verdict)
	}
	s.Document, f = Resource{By: ByETag, ETag: `"a"`, Mark: etagMark(`"a"`)}, &Findings{}
	if f.CompareDocument(s, Answer{Status: 304, Header: http.Header{}}, nil); f.Verdict != Same || !f.Head.IsZero() {
		t.Errorf("a 304 is %v, with the header %v: it has few headers of the page", f.Verdict, f.Head)
	}
	f = &Findings{Verdict: Other}
	if f.CompareDocument(s, Answer{Status: 304, Header: http.Header{}}, nil); f.Verdict != Other {
		t.Error("what was found before is forgotten")
	}
}

func TestAVerdictIsTheWorstOfItsLoads(t *testing.T) {
	s, f := known(false), &Findings{}
	f.CompareLoad(s, Answer{Status: 200, Header: http.Header{"Etag": {`"other"`}}})
	f.CompareLoad(s, Answer{Status: 304, Header: http.Header{}})
	if f.Verdict != Other || len(f.Loads) != 2 || f.Loads[0].ETag != `"other"` || f.Loads[1].URL != s.Loads[1].URL {
		t.Errorf("findings %+v", f)
	}
	f = &Findings{}
	f.Keep(s)
	f.Keep(s)
	if !reflect.DeepEqual(f.Loads, s.Loads) || f.Verdict != Same {
		t.Errorf("fresh loads are %+v", f)
	}
}

func TestTheStateAfterAVisitThatWasSkipped(t *testing.T) {
	s := byBody()
	s.Skips, s.Misses = 2, 1
	f := same(s)
	f.Loads[0].ETag = `"new"`
	next := s.Skipped(f)
	if next.Skips != 3 || next.Misses != 0 || next.Loads[0].ETag != `"new"` || next.Document.Mark != MarkOf("body") || !slices.Equal(next.Tokens, s.Tokens) {
		t.Errorf("state %+v", next)
	}
	if s.Skips != 2 {
		t.Error("the state of before is changed")
	}
	f.Masked, f.Source = true, &Source{Body: MarkOf("masked"), Tokens: []uint32{1, 9, 3}, Scripts: true, Code: MarkOf("new code")}
	f.Head = MarkOf("new head")
	next = s.Skipped(f)
	if next.Document.Mark != MarkOf("masked") || !slices.Equal(next.Tokens, f.Source.Tokens) {
		t.Errorf("after varied tokens: %+v", next)
	}
	if !next.Sourced || !next.Scripts || next.Code != MarkOf("new code") || next.Head != MarkOf("new head") {
		t.Errorf("what the HTML is like is not kept: %+v", next)
	}
	f.Head = Mark{}
	if next = s.Skipped(f); next.Head != s.Head {
		t.Error("a header that was not received replaces the known one")
	}
}

func TestWhatIsLearntOfTheDocument(t *testing.T) {
	read := func(tokens ...uint32) *Source {
		return &Source{Body: MarkOf("read"), Skeleton: MarkOf("skeleton"), Tokens: tokens, Scripts: true, Code: MarkOf("read code")}
	}
	for _, tc := range []struct {
		name   string
		change func(*State, *Findings, *Rendering)
		check  func(*State) bool
	}{
		{"the browser had no validator: the body that was read is one", func(s *State, f *Findings, r *Rendering) {
			r.Document, f.Source, f.Head = Resource{}, read(1, 2, 3), MarkOf("read head")
		}, func(s *State) bool {
			return s.Document.By == ByBody && s.Document.Mark == MarkOf("read") && s.Skeleton == MarkOf("skeleton") && len(s.Tokens) == 3 && s.Volatile == 2 &&
				s.Sourced && s.Scripts && s.Code == MarkOf("read code") && s.Head == MarkOf("read head")
		}},
		{"another number of tokens: which vary is not known", func(s *State, f *Findings, r *Rendering) { r.Document, f.Source = Resource{}, read(1, 2) },
			func(s *State) bool { return s.Volatile == 0 && len(s.Tokens) == 2 }},
		{"other words: which tokens vary is not known", func(s *State, f *Findings, r *Rendering) {
			r.Document, f.Source = Resource{}, read(1, 2, 3)
			f.Source.Skeleton = MarkOf("other")
		}, func(s *State) bool { return s.Volatile == 0 && s.Skeleton == MarkOf("other") }},
		{"tokens that matter are not masked again", func(s *State, f *Findings, r *Rendering) {
			s.NoMask, r.Document, f.Source = true, Resource{}, read(1, 2, 3)
		}, func(s *State) bool { return s.NoMask && s.Volatile == 0 }},
		{"a change behind masked tokens ends masking", func(s *State, f *Findings, r *Rendering) {
			f.Masked, r.Changed = true, true
			r.Version++
		}, func(s *State) bool { return s.NoMask && s.Ended == NoReason }},
		{"masked tokens without a change do not", func(s *State, f *Findings, r *Rendering) { f.Masked = true }, func(s *State) bool { return !s.NoMask }},
		{"the browser had the document that was read", func(s *State, f *Findings, r *Rendering) { f.Source = read(1, 2, 3) },
			func(s *State) bool {
				return s.Sourced && s.Code == MarkOf("read code") && s.Document.Mark == MarkOf("body") && s.Tokens == nil
			}},
		{"the browser had another document", func(s *State, f *Findings, r *Rendering) {
			f.Source, r.Document = read(1, 2, 3), Resource{By: ByETag, ETag: `"x"`, Mark: etagMark(`"x"`)}
		}, func(s *State) bool { return !s.Sourced && s.Code.IsZero() }},
		{"nothing was read: what was known stays", func(s *State, f *Findings, r *Rendering) { s.Scripts = true },
			func(s *State) bool { return s.Sourced && s.Scripts && s.Code == MarkOf("code") && !s.Head.IsZero() }},
		{"nothing was read, nothing was known", func(s *State, f *Findings, r *Rendering) { s.Sourced = false },
			func(s *State) bool { return !s.Sourced && s.Code.IsZero() }},
		{"tokens that were found to vary", func(s *State, f *Findings, r *Rendering) {
			f.Drift, f.Verdict, s.Streak = 4, Other, 2
		}, func(s *State) bool { return s.Volatile&4 != 0 && s.Streak == 0 && s.Misses == 0 }},
		{"tokens that varied with a change", func(s *State, f *Findings, r *Rendering) {
			f.Drift, f.Verdict, r.Changed, s.Streak = 4, Other, true, 2
			r.Version++
		}, func(s *State) bool { return s.Volatile&4 == 0 && s.Streak == 0 && s.Misses == 1 }},
		{"answers that were learnt from are no evidence", func(s *State, f *Findings, r *Rendering) { f.Verdict, s.Streak = Learned, 2 },
			func(s *State) bool { return s.Streak == 2 && s.Misses == 0 }},
		{"long in vain, it rests for sixteen visits at most", func(s *State, f *Findings, r *Rendering) { f.Verdict, s.Misses = Other, 100 },
			func(s *State) bool { return s.Rest == maxRest }},
		{"the third time in vain it rests once", func(s *State, f *Findings, r *Rendering) { f.Verdict, s.Misses = Other, patience-1 },
			func(s *State) bool { return s.Misses == patience && s.Rest == 1 }},
		{"the second time it does not", func(s *State, f *Findings, r *Rendering) { f.Verdict, s.Misses = Other, patience-2 },
			func(s *State) bool { return s.Misses == patience-1 && s.Rest == 0 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := byBody()
			f, r := same(s), rendered(s)
			tc.change(s, f, &r)
			if next, _ := Learn(s, f, r); !tc.check(next) {
				t.Errorf("Learn = %+v", next)
			}
		})
	}
}

// A rendering that shows a change right after answers that showed none is a contradiction, unless something changed between.
func TestWhatContradictsAnswers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*State, *Rendering)
		want   bool
	}{
		{"all as it was", func(*State, *Rendering) {}, true},
		{"it leads elsewhere", func(_ *State, r *Rendering) { r.Chain = MarkOf("other") }, false},
		{"the document has no validator any more", func(_ *State, r *Rendering) { r.Document = Resource{} }, false},
		{"the document is compared by its body, which the browser does not tell", func(s *State, r *Rendering) {
			s.Document, r.Document = Resource{By: ByBody, Mark: MarkOf("body")}, Resource{}
		}, true},
		{"it leads elsewhere, compared by its body", func(s *State, r *Rendering) {
			s.Document, r.Chain = Resource{By: ByBody, Mark: MarkOf("body")}, MarkOf("other")
		}, false},
		{"a load is new", func(_ *State, r *Rendering) { r.Loads[0].URL += "?2" }, true},
		{"a load has another validator", func(_ *State, r *Rendering) { r.Loads[0].Mark = MarkOf("other") }, false},
		{"a load has a validator of another kind", func(_ *State, r *Rendering) { r.Loads[0].By, r.Loads[0].Mark = ByModified, MarkOf("other") }, true},
		{"a load has none", func(s *State, r *Rendering) {
			s.Loads[0].By, r.Loads[0].By, r.Loads[0].Mark = Unknown, Unknown, MarkOf("other")
		}, true},
	} {
		s := known(false)
		r := rendered(s)
		r.Changed = true
		r.Version++
		tc.change(s, &r)
		if next, _ := Learn(s, same(s), r); (next.Ended == Contradicted) != tc.want {
			t.Errorf("%s: ended %q", tc.name, next.Ended)
		}
	}
}

func TestWhichScriptsAreTheSame(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Rendering)
		want   bool
	}{
		{"the same", func(*Rendering) {}, true},
		{"another style sheet", func(r *Rendering) { r.Loads[0].Mark = MarkOf("other") }, true},
		{"another script", func(r *Rendering) { r.Loads[1].Mark = MarkOf("other") }, false},
		{"a script without a validator", func(r *Rendering) { r.Loads[1].By = Unknown }, false},
		{"a script of another address", func(r *Rendering) { r.Loads[1].URL += "?2" }, false},
		{"a script more", func(r *Rendering) { r.Loads = append(r.Loads, r.Loads[1]) }, false},
		{"no script", func(r *Rendering) { r.Loads = r.Loads[:1] }, false},
	} {
		s := known(true)
		r := rendered(s)
		tc.change(&r)
		if got := sameScripts(s.Loads, r.Loads); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestProofsOfUnfitRenderings(t *testing.T) {
	real := rendered(known(true))
	moved := real
	moved.Unfit = Unlisted
	if got := Compare(real, moved, false); got != Failed {
		t.Errorf("without its loads: %v", got)
	}
	real.Unfit, moved.Unfit = Live, Live
	if got := Compare(real, moved, false); got != Confirms {
		t.Errorf("unfit alike: %v", got)
	}
}

func TestAnAnswerToAnotherRequestTellsWhatIsCompared(t *testing.T) {
	body := MarkOf("body")
	for _, tc := range []struct {
		by     By
		status int
		body   Mark
		want   bool
	}{
		{ByETag, 200, Mark{}, true}, {ByModified, 299, Mark{}, true},
		{ByBody, 200, body, true}, {ByBody, 200, Mark{}, false}, {ByBody, 299, Mark{}, false},
		{Unknown, 200, body, true}, {Unknown, 200, Mark{}, false},
		{ByBody, 199, Mark{}, true}, {ByBody, 300, Mark{}, true}, {Unknown, 404, Mark{}, true},
	} {
		if got := (Answer{Status: tc.status, Body: tc.body}).Tells(&Resource{By: tc.by}); got != tc.want {
			t.Errorf("a %d with the body %v tells of %v: %v", tc.status, tc.body, tc.by, got)
		}
	}
}

func TestAnswersAtTheEdgesOfTheirClass(t *testing.T) {
	for _, tc := range []struct {
		status int
		want   By
	}{{199, ByFailure}, {200, ByETag}, {299, ByETag}, {300, ByRedirect}, {399, ByRedirect}, {400, ByFailure}} {
		v, r := (&Resource{}).Compare(Answer{Status: tc.status, Header: http.Header{"Etag": {`"a"`}, "Location": {"/b"}}})
		if v != Learned || r.By != tc.want {
			t.Errorf("%d: %v by %v, want %v", tc.status, v, r.By, tc.want)
		}
	}
}

func TestTagsUpToTheirLimit(t *testing.T) {
	tag := `"` + strings.Repeat("a", maxETag-2) + `"`
	if got := tagOf(http.Header{"Etag": {" " + tag + " "}}); got != tag {
		t.Errorf("a tag of %d bytes is %q", maxETag, got)
	}
	if got := tagOf(http.Header{"Etag": {tag + "a"}}); got != "" {
		t.Errorf("a longer tag is %q", got)
	}
	if !etagMark("").IsZero() || !etagMark(" W/ ").IsZero() || !modifiedMark(time.Time{}).IsZero() {
		t.Error("no tag, or no date, has a mark")
	}
	for _, other := range []string{`"a-gzip"`, `"a;gzip"`, `"a-br"`, `"a;br"`, `"a-zstd"`, `"a;zstd"`, `"a-df"`, `"a--gzip"`, ` W/"a"`} {
		if etagMark(other) != etagMark(`"a"`) {
			t.Errorf("%s is not a", other)
		}
	}
	if etagMark(`"a-br-gzip"`) == etagMark(`"a"`) {
		t.Error("two codings are removed")
	}
}

func TestWhichDatesAreValidators(t *testing.T) {
	at := func(modified, date time.Time) time.Time {
		h := http.Header{"Last-Modified": {modified.Format(http.TimeFormat)}}
		if !date.IsZero() {
			h.Set("Date", date.Format(http.TimeFormat))
		}
		return settledDate(h, noon)
	}
	minuteAgo := noon.Add(-settled)
	if !at(minuteAgo, time.Time{}).Equal(minuteAgo) || !at(minuteAgo.Add(time.Second), time.Time{}).IsZero() {
		t.Error("a date is a validator from the age of a minute on")
	}
	if !at(minuteAgo, noon.Add(-time.Second)).IsZero() {
		t.Error("the clock of the server does not count")
	}
	if !at(time.Unix(0, 0).UTC(), time.Time{}).IsZero() || at(time.Unix(1, 0).UTC(), time.Time{}).IsZero() {
		t.Error("the beginning of 1970 is a date that is not set")
	}
}

func TestFreshnessByOtherHeaders(t *testing.T) {
	date := func(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }
	for _, tc := range []struct {
		name string
		h    http.Header
		want time.Duration
	}{
		{"a second", http.Header{"Cache-Control": {"max-age=1"}}, time.Second},
		{"max-age counts more than Expires", http.Header{"Cache-Control": {"max-age=5"}, "Expires": {date(time.Minute)}, "Date": {date(0)}}, 5 * time.Second},
		{"max-age=0 counts more than Expires", http.Header{"Cache-Control": {"max-age=0"}, "Expires": {date(time.Minute)}, "Date": {date(0)}}, 0},
		{"a negative age", http.Header{"Cache-Control": {"max-age=-5"}, "Expires": {date(time.Minute)}, "Date": {date(0)}}, 0},
		{"Expires without a date", http.Header{"Expires": {date(time.Minute)}}, 0},
		{"Expires in the past", http.Header{"Expires": {date(-time.Minute)}, "Date": {date(0)}}, 0},
		{"Expires after an age", http.Header{"Expires": {date(time.Minute)}, "Date": {date(0)}, "Age": {"20"}}, 40 * time.Second},
		{"an age of one second", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"1"}}, 59 * time.Second},
		{"a negative Age", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"-10"}}, time.Minute},
		{"an age that is no number", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"10s"}}, time.Minute},
		{"as old as it may be", http.Header{"Cache-Control": {"max-age=60"}, "Age": {"60"}}, 0},
		{"an endless age", http.Header{"Cache-Control": {"max-age=60, immutable"}, "Age": {"999999999999"}}, 0},
		{"two headers", http.Header{"Cache-Control": {"public", "max-age=60"}}, time.Minute},
		{"no-cache anywhere", http.Header{"Cache-Control": {"max-age=60", "No-Cache"}}, 0},
	} {
		got := freshUntil(tc.h, noon, plat.LoadStyle)
		if tc.want == 0 && !got.IsZero() || tc.want > 0 && !got.Equal(noon.Add(tc.want)) {
			t.Errorf("%s: until %v, want %v", tc.name, got, tc.want)
		}
	}
	for _, kind := range []plat.LoadKind{plat.LoadStyle, plat.LoadScript, plat.LoadFont, plat.LoadImage} {
		if !Lasting(kind) {
			t.Errorf("kind %d is not served from a cache", kind)
		}
	}
}

func TestWhichHeadersOfADocumentMatter(t *testing.T) {
	mark := func(pairs ...string) Mark {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Add(pairs[i], pairs[i+1])
		}
		return HeadMark(h)
	}
	plain := mark("Content-Type", "text/html")
	for _, same := range [][]string{{"Date", "now"}, {"Server", "x"}} {
		if mark(append(same, "Content-Type", "text/html")...) != plain {
			t.Errorf("%v matters", same)
		}
	}
	for _, name := range shaping {
		if mark(name, "a") == mark(name, "b") || mark(name, "a") == mark() {
			t.Errorf("%s does not matter", name)
		}
	}
	policy := func(nonce string) Mark {
		return mark("Content-Security-Policy", "script-src 'nonce-"+nonce+"' 'self'; style-src 'nonce-"+nonce+"'")
	}
	if policy("abc") != policy("xyz") {
		t.Error("a nonce matters")
	}
	if policy("abc") == mark("Content-Security-Policy", "script-src 'nonce-abc'; style-src 'nonce-abc'") {
		t.Error("what a policy allows does not matter")
	}
	if mark("Link", "'nonce-a'") == mark("Link", "'nonce-b'") {
		t.Error("nonces are removed from headers that have none")
	}
	if mark("Set-Cookie", "a=1; Path=/", "Set-Cookie", "b=2") != mark("Set-Cookie", " b=3", "Set-Cookie", "a=4") {
		t.Error("the order or the values of cookies matter")
	}
	if mark("Set-Cookie", "a=1") == mark("Set-Cookie", "b=1") {
		t.Error("which cookies are set does not matter")
	}
}

func TestRedirectsInTheMarkOfAChain(t *testing.T) {
	hops := []plat.Redirect{{URL: "http://a.test/1", Status: 301}}
	mark := ChainMark(hops, "http://a.test/2")
	if ChainMark([]plat.Redirect{{URL: "http://a.test/1#x", Status: 301}}, "http://a.test/2#y") != mark {
		t.Error("fragments matter")
	}
	if ChainMark([]plat.Redirect{{URL: "http://a.test/1", Status: 302}}, "http://a.test/2") == mark ||
		ChainMark(hops, "http://a.test/3") == mark || ChainMark(nil, "http://a.test/2") == mark {
		t.Error("statuses, hops or the end do not matter")
	}
	if len(hops) != 1 || hops[0].Status != 301 {
		t.Error("the hops are changed")
	}
}

func TestRefererAndLanguagesOfQuestions(t *testing.T) {
	at := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, tc := range []struct{ page, to, want string }{
		{"http://u:p@a.test/x?y#z", "http://a.test/b", "http://a.test/x?y"},
		{"http://a.test/x", "http://b.test/b", "http://a.test/"},
		{"http://a.test/x", "https://a.test/b", "http://a.test/"},
		{"https://a.test/x", "http://a.test/b", ""},
		{"https://a.test/x", "https://b.test/b", "https://a.test/"},
	} {
		if got := refererOf(at(tc.page), at(tc.to)); got != tc.want {
			t.Errorf("from %s to %s: %q, want %q", tc.page, tc.to, got, tc.want)
		}
	}
	if got := refererOf(nil, at("http://a.test/")); got != "" {
		t.Errorf("the document itself has the Referer %q", got)
	}
	if got, want := acceptLanguage("de-DE, de,en"), "de-DE,de;q=0.9,en;q=0.8"; got != want {
		t.Errorf("languages %q, want %q", got, want)
	}
	if got := acceptLanguage(strings.Repeat("a,", 11) + "a"); !strings.HasSuffix(got, "a;q=0.2,a;q=0.1,a;q=0.1,a;q=0.1") {
		t.Errorf("many languages: %q", got)
	}
}
