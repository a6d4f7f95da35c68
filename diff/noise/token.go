package noise

import (
	"time"

	"plat/diff"
	"plat/diff/noise/times"
)

// token is a word of a text, or several words that form a time.
type token struct {
	Span
	text string
	times.Value
}

func scan(text string) []token {
	words := diff.Split(text)
	all := make([]token, 0, len(words))
	for t := range times.Scan(text, words) {
		all = append(all, token{Span{t.From, t.To}, text[t.From:t.To], t.Value})
	}
	return all
}

// keys returns the strings by which tokens are aligned: tokens with different keys are never the
// same.
func keys(ts []token) []string {
	all := make([]string, len(ts))
	for i := range ts {
		if all[i] = ts[i].text; ts[i].Kind != times.Word {
			all[i] = "\x00" + string('0'+rune(ts[i].Kind))
		}
	}
	return all
}

// same returns the reason why two values of one kind, the second seen after the first, are the same;
// empty if they are not. It must hold from the time the first was last seen, too: a date that an
// author writes fits the day of writing.
func same(a *token, then seen, b *token, now time.Time) Reason {
	why := times.Same(&a.Value, then.first, &b.Value, now)
	if why == "" || !then.last.After(then.first) {
		return Reason(why)
	}
	return Reason(times.Same(&a.Value, then.last, &b.Value, now))
}
