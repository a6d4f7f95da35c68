package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/browser/fetch/robots"
)

func Example() {
	f, access := robots.FromStatus(200, 0, []byte("User-agent: *\nDisallow: /private/\nAllow: /private/press$\nCrawl-delay: 1.5\n"))
	rules := f.Agent("plat")
	wait, _ := rules.Delay()
	fmt.Println(access, rules.Allowed("/private/x"), rules.Allowed("/private/press"), wait)
	// Output: found false true 1.5s
}

// A check is one expectation: may the agent visit the path?
type check struct {
	agent, path string
	want        bool
}

func ask(t *testing.T, file string, checks []check) {
	t.Helper()
	f := robots.Parse([]byte(file))
	for _, c := range checks {
		if got := f.Agent(c.agent).Allowed(c.path); got != c.want {
			t.Errorf("%s to %s: allowed = %v, want %v, by\n%s", c.agent, c.path, got, c.want, file)
		}
	}
}

func TestSection221Groups(t *testing.T) {
	t.Run("groups of one product token are merged", func(t *testing.T) {
		ask(t, `user-agent: ExampleBot
disallow: /foo
disallow: /bar

user-agent: ExampleBot
disallow: /baz
`, []check{
			{"ExampleBot", "/foo", false}, {"ExampleBot", "/bar", false}, {"ExampleBot", "/baz", false},
			{"ExampleBot", "/qux", true}, {"examplebot", "/baz", false}, {"OtherBot", "/foo", true},
		})
	})
	t.Run("without a group of its own an agent obeys those of *", func(t *testing.T) {
		ask(t, `user-agent: *
disallow: /foo
disallow: /bar

user-agent: BazBot
disallow: /baz
`, []check{
			{"ExampleBot", "/foo", false}, {"ExampleBot", "/bar", false}, {"ExampleBot", "/baz", true},
			{"BazBot", "/baz", false}, {"BazBot", "/foo", true}, {"bazbot", "/foo", true},
		})
	})
	t.Run("groups of * are merged as well", func(t *testing.T) {
		ask(t, "user-agent: *\ndisallow: /a\nuser-agent: b\ndisallow: /b\nuser-agent: *\ndisallow: /c", []check{
			{"x", "/a", false}, {"x", "/b", true}, {"x", "/c", false}, {"b", "/a", true}, {"b", "/c", true},
		})
	})
	t.Run("no group: no rules", func(t *testing.T) {
		ask(t, "disallow: /\nallow: /x\nuser-agent: b\ndisallow: /", []check{{"a", "/", true}, {"b", "/", false}})
		ask(t, "", []check{{"a", "/", true}})
	})
	t.Run("rules before the first user-agent are ignored", func(t *testing.T) {
		ask(t, "disallow: /a\nuser-agent: *\ndisallow: /b", []check{{"x", "/a", true}, {"x", "/b", false}})
	})
	t.Run("the token is letters, - and _ only", func(t *testing.T) {
		ask(t, "user-agent: Example_Bot-News/2.1 (+https://example.com)\ndisallow: /", []check{
			{"example_bot-news", "/", false}, {"Example_Bot-News/9", "/", false},
			{"Example_Bot", "/", true}, {"Example_Bot-News-Images", "/", true}, {"", "/", true},
		})
	})
	t.Run("an agent line without a name still begins a group", func(t *testing.T) {
		ask(t, "user-agent: a\nallow: /\nuser-agent: 42\ndisallow: /\nuser-agent:\ndisallow: /", []check{{"a", "/x", true}})
	})
}

// The table "Examples of matching percent-encoded URI components": both columns
// are the same path.
func TestSection222PercentEncoding(t *testing.T) {
	for _, row := range [][]string{
		{"/foo/bar?baz=quz"},
		{"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar"},
		{"/foo/bar/\u30c4", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"},
		{"/foo/bar/%62%61%7A", "/foo/bar/baz", "/foo/bar/%62a%7a"},
		// Section 2.2.3, "Example of percent-encoding".
		{"/path/file-with-a-%2A.html", "/path/file-with-a-%2a.html"},
		{"/path/foo-%24", "/%70ath/foo-%24"},
	} {
		uris := append([]string{strings.NewReplacer("%2A", "*", "%24", "$").Replace(row[0])}, row...)
		for _, pattern := range row {
			for _, uri := range uris {
				ask(t, "user-agent: *\ndisallow: "+pattern, []check{
					{"x", uri, false}, {"x", uri + "more", false}, {"x", uri[:len(uri)-3] + "!", true},
				})
			}
		}
	}
}

// A slash and an escaped one are different octets of a path, and the same in a query.
func TestSection222EscapedDelimiters(t *testing.T) {
	ask(t, "user-agent: *\ndisallow: /*%2Fx", []check{
		{"x", "/a%2Fxb", false}, {"x", "/a%2fxb", false}, {"x", "/a/xb", true}, {"x", "/a?u=b%2Fx", false}, {"x", "/%2Fx", false}, {"x", "//x", true},
	})
	ask(t, "user-agent: *\ndisallow: /a/b", []check{{"x", "/a/b", false}, {"x", "/a%2Fb", true}, {"x", "/a%2fb/c", true}})
	ask(t, "user-agent: *\ndisallow: /a%2Fb/", []check{{"x", "/a%2Fb/", false}, {"x", "/a%2fb/c", false}, {"x", "/a/b/", true}})
	ask(t, "user-agent: *\ndisallow: /who%3F$", []check{{"x", "/who%3F", false}, {"x", "/who%3f", false}, {"x", "/who?", true}})
	ask(t, "user-agent: *\ndisallow: /*?", []check{{"x", "/who%3F", true}, {"x", "/who?", false}})
	ask(t, "user-agent: *\ndisallow: /s?u=/a", []check{{"x", "/s?u=/a", false}, {"x", "/s?u=%2Fa", false}, {"x", "/s%3Fu=/a", true}})
	ask(t, "user-agent: *\ndisallow: /s?u=%2Fa%3F", []check{{"x", "/s?u=/a?", false}, {"x", "/s?u=%2fa%3f", false}})
	ask(t, "user-agent: *\ndisallow: /*/private", []check{{"x", "/a/private", false}, {"x", "/a%2Fprivate", true}, {"x", "/a?u=%2Fprivate", false}})
	ask(t, "user-agent: *\nallow: /a%2Fb\ndisallow: /a", []check{{"x", "/a%2Fb", true}, {"x", "/a/b", false}})
}

func TestSection222MostSpecificRule(t *testing.T) {
	ask(t, "user-agent: *\nallow: /p\ndisallow: /", []check{{"x", "/page", true}, {"x", "/other", false}})
	ask(t, "user-agent: *\ndisallow: /folder\nallow: /folder", []check{{"x", "/folder/page", true}})
	ask(t, "user-agent: *\nallow: /page\ndisallow: /*.htm", []check{{"x", "/page.htm", false}, {"x", "/page", true}})
	ask(t, "user-agent: *\nallow: /$\ndisallow: /", []check{{"x", "/", true}, {"x", "", true}, {"x", "/page", false}, {"x", "/?q", false}})
	// With equally many octets, allow wins.
	ask(t, "user-agent: *\ndisallow: /*b\nallow: /a*", []check{{"x", "/ab", true}, {"x", "/cb", false}})
	// Octets are counted in the escaped form: /%E3%83%84 has ten.
	ask(t, "user-agent: *\nallow: /\u30c4\ndisallow: /*.html", []check{{"x", "/%E3%83%84.html", true}})
	// Matching is case sensitive and starts with the first octet.
	ask(t, "user-agent: *\ndisallow: /A\ndisallow: b\ndisallow: https://a.test/c\ndisallow: $", []check{
		{"x", "/a", true}, {"x", "/b", true}, {"x", "b", true}, {"x", "/c", true}, {"x", "/", true}, {"x", "/A", false},
	})
	ask(t, "user-agent: *\ndisallow: /", []check{{"x", "/robots.txt", true}, {"x", "/robots.txt.bak", false}, {"x", "/a/robots.txt", false}})
	// An empty rule matches nothing, and is a rule: the next agent begins a group.
	ask(t, "user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /", []check{{"a", "/", true}, {"b", "/", false}})
}

func TestSection223SpecialCharacters(t *testing.T) {
	ask(t, "user-agent: *\ndisallow: / # comment in line\n# allow: /x\n#", []check{{"x", "/x", false}})
	ask(t, "user-agent: *\ndisallow: /\nallow: /this/path/exactly$", []check{
		{"x", "/this/path/exactly", true}, {"x", "/this/path/exactly/", false}, {"x", "/this/path/exactly?q", false},
	})
	ask(t, "user-agent: *\ndisallow: /\nallow: /this/*/exactly", []check{
		{"x", "/this/path/exactly", true}, {"x", "/this//exactly", true}, {"x", "/this/a/b/exactly/so", true}, {"x", "/this/exactly", false},
	})
	ask(t, "user-agent: *\ndisallow: /a$b\ndisallow: /*?\ndisallow: /x*y*$", []check{
		{"x", "/a$b", false}, {"x", "/a", true}, {"x", "/q?", false}, {"x", "/q", true}, {"x", "/x-y-z", false}, {"x", "/x-z", true},
	})
	ask(t, "user-agent: *\ndisallow: /a-%2A.html\ndisallow: /b-%24\ndisallow: /c*%2a", []check{
		{"x", "/a-*.html", false}, {"x", "/a-x.html", true}, {"x", "/b-$x", false}, {"x", "/b-", true}, {"x", "/cd*", false}, {"x", "/cd", true},
	})
	ask(t, "user-agent: *\ndisallow: /*a*ab$", []check{{"x", "/aab", false}, {"x", "/aabab", false}, {"x", "/ab", true}, {"x", "/aabb", true}})
}

func TestSection224OtherRecordsDoNotEndAGroup(t *testing.T) {
	// google/robotstxt, robots_test.cc: BarBot is disallowed.
	for _, other := range []string{"Sitemap: https://foo.bar/sitemap", "Crawl-delay: 30", "Invalid-Unknown-Line: x", "no colon", ""} {
		ask(t, "User-agent: BarBot\n"+other+"\nUser-agent: *\nDisallow: /\n", []check{{"BarBot", "/x", false}, {"other", "/x", false}})
		ask(t, "User-agent: FooBot\nAllow: /a\n"+other+"\nDisallow: /\n"+other+"\nUser-agent: b\nAllow: /", []check{{"FooBot", "/x", false}, {"b", "/x", true}})
	}
}

func TestSection51SimpleExample(t *testing.T) {
	ask(t, `
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot

            EOF
`, []check{
		{"anybot", "/publications/x", true}, {"anybot", "/example/x", false}, {"anybot", "/a/b.gif", false},
		{"anybot", "/a/b.gif?v=2", true}, {"anybot", "/other", true},
		{"foobot", "/example/page.html", true}, {"foobot", "/example/allowed.gif", true}, {"foobot", "/", false}, {"foobot", "/example/", false},
		{"barbot", "/example/page.html", false}, {"bazbot", "/example/page.html", false}, {"barbot", "/a.gif", true}, {"bazbot", "/", true},
		{"quxbot", "/example/page.html", true}, {"quxbot", "/a.gif", true},
	})
}

func TestSection52LongestMatch(t *testing.T) {
	ask(t, "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n", []check{
		{"foobot", "/example/page/disallowed.gif", false}, {"foobot", "/example/page/allowed.gif", true},
	})
}
