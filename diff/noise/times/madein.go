package times

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// howLong is a time in seconds or thousandths of one; its unit may stand beside it, and what
// says that it is one before it.
var howLong = regexp.MustCompile(`^(?:.*\s)?(\d+(?:[.,]\d+)?)\s*(\pL*)$`)

// saidBefore are the words before it: what was made, that it was, and a preposition.
var saidBefore = func() *regexp.Regexp {
	any := func(list string) string { return "(?:" + strings.Join(strings.Fields(list), "|") + ")" }
	return regexp.MustCompile(`^\s*(?:\(\s*)?(?:` + any(these) + `\s+)?(?:(` + any(pages) + `)\s+)?(?:` + any(was) + `\s+)?` + any(made) +
		`(?:\s+` + any(timeWord) + `)?(?:\s*[:=])?(?:\s+` + any(within) + `)?\s*$`)
}()

// saidInCJK are those of Chinese and Japanese.
var saidInCJK = regexp.MustCompile(`^\s*(?:本?页面?|本?頁面?|本?ページ)[^,，、]{0,6}(?:生成|执行|執行|加载|載入|耗时|用时|耗時)[^,，、]{0,6}$`)

// reach is how many bytes before the number are read.
const reach = 80

// MadeIn reports whether a word is how long a page took to be made: "Page generated in 0.217
// seconds". before is the text before the word, next the word after it. The words before it
// must say that it is the page, or nothing else than what was done: "an order is processed in 3
// seconds" is something else.
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
	// Without the page, a whole number of seconds may be of anything.
	b := saidBefore.FindStringSubmatch(said)
	return b != nil && (b[1] != "" || strings.ContainsAny(number, ".,") || slices.Contains(milliseconds, unit))
}
