package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"plat/browser/fetch/robots"
)

// large is a file of the maximum size, typical of a large site: comments, several groups, some
// wildcards.
func large() []byte {
	var b strings.Builder
	for i := 0; b.Len() < robots.MaxSize-200; i++ {
		if i%500 == 0 {
			fmt.Fprintf(&b, "\n# part %d\nUser-agent: bot%c\nUser-agent: *\nCrawl-delay: 2\n", i, 'a'+i/500%26)
		}
		switch i % 10 {
		case 0:
			fmt.Fprintf(&b, "Disallow: /*/private/%d/*.html$\n", i)
		case 1:
			fmt.Fprintf(&b, "Allow: /section-%d/caf%%C3%%A9/\n", i)
		default:
			fmt.Fprintf(&b, "Disallow: /section-%d/subject/\n", i)
		}
	}
	return []byte(b.String())
}

// BenchmarkParse reads a file of 500 KiB, the maximum read, and resolves one agent's rules. Judge a
// change by
//
//	go test ./browser/fetch/robots -run '^$' -bench . -count 6 | tee new.txt
//	benchstat old.txt new.txt
func BenchmarkParse(b *testing.B) {
	body := large()
	b.Run("file=large", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			robots.Parse(body)
		}
	})
	b.Run("file=large/and-agent", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			robots.Parse(body).Agent("plat")
		}
	})
	for _, name := range []string{"rules", "groups", "lines", "delays"} {
		body := []byte(hostile[name])
		b.Run("hostile="+name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				robots.Parse(body).Agent("a")
			}
		})
	}
}

// BenchmarkAllowed matches a path against 5,000 rules that do not apply, the worst case; and
// adversarial files against a path of 8,000 octets.
func BenchmarkAllowed(b *testing.B) {
	var file strings.Builder
	file.WriteString("user-agent: *\n")
	for i := range 5000 {
		if i%10 == 0 {
			fmt.Fprintf(&file, "disallow: /section/*/private/%d/*.html$\n", i)
		} else {
			fmt.Fprintf(&file, "disallow: /section/subject-%d/\n", i)
		}
	}
	rules := robots.Parse([]byte(file.String())).Agent("plat")
	for name, path := range map[string]string{
		"plain":   "/section/subjects/some/story-12345.html?page=2",
		"escaped": "/section/subjects/caf%C3%A9/story-12345.html?page=2",
		"other":   "/news/2026/11/20/a-story",
	} {
		b.Run("rules=5000/path="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !rules.Allowed(path) {
					b.Fatal(path)
				}
			}
		})
	}
	long := "/" + strings.Repeat("a", 8000)
	for _, name := range []string{"wildcards", "backtrack", "needles", "one line"} {
		// Distinct patterns, because equal rules are merged.
		n := 0
		text := strings.Builder{}
		for line := range strings.Lines(hostile[name]) {
			n++
			if rest, ok := strings.CutPrefix(line, "allow:/"); ok && len(line) < 100 {
				line = fmt.Sprintf("allow:/%s%x\n", strings.TrimSuffix(rest, "\n"), n)
			}
			text.WriteString(line)
		}
		rules := robots.Parse([]byte(text.String())).Agent("plat")
		b.Run("hostile="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rules.Allowed(long)
			}
		})
	}
}
