package redact

import (
	"strings"
	"testing"

	"plat/plat"
)

// secret has a character of each kind that encodings treat differently.
const secret = `tr0 ub*4~d'(é)!&<"\/%+百`

// encodings are forms of the secret, written down as browsers write them.
var encodings = map[string]string{
	"text":                            `tr0 ub*4~d'(é)!&<"\/%+百`,
	"a form":                          `tr0+ub*4%7Ed%27%28%C3%A9%29%21%26%3C%22%5C%2F%25%2B%E7%99%BE`,
	"encodeURIComponent":              `tr0%20ub*4~d'(%C3%A9)!%26%3C%22%5C%2F%25%2B%E7%99%BE`,
	"encodeURIComponent, lower case":  `tr0%20ub*4~d'(%c3%a9)!%26%3c%22%5c%2f%25%2b%e7%99%be`,
	"encodeURI":                       `tr0%20ub*4~d'(%C3%A9)!&%3C%22%5C/%25+%E7%99%BE`,
	"a path":                          `tr0%20ub*4~d'(%C3%A9)!&%3C%22\/%+%E7%99%BE`,
	"a query":                         `tr0%20ub*4~d%27(%C3%A9)!&%3C%22\/%+%E7%99%BE`,
	"a fragment":                      `tr0%20ub*4~d'(%C3%A9)!&%3C%22\/%+%E7%99%BE`,
	"user information":                `tr0%20ub*4~d%27(%C3%A9)!&%3C%22%5C%2F%+%E7%99%BE`,
	"percent-encoded twice":           `tr0%2520ub*4~d%2527(%25C3%25A9)!%2526%253C%2522%255C%252F%2525%252B%25E7%2599%25BE`,
	"percent-encoded three times":     `tr0%252520ub*4~d%252527(%2525C3%2525A9)!%252526%25253C%252522%25255C%25252F%252525%25252B%2525E7%252599%2525BE`,
	"escape()":                        `tr0%20ub*4%7Ed%27%28%E9%29%21%26%3C%22%5C/%25+%u767E`,
	"innerHTML":                       `tr0 ub*4~d'(é)!&amp;&lt;"\/%+百`,
	"an attribute":                    `tr0 ub*4~d'(é)!&amp;&lt;&quot;\/%+百`,
	"entities":                        `tr0&nbsp;ub&ast;4~d&apos;&lpar;&eacute;&rpar;&excl;&AMP;&LT;&QUOT;&bsol;&sol;&percnt;&plus;百`,
	"decimal references":              `&#116;&#114;&#48;&#32;ub*4~d&#39;(&#233;)!&#38;&#60;&#34;&#92;&#47;&#37;&#43;&#30334;`,
	"hexadecimal references":          `&#x74;r0&#X20;ub*4~d&#x27;(&#xe9;)!&#x26;&#x3C;&#x22;&#x5c;&#x2F;&#x25;&#x2B;&#x767E;`,
	"references without semicolons":   `tr0&nbsp ub*4~d'(&eacute)!&amp&lt&quot\/%+&#30334`,
	"escaped twice":                   `tr0 ub*4~d'(é)!&amp;amp;&amp;lt;&amp;quot;\/%+&amp;#30334;`,
	"JSON":                            `tr0 ub*4~d'(é)!&<\"\\/%+百`,
	"JSON, ASCII":                     `tr0 ub*4~d'(\u00e9)!&<\"\\\/%+\u767E`,
	"JSON for HTML":                   `tr0 ub*4~d\u0027(é)!\u0026\u003c\u0022\\\/%+百`,
	"JSON twice":                      `tr0 ub*4~d'(\\u00e9)!&<\\\"\\\\/%+百`,
	"JSON in an address":              `tr0%20ub*4~d'(%5Cu00e9)!%26%3C%5C%22%5C%5C%2F%25%2B%E7%99%BE`,
	"JSON in an attribute":            `tr0 ub*4~d'(é)!&amp;&lt;\&quot;\\/%+百`,
	"JavaScript":                      `tr0\x20ub\x2a4~d\'(\xe9)!&<\"\\\/%+\u{767e}`,
	"CSS.escape()":                    `tr0\ ub\*4\~d\'\(é\)\!\&\<\"\\\/\%\+百`,
	"CSS":                             `\74 r0\000020ub*4~d'(\e9)!&<\22\\\/\%+\767e `,
	"base64":                          `dHIwIHViKjR+ZCcow6kpISY8IlwvJSvnmb4=`,
	"base64 in an address":            `dHIwIHViKjR-ZCcow6kpISY8IlwvJSvnmb4`,
	"base64, percent-encoded":         `dHIwIHViKjR%2BZCcow6kpISY8IlwvJSvnmb4%3D`,
	"upper case":                      `TR0 UB*4~D'(É)!&<"\/%+百`,
	"another normal form":             "tr0 ub*4~d'(e\u0301)!&<\"\\/%+百",
	"full width":                      "ｔｒ０ ub＊4~d'(é)！&<\"\\/%+百",
	"blanks":                          "tr0 \n\t ub*4~d'(é)!&<\"\\/%+百",
	"a blank that does not break":     "tr0\u00a0ub*4~d'(é)!&<\"\\/%+百",
	"soft hyphens":                    "tr0 u\u00adb*4~d\u200b'(é)!\u2060&<\"\\\ufeff/%\u200d+百",
	"soft hyphens as references":      `tr0 u&shy;b*4~d&ZeroWidthSpace;'(é)!&amp;&lt;"\/%+百`,
	"marks of direction":              "\u202etr0 ub*4~d'(é)\u2066!&<\"\\/%+百\u202c",
	"a form in gbk":                   `tr0+ub*4%7Ed%27%28%A8%A6%29%21%26%3C%22%5C%2F%25%2B%B0%D9`,
	"a form in shift_jis":             `tr0+ub*4%7Ed%27%28%26%23233%3B%29%21%26%3C%22%5C%2F%25%2B%95S`,
	"a form in euc-kr":                `tr0+ub*4%7Ed%27%28%26%23233%3B%29%21%26%3C%22%5C%2F%25%2B%DB%DD`,
	"a form in windows-1252":          `tr0+ub*4%7Ed%27%28%E9%29%21%26%3C%22%5C%2F%25%2B%26%2330334%3B`,
	"a form in koi8-r":                `tr0+ub*4%7Ed%27%28%26%23233%3B%29%21%26%3C%22%5C%2F%25%2B%26%2330334%3B`,
	"several encodings in one":        `%74r0+ub&#42;4\u007ed'(%C3%A9)!&amp;&#x3c;%22\\/%25+百`,
	"a query in JSON in an attribute": `tr0%20ub*4~d%27(%C3%A9)!\u0026amp;%3C%22%5C\/%25%2B%E7%99%BE`,
}

func TestEveryEncodingOfASecretIsReplaced(t *testing.T) {
	r := New(secret)
	for name, form := range encodings {
		for _, around := range [][2]string{{"", ""}, {"a ", " b"}, {"?q=", "&r=1"}, {`{"a":"`, `"}`}, {"é", "é"}, {"x", "x"}, {"<b>", "</b>"}, {"data:text/plain,", "#"}} {
			if strings.HasPrefix(name, "base64") && around[0] == "x" {
				continue // it is base64 of something different
			}
			got := r.Text(around[0] + form + around[1])
			// Characters without width go with the secret, and so does the padding of base64.
			got = strings.NewReplacer("%3D", "", "=\"", "=\"", "\u202e", "", "\u202c", "").Replace(got)
			if strings.HasPrefix(name, "base64") {
				got, _, _ = strings.Cut(got, Mark)
				got += Mark + around[1]
			}
			if got != around[0]+Mark+around[1] {
				t.Errorf("%s: %q became %q", name, around[0]+form+around[1], got)
			}
		}
	}
	for _, s := range []string{"", "tr0", "tr0 ub*4~d", "%", "100%", "&", "&amp", `\`, `\u`, `\u12`, `\x`, "%u", "%uD83D", `\ud83d\u0041`, "&#", "&#x;", "\xff%ff", "%E7%99", "a+b", "x\u00ad"} {
		if got := r.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// Of base64 of a longer text, as "user:password", all characters that depend only on the secret
// are replaced.
func TestBase64OfASecretIsFoundAtEachAlignment(t *testing.T) {
	r := New("hunter2")
	for in, want := range map[string]string{
		"YTpodW50ZXIy":                  "YTp" + "" + Mark, // a:hunter2
		"dXNlcjpodW50ZXIy":              "dXNlcjp" + Mark,  // user:hunter2
		"YTpodW50ZXIyOmI=":              "YTp" + Mark + "OmI=",
		"eyJwYXNzIjoiaHVudGVyMiJ9":      "eyJwYXNzIjoi" + Mark + "J9", // {"pass":"hunter2"}
		"Basic YTpodW50ZXIy, NTLM YTpo": "Basic YTp" + Mark + ", NTLM YTpo",
	} {
		got := r.Text(in)
		// The first and the last character have bits of both.
		if !strings.Contains(got, Mark) || len(got) > len(want)+2 {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestShortSecretsAreNotSearchedFor(t *testing.T) {
	if r := New("abc", "", "é百x"); r != nil {
		t.Errorf("New = %+v, want nil", r)
	}
	if got := New("abc", "abcd", "a   b").Text("abc ABCD abcd a b a   b"); got != "abc [redacted] [redacted] a b [redacted]" {
		t.Errorf("got %q", got)
	}
	var none *Redactor
	if got := none.Text("abcd"); got != "abcd" {
		t.Errorf("got %q", got)
	}
}

func TestSecretsThatOverlapAreReplacedTogether(t *testing.T) {
	for in, want := range map[string]string{
		"anna-secret": Mark, "secret-x": Mark + "-x", "annaanna": Mark + Mark, "anna-secre": Mark + "-secre", "xanna-secretsecret": "x" + Mark + Mark,
	} {
		if got := New("anna", "anna-secret", "secret").Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := New("aaaa").Text("aaaaaa"); strings.Contains(got, "aaaa") {
		t.Errorf("got %q", got)
	}
}

func TestASecretIsFoundAcrossTexts(t *testing.T) {
	const hidden = "\x00" // before a text that is not shown
	for _, tc := range []struct {
		name       string
		parts, out []string
	}{
		{"in one", []string{"a hunter2 b"}, []string{"a [redacted] b"}},
		{"in two", []string{"a hun", "ter2 b"}, []string{"a [redacted]", " b"}},
		{"a character each", strings.Split("hunter2", ""), []string{"[redacted]", "", "", "", "", "", ""}},
		{"empty texts between", []string{"", "hun", "", "", "ter2", ""}, []string{"", "[redacted]", "", "", "", ""}},
		{"soft hyphens", []string{"hun\u00ad", "\u200bter2"}, []string{"[redacted]", ""}},
		{"lines between", []string{"\n  hun\n", "\n  ", " ter2 \n"}, []string{"\n  [redacted]", "", " \n"}},
		{"hidden texts between", []string{"hun", hidden + "decoy", "ter2"}, []string{"[redacted]", hidden[:0], ""}},
		{"two, one in the other's text", []string{"hunter2hun", "ter2hunter2"}, []string{"[redacted][redacted]", "[redacted]"}},
		{"percent-encoded", []string{"%68un", "%74er", "2"}, []string{"[redacted]", "", ""}},
		{"cut within an encoding", []string{"%6", "8unter2"}, []string{"[redacted]", ""}},
		{"a word that is none", []string{"hunter", " 2"}, []string{"[redacted]", ""}},
		{"words of a text", []string{"hunter 2"}, []string{"hunter 2"}},
		{"nothing", []string{"hun", "ter", "3"}, []string{"hun", "ter", "3"}},
		{"base64", []string{"aHVu", "dGVyMg=="}, []string{"[redacted]", "g=="}},
	} {
		var parts []Part
		for _, text := range tc.parts {
			text, is := strings.CutPrefix(text, hidden)
			parts = append(parts, Part{&text, !is})
		}
		New("hunter2").Parts(parts)
		for i, p := range parts {
			if *p.Text != tc.out[i] {
				t.Errorf("%s: text %d is %q, want %q", tc.name, i, *p.Text, tc.out[i])
			}
		}
	}
	parts := []Part{}
	for _, text := range strings.Split("o|p|e|n| |s|e|s|a|m|e", "|") {
		parts = append(parts, Part{&text, true}, Part{new("\n  "), true})
	}
	New("open sesame").Parts(parts)
	for _, p := range parts[1:] {
		if text := strings.TrimSpace(*p.Text); text != "" && text != Mark {
			t.Errorf("a text is %q", *p.Text)
		}
	}
}

func TestNothingOfASnapshotHasASecret(t *testing.T) {
	el := func(name string, parent, end int32, attrs ...plat.Attr) plat.Node {
		return plat.Node{Kind: plat.ElementNode, Name: name, Parent: parent, End: end, Attrs: attrs}
	}
	text := func(value string, parent, at int32) plat.Node {
		return plat.Node{Kind: plat.TextNode, Value: value, Parent: parent, End: at + 1, HasBox: true}
	}
	s := &plat.Snapshot{
		URL: "http://a.test/", FinalURL: "http://a.test/?q=hunter2", Title: "hun&shy;ter2", Language: "hunter2", ContentType: "hunter2",
		Redirects: []plat.Redirect{{URL: "http://hunter2:x@a.test/"}}, Header: [][2]string{{"X-Hunter2", "aHVudGVyMg=="}},
		Loads:      []plat.Load{{URL: "http://a.test/a.css"}, {URL: "http://a.test/hunter%32"}, {URL: "http://a.test/b", Location: "/hunter2"}},
		LoadsKnown: true,
		Failed:     []plat.FailedLoad{{URL: "http://a.test/?p=hunter%32", Why: `unreachable: "hunter2.test"`}},
		Styles:     []plat.Style{{}, {Hidden: true}},
		Nodes: []plat.Node{
			0:  {Kind: plat.DocumentNode, Parent: -1, End: 16},
			1:  el("p", 0, 10, plat.Attr{Name: "data-hunter2", Value: "%68unter2"}),
			2:  text("hun", 1, 2),
			3:  {Kind: plat.CommentNode, Value: "hunter2", Parent: 1, End: 4},
			4:  el("b", 1, 6),
			5:  text("te", 4, 5),
			6:  el("script", 1, 8),
			7:  text(`"\x68unter2"`, 6, 7),
			8:  text("decoy", 1, 8),
			9:  text("r2", 1, 9),
			10: el("i", 0, 12),
			11: text("ter2", 10, 11),
			12: {Kind: plat.DocumentNode, Parent: 0, End: 14},
			13: text("hun", 12, 13),
			14: el("hunter2", 0, 16),
			15: text("ter2", 14, 15),
		},
		Generated: []plat.Generated{{Node: 10, Kind: plat.Before, Text: "hun"}, {Node: 10, Kind: plat.After, Text: "hun"}},
	}
	s.Nodes[8].Style = 1
	New("hunter2").Snapshot(s)
	if len(s.Loads) != 1 || s.LoadsKnown {
		t.Errorf("loads are %+v, known %t", s.Loads, s.LoadsKnown)
	}
	for i, want := range map[int]string{2: Mark, 3: Mark, 5: "", 7: `"` + Mark + `"`, 9: "", 11: "", 13: "hun", 15: ""} {
		if s.Nodes[i].Value != want {
			t.Errorf("node %d is %q, want %q", i, s.Nodes[i].Value, want)
		}
	}
	if s.Generated[0].Text != Mark || s.Generated[1].Text != Mark || s.Nodes[14].Name != "redacted" || s.Nodes[1].Attrs[0] != (plat.Attr{Name: "data-redacted", Value: Mark}) {
		t.Errorf("generated %+v, names %q, %+v", s.Generated, s.Nodes[14].Name, s.Nodes[1].Attrs)
	}
	for _, x := range []string{s.FinalURL, s.Title, s.Language, s.ContentType, s.Redirects[0].URL, s.Header[0][0], s.Header[0][1], s.Failed[0].URL, s.Failed[0].Why} {
		if !strings.Contains(x, "redacted") {
			t.Errorf("%q is as it was", x)
		}
	}
}

func TestNoResourceHasASecret(t *testing.T) {
	css := []byte(`p::before { content: "hun\74 er2" }`)
	all := New("hunter2").Resources([]plat.Resource{
		{URL: "http://a.test/a?hunter2", Type: "text/css", Data: css, Size: int64(len(css)), Hash: plat.HashOf(css)},
		{URL: "http://a.test/a?hunter%32", Type: "image/png", Data: []byte("hunter2")},
		{URL: "http://a.test/b.svg", Type: "image/svg+xml", Data: []byte("<text>hunter2</text>")},
		{URL: "http://a.test/c.png", Type: "image/png", Data: []byte("hunter2")},
	})
	if len(all) != 3 || all[0].URL != "http://a.test/a?"+Mark {
		t.Fatalf("resources are %+v", all)
	}
	want := `p::before { content: "` + Mark + `" }`
	if r := all[0]; string(r.Data) != want || r.Size != int64(len(want)) || r.Hash != plat.HashOf([]byte(want)) {
		t.Errorf("%q, %d bytes, %v", r.Data, r.Size, r.Hash)
	}
	if string(all[1].Data) != "<text>"+Mark+"</text>" || string(all[2].Data) != "hunter2" {
		t.Errorf("%q, %q", all[1].Data, all[2].Data)
	}
}
