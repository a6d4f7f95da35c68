package article

import (
	"hash/crc32"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/markup"
)

func TestReadingsAndNumbersOfLinesInTheText(t *testing.T) {
	page := `<h1>家の子<ruby>供<rt>ども</rt></ruby></h1><div class="entry-content"><p>` + first + `</p><p>昨日、<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>の港で新しい船を見た人は、` +
		`<ruby>北<rt>běi</rt>京<rt>jīng</rt></ruby>からも来た。</p><table><tr><td class="linenos"><pre>1` + "\n2\n" + `</pre></td><td><pre>lift()` + "\n  raise()" + `</pre></td></tr></table><p>` + second + `</p></div>`
	a := Extract(rendered(t, page))
	if !strings.Contains(a.Text, "昨日、東京(とうきょう)の港で新しい船を見た人は、北京(běi jīng)からも来た。") {
		t.Errorf("readings: %q", a.Text)
	}
	if !strings.Contains(a.Text, "lift()\n  raise()") || strings.Contains(a.Text, "1\n2") {
		t.Errorf("line numbers: %q", a.Text)
	}
	if a.Title != "家の子供(ども)" {
		t.Errorf("title %q", a.Title)
	}
}

// A text that was kept when readings were among the words of a block, and line numbers in code.
func TestEarlierTextsWithReadingsAreRestored(t *testing.T) {
	content := `<p>昨日、<ruby>東京<rt>とうきょう</rt></ruby>の港で見た。</p><td class="gutter"><pre>1</pre></td>`
	b := plat.Block{Content: []byte(content), Hash: plat.HashOf([]byte(content)), Parent: -1, Role: plat.RoleContent, TextLen: 1}
	b.Text = markup.Text(b.Content, nil)
	earlier := markup.EarlierText(b.Content, nil)
	if b.Text == earlier {
		t.Fatal("the texts are equal")
	}
	want := "昨日、東京とうきょうの港で見た。"
	k := &plat.Article{Kind: plat.KindArticle, Text: []plat.Passage{{To: len(want)}}, Sum: crc32.ChecksumIEEE([]byte(want))}
	a, err := Restore(k, []plat.Block{b}, nil)
	if err != nil || a.Text != want {
		t.Errorf("%q, %v", a.Text, err)
	}
	all := markup.RubyPlainText(b.Content, nil, false)
	k = &plat.Article{Kind: plat.KindReference, Sum: crc32.ChecksumIEEE([]byte(all))}
	if a, err = Restore(k, []plat.Block{b}, nil); err != nil || a.Text != all {
		t.Errorf("%q, %v, want %q", a.Text, err, all)
	}
	layout := &plat.Layout{HTML: []byte(`<html><head></head><body><p hidden><ruby>東京<rt>とうきょう</rt></ruby>の港</p><table><tr><td class="gutter">1 2 3</td></tr></table><p hidden>次の日</p></body></html>`)}
	text := markup.EarlierLayoutText(layout.HTML)
	at := strings.Index(text, "次の日")
	k = &plat.Article{Kind: plat.KindArticle, Text: []plat.Passage{{First: plat.OfLayout, Last: plat.OfLayout, From: at, To: at + len("次の日")}}, Sum: crc32.ChecksumIEEE([]byte("次の日"))}
	if a, err = Restore(k, []plat.Block{b}, layout); err != nil || a.Text != "次の日" {
		t.Errorf("of the layout: %q, %v", a.Text, err)
	}
	k.Sum++
	if _, err = Restore(k, []plat.Block{b}, nil); err == nil {
		t.Error("a wrong checksum is not detected")
	}
}
