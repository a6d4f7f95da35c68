package times

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// howLong matches a time in seconds or milliseconds, with an optional unit after it and text before
// it.
var howLong = regexp.MustCompile(`^(?:.*\s)?(\d+(?:[.,]\d+)?)\s*(\pL*)$`)

// saidBefore matches the words before the time: an object, a verb such as "generated", and a
// preposition.
var saidBefore = func() *regexp.Regexp {
	any := func(list string) string { return "(?:" + strings.Join(strings.Fields(list), "|") + ")" }
	return regexp.MustCompile(`^\s*(?:\(\s*)?(?:` + any(these) + `\s+)?(?:(` + any(pages) + `)\s+)?(?:` + any(was) + `\s+)?` + any(made) +
		`(?:\s+` + any(timeWord) + `)?(?:\s*[:=])?(?:\s+` + any(within) + `)?\s*$`)
}()

// saidInCJK matches such words in Chinese and Japanese.
var saidInCJK = regexp.MustCompile(`^\s*(?:本?页面?|本?頁面?|本?ページ)[^,，、]{0,6}(?:生成|执行|執行|加载|載入|耗时|用时|耗時)[^,，、]{0,6}$`)

// reach is the number of bytes read before the time.
const reach = 80

// MadeIn reports whether a word is the time that a page took to generate: "Page generated in 0.217
// seconds". before is the text before the word, next the word after it. The words before it must name
// the page, or only the action: "an order is processed in 3 seconds" does not match.
func MadeIn(before, word, next string) bool {
	word = strings.ToLower(word)
	m := howLong.FindStringSubmatch(word)
	if m == nil {
		return false
	}
	number, unit := m[1], m[2]
	if unit == "" {
		unit = strings.ToLower(next)
	}
	if units[unit] != time.Second && !slices.Contains(milliseconds, unit) {
		return false
	}
	said := strings.ToLower(before[max(0, len(before)-reach):]) + word[:strings.Index(word, number)]
	said = said[strings.LastIndexAny(said, ".\n|·")+1:]
	if saidInCJK.MatchString(said) {
		return true
	}
	// Without the word "page", a whole number of seconds is too ambiguous.
	b := saidBefore.FindStringSubmatch(said)
	return b != nil && (b[1] != "" || strings.ContainsAny(number, ".,") || slices.Contains(milliseconds, unit))
}
