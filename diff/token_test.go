package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plat/plat"
)

func TestClassesOfAttributes(t *testing.T) {
	for _, tc := range []struct {
		tags, keys string
		other      html.Attribute
		want       int
	}{
		{"p script", "nonce integrity", html.Attribute{}, isNonce}, {"p label", "id for form list headers aria-controls aria-labelledby aria-describedby aria-owns aria-activedescendant aria-details aria-flowto", html.Attribute{}, isReference}, {"input iframe form a", "name", html.Attribute{}, isReference}, {"meta p", "name", html.Attribute{}, 0},
		{"p", "datetime", html.Attribute{}, isTime}, {"input", "value", html.Attribute{Key: "type", Val: "HIDDEN"}, isData}, {"input", "value", html.Attribute{Key: "type", Val: "text"}, 0}, {"option", "value", html.Attribute{Key: "type", Val: "hidden"}, 0}, {"meta", "content", html.Attribute{Key: "name", Val: "Generator"}, isReference}, {"meta", "content", html.Attribute{}, isTime}, {"p", "content", html.Attribute{}, 0},
		{"script link", "src href", html.Attribute{}, isAsset}, {"a img iframe", "src href", html.Attribute{}, isAddress}, {"p form", "action formaction poster data ping xlink:href", html.Attribute{}, isAddress}, {"p", "data-x data-", html.Attribute{}, isData}, {"p", "class style title data2", html.Attribute{}, 0},
	} {
		for tag := range strings.FieldsSeq(tc.tags) {
			for key := range strings.FieldsSeq(tc.keys) {
				if got := attributeClass(tag, key, []html.Attribute{tc.other}); got != tc.want {
					t.Errorf("%s of <%s %s=%s> is of class %d, want %d", key, tag, tc.other.Key, tc.other.Val, got, tc.want)
				}
			}
		}
	}
	for name := range strings.FieldsSeq("v ver version rev t ts TIME timestamp _ cb cache cachebust cachebuster nocache bust rnd rand random hash sid session sessionid session_id jsessionid phpsessid token _token csrf csrf_token csrftoken csrfmiddlewaretoken authenticity_token nonce _wpnonce _nonce") {
		if !volatileParam(name) {
			t.Errorf("%s is kept", name)
		}
	}
	for name := range strings.FieldsSeq("id page q x vv") {
		if volatileParam(name) {
			t.Errorf("%s is volatile", name)
		}
	}
}

func TestCharactersOfTokens(t *testing.T) {
	for class, want := range map[string]string{"narrow": "09AZaz", "wide": "%+-./9=AZ_az~", "digit": "09", "hexit": "09AFaf"} {
		in := map[string]func(byte) bool{"narrow": narrow, "wide": wide, "digit": digit, "hexit": hexit}[class]
		var got []byte
		for c := range 256 {
			c := byte(c)
			if is := in(c); is && (!in(c-1) || !in(c+1)) || is && class == "wide" && !narrow(c) {
				got = append(got, c)
			}
		}
		if s := string(slices.Compact(got)); s != want {
			t.Errorf("%s are the characters %q, want %q", class, s, want)
		}
	}
	if !isToken("a-b_c=") || isToken("a b") || !isToken("") || isToken("a,b") {
		t.Error("tokens")
	}
	never, longer := func(x, y string) bool { return false }, func(x, y string) bool { return len(x) == len(y) }
	for _, tc := range []struct {
		x, y  string
		judge func(x, y string) bool
		want  bool
	}{
		{"a-b", "a-b", never, true}, {"a-b", "a-c", never, false}, {"a-b", "a-c", longer, true}, {"a-b", "a-cc", longer, false}, {"a-b", "a+b", longer, false}, {"a-b", "a", longer, false}, {"a", "a-b", longer, false}, {"-a", "-b", longer, true}, {"a-", "b-", longer, true}, {"a-", "b", longer, false}, {"", "", never, true}, {"", "a", longer, false}, {"a--b", "c--d", longer, true}, {"a--b", "c-d", longer, false},
	} {
		if got := inStep(tc.x, tc.y, narrow, tc.judge); got != tc.want {
			t.Errorf("%q and %q are in step: %v", tc.x, tc.y, got)
		}
	}
}

func TestKindsOfTokens(t *testing.T) {
	const u = "123e4567-e89b-12d3-a456-426614174000"
	for s, want := range map[string]bool{u: true, u + "0": false, u[1:]: false, strings.Replace(u, "-", "0", 1): false, strings.Replace(u, "e", "-", 1): false, strings.Replace(u, "e", "g", 1): false, strings.ToUpper(u): true} {
		if uuid(s) != want {
			t.Errorf("%s is a UUID: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{"deadbee1": true, "deadbee": false, "deadbeef": false, "12345678": false, "deadbeg1": false, "DEADBEE1": true, "0000000a": true, "a0000000": true} {
		if hash(s) != want {
			t.Errorf("%s is a hash: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		"k3JhB8sQ2mZx": true, "k3JhB8sQ2mZ": false, "k3JhB8sQ2.Zx": false, "k3JhB8sQ2%Zx": false, "k3JhB8sQ2~Zx": false, "k3JhB8sQ2m==": true, "k3Jh=8sQ2mZx": false, "kJhBsQmZxLpA": false, "2024-election-results": false, "a1aaaaaaaaaa": false, "a1aaaaa-aaaA": true, "a1aaaaaaaaaaaaA": true, "a1aaaaaaaaaaaaaA": false, "1-1-1-1-1-1-": false,
	} {
		if random(s) != want {
			t.Errorf("%s is random: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{
		"1699999999": true, "1699999999000": true, "2699999999": false, "169999999": false, "16999999990": false, "20260131": true, "19991231": true, "18991231": false, "20261301": false, "20260001": false, "20260100": false, "20260132": false, "20260131235959": true, "2026-01-31": true, "2026-01-31T10:11:12.123456Z": true, "2026-1-31": false, "2026-01-3": false, "1826-01-31": false, "2026/01/31 10:11 +0100": true, "2026x01-31": false, "20260-01-31": false,
		"2026-01-31T10:11:12.12345678901": false, "2026-01-31T10:11:12.1234567890": true, "2026---013": false, "2026-----0131": true,
	} {
		if timeLike(s) != want {
			t.Errorf("%s is a time: %v", s, !want)
		}
	}
	for s, want := range map[string]bool{"0101": true, "1231": true, "1232": false, "1301": false, "0100": false, "0001": false, "0631": true} {
		if day(s) != want {
			t.Errorf("%s is a day: %v", s, !want)
		}
	}
	for _, tc := range []struct {
		x, y string
		want bool
	}{{"a1b", "a22b", true}, {"a1", "a", false}, {"a", "a1", false}, {"1", "2", true}, {"a1b", "a1c", false}, {"a1b2", "a3b", false}, {"1a", "2a", true}, {"1a", "2b", false}, {"", "", true}, {"a", "b", false}, {"1", "1a", false}, {"1-2", "3-4", true}} {
		if got := sameSkeleton(tc.x, tc.y); got != tc.want {
			t.Errorf("%q and %q differ in numbers only: %v", tc.x, tc.y, got)
		}
	}
	for _, tc := range []struct {
		x, y    string
		numbers bool
		want    Reason
	}{
		{"", "1", true, ""}, {"1", "", true, ""}, {u, strings.ToUpper(u), false, UUID}, {"1699999999", "1700000001", false, Timestamp}, {"deadbee1", "deadbee2", false, Hex}, {"deadbee1", "deadbee22", false, ""}, {"k3JhB8sQ2mZx", "Zq81mNbV0cXa7", false, Random}, {"Mon", "tuesday", true, Timestamp}, {"Mon", "tuesday", false, ""}, {"a1", "a2", true, Counter}, {"a1", "a2", false, ""}, {"a1", "b2", true, ""},
	} {
		if got := tokenLike(tc.x, tc.y, tc.numbers); got != tc.want {
			t.Errorf("%s and %s, numbers %v: %q, want %q", tc.x, tc.y, tc.numbers, got, tc.want)
		}
	}
	for s := range strings.FieldsSeq("jan feb mar apr may jun jul aug sep oct nov dec January february march april june july august september october november december mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday AM pm") {
		if !calendar(s) {
			t.Errorf("%s is not of the calendar", s)
		}
	}
}

func TestEqualLeavesArePairedOnce(t *testing.T) {
	of := func(gapO, gapN []int32, pairs ...int32) *matching {
		m := &matching{old: filled(len(gapN)), new: filled(len(gapO)), gapO: gapO, gapN: gapN}
		for i := 0; i < len(pairs); i += 2 {
			m.join(pairs[i], pairs[i+1])
		}
		return m
	}
	for name, tc := range map[string]struct {
		m        *matching
		old, new []int32
		want     string // the old leaf of each new one
	}{
		"in the same gap": {of([]int32{0, 1, 2}, []int32{2, 1, 0}), []int32{7, 7, 7}, []int32{7, 7, 7}, "[2 1 0]"}, "in order": {of([]int32{0, 0}, []int32{0, 0}), []int32{7, 7}, []int32{7, 7}, "[0 1]"}, "in other gaps": {of([]int32{0, 0}, []int32{1, 2}), []int32{7, 8}, []int32{8, 7}, "[1 0]"}, "taken ones": {of([]int32{0, 0}, []int32{0, 1}, 0, 0), []int32{7, 7}, []int32{7, 7}, "[0 1]"},
		"no key": {of([]int32{0}, []int32{0}), []int32{-1}, []int32{-1}, "[-1]"}, "too many": {of([]int32{0}, []int32{0, 1}), []int32{7}, []int32{7, 7}, "[0 -1]"}, "first within gaps": {of([]int32{1}, []int32{0, 1}), []int32{7}, []int32{7, 7}, "[-1 0]"}, "key 0": {of([]int32{0}, []int32{1}), []int32{0}, []int32{0}, "[0]"}, "none is left": {of([]int32{0}, []int32{1}, 0, 0), []int32{7}, []int32{7}, "[0]"},
	} {
		if tc.m.equal(tc.old, tc.new); fmt.Sprint(tc.m.old) != tc.want {
			t.Errorf("%s: %v, want %s", name, tc.m.old, tc.want)
		}
	}
}

func TestShortEqualRunsBetweenChangesAreDropped(t *testing.T) {
	for _, tc := range []struct {
		runs []Run
		m, n int
		want string
	}{
		{[]Run{{2, 2, 1}}, 5, 5, "[]"}, {[]Run{{1, 2, 1}}, 5, 5, "[{1 2 1}]"}, {[]Run{{2, 1, 1}}, 5, 5, "[{2 1 1}]"}, {[]Run{{2, 2, 1}}, 4, 5, "[{2 2 1}]"}, {[]Run{{2, 2, 1}}, 5, 4, "[{2 2 1}]"}, {[]Run{{4, 4, 2}}, 10, 10, "[]"}, {[]Run{{9, 9, 3}}, 30, 30, "[{9 9 3}]"}, {[]Run{{2, 2, 1}, {5, 5, 1}}, 9, 9, "[]"}, {[]Run{{2, 2, 1}, {4, 5, 1}}, 9, 9, "[{2 2 1} {4 5 1}]"}, {[]Run{{0, 0, 3}, {5, 5, 1}}, 9, 9, "[{0 0 3}]"}, {[]Run{{0, 0, 3}, {4, 5, 1}}, 9, 9, "[{0 0 3} {4 5 1}]"},
		{[]Run{{3, 3, 3}, {8, 8, 1}, {10, 10, 3}}, 14, 14, "[{3 3 3} {8 8 1} {10 10 3}]"}, {[]Run{{3, 3, 3}, {8, 8, 1}, {11, 11, 3}}, 14, 14, "[{3 3 3} {11 11 3}]"},
	} {
		if got := fmt.Sprint(islands(slices.Clone(tc.runs), tc.m, tc.n)); got != tc.want {
			t.Errorf("%v of %d and %d: %s, want %s", tc.runs, tc.m, tc.n, got, tc.want)
		}
	}
	for _, tc := range []struct{ old, new, want string }{
		{"a\nb\nc", "a\nx\nc", "=a\n -b +x =\nc"}, {"a", "a", "=a"}, {"", "a", "+a"}, {"a", "", "-a"}, {"a\nb", "a\nbc", "=a\n -b +bc"}, {"xa\nb", "a\nb", "-xa +a =\nb"}, {"a\n", "a\nb", "=a\n +b"}, {"a\na\n", "a\n", "=a\n -a\n"}, {"ab\ncd", "ax\nyd", "-ab\ncd +ax\nyd"},
	} {
		var got []string
		for _, s := range betweenLines(tc.old, tc.new) {
			got = append(got, map[Op]string{Equal: "=", Delete: "-", Insert: "+"}[s.Op]+s.Text)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q and %q: %q, want %q", tc.old, tc.new, strings.Join(got, " "), tc.want)
		}
	}
}

func TestParentBlocksGoWhereMostOfTheirChildrenGo(t *testing.T) {
	parent := func(of int32, path ...int32) plat.Block {
		return plat.Block{Parent: of, Slot: -1, Path: path, Tag: "div"}
	}
	child := func(of int32) plat.Block { return plat.Block{Parent: of} }
	leaves := func(all []plat.Block) (ls []*leaf) {
		for i := range all {
			if all[i].Leaf() {
				ls = append(ls, &leaf{index: int32(i)})
			}
		}
		return ls
	}
	root := parent(-1)
	for name, tc := range map[string]struct {
		old, new []plat.Block
		pairs    []int32 // of leaves, old and new
		want     string
	}{
		"most children":              {[]plat.Block{root, parent(0, 1), child(1), child(1), parent(0, 2), child(4)}, []plat.Block{root, parent(0, 9), child(1), child(1), child(1)}, []int32{0, 0, 1, 1, 2, 2}, "[0 1 2 3 5]"},
		"of as many the same path":   {[]plat.Block{root, parent(0, 1), child(1), parent(0, 2), child(3)}, []plat.Block{root, parent(0, 2), child(1), child(1)}, []int32{0, 0, 1, 1}, "[0 3 2 4]"},
		"of as many the first":       {[]plat.Block{root, parent(0, 1), child(1), parent(0, 2), child(3)}, []plat.Block{root, parent(0, 9), child(1), child(1)}, []int32{0, 0, 1, 1}, "[0 1 2 4]"},
		"none, but the same path":    {[]plat.Block{root, parent(0, 1), child(1)}, []plat.Block{root, parent(0, 1), child(1)}, nil, "[0 1 -1]"},
		"neither":                    {[]plat.Block{root, parent(0, 1), child(1)}, []plat.Block{root, parent(0, 2), child(1)}, nil, "[0 -1 -1]"},
		"a parent goes to one":       {[]plat.Block{root, parent(0, 1), child(1), child(1)}, []plat.Block{root, parent(0, 1), child(1), parent(0, 2), child(3)}, []int32{0, 0, 1, 1}, "[0 -1 2 1 3]"},
		"parents of parents":         {[]plat.Block{root, parent(0, 1), parent(1, 1, 1), child(2)}, []plat.Block{root, parent(0, 8), parent(1, 8, 8), child(2)}, []int32{0, 0}, "[0 1 2 3]"},
		"a page without leaves":      {[]plat.Block{root, child(0)}, []plat.Block{root}, nil, "[0]"},
		"one that had none":          {[]plat.Block{root}, []plat.Block{root, child(0)}, nil, "[0 -1]"},
		"no blocks before":           {nil, []plat.Block{root}, nil, "[-1]"},
		"a root that became a leaf":  {[]plat.Block{root, child(0)}, []plat.Block{{Parent: -1}}, nil, "[-1]"},
		"a parent that is no parent": {[]plat.Block{root, child(0), child(1)}, []plat.Block{root, parent(0, 5), child(1)}, []int32{1, 0}, "[0 -1 2]"},
	} {
		o, n := leaves(tc.old), leaves(tc.new)
		m := &matching{old: filled(len(n)), new: filled(len(o))}
		for i := 0; i < len(tc.pairs); i += 2 {
			m.join(tc.pairs[i], tc.pairs[i+1])
		}
		if got := fmt.Sprint(inner(tc.old, tc.new, o, n, m)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestSkeletonsAreTextsWithoutTheirNumbers compares all short pairs with a regular expression that puts one mark in
// place of each number.
func TestSkeletonsAreTextsWithoutTheirNumbers(t *testing.T) {
	numbers := regexp.MustCompile("[0-9]+")
	texts := []string{""}
	for i := 0; len(texts[i]) < 4; i++ {
		for _, c := range "1a-9" {
			texts = append(texts, texts[i]+string(c))
		}
	}
	for _, x := range texts {
		for _, y := range texts {
			want := numbers.ReplaceAllString(x, "#") == numbers.ReplaceAllString(y, "#")
			if got := sameSkeleton(x, y); got != want {
				t.Fatalf("%q and %q differ in numbers only: %v", x, y, got)
			}
		}
	}
}

// TestMonthsAndDaysHaveTwoFigures compares all texts of four figures with the calendar's bounds.
func TestMonthsAndDaysHaveTwoFigures(t *testing.T) {
	for n := range 10_000 {
		month, d := n/100, n%100
		s := string([]byte{byte('0' + n/1000), byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)})
		if want := month >= 1 && month <= 12 && d >= 1 && d <= 31; day(s) != want {
			t.Errorf("%s is a day: %v", s, !want)
		}
	}
}

// TestTextsOfFreeLeavesAreNumbered: leaves that have a partner, that are not known or have no text get no number.
func TestTextsOfFreeLeavesAreNumbered(t *testing.T) {
	text := func(s string, known bool) *leaf { return &leaf{known: known, Block: &plat.Block{Text: s}, text: s} }
	old := []*leaf{text("a b", true), text("c", true), text("", true), text("d", false), text("e", true)}
	new := []*leaf{text("c", true), text("a  b", true), text("c", true), text("f", true), text("d", true), text("", false)}
	m := &matching{old: filled(len(new)), new: filled(len(old))}
	m.join(4, 3)
	o, n := m.texts(old, new)
	if got := fmt.Sprint(o, n); got != "[0 1 -1 -1 -1] [1 0 1 -1 2 -1]" {
		t.Errorf("numbers %s", got)
	}
}
