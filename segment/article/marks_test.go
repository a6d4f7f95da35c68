package article

import (
	"strings"
	"testing"
)

// tail is the text of the pages of these tests.
const tail = `<div class="entry-content"><p>` + first + `</p><p>` + second + `</p></div>`

// Each page has no other date. The text is below.
func TestDatesAreFoundWherePagesHaveThem(t *testing.T) {
	for _, tc := range []struct{ name, above, below, want string }{
		{"a meta element with value in place of content", `<meta name="publish-date" value="2015-07-10"><h1>Pier</h1>`, ``, "2015-07-10"},
		{"Dublin Core with a colon", `<meta name="DC:date.issued" content="2015-07-10"><h1>Pier</h1>`, ``, "2015-07-10"},
		{"a journal", `<meta name="citation_online_date" content="2015/07/10"><h1>Pier</h1>`, ``, "2015-07-10"},
		{"seconds since 1970", `<meta property="article:published_time" content="1436522400"><h1>Pier</h1>`, ``, "2015-07-10"},
		{"RDFa", `<h1>Pier</h1><p><span property="dc:date" content="2015-07-10">Friday</span></p>`, ``, "2015-07-10"},
		{"the title of an element for dates", `<h1>Pier</h1><span class="date" title="10 July 2015">long ago</span>`, ``, "2015-07-10"},
		{"the data of an element for dates", `<h1>Pier</h1><span class="timestamp" data-date="2015-07-10">long ago</span>`, ``, "2015-07-10"},
		{"elements that only a style sheet keeps apart", `<h1>Pier</h1><div class="date"><span>Jul</span><span>10</span><span>2015</span></div>`, ``, "2015-07-10"},
		{"a topic glued to it", `<div><a href="/t">Harbours</a><span>JULY 10, 2015</span><span>Updated: AUGUST 02, 2016</span></div><h1>Pier</h1>`, ``, "2015-07-10"},
		{"bars between numbers", `<table><tr><td>10 | 07 | 2015</td></tr></table><h1>Pier</h1>`, ``, "2015-07-10"},
		{"a line of several", `<h1>Pier</h1><p>The pier in the harbour<br>10 July 2015, 09:14<br>Print this page</p>`, ``, "2015-07-10"},
		{"posted by, with more than a name", `<h1>Pier</h1><div>Posted by admin in Harbour blog on Jul 10th, 2015 | no responses</div>`, ``, "2015-07-10"},
		{"the same as a heading", `<h1>Pier</h1><h2>Posted by Shari Rivers in Harbours, July 10th, 2015 | 0 Comments »</h2>`, ``, "2015-07-10"},
		{"how long ago beside it", `<h1>Pier</h1><div class="byline">Jul 10, 2015 2:04 AM (3 days ago) by Staff, The Examiner</div>`, ``, "2015-07-10"},
		{"navigation below the title", `<h1>Pier</h1><nav><a href="/n">News</a> <span itemprop="datePublished" content="2015-07-10T12:00">Friday</span></nav>`, ``, "2015-07-10"},
		{"far below the text", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 20) + `<p>Created <time datetime="2015-07-10" pubdate>in July</time></p>`, "2015-07-10"},
		{"far above the title", `<p class="published-date">10 July 2015</p>` + strings.Repeat(`<p>Piers</p>`, 30) + `<h1>Pier</h1>`, ``, "2015-07-10"},
		{"the last change, far below", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 20) + `<footer><p>This page was last edited on 10 July 2015, at 06:10.</p></footer>`, "2015-07-10"},
		{"the data of a script", `<script>dataLayer = [{'section': 'news', 'publishDate' : '2015-07-10'}]</script><h1>Pier</h1>`, ``, "2015-07-10"},
		{"JSON-LD that is not JSON", `<script type="application/ld+json">{"@type":"Article","headline":"The "north" pier","datePublished":"2015-07-10",}</script><h1>Pier</h1>`, ``, "2015-07-10"},
		{"quoted data of a script", `<script>self.push("{\"publishedAt\":\"2015-07-10T10:00:00Z\"}")</script><h1>Pier</h1>`, ``, "2015-07-10"},
		{"a dateline in the second paragraph", `<h1>Pier</h1><p>Quays and piers need more of the care that the town council has promised for long.</p><p>Ottawa (10 July 2015) - The pier closes.</p>`, ``, "2015-07-10"},
		{"a question", `<script type="application/ld+json">{"@type":"QAPage","mainEntity":{"@type":"Question","name":"Pier","dateCreated":"2015-07-10T10:00"}}</script><h1>Pier</h1>`, ``, "2015-07-10"},

		{"the data of scripts about several texts", `<script>x = [{publishDate: "2015-07-10"}, {publishDate: "2015-07-11"}]</script><h1>Pier</h1>`, ``, ""},
		{"a key that ends like one", `<script>x = {unpublishDate: "2015-07-10", "xpubDate": "2015-07-10"}</script><h1>Pier</h1>`, ``, ""},
		{"dates of entries far below", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 20) + `<p><time datetime="2015-07-10">July</time></p><p><time datetime="2015-07-11">July</time></p>`, ""},
		{"since when", `<p>Since 1st March, 1999</p><h1>Pier</h1>`, ``, ""},
		{"a heading of prose", `<h1>Pier</h1><p>July 10, 2015:<br>Fred Stone of Harbour Public Television reports on piers and on quays.</p>`, ``, ""},
		{"since when a user has been there", `<h1>Pier</h1><p>Joined: Jun 26, 2004<br>Posts: 5342</p>`, ``, ""},
		{"a copyright line", `<h1>Pier</h1>`, `<footer><p>Copyright 2015 Harbour Works. 10 people.</p></footer>`, ""},
		{"related texts", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 20) + `<div class="related"><time datetime="2015-07-10">July</time></div>`, ""},
	} {
		if got := Extract(rendered(t, `<html lang="en">`+tc.above+tail+tc.below)).Date; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestOfTwoDatesTheOneOfPublicationCounts(t *testing.T) {
	article := func(published, changed string) string {
		return `<script type="application/ld+json">{"@type":"Article","datePublished":"` + published + `","dateModified":"` + changed + `"}</script>`
	}
	for _, tc := range []struct{ name, page, want string }{
		{"a time zone west of UTC", article("2015-07-10T01:06:25Z", "") + `<h1>Pier</h1><p>9 July 2015, 08:06 PM</p>`, "2015-07-09"},
		{"a time zone east of UTC", article("2015-07-10T23:06:25+00:00", "") + `<h1>Pier</h1><p>11 July 2015, 04:06</p>`, "2015-07-11"},
		{"the same in an element", `<h1>Pier</h1><time datetime="2015-07-10T01:06:25Z">9 July 2015, 08:06 PM</time>`, "2015-07-09"},
		{"an hour at which it is that day nowhere", article("2015-07-10T05:06:25Z", "") + `<h1>Pier</h1><p>11 July 2015</p>`, "2015-07-10"},
		{"a time zone that is written", article("2015-07-10T23:06:25+02:00", "") + `<h1>Pier</h1><p>11 July 2015</p>`, "2015-07-10"},
		{"midnight in UTC is a day without a time", article("2015-07-10T00:00:00Z", "") + `<h1>Pier</h1><p>9 July 2015</p>`, "2015-07-10"},
		{"a day after the last change", article("2015-07-10T10:00:02+02:00", "2015-07-10T10:00:01+02:00") + `<h1>Pier</h1><p>3 March 2012</p>`, "2012-03-03"},
		{"the same as days", article("Jul 12, 2015", "Jul 10, 2015") + `<h1>Pier</h1><p>3 March 2012</p>`, "2012-03-03"},
		{"the same without a visible one", article("Jul 12, 2015", "Jul 10, 2015") + `<h1>Pier</h1>`, "2015-07-12"},
		{"a day before the last change", article("2015-07-10", "2015-07-11") + `<h1>Pier</h1><p>3 March 2012</p>`, "2015-07-10"},
		{"the first publication", article("2015-07-10", "2015-07-11") + `<h1>Pier</h1><p>This article was originally published on 26 Sep 2012 at 4:12pm but has been updated since.</p>`, "2012-09-26"},
		{"the first publication elsewhere", article("2015-07-10", "2015-07-11") + `<h1>Pier</h1><p>This article was originally published in the Harbour Gazette of 26 Sep 2012.</p>`, "2015-07-10"},
		{"what says so before the page's head", `<p>5 Tevet 5767 / 26 December 2016<br>Torah reading</p><h1>Pier</h1><p>Quays</p><p>Published: Tuesday, July 10, 2015</p>`, "2015-07-10"},
		{"the same beside related days", `<p>July 14, 2015</p><h1>Pier</h1><p>Kolkata, July 13, 2015</p><p>First published: 11:57 (10/7/2015)</p><p>Last updated: 18:40 (13/7/2015)</p>`, "2015-07-10"},
		{"the same above the title, in its passage", `<h1>Article published Friday, July 10, 2015<br>The pier closes for good, says the council</h1>`, "2015-07-10"},
		{"the event in the title", `<h1>Results of the regatta around the pier, 19.5.2015</h1><p>by Ann Rivers | 20 May 2015 | Results</p>`, "2015-05-20"},
		{"the address before the last change", `<link rel="canonical" href="https://a.test/2015/07/10/pier"><h1>Pier</h1><p>Last updated on 11 August 2016</p>`, "2015-07-10"},
		{"the address before the event in the title", `<link rel="canonical" href="https://a.test/2015/07/10/pier"><h1>Results of the regatta around the pier, 19.5.2015</h1>`, "2015-07-10"},
		{"the month first, as other dates show", `<h1>Pier</h1><span class="date">12-01-2015</span>`, "2015-12-01"},
		{"the same for machines", `<meta property="article:published_time" content="12-01-2015"><h1>Pier</h1>`, "2015-12-01"},
	} {
		order := ""
		if strings.Contains(tc.page, "12-01-2015") {
			order = `<p>Open until 11-29-2016</p>`
		}
		if got := Extract(rendered(t, `<html lang="en-GB">`+tc.page+tail+order)).Date; got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestAuthorsAreFoundWherePagesHaveThem(t *testing.T) {
	for _, tc := range []struct{ name, above, below, want string }{
		{"a meta element with value in place of content", `<meta name="author" value="Ann Rivers"><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"the data of previews", `<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ann Rivers"><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"the same in German, in the second place", `<meta name="twitter:label1" content="Lesezeit"><meta name="twitter:data1" content="Acht Minuten"><meta name="twitter:label2" content="Verfasst von"><meta name="twitter:data2" content="Ann Ströhm"><h1>Pier</h1>`, ``, "Ann Ströhm"},
		{"no author in the data of previews", `<meta name="twitter:label1" content="Reading time"><meta name="twitter:data1" content="Eight Minutes"><h1>Pier</h1>`, ``, ""},
		{"surnames first", `<meta name="citation_author" content="Rivers, Ann B."><meta name="citation_author" content="Stone, Bob"><h1>Pier</h1>`, ``, "Ann B. Rivers|Bob Stone"},
		{"the same in a list", `<meta name="citation_authors" content="Rivers, Ann; Stone, Bob"><h1>Pier</h1>`, ``, "Ann Rivers|Bob Stone"},
		{"two names in an element of libraries", `<meta name="dc.creator" content="Ann Rivers, Bob Stone"><h1>Pier</h1>`, ``, "Ann Rivers|Bob Stone"},
		{"microdata with the name of a user", `<h1>Pier</h1><div itemprop="author" itemscope><meta itemprop="name" content="luiz42"><meta itemprop="url" content="/user/luiz42"></div>`, ``, "luiz42"},
		{"microdata, and what a user is", `<h1>Pier</h1><div itemprop="author" itemscope><a itemprop="name" href="/u">Greenpier</a><em>Newcomer</em></div>`, ``, "Greenpier"},
		{"a name in two elements of microdata", `<h1>Pier</h1><div itemprop="author" itemscope>by <b itemprop="name">Ann <i>Rivers</i></b>, diver</div>`, ``, "Ann Rivers"},
		{"an empty name in microdata", `<h1>Pier</h1>`, `<i itemprop="author"><b itemprop="name"></b></i>`, ""},
		{"two in microdata", `<h1>Pier</h1><div itemscope><b itemprop="author">Ann Rivers</b> <b itemprop="author">Bob Stone</b></div>`, ``, "Ann Rivers|Bob Stone"},
		{"the same about a different text", `<h1>Pier</h1><div itemscope><b itemprop="author">Ann Rivers</b></div><div itemscope><b itemprop="author">Bob Stone</b></div>`, ``, "Ann Rivers"},
		{"RDFa", `<h1>Pier</h1><p><span property="schema:author">Ann Rivers</span></p>`, ``, "Ann Rivers"},
		{"elements that only a style sheet keeps apart", `<h1>Pier</h1><p><span>By</span><span>Ann Rivers</span><span>July 10, 2015</span></p>`, ``, "Ann Rivers"},
		{"by, twice", `<h1>Pier</h1><div><span>By</span><span>by ANN RIVERS, BOB STONE and CY WOOD</span></div>`, ``, "ANN RIVERS|BOB STONE|CY WOOD"},
		{"text and pictures", `<h1>Pier</h1><p>Text &amp; Fotos: Ann Ströhm</p>`, ``, "Ann Ströhm"},
		{"story and pictures", `<h1>Pier</h1><p>Story and photos by Ann Rivers</p>`, ``, "Ann Rivers"},
		{"a label before a blank and a colon", `<h1>Pier</h1><p>Auteur(s) : Anne Rivière</p>`, ``, "Anne Rivière"},
		{"a byline before a name that every page declares", `<meta name="author" content="Auto Illustrierte"><h1>Pier</h1><p>Von Ann Ströhm</p>`, ``, "Ann Ströhm"},
		{"a declared name that the byline has in part", `<meta name="author" content="Ann Rivers, Bob Stone"><h1>Pier</h1><p>By Ann Rivers</p>`, ``, "Ann Rivers|Bob Stone"},
		{"the name of a newspaper behind one in capitals", `<h1>Pier</h1><div class="byline">By ANN RIVERS Daily Record/Sunday News</div>`, ``, "ANN RIVERS"},
		{"a sentence of the summary", `<meta name="description" content="Read this article written by Ann Rivers."><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"a sentence of the text", `<h1>Pier</h1><p><em>This post was written by Ann Rivers, MD, diver, Harbour Works.</em></p>`, ``, "Ann Rivers, MD"},
		{"a sentence in German", `<h1>Pier</h1><p>Dieser Beitrag wurde von Ann Ströhm geschrieben.</p>`, ``, "Ann Ströhm"},
		{"a label behind the text", `<h1>Pier</h1>`, `<p>Autorin: Ann Ströhm, Projektleiterin der Hafenwerke.</p><p>` + second + `</p>`, "Ann Ströhm"},
		{"a box about the author", `<h1>Pier</h1>`, `<div><h5>About the author</h5><p><b>Ann Rivers</b><br>Harbours</p></div>`, "Ann Rivers"},
		{"brackets behind the last words", `<h1>Pier</h1>`, `<p>` + second + ` (Ann P. Rivers) +++</p>`, "Ann P. Rivers"},
		{"a license", `<h1>Pier</h1>`, `<footer><p>The blog of <a href="/" rel="cc:attributionURL">Ann Rivers</a> is free.</p></footer>`, "Ann Rivers"},
		{"the only author on the page", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 30) + `<p class="author">Ann Rivers</p>`, "Ann Rivers"},
		{"two authors on the page", `<h1>Pier</h1>`, strings.Repeat(`<p>Piers</p>`, 30) + `<p class="author">Ann Rivers</p><p class="author">Bob Stone</p>`, ""},
		{"the data of a script", `<script>dataLayer = [{'author' : 'Ann Rivers'}]</script><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"JSON-LD that is not JSON", `<script type="application/ld+json">{"@type":"Article","headline":"The "north" pier","author":{"name":"x"},"authorName":"Ann Rivers"}</script><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"the only person of a graph", `<script type="application/ld+json">{"@graph":[{"@type":"WebSite","name":"Quays"},{"@type":["Person"],"@id":"#a","name":"Ann Rivers"}]}</script><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"the full name of a site's owner", `<title>Pier – Henry Stone</title><h1>Pier</h1><p>Posted by Henry</p>`, ``, "Henry Stone"},
		{"a site named for a person with a title", `<title>Pier – Dr. Ann Rivers</title><h1>Pier</h1>`, ``, "Dr. Ann Rivers"},
		{"a site named for something else", `<title>Pier – Harbour Works</title><h1>Pier</h1>`, ``, ""},
		{"a desk, if it is all", `<h1>Pier</h1><p class="author">Redaktion Hafenblick</p>`, ``, "Redaktion Hafenblick"},
		{"the address of a user", `<meta name="author" content="Ann Rivers &lt;ann at quay dot test&gt;"><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"an address behind the name", `<h1>Pier</h1><p class="byline">By Ann Rivers ann.rivers@quay.test</p>`, ``, "Ann Rivers"},
		{"entities in JSON-LD", `<script type="application/ld+json">{"@type":"Article","author":"Ann O&#039;Rivers"}</script><h1>Pier</h1>`, ``, "Ann O'Rivers"},
		{"a given and a family name", `<script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","givenName":"Ann","familyName":"Rivers"}}</script><h1>Pier</h1>`, ``, "Ann Rivers"},
		{"an agency behind a slash", `<h1>Pier</h1><p>Von Ann Ströhm/dpa</p>`, ``, "Ann Ströhm"},
		{"two around a bar", `<meta name="author" content="Ann Rivers|Bob Stone"><h1>Pier</h1>`, ``, "Ann Rivers|Bob Stone"},
		{"with an agency", `<h1>Pier</h1><p>Publié par Anne Rivière avec AFP</p>`, ``, "Anne Rivière"},
		{"the kind of text", `<h1>Pier</h1><p>Analyse von Ann Ströhm</p>`, ``, "Ann Ströhm"},
		{"who put it into the system, and an agency", `<h1>Pier</h1><div>Submitted by admin3 on 11 January 2012 - 7:14pm</div><p>By IANS,</p>`, ``, "IANS"},
		{"a label of a form", `<h1>Pier</h1>`, `<form class="author">Search Site:</form>`, ""},
		{"an invitation", `<h1>Pier</h1><p class="author">Find me on:</p>`, ``, ""},
		{"a button behind the name", `<h1>Pier</h1><p class="byline">By Ann Rivers Leave a Comment</p>`, ``, "Ann Rivers"},
		{"a rights holder behind the name", `<h1>Pier</h1>`, `<p class="author">Ann Rivers © Harbour Gazette</p>`, "Ann Rivers"},
	} {
		got := strings.Join(Extract(rendered(t, `<html lang="en">`+tc.above+tail+tc.below)).Authors, "|")
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// The first post is the text of a forum's page.
func TestForumsAreDatedAndSignedByTheirFirstPost(t *testing.T) {
	post := func(user, day, text string) string {
		return `<div class="comment"><p class="author"><a href="/u">` + user + `</a> Member</p><p class="date">` + day + `</p><p>` + text + `</p></div>`
	}
	page := `<html lang="en-GB"><h1>Is the pier open?</h1>` + strings.Repeat(`<p>Piers</p>`, 20) +
		post("rurutia", "17th February 2015 at 8:55 pm", first) + post("quay7", "18th February 2015", second) + post("pier9", "19th February 2015", first)
	a := Extract(rendered(t, page))
	if a.Date != "2015-02-17" || strings.Join(a.Authors, "|") != "rurutia" {
		t.Errorf("the date is %q, the authors %q", a.Date, a.Authors)
	}
	if a := Extract(rendered(t, `<h1>Pier</h1>`+tail+tail+post("rurutia", "17th February 2015", "Yes."))); a.Date != "" || a.Authors != nil {
		t.Errorf("with comments below a text, the date is %q, the authors %q", a.Date, a.Authors)
	}
}
