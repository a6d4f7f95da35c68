package article

import (
	"strings"
	"testing"
)

func TestNamesAreReadByTheirWords(t *testing.T) {
	for name, want := range map[string]hints{
		"relatedPosts-item2":                   hintRelated,
		"wp-newsletterbox":                     hintSubscribe,
		"COMMENTS":                             hintComments,
		"article-body":                         hintBody,
		"content-with-sidebar":                 0,
		"no-comments":                          0,
		"tag-advertising category-social post": 0,
		"download loading readability":         0, // "ad" is in all of them
		"sc-1 hJpAdRP":                         0, // "Ad" is there by chance
		"leftAdBox":                            0,
		"ad":                                   hintAd,
		"top_ad_1":                             hintAd,
		"sr-only":                              hintUnread,
		"d-print-block d-print-none":           0, // is on screen
		"post-meta":                            hintByline,
		"":                                     0,
	} {
		if got := nameHints(name); got != want {
			t.Errorf("%q gives %b, want %b", name, got, want)
		}
	}
}

func TestSentencesEndAsTheirScriptsEndThem(t *testing.T) {
	for text, want := range map[string]bool{
		"The pier closes.": true, "“The pier closes.”": true, "The pier": false, "(The pier)": false,
		"码头关闭。": true, "「码头关闭。」": true, "「埠頭は閉鎖」": true, "『埠頭』": true, "码头（关闭。）": true, "《码头》": false, "码头": false,
		"هل الرصيف مغلق؟": true, "घाट बंद है।": true,
	} {
		all := read(rendered(t, "<p>"+text+"</p>"), false).passages()
		if len(all) != 1 || all[0].ends != want {
			t.Errorf("%q: %+v, want it to end: %v", text, all, want)
		}
	}
}

// The names of what is around texts are those of boilerplate; those of parts of texts are not.
func TestWhichNamesAreBoilerplate(t *testing.T) {
	for class, want := range map[string]bool{
		"navbar": true, "comments": true, "share": true, "related": true, "advertisement": true, "newsletter": true, "byline": true, "caption": true, "footer": true, "sidebar": true, "masthead": true, "search": true, "cookie": true, "sr-only": true, "tags": true,
		"summary": false, "author": false, "date": false, "entry-content": false, "x": false,
	} {
		s := rendered(t, `<div id=x class="`+class+`"><p>The pier</p></div><p>`+worded(60)+`</p>`)
		if got := newText(read(s, false), nil).at[element(t, s, "x")].all&boilerplate != 0; got != want {
			t.Errorf("%s is boilerplate: %v", class, got)
		}
	}
}

func TestValuesOfKeysInScripts(t *testing.T) {
	long := strings.Repeat("x", maxValue-1)
	for _, tc := range []struct{ before, after, want string }{
		{`{"`, `": "Ann"`, "Ann"}, {`{`, `: 'Ann'`, "Ann"}, {``, `:"A"`, "A"}, {`{"`, `":"Ann'`, ""}, {`{"`, `": ""`, ""}, {`{\"`, `\": \"Ann\"`, "Ann"}, {`{"`, `" = "Ann"`, ""}, {`{"`, `": 7`, ""}, {`{"`, `":`, ""}, {`{"`, `"`, ""}, {`{"`, ``, ""}, {`{"`, "\"\t :\t\"Ann\"", "Ann"},
		{`x`, `: "Ann"`, ""}, {`_`, `: "Ann"`, ""}, {`-`, `: "Ann"`, ""}, {`9`, `: "Ann"`, ""}, {`Z`, `: "Ann"`, ""}, {`.`, `: "Ann"`, "Ann"}, {`"`, `x": "Ann"`, ""}, {``, `:"` + long + `"`, long}, {``, `:"` + long + `x"`, ""},
	} {
		got, ok := assigned(tc.before, tc.after)
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%q key %.40q: %.40q, %v; want %.40q", tc.before, tc.after, got, ok, tc.want)
		}
	}
	for c := range 256 {
		if got, want := isWordByte(byte(c)), strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", rune(c)); got != want {
			t.Errorf("%q may be part of a key: %v", rune(c), got)
		}
	}
}
