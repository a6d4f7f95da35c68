package noise

import (
	"time"

	"plat/diff"
	"plat/diff/noise/times"
)

// token is a word of a text, or several that say a time.
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

// keys are what determines whether two tokens may be the same.
func keys(ts []token) []string {
	all := make([]string, len(ts))
	for i := range ts {
		if all[i] = ts[i].text; ts[i].Kind != times.Word {
			all[i] = "\x00" + string('0'+rune(ts[i].Kind))
		}
	}
	return all
}

// same says why two values of one kind, the second seen after the first, are the same thing;
// empty if they are not. It must be so from when the first was seen last, too: somebody's date
// fits the day on which it was written.
func same(a *token, then seen, b *token, now time.Time) Reason {
	why := times.Same(&a.Value, then.first, &b.Value, now)
	if why == "" || !then.last.After(then.first) {
		return Reason(why)
	}
	return Reason(times.Same(&a.Value, then.last, &b.Value, now))
}
