package markdown

import (
	"slices"
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/plat/weburl"
	"plat/segment"
	"plat/segment/markup"
)

// inLayout returns a layout with a leaf at each "@", and the leaves.
func inLayout(html string, leaves ...string) (*plat.Layout, []plat.Block) {
	l := &plat.Layout{}
	blocks := []plat.Block{{Slot: -1}}
	for i, part := range strings.Split(html, "@") {
		if i > 0 {
			l.Slots = append(l.Slots, int32(len(l.HTML)))
			blocks = append(blocks, plat.Block{Slot: int32(i - 1), Content: []byte(leaves[i-1]), Text: markup.Text([]byte(leaves[i-1]), nil)})
		}
		l.HTML = append(l.HTML, part...)
	}
	return l, blocks
}

func TestEachBlockIsSetByItself(t *testing.T) {
	l, blocks := inLayout(`<html><head><base href="/deep/"></head><body><ul><li>@</li><li>@</li></ul><h2>@</h2><pre>@</pre><a href="to">@</a><table><tr><td>@</td><td>@</td></tr></table><blockquote>@</blockquote>@</body></html>`,
		"<b>one</b> item", "<ul><li>a</li><li>b</li></ul>", "head", "if x\n  y", "link", "<p>cell</p>", "", "<p>said</p><p>more", "rest <img src=i.png alt=image>")
	got := Blocks(weburl.NewBase("https://h.test/dir/page"), l, blocks)
	want := []string{"", "**one** item", "- a\n- b", "## head", "```\nif x\n  y\n```", "[link](https://h.test/deep/to)", "cell", "", "said\n\nmore", "rest"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestBlocksWithoutABaseHaveOnlyAbsoluteLinks(t *testing.T) {
	l, blocks := inLayout("<body>@</body>", `<a href="/a">relative</a> <a href="https://b.test/">absolute</a>`)
	if got, want := Blocks(weburl.NewBase(""), l, blocks)[1], "relative [absolute](https://b.test/)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The Markdown of each block of a real page shows the text of the block.
func TestTheMarkdownOfBlocksHasTheirTexts(t *testing.T) {
	for _, name := range []string{"activemq-front", "calcite-news", "flink-changelog", "flink-downloads", "paper-1", "site-zh-1"} {
		snap := fixtures.Snapshot(t, name)
		cut, err := segment.Segment(snap, segment.Params{})
		if err != nil {
			t.Fatal(err)
		}
		set := Blocks(snap.Base(), &cut.Layout, cut.Blocks)
		leaves := 0
		for i := range cut.Blocks {
			b := &cut.Blocks[i]
			if !b.Leaf() {
				if set[i] != "" {
					t.Errorf("%s: inner block %d has %q", name, i, set[i])
				}
				continue
			}
			leaves++
			if got, want := ink(shown(t, set[i])), ink(b.Text); got != want {
				t.Errorf("%s: block %d shows %q, not %q", name, i, got, want)
			}
		}
		if leaves < 5 {
			t.Errorf("%s has only %d blocks", name, leaves)
		}
	}
}
