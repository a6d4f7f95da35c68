package excerpt

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLineIsTheFirstLine(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		" a heading \nb": "a heading ",
		"0123456789":     "0123456789",
		"01234567890":    "012345678…",
		"零一二三四五六七八九十\nand on": "零一二三四五六七八…",
	} {
		if got := Line(in, 10); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestXMLHoldsNoControlCharacters(t *testing.T) {
	if got := XML("a\x00b\tc\uFFFEd\x1b"); got != "ab\tcd" {
		t.Errorf("XML leaves %q", got)
	}
}

func TestPrintableTextHoldsNothingThatATerminalObeys(t *testing.T) {
	var all strings.Builder
	for r := range unicode.MaxRune {
		all.WriteRune(r)
	}
	for _, r := range Printable(all.String()) {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || slices.Contains([]rune("\u2028\u2029\ufeff\ufff9\ufffa\ufffb\U000e0001\U000e0041\U000e007f"), r) {
			t.Errorf("%U is printable", r)
		}
	}
}

func TestWhatIsShownReordersNothing(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc é":                           "a\tb\nc é",
		"a\u202eb\u2066c\u009bd\x1be\r\u200f": "abcde",
		"a\ufeffb\ufffac\U000e0041":           "abc",
		"\xffa\u202eb\xe2":                    "\ufffdab\ufffd",
	} {
		if got := string(Shown([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// odd has every kind of hostile character, and harmless ones with the same first bytes.
const odd = "a\x1b\u007f\u0085é\u061c؛\u200e–\u2028\u202e\u2066\ufeffﬁ\ufff9\U000e0041\U000e0100 <b>&"

func TestJSONHasTheSameValueAndNothingThatATerminalObeys(t *testing.T) {
	for _, marshal := range []func(any) ([]byte, error){MarshalJSON, func(v any) ([]byte, error) {
		s, err := JSONLine(v)
		return []byte(s), err
	}} {
		b, err := marshal(map[string]any{odd: odd, "raw": json.RawMessage("\"" + "a\u202e\xff" + "\"")})
		if err != nil {
			t.Fatal(err)
		}
		if s := string(b); Printable(s) != s {
			t.Errorf("in JSON is %q", s)
		}
		var got map[string]string
		if err := json.Unmarshal(b, &got); err != nil || got[odd] != odd || got["raw"] != "a\u202e\ufffd" {
			t.Errorf("%v, %q", err, got)
		}
	}
	if _, err := MarshalJSON(func() {}); err == nil {
		t.Error("a function has a JSON")
	}
}

func TestJSONForReadersHasTheTextWithoutHostileCharacters(t *testing.T) {
	b, err := json.Marshal([]string{odd, "a\tb\nc\\u202e\\", `"\b`, "\b\f\r"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	want := []string{"aé؛–ﬁ\U000e0100 <b>&", "a\tb\nc\\u202e\\", `"\b`, ""}
	if err := json.Unmarshal(ShownJSON(b), &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}

func TestPagesReorderNothingAndFormsSendBackTheirValues(t *testing.T) {
	for in, want := range map[string]string{
		"<p title=\"\u202ea\">\u202eb\u009b</p>":                    "<p title=\"a\">b</p>",
		"<input value=\"a\u202e\u009bb\" title=\"\u200f\">\u200f":   "<input value=\"a&#x202e;b\" title=\"\">",
		"<textarea rows=\"2\">a\u200fb</textarea>\u200f":            "<textarea rows=\"2\">a&#x200f;b</textarea>",
		"a value=\u200f\"\u200f":                                    "a value=\"",
		"<option value=\"\U000e0041\">\U000e0041é</option>\xe2\x80": "<option value=\"&#xe0041;\">é</option>\ufffd\ufffd",
	} {
		if got := string(HTML([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// A page is scanned once, regardless of the number of hostile characters.
func TestAPageOfHostileCharactersTakesNoLonger(t *testing.T) {
	page := []byte("<p>" + strings.Repeat("a\u202e", 1<<20) + "</p>")
	at := place{tag: -1}
	at.move(page)
	read := at.read
	at.move(page)
	if at.read != read || read != len(page) {
		t.Errorf("%d of %d bytes were read, and then %d", read, len(page), at.read)
	}
	if got := HTML(page); len(got) != 1<<20+7 {
		t.Errorf("%d bytes are left", len(got))
	}
}

func TestURLsAreEncodedAsBrowsersDo(t *testing.T) {
	for in, want := range map[string]string{
		"http://a.test/é?q=%20":             "http://a.test/é?q=%20",
		"http://a.test/\u202e?\x1b\xff\n#é": "http://a.test/%E2%80%AE?%1B%FF%0A#é",
	} {
		if got := URL(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// BenchmarkJSON marshals an answer of some 300 kB, as of /api/v1/blocks with texts.
//
//	go test ./plat/excerpt -run '^$' -bench JSON -count 6
func BenchmarkJSON(b *testing.B) {
	type item struct{ URL, Text string }
	for name, text := range map[string]string{"latin": strings.Repeat("some words – of a page ", 25), "chinese": strings.Repeat("新闻档案网页存储今日北京大学版本", 12), "hostile": strings.Repeat("a\u202eb", 115)} {
		var items []item
		for range 500 {
			items = append(items, item{"http://a.test/page", text})
		}
		for _, of := range []struct {
			name    string
			marshal func(any) ([]byte, error)
		}{{"plain", json.Marshal}, {"escaped", MarshalJSON}} {
			b.Run(name+"/"+of.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					body, err := of.marshal(items)
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(len(body)))
				}
			})
		}
	}
}

// The scan, which examines several bytes at once, finds the characters that hostile names at any
// position.
func TestHostileCharactersAreFoundAtEveryPlace(t *testing.T) {
	for r := range unicode.MaxRune {
		if !utf8.ValidRune(r) {
			continue
		}
		for at := range 9 {
			s := append(utf8.AppendRune([]byte("12345678"[:at]), r), "新 87654321"...)
			if found, _, got := nextHostile(s, 0); (found == at && got == r) != (hostile(r) && r != '\t' && r != '\n') || found >= 0 && found != at {
				t.Fatalf("%U at %d: found %U at %d", r, at, got, found)
			}
			if r > 0x20ff {
				break
			}
		}
	}
	for _, bad := range []string{"\x80", "\xc0\x80", "\xe4\x80", "\xe4\x80a", "\xed\xa0\x80", "\xe0\x80\x80", "\xf5\x80\x80\x80", "\xff"} {
		if at, size, r := nextHostile([]byte("12345678"+bad), 0); at != 8 || size != 1 || r != utf8.RuneError {
			t.Errorf("%q: found %U of %d bytes at %d", bad, r, size, at)
		}
	}
}

func TestWordsWithoutMarksOfDivision(t *testing.T) {
	for in, want := range map[string]string{"Har\u00adbour": "Harbour", "a\u200bb\u2060c\ufeff": "abc", "a b\u00a0c\u200dd": "a b\u00a0c\u200dd", "": ""} {
		if got := Undivided(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
