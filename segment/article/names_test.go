package article

import "testing"

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
