package label

import (
	"strings"
	"testing"

	"plat/plat"
)

// line returns a run in a line of its own, y px from the top.
func line(text string, y float32, set ...func(*run)) run {
	r := run{text: text, holder: int32(y), chars: countChars(text), size: 16, weight: 400, box: plat.Rect{Y: y, W: 100, H: 20}}
	for _, f := range set {
		f(&r)
	}
	return r
}

func size(px float32) func(*run)    { return func(r *run) { r.size = px } }
func weight(w int16) func(*run)     { return func(r *run) { r.weight = w } }
func height(px float32) func(*run)  { return func(r *run) { r.box.H = px } }
func color(c plat.Color) func(*run) { return func(r *run) { r.color = c } }
func head(r *run)                   { r.head = true }

func topicOf(t testing.TB, runs []run) string {
	t.Helper()
	return textOf((&topics{describer: newDescriber(t, Options{}), words: newDescriber(t, Options{}).words("en", nil)}).find(runs))
}

func textOf(runs []run) string {
	if runs == nil {
		return ""
	}
	return join(runs)
}

func TestTheRunThatStandsOut(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("ab ", n)) }
	x := func(n int) string { return strings.Repeat("x", n) }
	red := color(plat.RGBA(48, 0, 0, 255))
	for name, tc := range map[string]struct {
		runs []run
		want string
	}{
		"nothing":                       {nil, ""},
		"one paragraph of ten words":    {[]run{line(words(10), 0)}, words(10)},
		"one of eleven":                 {[]run{line(words(11), 0)}, ""},
		"one letter":                    {[]run{line("a 1", 0)}, ""},
		"one Chinese letter":            {[]run{line("中", 0)}, "中"},
		"the largest":                   {[]run{line(x(5), 0), line("abc", 20, size(24)), line(x(5), 40)}, "abc"},
		"of equal amount":               {[]run{line(x(4), 0), line(x(2), 20, size(24)), line(x(2), 60, size(24)), line("y", 90, size(10))}, "xx"},
		"more text in several pieces":   {[]run{line("yyy", 0), line("ab", 20, size(24)), line("cd", 60, size(24))}, ""},
		"a large text of twenty words":  {[]run{line("y", 0), line(words(20), 20, size(24))}, words(20)},
		"of twenty-one words":           {[]run{line("y", 0), line(words(21), 20, size(24))}, ""},
		"a size that is too close":      {[]run{line(x(5), 0), line("abc", 20, size(17.9))}, ""},
		"the nearest that counts":       {[]run{line(x(5), 0, size(100)), line("abc", 20, size(112))}, "abc"},
		"a price above":                 {[]run{line("1", 0, size(40)), line("abc", 20, size(24)), line(x(9), 40)}, "abc"},
		"a line above, bold":            {[]run{line("abc", 0, weight(600)), line("de", 20)}, "abc"},
		"not bold enough":               {[]run{line("abc", 0, weight(599)), line("de", 20)}, ""},
		"bold as most of the rest":      {[]run{line("abc", 0, weight(600)), line("de", 20, weight(500)), line("f", 40)}, ""},
		"a heading above":               {[]run{line("abc", 0, head), line("de", 20), line("f", 40, head), line("g", 60)}, "abc"},
		"half of the rest are headings": {[]run{line("abc", 0, head), line("de", 20), line("f", 40, head)}, ""},
		"a line above lines":            {[]run{line("abc", 0), line("de", 20, height(31))}, "abc"},
		"above one line":                {[]run{line("abc", 0), line("de", 20, height(30))}, ""},
		"lines above lines":             {[]run{line("abc", 0, height(31)), line("de", 40, height(31))}, ""},
		"one that another reaches into": {[]run{line("abc", 0, weight(600)), line("de", 18.5)}, ""},
		"by one px only":                {[]run{line("abc", 0, weight(600)), line("de", 19)}, "abc"},
		"bold, of twenty words":         {[]run{line(words(20), 0, weight(600)), line("de", 20)}, words(20)},
		"bold, of more":                 {[]run{line(words(21), 0, weight(600)), line("de", 20)}, ""},
		"another colour":                {[]run{line("ab", 0), line("abc", 20, red), line("de", 40)}, "abc"},
		"a colour that is close":        {[]run{line("ab", 0), line("abc", 20, color(plat.RGBA(47, 0, 0, 255))), line("de", 40)}, ""},
		"close in all channels":         {[]run{line("ab", 0), line("abc", 20, color(plat.RGBA(28, 28, 28, 255))), line("de", 40)}, "abc"},
		"below most of the text":        {[]run{line("abc", 0), line("ab", 20, red)}, ""},
		"of half the text above":        {[]run{line("abc", 0), line("ab", 20, red), line("x", 40)}, "ab"},
		"two of another colour":         {[]run{line("ab", 0, red), line("ab", 20, red), line("xxxxxxx", 40)}, ""},
		"partly in another colour":      {[]run{line("ab", 0, red), line("cd", 0), line("xxxxxxx", 40)}, ""},
		"one coloured number":           {[]run{line("1", 0, red), line("xxxxxxx", 40), line("y", 60)}, ""},
		"coloured, of twenty words":     {[]run{line(words(20), 20, red), line(x(99), 40), line("y", 0)}, words(20)},
		"coloured, of more":             {[]run{line(words(21), 20, red), line(x(99), 40), line("y", 0)}, ""},
	} {
		if got := topicOf(t, tc.runs); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestRunsThatTouchAreOneWord(t *testing.T) {
	a := run{holder: 1, size: 25, box: plat.Rect{X: 10, Y: 10, W: 30, H: 20}}
	at := func(x, y float32) run {
		return run{holder: 1, size: 25, box: plat.Rect{X: x, Y: y, W: 30, H: 20}}
	}
	tall := a
	tall.box.H = 48
	gap, other := at(40, 10), at(40, 10)
	gap.gap, other.holder = true, 2
	for name, tc := range map[string]struct {
		a, b run
		want bool
	}{
		"next to each other": {a, at(40, 10), true}, "3 px apart": {a, at(43, 10), true}, "more": {a, at(43.1, 10), false}, "a break between": {a, gap, false}, "of two paragraphs": {a, other, false},
		"on the next line": {a, at(900, 30), true}, "overlapping a little": {a, at(900, 29), false}, "above": {a, at(900, -10), true}, "just beside the top": {a, at(900, -9), false}, "after two lines": {tall, at(900, 10), true},
	} {
		if got := touch(&tc.a, &tc.b); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	b, c := at(40, 10), at(90, 10)
	first, second, third := a, b, c
	first.text, second.text, third.text = "a", "b", "c"
	if got := join([]run{first, second, third}); got != "ab c" {
		t.Errorf("joined %q", got)
	}
	long := run{text: strings.Repeat("x", 1<<18+5)}
	if got := len(join([]run{long})); got != 1<<18 {
		t.Errorf("one run of %d bytes", got)
	}
	if got := len(join([]run{first, long, second})); got != 1<<18 {
		t.Errorf("several runs of %d bytes", got)
	}
	var tally tally
	for v, chars := range []int32{3, 1, 7, 7, 1, 1, 1, 1, 99} {
		tally.add(uint32(v), chars)
	}
	tally.add(0, 4)
	if tally.n != 8 || tally.most() != 0 {
		t.Errorf("%d values, most of %d", tally.n, tally.most())
	}
	if tally.add(2, 1); tally.most() != 2 {
		t.Errorf("most of %d", tally.most())
	}
	if got := distance(0x01020399, 0x04060800); got != 9+16+25 {
		t.Errorf("two colours differ by %d", got)
	}
	if got := len(group([]run{{holder: 1, size: 2}, {holder: 1, size: 2}, {holder: 1, size: 3}, {holder: 1, size: 2}}, func(a, b *run) bool { return a.size == b.size })); got != 2 {
		t.Errorf("%d runs are alike", got)
	}
}

func TestPhrasesAreBuiltOfWords(t *testing.T) {
	d := newDescriber(t, Options{TopicWords: 3, ExtractWords: 5})
	topic := func(text string, leaf bool) string {
		return (&topics{d, d.words("en", nil)}).of([]run{{text: text, chars: 9}, {text: "", holder: 7}}, leaf)
	}
	for text, want := range map[string]string{
		"the of": "the of", "one the ONE two three four": "one", "alpha beta alpha beta": "alpha beta", "alpha beta gamma beta alpha": "alpha beta", "alpha beta gamma delta eps": "alpha beta gamma", "a1 b1 c1 d1 a1 b1 c1 d1": "a1 b1 c1",
		strings.Repeat("x", 100) + " " + strings.Repeat("y", 100) + " z": strings.Repeat("x", 100), "": "",
	} {
		if got := topic(text, true); got != want {
			t.Errorf("the topic of %.40q is %q, want %q", text, got, want)
		}
		if got := topic(text, false); got != "" {
			t.Errorf("the topic of a parent block of %.40q is %q", text, got)
		}
	}
	var p phrase
	for _, w := range []struct {
		word string
		s    script
	}{{"a", latin}, {"漢", han}, {"カ", kana}, {"ก", joined}, {"b", latin}, {"c", latin}} {
		p.add(w.word, w.s)
	}
	if p.String() != "a 漢カก b c" || p.chars != 9 || p.full() {
		t.Errorf("%q of %d characters", p.String(), p.chars)
	}
	p.add(strings.Repeat("x", 149), latin)
	if p.chars != 159 || p.full() {
		t.Errorf("it is full with %d characters", p.chars)
	}
	if p.add("漢", han); p.chars != 161 || !p.full() {
		t.Errorf("it is not full with %d characters", p.chars)
	}
	for in, want := range map[string]string{
		strings.Repeat("x", 158) + " y": strings.Repeat("x", 158) + " y", strings.Repeat("x", 159) + " y": strings.Repeat("x", 159), strings.Repeat("x", 80) + " " + strings.Repeat("y", 80): strings.Repeat("x", 80) + " " + strings.Repeat("y", 79),
		strings.Repeat("x", 81) + " " + strings.Repeat("y", 80): strings.Repeat("x", 81), "a ": "a", " ": "",
	} {
		if got := tidy(in); got != want {
			t.Errorf("%.5q… of %d bytes is tidied to %d bytes, want %d", in, len(in), len(got), len(want))
		}
	}
}
