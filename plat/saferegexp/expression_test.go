package saferegexp

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
)

func TestExpressionsThatAreTooLargeAreNotCompiled(t *testing.T) {
	for _, text := range []string{
		"(a|b|c){1000}", "((a{100}){10}){10}", `(?i)([\pL\pN]{1,100} ?){50}`, strings.Repeat("(abc){900}", 10), "(x{0,1000}){0,5}", "(?:(?:a?){40}){200}",
		"x{1000}{10}", strings.Repeat("a", MaxText+1), strings.Repeat("(", 10_000),
		"(?i)" + strings.Repeat(`[B-\x{1e942}]`, 150), "(?i)[" + strings.Repeat("B-\U0001e942", 300) + "]", "(?i)" + strings.Repeat(`\pL`, 600), "[[:alpha:]" + strings.Repeat("a-я", 100) + "]",
	} {
		before := testing.AllocsPerRun(1, func() { _, _ = Compile(text) })
		var re *regexp.Regexp
		var err error
		took := fixtures.Timed(t, func() { re, err = Compile(text) })
		if err == nil {
			t.Errorf("%.40q is compiled as %v", text, re)
		}
		if before > 20_000 || took > time.Second {
			t.Errorf("%.40q: %v allocations and %v to refuse it", text, before, took)
		}
	}
}

func TestExpressionsThatPeopleWriteAreCompiled(t *testing.T) {
	for _, text := range []string{
		"", "/login", `\.(zip|pdf|jpe?g|png)$`, `^https?://[^/]+/(\d{4})/(\d{2})/`, `(?i)\b(ferry|harbour|quay)\b`, `[0-9a-f]{64}`, `\pL{1,100}`,
		`^.{0,1000}$`, strings.Repeat("ferry|", 300), strings.Repeat("é", MaxText/2), strings.Repeat("(a)", MaxText/3), strings.Repeat("ab*", MaxText/3/2),
		strings.Repeat("[ab]", MaxText/4), strings.Repeat(".", MaxText), "(?i)" + strings.Repeat("k", MaxText-4),
	} {
		if _, err := Compile(text); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if _, err := Compile("("); err == nil || !strings.Contains(err.Error(), "missing closing )") {
		t.Errorf("what is no expression: %v", err)
	}
}

func TestExpressionsAreBoundedTogether(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int // of such expressions
	}{
		{"a{1000}b{1000}", 4}, {"ferry", 400}, {"", 476}, {"(?i)[B-\\x{1e942}]", 99}, {`\pL`, 79}, {"(?:.?){600}q", 5},
	} {
		var total Total
		n := 0
		for total.Add(tc.text) == nil {
			if n++; n > 1000 {
				break
			}
		}
		if n > tc.most || n < tc.most*9/10 {
			t.Errorf("%q is taken %d times, want about %d", tc.text, n, tc.most)
		}
		if err := total.Add(tc.text); err == nil || !strings.Contains(err.Error(), "too large together") {
			t.Errorf("%q once more: %v", tc.text, err)
		}
	}
	full := Total(MaxTotal)
	if allocs := testing.AllocsPerRun(10, func() { _ = full.Add(`(?i)\pL{1,100}`) }); allocs > 0 {
		t.Errorf("an expression that has no room is parsed: %v allocations", allocs)
	}
	var total Total
	if err := total.Add("("); err == nil || total != 0 {
		t.Errorf("an expression that does not compile: %v, and adds %d", err, total)
	}
}

// The size is at least that of the program, and close to it.
func FuzzSize(f *testing.F) {
	for _, text := range []string{"a", "(a|b|c){100}", "a{3,}", "(a{2,5}b?)*", "(?i)straße|[^x]", "x{0}", "(?:ab){0,3}", `\bfoo$`, "()", "(a|)", "(?s).*", "[^\x00-\U0010FFFF]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Size(text)
		if err != nil {
			return
		}
		re, err := syntax.Parse(text, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		p, err := syntax.Compile(re.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Inst) > n+2 { // of every program: to fail, and to match
			t.Errorf("%q has size %d, and %d instructions", text, n, len(p.Inst))
		}
	})
}
