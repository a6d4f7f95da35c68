package crawler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plat/focus"
	"plat/plat"
)

// Topics in Chinese: with terms, and as a user's short description.
const (
	teaTerms = "topics:\n  - id: tea\n    names: {zh: 茶叶}\n    description: 茶叶的种植、采摘、制作与冲泡\n    terms:\n      zh: [绿茶, 红茶, 乌龙茶, 普洱茶, 白茶, 茶具, 茶园, 茶农, 发酵, 炒茶]\n"
	teaAbout = "topics:\n  - id: topic\n    description: 茶叶的种植、采摘、制作与冲泡，茶具和茶园\n"
)

// Chinese pages are judged as well as English ones, whether they declare their language or not:
// half of the fourteen in testdata/zh are about tea. One of the remaining seven is about drinks,
// and names tea once.
func TestChinesePages(t *testing.T) {
	for _, tc := range []struct {
		name, topic string
		auc         float64
		right       int
	}{
		{"terms", teaTerms, .95, 12},
		// 红茶 and 茶汤 are different words from 茶叶: a few words find less. The pages that they find
		// are right.
		{"a description", teaAbout, .9, 11},
	} {
		for _, language := range []string{"zh", ""} {
			t.Run(tc.name+" "+language, func(t *testing.T) {
				auc, right, wrong := judgeChinese(t, tc.topic, language)
				t.Logf("AUC %.3f; %d of 14 are right, %d are taken for the topic that are not", auc, right, wrong)
				if auc < tc.auc || right < tc.right || wrong > 0 {
					t.Errorf("AUC %.3f, want %v; %d are right, want %d; %d too many", auc, tc.auc, right, tc.right, wrong)
				}
			})
		}
	}
}

// judgeChinese returns how well a topic's relevance separates the pages, of how many the decision is
// right, and how many belong by mistake.
func judgeChinese(t *testing.T, text, language string) (auc float64, right, wrong int) {
	t.Helper()
	c := compiler(t)
	topic, missing, err := c.Compile(t.Context(), &plat.Crawl{Topic: text})
	if err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	files, err := filepath.Glob("testdata/zh/*.txt")
	if err != nil || len(files) != 14 {
		t.Fatal(files, err)
	}
	crawl, err := focus.New(topic.Topic, focus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]*focus.Page{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".txt")
		title, text, _ := strings.Cut(string(b), "\n")
		p := &focus.Page{URL: "https://zh.test/" + name}
		for _, s := range c.stems(language, title) {
			p.Title = append(p.Title, focus.TermOf(s))
		}
		for _, s := range c.stems(language, title+"\n"+text) {
			p.Words = append(p.Words, focus.TermOf(s))
		}
		pages[name] = p
		crawl.Add(p.URL, p)
	}
	assessor, err := focus.DecodeAssessor(crawl.Assessor().Encode())
	if err != nil {
		t.Fatal(err)
	}
	var on, off []float64
	for name, p := range pages {
		r := assessor.Assess(p)
		is := strings.HasPrefix(name, "tea")
		t.Logf("%-8s %.3f", name, r.Relevance)
		if is {
			on = append(on, r.Relevance)
		} else {
			off = append(off, r.Relevance)
		}
		switch {
		case r.Belongs == is:
			right++
		case r.Belongs:
			wrong++
		}
	}
	above := 0.0
	for _, x := range on {
		for _, y := range off {
			switch {
			case x > y:
				above++
			case x == y:
				above += .5
			}
		}
	}
	return above / float64(len(on)*len(off)), right, wrong
}
