package opml

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"plat/plat"
	"plat/watch/follow"
)

const list = `<?xml version="1.0" encoding="UTF-8"?>
<!-- exported -->
<opml version="2.0">
  <head><title>My feeds</title><dateCreated>Sat, 18 Jun 2005 12:11:52 GMT</dateCreated><ownerName>x</ownerName></head>
  <body>
    <outline text="News" title="News">
      <outline text="CNET" title="CNET News.com" type="rss" version="RSS2" xmlUrl="http://news.test/rss.xml" htmlUrl="http://news.test/" category="tech,/Boston/Weather, tech"/>
      <outline text="Local">
        <outline text="Only a feed" type="rss" xmlUrl="HTTP://Local.test:80/feed?utm_source=x&id=1"/>
      </outline>
    </outline>
    <outline text="A link" type="link" url="https://link.test/a"/>
    <outline text="A comment without an address"/>
    <outline text="A file" type="rss" xmlUrl="file:///etc/passwd"/>
    <outline text="A bad page" htmlUrl="mailto:a@b.test" xmlUrl="https://good.test/feed"/>
    <outline text="Again" type="rss" xmlUrl="http://x.test/" htmlUrl="http://news.test/" category="again"/>
  </body>
</opml>`

func read(t testing.TB, text string) *Document {
	t.Helper()
	d, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A subscription in a folder and in none is in the folder; plat's own feed is no feed of the site.
func TestFoldersAndFeedsOfOutlines(t *testing.T) {
	const mill = `<outline text="Mill" xmlUrl="https://mill.test/rss" htmlUrl="https://mill.test/"/>`
	for _, tc := range []struct {
		body, group string
		refused     int
		feeds       []string
	}{
		{mill + `<outline text="comedy">` + mill + `</outline>`, "comedy", 0, []string{"https://mill.test/rss"}},
		{`<outline text="comedy">` + mill + `</outline>` + mill, "comedy", 1, []string{"https://mill.test/rss"}},
		{mill + `<outline text="comedy"><outline text="daily">` + mill + `</outline></outline><outline text="music">` + mill + `</outline>`, "comedy/daily", 1, []string{"https://mill.test/rss"}},
		{mill + mill, "", 1, []string{"https://mill.test/rss"}},
		{`<outline text="Mill" xmlUrl="https://mill.test/" htmlUrl="https://mill.test"/>`, "", 0, nil},
		{`<outline text="Mill" xmlUrl="http://127.0.0.1:8632/watch/feed.atom?id=abc" htmlUrl="https://mill.test/"/>`, "", 0, nil},
		{`<outline text="Mill" xmlUrl="file:///etc/passwd" htmlUrl="https://mill.test/"/>`, "", 0, nil},
	} {
		subs, refused := read(t, `<opml version="2.0"><body>`+tc.body+`</body></opml>`).Subscriptions()
		if len(subs) != 1 || subs[0].URL != "https://mill.test/" || subs[0].Group != tc.group || len(refused) != tc.refused || !reflect.DeepEqual(subs[0].Feeds, tc.feeds) {
			t.Errorf("%s: %+v, refused %v", tc.body, subs, refused)
		}
	}
}

// A page with several feeds has all of them, up to the limit of subscriptions.
func TestAddressesWithTheSchemeOfFeeds(t *testing.T) {
	for raw, want := range map[string]string{"feed://mill.test/rss": "http://mill.test/rss", "feed:https://mill.test/rss": "https://mill.test/rss", " FEED://Mill.test/rss": "http://mill.test/rss", "https://feed.test/": "https://feed.test/", "feed:": "", "feed:file:///etc/passwd": "", "feed:feed://mill.test/": ""} {
		subs, refused := read(t, `<opml version="2.0"><body><outline text="a" xmlUrl="`+raw+`"/></body></opml>`).Subscriptions()
		switch {
		case want == "" && len(refused) != 1, want != "" && (len(subs) != 1 || subs[0].URL != want):
			t.Errorf("%q: %v, refused %v", raw, subs, refused)
		}
	}
}

func TestAPageHasTheFeedsOfItsOutlines(t *testing.T) {
	var body strings.Builder
	want := []string{}
	for n := range 12 {
		fmt.Fprintf(&body, `<outline text="Mill" xmlUrl="https://mill.test/rss/%d" htmlUrl="https://mill.test/"/>`, n)
		if n < 10 {
			want = append(want, fmt.Sprintf("https://mill.test/rss/%d", n))
		}
	}
	body.WriteString(`<outline text="Mill" xmlUrl="https://mill.test/rss/3" htmlUrl="https://mill.test/"/>`)
	subs, refused := read(t, `<opml version="2.0"><body>`+body.String()+`</body></opml>`).Subscriptions()
	if len(subs) != 1 || !slices.Equal(subs[0].Feeds, want) || len(refused) != 3 || !strings.Contains(refused[0].Reason, "10 feeds") || !strings.Contains(refused[2].Reason, "already") {
		t.Errorf("%+v, refused %v", subs, refused)
	}
	if err := follow.Check(&subs[0]); err != nil {
		t.Error(err)
	}
	subs[0].Feeds = append(subs[0].Feeds, "https://mill.test/rss/10")
	if follow.Check(&subs[0]) == nil {
		t.Error("a subscription may have more feeds than are read")
	}
}

func TestAListBecomesSubscriptions(t *testing.T) {
	d := read(t, list)
	if d.Title != "My feeds" || !d.Made.Equal(time.Date(2005, 6, 18, 12, 11, 52, 0, time.UTC)) {
		t.Errorf("the list is %q of %s", d.Title, d.Made)
	}
	got, refused := d.Subscriptions()
	want := []plat.Subscription{
		{URL: "http://news.test/", Title: "CNET News.com", Group: "News", Tags: []string{"Boston/Weather", "again", "tech"}, Feeds: []string{"http://news.test/rss.xml", "http://x.test/"}},
		{URL: "http://local.test/feed?id=1", Title: "Only a feed", Group: "News/Local"},
		{URL: "https://link.test/a", Title: "A link"},
		{URL: "https://good.test/feed", Title: "A bad page"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("subscriptions are\n%+v\nwant\n%+v", got, want)
	}
	var why []string
	for _, r := range refused {
		why = append(why, r.Title+": "+r.Reason)
	}
	text := strings.Join(why, "\n")
	for _, part := range []string{"A comment without an address: it has no htmlUrl", "A file: bad URL: \"file:///etc/passwd\" uses \"file\""} {
		if !strings.Contains(text, part) {
			t.Errorf("refused are\n%s\nand not %q", text, part)
		}
	}
	if len(refused) != 2 {
		t.Errorf("refused are %d: %s", len(refused), text)
	}
}

func TestSubscriptionsBecomeAList(t *testing.T) {
	subs := []plat.Subscription{
		{ID: "1", URL: "https://a.test/?x=1&y=2", Title: "A <b> & \"c\"", Group: "News/Local", Tags: []string{"x", "y z"}},
		{ID: "2", URL: "https://b.test/", Group: "News"},
		{ID: "3", URL: "https://c.test/", Title: "Top"},
	}
	d := Of("plat", time.Date(2026, 11, 2, 7, 30, 0, 0, time.UTC), subs, func(s *plat.Subscription) string { return "https://plat.test/feed?id=" + s.ID })
	b, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>plat</title>
    <dateCreated>Mon, 02 Nov 2026 07:30:00 +0000</dateCreated>
    <docs>http://opml.org/spec2.opml</docs>
  </head>
  <body>
    <outline text="News">
      <outline text="Local">
        <outline text="A &lt;b&gt; &amp; &#34;c&#34;" title="A &lt;b&gt; &amp; &#34;c&#34;" type="rss" xmlUrl="https://plat.test/feed?id=1" htmlUrl="https://a.test/?x=1&amp;y=2" category="x,y z"></outline>
      </outline>
      <outline text="https://b.test/" title="https://b.test/" type="rss" xmlUrl="https://plat.test/feed?id=2" htmlUrl="https://b.test/"></outline>
    </outline>
    <outline text="Top" title="Top" type="rss" xmlUrl="https://plat.test/feed?id=3" htmlUrl="https://c.test/"></outline>
  </body>
</opml>
`
	if string(b) != want {
		t.Errorf("the list is\n%s\nwant\n%s", b, want)
	}
}

// The sections are the headings of the specification of OPML 2.0.
func TestAListHoldsToItsSpecification(t *testing.T) {
	for _, feed := range []func(*plat.Subscription) string{nil, func(*plat.Subscription) string { return "https://plat.test/feed" }} {
		b, err := Of("", time.Now(), []plat.Subscription{{URL: "https://a.test/", Group: "G"}}, feed).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, r := range []struct {
			section, text string
			holds         bool
		}{
			{"What is an <opml>?", "version is required", strings.Contains(text, `<opml version="2.0">`)},
			{"What is an <opml>?", "one head and one body", strings.Count(text, "<head>") == 1 && strings.Count(text, "<body>") == 1},
			{"What is a <head>?", "dates are of RFC 822", strings.Contains(text, "<dateCreated>")},
			{"What is a <body>?", "it has one or more outlines", strings.Contains(text, "<outline ")},
			{"Text attribute", "every outline has one", strings.Count(text, "<outline ") == strings.Count(text, "<outline text=")},
			{"Subscription lists", "each outline of type rss has xmlUrl", strings.Count(text, `type="rss"`) == strings.Count(text, " xmlUrl=")},
			{"Inclusion", "each outline of type link has url", strings.Count(text, `type="link"`) == strings.Count(text, " url=")},
		} {
			if !r.holds {
				t.Errorf("%s: %s:\n%s", r.section, r.text, text)
			}
		}
	}
}

func TestListsOfOtherEncodingsAreRead(t *testing.T) {
	text := func(encoding, title string) string {
		return `<?xml version="1.0" encoding="` + encoding + `"?><opml><body><outline text="` + title + `" xmlUrl="http://a.test/"/></body></opml>`
	}
	encode := func(s string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	utf16le := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()
	utf16be := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder()
	for name, tc := range map[string][2]string{
		"ISO 8859-1":               {encode(charmap.ISO8859_1.NewEncoder().String(text("ISO-8859-1", "Höfe"))), "Höfe"},
		"windows-1251":             {encode(charmap.Windows1251.NewEncoder().String(text("windows-1251", "Новости"))), "Новости"},
		"Shift_JIS":                {encode(japanese.ShiftJIS.NewEncoder().String(text("Shift_JIS", "新聞"))), "新聞"},
		"UTF-16 with a mark":       {encode(utf16le.String(text("UTF-16", "新聞"))), "新聞"},
		"UTF-16 without a mark":    {encode(utf16be.String(text("utf-16", "新聞"))), "新聞"},
		"UTF-8 with a mark":        {"\ufeff" + text("utf-8", "新聞"), "新聞"},
		"UTF-8 that says UTF-16":   {text("UTF-16", "新聞"), "新聞"},
		"bytes that are not UTF-8": {text("UTF-8", "H\xf6fe"), "H\ufffdfe"},
		"control characters":       {text("UTF-8", "H\x01\x1böfe"), "Höfe"},
		"bidirectional overrides":  {text("UTF-8", "a\u202eb"), "ab"},
		"lines":                    {text("UTF-8", "a\r\n  b"), "a b"},
	} {
		d, err := Read(strings.NewReader(tc[0]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := d.Outlines[0].Title; got != tc[1] {
			t.Errorf("%s: the title is %q, want %q", name, got, tc[1])
		}
	}
}

func TestWhatIsNoListIsRefused(t *testing.T) {
	deep := strings.Repeat(`<outline text="x">`, MaxDepth+1)
	for name, tc := range map[string][2]string{
		"nothing":             {"", "no element opml"},
		"text":                {"hello", "no element opml"},
		"a feed":              {"<rss version='2.0'><channel/></rss>", "begins with <rss>"},
		"cut off":             {"<opml><body><outline text='x'>", "EOF"},
		"depth":               {"<opml><body>" + deep, "nested more than 34 deep"},
		"depth of others":     {"<opml><head>" + strings.Repeat("<x>", 100), "nested more than"},
		"too many":            {"<opml><body>" + strings.Repeat("<outline/>", MaxOutlines+1), "more than 20000 outlines"},
		"too long":            {"<opml>" + strings.Repeat("<x> </x>", MaxBytes/8), "longer than 10 MB"},
		"a text too long":     {"<opml>\n" + strings.Repeat(" ", maxElement+1), "up to line 2, is longer than 256 kB"},
		"attributes":          {"<opml><body><outline" + strings.Repeat(" a='x'", maxElement/6), "longer than 256 kB"},
		"unknown encoding":    {`<?xml version="1.0" encoding="x-no"?><opml/>`, "x-no"},
		"an illegal escape":   {`<opml><head><title>&#x1;</title></head></opml>`, "illegal character"},
		"not even an opening": {"</opml>", "unexpected end element"},
	} {
		_, err := Read(strings.NewReader(tc[0]))
		if !errors.Is(err, ErrOPML) || !strings.Contains(err.Error(), tc[1]) {
			t.Errorf("%s: %v, want %q", name, err, tc[1])
		}
	}
}

// failsOnce has an error, and then nothing: a list of which a part is lost must not be taken for a whole one.
type failsOnce struct{ err error }

func (f *failsOnce) Read([]byte) (int, error) {
	err := f.err
	f.err = io.EOF
	return 0, err
}

// If reading fails, at the beginning of a list or within it, the error is returned, and no list.
func TestAnErrorOfReadingIsTold(t *testing.T) {
	list := "<opml><body>" + strings.Repeat("<outline text='x'/>", 20) + "</body></opml>"
	lost := errors.New("the connection was lost")
	for _, n := range []int{0, 1, 2, 100, 250, len(list) - 1} {
		for name, fails := range map[string]io.Reader{"always": iotest.ErrReader(lost), "once": &failsOnce{lost}} {
			d, err := Read(io.MultiReader(strings.NewReader(list[:n]), fails, strings.NewReader(list[n:])))
			if !errors.Is(err, lost) || !errors.Is(err, ErrOPML) || d != nil {
				t.Errorf("after %d bytes, %s: %v, %v", n, name, d, err)
			}
		}
	}
}

func TestEntitiesDoNotExpand(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString(`<?xml version="1.0"?><!DOCTYPE opml [<!ENTITY lol "lol"><!ENTITY file SYSTEM "file:///etc/passwd">`)
	for i := range 9 {
		before := "lol"
		if i > 0 {
			before = fmt.Sprintf("lol%d", i)
		}
		fmt.Fprintf(&bomb, `<!ENTITY lol%d "%s">`, i+1, strings.Repeat("&"+before+";", 10))
	}
	bomb.WriteString(`]><opml><head><title>&lol9;</title></head><body><outline text="&lol9;&file;" xmlUrl="http://a.test/"/></body></opml>`)
	d, err := Read(strings.NewReader(bomb.String()))
	if err != nil {
		return // a refusal is valid too
	}
	if got := d.Title + d.Outlines[0].Title; got != "&lol9;&lol9;&file;" {
		t.Errorf("entities became %.100q", got)
	}
}

func TestDeepFoldersAreWrittenSoThatTheyCanBeRead(t *testing.T) {
	group := strings.TrimSuffix(strings.Repeat("a/", 60), "/")
	b, err := Of("x", time.Time{}, []plat.Subscription{{URL: "https://a.test/", Title: "A", Group: group}}, nil).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if subs, _ := read(t, string(b)).Subscriptions(); len(subs) != 1 || subs[0].Group != group {
		t.Errorf("subscriptions are %v", subs)
	}
}

// For any input, subscriptions are canonical, and survive being written and read.
func FuzzRead(f *testing.F) {
	f.Add([]byte(list))
	f.Add([]byte("\xff\xfe<\x00o\x00"))
	f.Add([]byte(`<opml><body><outline text="a/b//c"><outline title=" / " text="x" url="http://a.test/?&#9;"/></outline></body></opml>`))
	f.Add([]byte(`<?xml version="1.0" encoding="shift_jis"?><opml><body><outline></body><outline xmlUrl="http://a.test"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := Read(strings.NewReader(string(raw)))
		if err != nil {
			if !errors.Is(err, ErrOPML) {
				t.Fatal(err)
			}
			return
		}
		subs, _ := d.Subscriptions()
		for i, s := range subs {
			if u, err := plat.Canonical(s.URL, nil); err != nil || u != s.URL || !utf8.ValidString(s.Title+s.Group) {
				t.Fatalf("subscription %+v", s)
			}
			if s.Title == "" {
				subs[i].Title = s.URL
			}
		}
		b, err := Of("x", time.Time{}, subs, nil).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, refused := read(t, string(b)).Subscriptions()
		if len(refused) > 0 {
			t.Fatalf("refused: %v\n%s", refused, b)
		}
		byURL := map[string]plat.Subscription{}
		for _, s := range again {
			byURL[s.URL] = s
		}
		for _, s := range subs {
			s.Title = clean(s.Title, maxText)
			if got := byURL[s.URL]; !reflect.DeepEqual(got, s) {
				t.Fatalf("%+v became %+v\n%s", s, got, b)
			}
		}
	})
}
