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
		"sc-1 hJpAdRP":                         0, // "Ad" stands there by chance
		"leftAdBox":                            0,
		"ad":                                   hintAd,
		"top_ad_1":                             hintAd,
		"sr-only":                              hintUnread,
		"post-meta":                            hintByline,
		"":                                     0,
	} {
		if got := nameHints(name); got != want {
			t.Errorf("%q gives %b, want %b", name, got, want)
		}
	}
}
