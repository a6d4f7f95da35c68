package article

import "testing"

func TestTheTitleIsWhatLooksLikeOneAndAgreesWithWhatIsDeclared(t *testing.T) {
	body := `<div class="entry-content">` + paragraphs(first, second, third) + `</div>`
	for _, tc := range []struct{ name, page, want string }{
		{"a heading, site and section ones aside", `<head><title>North pier closes - Harbour Notice</title></head><h1>Harbour Notice</h1><h2>News</h2><h2>The north pier closes</h2>` + body, "The north pier closes"},
		{"the heading, not what was written for search engines", `<head><title>Pier closing: when and why the pier closes</title></head><h1>Pier closes: when and why</h1>` + body, "Pier closes: when and why"},
		{"by looks alone: large letters in the middle", `<p>Monday in the harbour</p><div size="30" bold x="300" w="216">The pier shuts its gates now</div><p>Our reporter was there</p>` + body, "The pier shuts its gates now"},
		{"by looks alone: the outermost heading", `<p>Monday in the harbour</p><h1>The pier shuts</h1>` + body, "The pier shuts"},
		{"by looks alone: the larger", `<h2 size="26">The pier shuts</h2><h2 size="24">Harbour</h2>` + body, "The pier shuts"},
		{"by looks alone: the bolder", `<div size="32">Harbour</div><div size="32" bold>The pier shuts</div><div size="32">Today</div>` + body, "The pier shuts"},
		{"by looks alone: the one in the middle", `<div size="32" x="300" w="216">The pier shuts its gates now</div><div size="32">Harbour</div>` + body, "The pier shuts its gates now"},
		{"by looks alone: the one of another colour", `<div size="32" color="65535">The pier shuts</div><div size="32">Harbour</div>` + body, "The pier shuts"},
		{"by looks alone: of equals the nearest to the text", `<h2>Harbour</h2><h2>The pier shuts</h2>` + body, "The pier shuts"},
		{"nothing that looks like one", `<p>Monday in the harbour</p>` + body, ""},
		{"two lines in two elements", `<head><meta property="og:title" content="Stones fall: the pier closes"></head><h2>Stones fall</h2><h1>The pier closes</h1>` + body, "Stones fall The pier closes"},
		{"two lines in two elements, the second the smaller", `<head><meta property="og:title" content="Stones fall: the pier closes"></head><h1>Stones fall</h1><h2>The pier closes</h2>` + body, "Stones fall The pier closes"},
		{"a line above it that is a section", `<head><meta property="og:title" content="The pier closes"></head><h1>Harbour life<br>The pier closes</h1>` + body, "The pier closes"},
		{"the site's name taken off a heading", `<head><title>The old pier closes</title><meta property="og:site_name" content="Notice"></head><h1>The old pier closes | Notice</h1>` + body, "The old pier closes"},
		{"only declared", `<head><title>The pier closes today | Notice</title></head><p>Home</p>` + body, "The pier closes today"},
		{"JSON-LD", `<head><script type="application/ld+json">{"@type":["Thing","BlogPosting"],"headline":"The pier closes"}</script></head>` + body, "The pier closes"},
		{"a headline of another text is none", `<head><title>Pier closes today</title></head><h1>Pier closes today</h1>` + body + `<aside class="related"><h1>Pier closes today again</h1></aside>`, "Pier closes today"},
		{"Chinese", `<head><title>北码头下周关闭 - 港口通告</title></head><h1>港口通告</h1><h2>北码头下周关闭</h2>` + body, "北码头下周关闭"},
		{"a heading that is declared, dash and all", `<head><title>Council votes on the harbour – what happens next</title><meta property="og:title" content="Council votes on the harbour – what happens next"></head><h1>Council votes on the harbour – what happens next</h1>` + body, "Council votes on the harbour – what happens next"},
		{"the same where only <title> declares it", `<head><title>Council votes on the harbour – what happens next</title></head><h1>Council votes on the harbour – what happens next</h1>` + body, "Council votes on the harbour – what happens next"},
		{"a declared title keeps what is after a dash", `<head><meta property="og:title" content="Council votes on the harbour – what happens next"></head>` + body, "Council votes on the harbour – what happens next"},
		{"one declared word is no measure", `<head><title>Blog</title></head><h2>Blog</h2><h1>The pier closes</h1>` + body, "The pier closes"},
		{"nor is the site's name", `<head><title>Harbour Notice</title><meta property="og:site_name" content="Harbour Notice"></head><div>Harbour Notice</div><h1>The pier closes</h1>` + body, "The pier closes"},
		{"but it is better than nothing", `<head><title>Blog</title></head>` + body, "Blog"},
		{"a title in lines is one line", `<head><title>Stones fall and the pier closes today</title></head><h2>Stones<br>fall</h2><h1>and the pier closes<br>today</h1>` + body, "Stones fall and the pier closes today"},
		{"Chinese, without blanks", `<head><title>北码头下周关闭两个星期_港口通告</title></head>` + body, "北码头下周关闭两个星期"},
		{"Chinese, a wide bar", `<head><title>北码头下周关闭两个星期｜港口通告</title></head>` + body, "北码头下周关闭两个星期"},
		{"a bar without blanks before the site's name", `<head><title>The pier closes-Notice</title><meta property="og:site_name" content="Notice"></head>` + body, "The pier closes"},
		{"an underscore in a word", `<head><title>How the pier_gate code works</title></head>` + body, "How the pier_gate code works"},
		{"words that may be divided", `<head><title>Harbour office closes north pier | Notice</title></head><h1>Har&shy;bour of&shy;fice clo&shy;ses the nor&shy;th pi&#8203;er</h1>` + body, "Harbour office closes the north pier"},
		{"none", body, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Extract(rendered(t, tc.page)).Title; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
