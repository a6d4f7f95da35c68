package label

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// drawPage draws a news page of about 2,000 nodes: menu, 40 teasers, an article
// of 100 sentences, comments, footer.
func drawPage(word func(*rand.Rand) string) string {
	r := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		w := make([]string, n)
		for i := range w {
			w[i] = word(r)
		}
		return strings.Join(w, " ")
	}
	var b strings.Builder
	y := 0
	fmt.Fprintf(&b, "* nav.main-menu 0,0 1280x40\n  ul\n")
	for i := range 40 {
		fmt.Fprintf(&b, "    li %d,0 30x40\n      a href=/%d %q\n", i*30, i, words(1))
	}
	y = 40
	fmt.Fprintf(&b, "+ main 0,40 900x8000\n")
	for range 120 {
		fmt.Fprintf(&b, "  * div.teaser.card 0,%d 900x100 size=14\n    h3 0,%d 900x24 size=18\n      a href=/x %q\n", y, y, words(6))
		fmt.Fprintf(&b, "    img 0,%d 120x70\n    p 130,%d 770x70\n      %q\n      a href=/y %q\n      %q\n    span.date 0,%d 100x16 %q\n",
			y, y+24, words(12), words(2), words(8), y+84, words(3))
		y += 100
	}
	fmt.Fprintf(&b, "  * article 0,%d 900x4000\n", y)
	for range 100 {
		fmt.Fprintf(&b, "    p 0,%d 900x60\n      %q\n      em %q\n      %q\n", y, words(9)+".", words(1), words(7)+".")
		y += 60
	}
	fmt.Fprintf(&b, "* div.sidebar 900,40 380x2000\n")
	for i := range 60 {
		fmt.Fprintf(&b, "  div.widget 900,%d 380x30\n    a href=/z %q\n", 40+30*i, words(5))
	}
	fmt.Fprintf(&b, "* footer 0,%d 1280x200\n  p %q\n", y, words(30))
	return b.String()
}

var englishWords = strings.Fields(stopLists[0].words + ` harbour council lorry spring voting archives collected pages versions
stored blocks visual segmentation crawlers browser layouts headings topics labels features navigation comments sidebars
footers tables forms pictures advertisements histories changes lineages schedules networks machines languages dictionaries
London 2008 Wang publishing institutional repository's national libraries preserving heritage`)

func pickEnglish(r *rand.Rand) string { return englishWords[r.IntN(len(englishWords))] }

var germanWords = strings.Fields(stopLists[2].words + ` Häfen Stadträte Lastwagen Frühjahr Straßen schließen Grüße Archive
Versionen Blöcke Überschriften Bücher möglich Tür Maße früher gehört wählen nördlich Köln München Österreich`)

const chineseText = "网页归档系统采集网页并保存网页的历史版本。本文提出一种基于网页分块的归档方法,把网页分成若干分块,只保存发生变化的分块。" +
	"实验表明,这种方法能够节省存储空间,分块之间的比较也比较快。國務院總理在人民大會堂會見了來訪的外國代表團並討論經濟合作。"

// BenchmarkDescribe describes a drawn page of about 2,000 nodes and 125 blocks
// as segmentation would deliver it. No browser runs, and the Chinese dictionary
// is loaded beforehand. Judge a change by
//
//	go test ./segment/label -run '^$' -bench Describe -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkDescribe(b *testing.B) {
	chinese := []rune(chineseText)
	for _, page := range []struct {
		name, language string
		word           func(*rand.Rand) string
	}{
		{"english", "en", pickEnglish},
		{"english-undeclared", "", pickEnglish},
		{"german", "de", func(r *rand.Rand) string { return germanWords[r.IntN(len(germanWords))] }},
		{"chinese", "zh", func(r *rand.Rand) string { i := r.IntN(len(chinese) - 4); return string(chinese[i : i+4]) }},
	} {
		b.Run("page="+page.name, func(b *testing.B) {
			snap, cut, spans, visible := build(b, drawPage(page.word))
			snap.Language = page.language
			d := newDescriber(b, Options{})
			if page.language == "zh" {
				d.chinese.Simplified()
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Describe(snap, cut, spans, visible); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(snap.Nodes)), "nodes")
			b.ReportMetric(float64(len(cut.Blocks)), "blocks")
		})
	}
}
