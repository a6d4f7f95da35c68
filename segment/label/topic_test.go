package label

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Body text used beside a heading in many cases below.
const body = "The city council has voted to close the old harbour to lorries from next spring on."

const bodyTopic = "city council voted close old harbour lorries next spring"

func TestTopicIsTheTextThatStandsOut(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, tc := range []struct{ name, language, drawing, want string }{
		{"the largest font", "en", `
* div 0,0 400x300 size=14
  p 0,0 400x20 "By our correspondent in the north"
  h2 0,20 400x40 size=24 "Harbour closes to lorries"
  p 0,60 400x60 "` + body + `"`, "Harbour closes to lorries"},

		{"the first of several in the largest font", "en", `
* div 0,0 400x300 size=14
  h3 0,0 400x20 size=20 "First story"
  p 0,20 400x60 "` + body + `"
  h3 0,80 400x20 size=20 "Second story"
  p 0,100 400x60 "` + body + `"`, "First story"},

		{"a heading in several formats of one size is one text", "en", `
* div 0,0 400x300 size=14
  h2 0,0 400x40 size=24
    "The "
    em color=#990000 "grand"
    " opening"
  p 0,60 400x60 "` + body + `"`, "The grand opening"},

		{"two lines of a heading are parted by a blank", "en", `
* div 0,0 400x300 size=14
  h2 0,0 400x40 size=24
    "Grand"
    br
    "opening"
  p 0,60 400x60 "` + body + `"`, "Grand opening"},

		{"a drop capital is no topic", "en", `
* div 0,0 400x300 size=14
  p 0,0 400x80
    span 0,0 30x60 size=60 "T"
    "he council"
  h2 0,80 400x30 size=20 "Harbour news"
  p 0,110 400x60 "` + body + `"`, "Harbour news"},

		{"a large body with a small note is no heading", "en", `
* div 0,0 400x300 size=20
  p 0,0 400x120 "The council voted. The council will vote again when the harbour is closed and lorries have left the harbour for good, which lorries rarely do on their own."
  p 0,120 400x120 "Nobody at the harbour knows what comes then."
  p 0,240 400x12 size=11 "Photo: Press"`, "council voted harbour lorries"},

		{"a bold line alone near the top", "en", `
* div 0,0 400x300
  p 0,0 400x18 bold "Opening hours"
  p 0,20 400x18 "Monday to Friday 9 to 17"
  p 0,40 400x18 "Saturday 10 to 14"`, "Opening hours"},

		{"a line alone above a paragraph", "en", `
* div 0,0 400x300
  div 0,0 400x18 "Opening hours"
  div 0,30 400x60 "` + body + `"`, "Opening hours"},

		{"the first of equal lines does not stand out", "en", `
* ul 0,0 400x300
  li 0,0 400x18 "News of the day"
  li 0,20 400x18 "Sports of the day"
  li 0,40 400x18 "Weather"`, "News day Sports Weather"},

		{"a line with another beside it is not alone", "en", `
* div 0,0 400x300
  div 0,0 100x18 bold "Left"
  div 200,0 100x18 "Right of the way"`, "Left Right way"},

		{"another colour", "en", `
* div 0,0 400x300
  div 0,0 200x18 color=#cc0000 "Breaking news"
  div 200,0 200x18 "today at noon in town"
  div 0,20 400x18 "more to come"`, "Breaking news"},

		{"a link in another colour at the end is not the topic", "en", `
* div 0,0 400x300
  div 0,0 200x18 "Visitors come from far away"
  div 200,0 200x18 "today at noon in town"
  div 0,20 400x18 color=#0000cc "Read more"`, "Visitors come far away today noon town Read"},

		{"a short block is its own topic", "en", `
* h1 0,0 400x40 "The state of the union"`, "The state of the union"},

		{"hidden text is not seen", "en", `
* div 0,0 400x300
  h2 0,0 400x30 size=24 hidden "Skip to content"
  h3 0,30 400x30 size=20 "Harbour news"
  p 0,60 400x60 "` + body + `"`, "Harbour news"},

		{"German", "de", `
* div 0,0 400x300 size=14
  h2 0,0 400x40 size=24 "Der Hafen wird für die Lastwagen geschlossen"
  p 0,60 400x60 "Der Stadtrat hat beschlossen, den alten Hafen zu schließen."`, "Der Hafen wird für die Lastwagen geschlossen"},

		{"Chinese", "zh-CN", `
* div 0,0 400x300 size=14
  h2 0,0 400x40 size=24 "国务院发布新规定"
  p 0,60 400x60 "今天上午国务院召开会议。"`, "国务院发布新规定"},

		{"links of a menu are words of their own without blanks in the source", "en", `
* div 0,0 400x20
  a 0,0 40x18 "Home"
  a 50,0 60x18 "Contact"
  a 111,0 9x18 "s"`, "Home Contacts"},

		{"Chinese on an English page", "en", `
* div 0,0 400x20
  p 0,0 400x18 "Harbour news of the week for everybody"
  p 0,20 400x18 "国务院发布新规定"`, "Harbour news week everybody 国务院发布新规定"},

		{"a price in the largest font is not the topic", "en", `
* div 0,0 400x300 size=14
  div 0,0 400x40 size=30 "$19.99"
  h3 0,40 400x20 size=18 "Garden chair"
  p 0,60 400x60 "` + body + `"`, "Garden chair"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := describe(t, d, tc.language, tc.drawing)
			if got := page.Blocks[1].Topic; got != tc.want {
				t.Errorf("topic %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTopicLongerThanThetaIsTrimmed(t *testing.T) {
	for _, tc := range []struct {
		name, language, heading, want string
		theta                         int
	}{
		{"stop words go, repeated words too, θ stay", "en",
			"The harbour and the lorries of the harbour were closed to the old lorries in spring by a council vote of the whole town on Monday",
			"harbour lorries closed old spring council vote whole town Monday", 0},
		{"θ of 3", "en", "The harbour is closed to old lorries", "harbour closed old", 3},
		{"German", "de", "Der alte Hafen in der Stadt wird für die Lastwagen und die Busse im nächsten Frühjahr geschlossen",
			"alte Hafen Stadt Lastwagen Busse nächsten Frühjahr geschlossen", 0},
		{"Chinese is joined without blanks", "zh", "国务院总理昨天上午在人民大会堂会见了来访的外国代表团并且讨论了两国的经济合作",
			"国务院总理昨天上午人民大会堂会见来访外国代表团讨论两国", 0},
		{"traditional Chinese", "zh-TW", "總統府昨天發表了關於經濟政策和網路安全的聲明並且公布了新的計畫內容與時間表", "總統府昨天發表經濟政策網路安全聲明公布新", 0},
		{"Chinese and Latin words have blanks between", "zh", "苹果公司今天在加州发布了新的 iPhone 手机和 Mac 电脑以及多款配件产品",
			"苹果公司今天加州发布新 iPhone 手机 Mac 电脑多款", 0},
		{"Japanese keeps its content words", "ja", "東京都は新しい環境政策を発表しました。これはデータの公開について東京都が決めたものです", "東京都新環境政策発表データ公開決", 0},
		{"French articles go", "fr", "L'ouverture de l'exposition sur les archives de la ville et de l'université aura lieu dans la grande salle",
			"ouverture exposition archives ville université aura lieu grande salle", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := newDescriber(t, Options{TopicWords: tc.theta})
			page := describe(t, d, tc.language, `
* div 0,0 400x300 size=14
  h2 0,0 400x40 size=24 "`+tc.heading+`"
  p 0,60 400x60 "abc def"`)
			if got := page.Blocks[1].Topic; got != tc.want {
				t.Errorf("topic %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTopicIsExtractedFromLongTexts(t *testing.T) {
	english := "Archives collect pages. An archive that is collecting a page every day stores many versions of it, and most of " +
		"the versions are equal. Storing only what changed needs blocks: a block is a part of the page, and each stored block " +
		"is kept once however many versions share it."
	for _, tc := range []struct {
		name, language, text, want string
		opt                        Options
	}{
		{"words that come back, stemmed, as first written", "en", english,
			"Archives collect pages stores versions blocks", Options{}},
		{"θ bounds them", "en", english, "Archives collect pages", Options{TopicWords: 3}},
		{"a higher ε takes fewer", "en", english, "pages stores versions blocks", Options{MinFrequency: 2}},
		{"below δ words it is trimmed", "en", english,
			"Archives collect pages archive collecting page day stores versions equal", Options{ExtractWords: 1000}},
		{"nothing frequent enough: trimmed", "en", english,
			"Archives collect pages archive collecting page day stores versions equal", Options{MinFrequency: 50}},
		{"Chinese", "zh",
			"网页归档系统采集网页并保存网页的历史版本。本文提出一种基于网页分块的归档方法,把网页分成若干分块,只保存发生变化的分块。实验表明,这种方法能够节省存储空间,分块之间的比较也比较快。",
			"网页归档保存分块方法比较", Options{}},
		{"Russian", "ru",
			"Архив собирает страницы. Каждая страница делится на блоки, и блоки сравниваются с блоками прошлой версии страницы. " +
				"Если версии равны, архив не хранит новую версию, а только записывает время посещения страницы роботом и ждёт дальше.",
			"Архив страницы блоки версии", Options{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := describe(t, newDescriber(t, tc.opt), tc.language, `
* p 0,0 400x300 "`+tc.text+`"`)
			if got := page.Blocks[1].Topic; got != tc.want {
				t.Errorf("topic %q, want %q", got, tc.want)
			}
		})
	}
}

func TestInnerBlocksTakeTheirHeadingOrThatOfTheirLargestPart(t *testing.T) {
	d := newDescriber(t, Options{})
	page := describe(t, d, "en", `
+ div 0,0 800x300
  h1 0,0 800x40 size=32 "Town news"
  * div 0,40 400x200
    h2 0,40 400x20 size=20 "Harbour"
    p 0,60 400x60 "`+body+`"
+ div 0,300 800x300
  * p 0,300 800x60 "`+body+`"
  * p 0,360 800x20 "Imprint"`)
	for i, want := range []string{"Town news", "Town news", "Harbour", bodyTopic, bodyTopic, "Imprint"} {
		if got := page.Blocks[i].Topic; got != want {
			t.Errorf("block %d: topic %q, want %q", i, got, want)
		}
	}
}

func TestTopicsAreFitToShow(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, text := range []string{
		strings.Repeat("x", 5000),
		strings.Repeat("é", 5000),
		strings.Repeat("漢", 2000),
		"soft\u00adhyphen \x00 \xff\xfe zero\u200bwidth",
		strings.Repeat("many words to cut ", 100),
		"☃ ★ ☆",
		"the of and",
	} {
		snap, page, spans, visible := build(t, "* p 0,0 400x20 \"?\"")
		snap.Nodes[2].Value = text
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		topic := page.Blocks[1].Topic
		if n := utf8.RuneCountInString(topic); n > maxTopic || n == 0 || !utf8.ValidString(topic) || strings.ContainsAny(topic, "\u00ad\u200b\x00\n") {
			t.Errorf("topic of %.20q… is %q (%d characters)", text, topic, n)
		}
	}
}
