package markup_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

// hiding returns the ranges of the parts of content that are between ⟦ and ⟧, and content without these.
func hiding(content string) (string, []int32) {
	var at []int32
	var out strings.Builder
	for content != "" {
		i := strings.IndexAny(content, "⟦⟧")
		if i < 0 {
			out.WriteString(content)
			break
		}
		out.WriteString(content[:i])
		at = append(at, int32(out.Len()))
		content = content[i+len("⟦"):]
	}
	return out.String(), at
}

func TestTextOfContent(t *testing.T) {
	for _, tc := range []struct{ name, content, want string }{
		{"words", " one  two\n three ", "one two three"},
		{"elements within a line", "a<b>b</b> <i>c</i><span>d</span>", "ab cd"},
		{"paragraphs", "<p>a</p><p>b</p>", "a\nb"},
		{"a line break", "a<br>b", "a\nb"},
		{"links right after each other", `<a href="x">a</a><a>b</a> <a>c</a>d<a>e</a>`, "a b cde"},
		{"links in paragraphs", "<p><a>a</a></p><p><a>b</a></p>", "a\nb"},
		{"a break before a link", "<a>a</a><div></div><a>b</a>", "a\nb"},
		{"an element that is no link after a link", "<a>a</a><abbr>b</abbr>", "ab"},
		{"escapes", "&lt;&gt;&amp;&nbsp;&amp;lt;&quot;", "<>& &lt;&quot;"},
		{"a non-breaking blank", "a&nbsp;b", "a b"},
		{"scripts and styles", "a<script>b</script>c<style>d</style>e", "ace"},
		{"a script without end", "a<script>b", "a"},
		{"text that is not escaped", "<noscript>a</noscript><plaintext>a &lt; b", "a &lt; b"},
		{"the text of a text area", "<textarea>a &lt; b</textarea>", "a < b"},
		{"comments", "a<!-- b > c -->d<!x>e<!-- f", "ade"},
		{"a tag without end", "a<b c", "a"},
		{"hidden text", "a⟦b⟧c", "a c"},
		{"a hidden element", "a⟦<b>b</b>⟧c", "a\nc"},
		{"a hidden end", "a⟦<b>b</b>⟧", "a"},
		{"a hidden beginning", "⟦<p>x</p>⟧a", "a"},
		{"two hidden ranges", "a ⟦b⟧ c ⟦d⟧ e", "a c e"},
		{"hidden ranges beside each other", "a⟦b⟧⟦c⟧d", "a d"},
	} {
		content, hidden := hiding(tc.content)
		if got := markup.Text([]byte(content), hidden); got != tc.want {
			t.Errorf("%s: %q is %q, want %q", tc.name, tc.content, got, tc.want)
		}
	}
	if got := markup.Text([]byte("abc"), []int32{1, 99}); got != "a" {
		t.Errorf("hidden beyond the end: %q", got)
	}
	if got := markup.Text([]byte("abc"), []int32{9, 99}); got != "abc" {
		t.Errorf("hidden after the end: %q", got)
	}
	long := strings.Repeat("word ", 1<<18)
	if got := markup.Text([]byte(long), nil); got != strings.TrimSpace(long) {
		t.Errorf("a text of %d bytes has %d", len(long), len(got))
	}
}

// inLine are the elements that do not break a line; all others do.
func TestElementsWithinALine(t *testing.T) {
	inLine := strings.Fields("a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q rb rp rt rtc ruby s samp script slot small span strike strong style sub sup time tt u var wbr noscript")
	for _, name := range append(strings.Fields("p div li td h1 br hr x-y br"), inLine...) {
		if got, want := markup.Inline(name), slices.Contains(inLine, name); got != want {
			t.Errorf("<%s> is within a line: %v", name, got)
		}
	}
}

func TestGeneratedText(t *testing.T) {
	for _, tc := range []struct {
		content, with, without string
		alts                   int
	}{
		{"a<!--plat:alt b--><b>c</b>", "a b c", "a c", 1},
		{"a<!--plat:alt b &amp; c--><!--plat:alt d-->e", "a b & c d e", "a e", 2},
		{"a<!--plat:value b-->c", "a b c", "a b c", 0},
		{"a<!--plat:before b-->c", "abc", "abc", 0},
		{"<!--plat:alt b-->", "b", "", 1},
	} {
		if got := markup.Text([]byte(tc.content), nil); got != tc.with {
			t.Errorf("%s is %q, want %q", tc.content, got, tc.with)
		}
		got, alts := markup.TextWithoutAlt([]byte(tc.content), nil)
		if got != tc.without || alts != tc.alts || markup.HasAlt([]byte(tc.content)) != (tc.alts > 0) {
			t.Errorf("%s without alternative texts is %q, %d; want %q, %d", tc.content, got, alts, tc.without, tc.alts)
		}
	}
}

func TestTextThatIsNotShown(t *testing.T) {
	content := []byte("one <b>two</b> three four five six")
	at := func(word string) (int32, int32) {
		i := int32(strings.Index(string(content), word))
		return i, i + int32(len(word))
	}
	two, end2 := at("<b>two</b>")
	three, end3 := at("three")
	four, end4 := at("four")
	_, end6 := at("six")
	for _, tc := range []struct {
		name                 string
		hidden, folded       []int32
		wantFolded, wantRest string
	}{
		{"nothing", nil, nil, "", ""},
		{"hidden", []int32{two, end2}, nil, "", "two"},
		{"folded", []int32{two, end2}, []int32{two, end2}, "two", ""},
		{"hidden, folded, hidden", []int32{two, end4}, []int32{three, end3}, "three", "two\nfour"},
		{"folded twice in one range", []int32{two, end4}, []int32{two, end2, four, end4}, "two\nfour", "three"},
		{"one of two ranges folded", []int32{two, end2, four, end4}, []int32{four, end4}, "four", "two"},
		{"the other one", []int32{two, end2, four, end4}, []int32{two, end2}, "two", "four"},
		{"to the end", []int32{four, end6}, []int32{end4, end6}, "five six", "four"},
		{"beyond the end", []int32{four, end6 + 1}, nil, "", ""},
		{"before the beginning", []int32{-3, 3}, nil, "", "one"},
		{"half a range", []int32{two}, nil, "", ""},
	} {
		folded, rest := markup.Unshown(content, tc.hidden, tc.folded)
		if folded != tc.wantFolded || rest != tc.wantRest {
			t.Errorf("%s: folded %q, hidden %q; want %q, %q", tc.name, folded, rest, tc.wantFolded, tc.wantRest)
		}
	}
}

func TestTextOfALayout(t *testing.T) {
	for html, want := range map[string]string{
		"<html><head><title>a</title></head><body>b<p>c</p></body></html>": "b\nc",
		"<body>b</body>": "b",
		"":               "",
	} {
		if got := markup.LayoutText([]byte(html)); got != want {
			t.Errorf("%s: %q, want %q", html, got, want)
		}
	}
}

func TestSlotsInPreformattedText(t *testing.T) {
	// Each ^ is a slot.
	for html, want := range map[string][]bool{
		"<p>^</p>":                       nil,
		"^<pre>^<b>^</b>^</pre>^":        {false, true, true, true, false},
		"^<listing>^</listing>^":         {false, true, false},
		"<pre>^<pre>^</pre>^</pre>^":     {true, true, true, false},
		"</pre>^<pre>^":                  {false, true},
		"<prefix>^</prefix><pre></pre>^": {false, false},
		"<pre></pre><pre>^</pre>":        {true},
	} {
		l := plat.Layout{}
		for i, part := range strings.Split(html, "^") {
			if i > 0 {
				l.Slots = append(l.Slots, int32(len(l.HTML)))
			}
			l.HTML = append(l.HTML, part...)
		}
		if got := markup.Preformatted(&l); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", html, got, want)
		}
		if got := markup.HasPreformatted(l.HTML); got != (want != nil) {
			t.Errorf("%s may have preformatted text: %v", html, got)
		}
	}
}

func TestBlocksThatDoNotFitTheirLayoutAreCorrupt(t *testing.T) {
	leaf := func(slot, pos int32, content string) plat.Block {
		return plat.Block{Slot: slot, Pos: pos, Content: []byte(content), Lead: " "}
	}
	l := plat.Layout{HTML: []byte("<a></a>"), Slots: []int32{3, 3, 7}}
	parent := plat.Block{Slot: -1, Content: []byte("no")}
	good := []plat.Block{parent, leaf(0, 0, "x"), leaf(0, 1, "y"), leaf(1, 0, "z"), parent, leaf(2, 0, "!")}
	if got, err := markup.Restore(&l, good); err != nil || string(got) != "<a> x y z</a> !" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := markup.Restore(&plat.Layout{HTML: []byte("<a>")}, []plat.Block{parent}); err != nil || string(got) != "<a>" {
		t.Errorf("without slots: %s, %v", got, err)
	}
	for name, tc := range map[string]struct {
		slots  []int32
		blocks []plat.Block
	}{
		"a slot is not filled":         {l.Slots, good[:4]},
		"the first slot is not filled": {l.Slots, good[3:]},
		"a slot is left out":           {l.Slots, []plat.Block{good[1], good[5]}},
		"a slot that there is not":     {l.Slots, append(slices.Clone(good), leaf(3, 0, "?"))},
		"a slot filled again":          {l.Slots, append(slices.Clone(good), leaf(1, 1, "?"))},
		"a place that is left out":     {l.Slots, []plat.Block{good[1], leaf(0, 2, "?"), good[3], good[5]}},
		"a place that is taken":        {l.Slots, []plat.Block{good[1], leaf(0, 0, "?"), good[3], good[5]}},
		"a slot that does not begin":   {l.Slots, []plat.Block{leaf(0, 1, "?"), good[3], good[5]}},
		"slots in another order":       {[]int32{3, 2, 7}, good},
		"a slot after the end":         {[]int32{3, 3, 8}, good},
		"a slot before the beginning":  {[]int32{-1, 3, 7}, good},
	} {
		if got, err := markup.Restore(&plat.Layout{HTML: l.HTML, Slots: tc.slots}, tc.blocks); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
