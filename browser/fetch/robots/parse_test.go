package robots_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/browser/fetch/robots"
)

// Odd files found on real sites.
func TestOddFiles(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		checks     []check
	}{
		{"byte order mark", "\ufeffUser-agent: *\nDisallow: /a", []check{{"x", "/a", false}}},
		{"carriage returns", "User-agent: *\rDisallow: /a\rDisallow: /b", []check{{"x", "/a", false}, {"x", "/b", false}}},
		{"both, and empty lines between agents and rules", "User-agent: a\r\n\r\nUser-agent: b\r\n\r\n\r\nDisallow: /a\r\n", []check{{"a", "/a", false}, {"b", "/a", false}}},
		{"any case, blanks anywhere", " \tUSER-AGENT \t:\t * \n  dIsAlLoW  :  /a  \t\n", []check{{"x", "/a", false}}},
		{"no blank", "user-agent:*\ndisallow:/a", []check{{"x", "/a", false}}},
		{"NULs", "user-agent: *\x00\ndisallow: /a\x00\x00\n\x00disallow: /b\ndisallow: /c\x00d", []check{{"x", "/a", false}, {"x", "/b", false}, {"x", "/c", true}, {"x", "/c%00d", false}}},
		{"UTF-16", "\xff\xfeu\x00s\x00e\x00r\x00", []check{{"x", "/", true}}},
		{"Latin-1", "user-agent: *\ndisallow: /caf\xe9", []check{{"x", "/caf%E9", false}, {"x", "/caf%C3%A9", true}}},
		{"an error page", "<!DOCTYPE html>\n<title>404: gone</title>\n<p style=\"color: red\">user-agent\n", []check{{"x", "/", true}}},
		{"a blank inside a pattern", "user-agent: *\ndisallow: /my files/", []check{{"x", "/my%20files/a", false}, {"x", "/my files/a", false}, {"x", "/my", true}}},
		{"a comment as group", "# go away\nuser-agent: * # all\ndisallow: /a # really\n", []check{{"x", "/a", false}}},
		{"no slash", "user-agent: *\ndisallow: *\n", []check{{"x", "/a", false}}},
		{"stray percent signs", "user-agent: *\ndisallow: /100%\ndisallow: /%zz\ndisallow: /%", []check{{"x", "/100%25", false}, {"x", "/100%", false}, {"x", "/%zz", false}, {"x", "/%41", true}}},
		{"same agent twice in a group", "user-agent: a\nuser-agent: A\ndisallow: /x\n", []check{{"a", "/x", false}}},
		{"* with more behind", "user-agent: * all of you\ndisallow: /x\n", []check{{"a", "/x", false}}},
		{"*bot is not a name", "user-agent: *bot\ndisallow: /x\n", []check{{"a", "/x", true}, {"bot", "/x", true}}},
		{"a blank in the agent", "user-agent: Foo Bar\ndisallow: /x\n", []check{{"foo", "/x", false}, {"foo-bar", "/x", true}}},
		{"noindex of old", "user-agent: *\nnoindex: /\ndisallow: /x", []check{{"a", "/", true}, {"a", "/x", false}}},
		{"two colons", "user-agent:: *\ndisallow: /x", []check{{"a", "/x", true}}},
		{"misspelled", "user-agent: *\ndissallow: /x\nuseragent: b\ndisallow: /y", []check{{"a", "/x", true}, {"a", "/y", false}}},
		{"dots", "user-agent: *\ndisallow: /.git\ndisallow: /*.php$", []check{{"a", "/.git/HEAD", false}, {"a", "/x.php", false}, {"a", "/x.php5", true}}},
		{"fragment in the question", "user-agent: *\ndisallow: /a$", []check{{"a", "/a#b", false}, {"a", "/a?#b", true}}},
		{"no slash in the question", "user-agent: *\ndisallow: /?x\ndisallow: /y", []check{{"a", "?x=1", false}, {"a", "y", false}}},
	} {
		t.Run(tc.name, func(t *testing.T) { ask(t, tc.file, tc.checks) })
	}
}

func TestCrawlDelay(t *testing.T) {
	for _, tc := range []struct {
		name, file, agent string
		want              time.Duration
		none              bool
	}{
		{"seconds", "user-agent: *\ncrawl-delay: 10", "a", 10 * time.Second, false},
		{"decimals", "user-agent: *\nCrawl-Delay: 0.25", "a", 250 * time.Millisecond, false},
		{"an explicit zero", "user-agent: *\ncrawl-delay: 0", "a", 0, false},
		{"none", "user-agent: *\ndisallow: /", "a", 0, true},
		{"the largest of several", "user-agent: *\ncrawl-delay: 1\ncrawl-delay: 3\ncrawl-delay: 2", "a", 3 * time.Second, false},
		{"of merged groups, too", "user-agent: a\ncrawl-delay: 1\ndisallow: /x\nuser-agent: a\ncrawl-delay: 5", "a", 5 * time.Second, false},
		{"of one's own group only", "user-agent: *\ncrawl-delay: 9\ndisallow:\nuser-agent: a\ndisallow: /x", "a", 0, true},
		{"for the agents above it", "user-agent: a\ncrawl-delay: 9\nuser-agent: b\ndisallow: /x", "a", 9 * time.Second, false},
		{"not for the agents below it", "user-agent: a\ncrawl-delay: 9\nuser-agent: b\ndisallow: /x", "b", 0, true},
		{"behind the rules", "user-agent: a\nuser-agent: b\ndisallow: /x\ncrawl-delay: 9", "b", 9 * time.Second, false},
		{"outside of groups", "crawl-delay: 9\nuser-agent: *\ndisallow:", "a", 0, true},
		{"at most a day", "user-agent: *\ncrawl-delay: " + strings.Repeat("9", 400), "a", 24 * time.Hour, false},
		{"negative", "user-agent: *\ncrawl-delay: -1", "a", 0, true},
		{"NaN", "user-agent: *\ncrawl-delay: NaN", "a", 0, true},
		{"Inf", "user-agent: *\ncrawl-delay: Inf", "a", 0, true},
		{"hexadecimal", "user-agent: *\ncrawl-delay: 0x10", "a", 0, true},
		{"exponent", "user-agent: *\ncrawl-delay: 1e3", "a", 0, true},
		{"units", "user-agent: *\ncrawl-delay: 10s", "a", 0, true},
		{"dots", "user-agent: *\ncrawl-delay: 1.2.3\ncrawl-delay: .\ncrawl-delay:", "a", 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := robots.Parse([]byte(tc.file)).Agent(tc.agent).Delay()
			if got != tc.want || ok == tc.none {
				t.Errorf("Delay() = %v, %v; want %v, %v", got, ok, tc.want, !tc.none)
			}
		})
	}
	if wait, ok := (robots.Rules{}).Delay(); ok || wait != 0 {
		t.Errorf("the zero Rules ask for %v, %v", wait, ok)
	}
}

func TestSitemapsBelongToNoGroup(t *testing.T) {
	f := robots.Parse([]byte(`Sitemap: https://a.test/1.xml
user-agent: a
sitemap:http://b.test/2.xml?x=a:b # the second
SITEMAP: HTTPS://a.test/3.xml
sitemap: /relative.xml
sitemap: ftp://a.test/x.xml
sitemap: https://
sitemap:
disallow: /
sitemap: https://a.test/1.xml
`))
	want := []string{"https://a.test/1.xml", "http://b.test/2.xml?x=a:b", "https://a.test/3.xml", "https://a.test/1.xml"}
	if got := f.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("Sitemaps() = %q, want %q", got, want)
	}
	f.Sitemaps()[0] = "changed"
	if got := f.Sitemaps()[0]; got != want[0] {
		t.Error("a caller can change the file's sitemaps")
	}
	many := robots.Parse([]byte(strings.Repeat("sitemap: https://a.test/\n", 5000)))
	if n := len(many.Sitemaps()); n != 1000 {
		t.Errorf("%d sitemaps kept, want 1000", n)
	}
}

func TestLinesBeyondTheSizeAreLeftOut(t *testing.T) {
	const head = "user-agent: *\ndisallow: /first\n"
	pad := func(n int) string { return head + strings.Repeat("#", n-len(head)-1) + "\n" }
	for _, tc := range []struct {
		name, file string
		checks     []check
	}{
		{"the last line ends at the bound", pad(robots.MaxSize-len("disallow: /in\n")) + "disallow: /in\ndisallow: /out\n", []check{{"x", "/in", false}, {"x", "/out", true}}},
		{"its end is one byte beyond", pad(robots.MaxSize-len("disallow: /in")) + "disallow: /in\nmore", []check{{"x", "/in", false}}},
		{"a line is cut", pad(robots.MaxSize-len("disallow: /")) + "disallow: /long\n", []check{{"x", "/long", true}, {"x", "/", true}}},
		{"no bound in sight", pad(robots.MaxSize-len("disallow: /in")) + "disallow: /in", []check{{"x", "/in", false}}},
		{"one line", "user-agent: *" + strings.Repeat(" ", robots.MaxSize) + "\ndisallow: /", []check{{"x", "/", true}, {"x", "/first", true}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checks := tc.checks
			if strings.HasPrefix(tc.file, head) {
				checks = append(checks, check{"x", "/first", false})
			}
			f := robots.Parse([]byte(tc.file))
			for _, c := range checks {
				if got := f.Agent(c.agent).Allowed(c.path); got != c.want {
					t.Errorf("%s: allowed = %v, want %v", c.path, got, c.want)
				}
			}
		})
	}
}

// hostile are files of the full size that maximise the parser's work.
var hostile = map[string]string{
	"rules":     "user-agent: *\n" + fill("allow:/\n"),
	"wildcards": "user-agent: *\n" + fill("allow:/*b\n"),
	"escapes":   "user-agent: *\n" + fill("allow:/\x01\x02\x03\n"),
	"agents":    fill("user-agent:a\n"),
	"groups":    fill("user-agent:a\nallow:/\n"),
	"delays":    fill("user-agent:a\ncrawl-delay:1\n"),
	"lines":     fill("\n"),
	"one line":  "user-agent: *\nallow: /" + fill("*a"),
	"sitemaps":  fill("sitemap:http://a\n"),
	"alternate": fill("user-agent:a\nallow:/\nuser-agent:b\nallow:/\ncrawl-delay:1\n"),
	"backtrack": "user-agent: *\n" + fill("allow:/"+strings.Repeat("*a", 20)+"*b\n"),
	"needles":   "user-agent: *\n" + fill("allow:/*"+strings.Repeat("a", 60)+"b\n"),
}

func fill(line string) string {
	return strings.Repeat(line, (robots.MaxSize-len("user-agent: *\nallow: /"))/len(line))
}

func TestHostileFilesCostLittleMemory(t *testing.T) {
	for name, file := range hostile {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			f := robots.Parse([]byte(file))
			rules := f.Agent("a")
			runtime.GC()
			runtime.ReadMemStats(&after)
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 12<<20 {
				t.Errorf("keeps %d bytes of a file of %d", kept, len(file))
			}
			if all := after.TotalAlloc - before.TotalAlloc; all > 40<<20 {
				t.Errorf("allocates %d bytes for a file of %d", all, len(file))
			}
			runtime.KeepAlive(f)
			runtime.KeepAlive(rules)
		})
	}
}
