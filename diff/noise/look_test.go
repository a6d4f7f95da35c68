package noise

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWhatTwoLooksShareIsNews(t *testing.T) {
	for _, c := range []struct{ name, old, new, again, want string }{
		{"a counter", "Views 120", "Views 121", "Views 122", "two-look: 120 → 121"},
		{"a true change", "Stock 1", "Stock 0", "Stock 0", "news: 1 → 0"},
		{"both side by side", "Views 120, stock 1", "Views 121, stock 0", "Views 123, stock 0", "two-look: 120 → 121; news: 1 → 0"},
		{"both in a row", "120 1", "121 0", "123 0", "two-look: 120 → ; news: 1 → ; two-look:  → 121; news:  → 0"},
		{"a word removed beside a counter", "Views 120 new", "Views 121", "Views 122", "two-look: 120 → ; news: new → ; two-look:  → 121"},
		{"a word removed beside a counter that stood still", "Views 120 new", "Views 120", "Views 122", "news: new → "},
		{"a word added beside a counter", "Views 120", "Views 121 hot", "Views 122 hot", "two-look: 120 → ; two-look:  → 121; news:  → hot"},
		{"a quote of the day", "To be or not to be, that is the question", "Brevity is the soul of wit", "All the world is a stage, and we are players",
			"two-look: To be or not to be, that → Brevity; two-look: question → soul of wit"},
		{"what comes and goes", "Hello", "Hello 5 new messages", "Hello", "two-look:  → 5 new messages"},
		{"what goes and comes", "Hello 5 new messages", "Hello", "Hello 6 new messages", "two-look: 5 new messages → "},
		{"many words for one that varies", "Say: to be or not", "Say: x", "Say: 5", "news: to be or not → ; two-look:  → x"},
		{"two words for one that varies", "Say: to be", "Say: x", "Say: 5", "two-look: to be → x"},
		{"no second difference", "a b c", "a x c", "a x c", "news: b → x"},
		{"a negation beside a quote", "It is open. Quote: be bold", "It is not open. Quote: stay calm, always", "It is not open. Quote: go on",
			"news:  → not; two-look: be bold → stay calm, always"},
	} {
		edits := Confirm(Edits(Text{c.old, then}, Text{c.new, then.Add(time.Second)}), c.old, c.new, c.again)
		var all []string
		for _, e := range edits {
			why := string(e.Why)
			if why == "" {
				why = "news"
			}
			all = append(all, fmt.Sprintf("%s: %s → %s", why, c.old[e.Old.From:e.Old.To], c.new[e.New.From:e.New.To]))
		}
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}
