package diff

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plat/plat"
)

// cut makes a side of a recorded page by splitting it before every paragraph, list
// item, heading, table row and division: not a segmentation, but blocks of real
// content that appear, disappear, change and shift similarly.
func cut(page string) Side {
	s := Side{Blocks: []plat.Block{{Parent: -1, Slot: -1, Tag: "html", Run: 1}}}
	var content, text strings.Builder
	tag, in, body := "head", "", false
	flush := func(next string) {
		if body && content.Len() > 0 {
			t := joinWords(text.String())
			b := block(content.String(), t)
			b.Tag, b.Run, b.Level, b.Pos, b.Path = tag, 1, 1, int32(len(s.Blocks)-1), []int32{0, 1, int32(len(s.Blocks))}
			s.Blocks = append(s.Blocks, b)
		} else {
			s.Layout = &plat.Layout{HTML: []byte(content.String()), Slots: []int32{int32(content.Len())}}
		}
		content.Reset()
		text.Reset()
		tag = next
	}
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		t := z.Next()
		if t == html.ErrorToken {
			flush("")
			return s
		}
		raw := string(z.Raw())
		name, _ := z.TagName()
		switch {
		case t == html.StartTagToken && string(name) == "body":
			flush("body")
			body = true
		case t == html.StartTagToken && body:
			switch string(name) {
			case "p", "li", "h1", "h2", "h3", "tr", "div", "section", "article":
				flush(string(name))
			}
		case t == html.TextToken && in != "script" && in != "style":
			text.WriteString(html.UnescapeString(raw))
		}
		in = ""
		if t == html.StartTagToken {
			in = string(name)
		}
		content.WriteString(raw)
	}
}

// Pairs of real versions with equal visible text must not have content changes, and
// those with different text must not count as unchanged or volatile.
func TestTruthOfChangeOnRecordedHistories(t *testing.T) {
	for _, set := range []string{"news", "docs"} {
		equal, quiet, kinds := 0, 0, map[plat.Kind]int{}
		pairs := histories(t, set, 120)
		for _, v := range pairs {
			old, new := cut(v[0]), cut(v[1])
			old.Lineages = First(old.Blocks)
			r := Compare(old, new)
			checkInvariants(t, old, new, r)
			n := r.Count()
			for k, c := range n {
				kinds[k] += c
			}
			if joinWords(strings.Join(pageWords(old), " ")) == joinWords(strings.Join(pageWords(new), " ")) {
				equal++
				if n[plat.Volatile] > 0 && len(n) == 1 {
					quiet++
				}
			}
		}
		t.Logf("%s: %d pairs, %d with the same text, of these %d volatile only; changes %v", set, len(pairs), equal, quiet, kinds)
		if equal == 0 {
			t.Errorf("%s: no pair has the same text; the test is void", set)
		}
	}
}
