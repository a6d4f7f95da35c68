package plat_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/plat"
)

func TestNamesAreSplitIntoTheirWords(t *testing.T) {
	for name, want := range map[string]string{
		"":                      "",
		"--2__":                 "",
		"nav":                   "nav",
		"main-nav main_nav2":    "main nav main nav",
		"mainNav-item2":         "main* nav* item",
		"csrfToken":             "csrf* token*",
		"HTMLBody COMMENTS":     "htmlbody comments",
		"hJpAdRP":               "h* jp* ad* rp*",
		"iPhone2Nav":            "i* phone* nav",
		"größe-übernav éToken":  "größe übernav é* token*",
		"nav\u00a0bar":          "nav\u00a0bar",
		"broken\xffutf8":        "broken�utf",
		strings.Repeat("aB", 3): "a* ba* ba* b*",
		"导航-nav":                "导航 nav",
		"top.ad[1]":             "top ad",
	} {
		var got []string
		for w, alone := range plat.NameWords(name) {
			if !alone {
				w += "*"
			}
			got = append(got, w)
		}
		if is := strings.Join(got, " "); is != want {
			t.Errorf("%q is %q, want %q (*: joined by camel case)", name, is, want)
		}
	}
}

func ExampleNameWords() {
	for word, alone := range plat.NameWords("relatedPosts-item2") {
		fmt.Println(word, alone)
	}
	// Output:
	// related false
	// posts false
	// item true
}
