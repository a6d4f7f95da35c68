package softerror_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"plat/plat"
	"plat/workers/softerror"
)

func leaf(text string) plat.Block {
	return plat.Block{Slot: 0, Text: text, TextLen: int32(utf8.RuneCountInString(strings.ReplaceAll(text, " ", ""))), Content: []byte("<p>" + text + "</p>")}
}

const (
	harbour = "The harbour lies behind two moles that were built when the town lived on herring, and boats pass between them."
	chinese = "港口位于两道防波堤之后，这些防波堤是在小镇以鲱鱼为生的时候修建的。每艘进港的船只都要从它们之间通过。北堤上夜里点着一盏灯，引水员说，除了有雾的日子，他们在任何天气里都能凭它的颜色认出它来。票价十四欧元。"
)

func TestWhatAnAnswerSeemsToBe(t *testing.T) {
	const same = "https://harbour.test/a"
	script := []plat.Load{{URL: "https://ads.test/x.js?cb=1", Kind: plat.LoadScript, Status: 503}}
	own := []plat.Load{{URL: "https://static.harbour.test/x.js?v=1", Kind: plat.LoadScript, Status: 503}}
	for _, c := range []struct {
		name, old, now string // one block, unless empty
		final, title   string
		loads          []plat.Load
		want           plat.Outcome
	}{
		{"a word", harbour, strings.Replace(harbour, "two", "three", 1), same, "", nil, ""},
		{"a character of Chinese", chinese, strings.Replace(chinese, "十四", "十五", 1), same, "", nil, ""},
		{"nothing", harbour, "", same, "", nil, plat.OutcomeBlank},
		{"a page about maintenance", harbour, harbour + " Maintenance is done in May.", same, "Maintenance", nil, ""},
		{"maintenance", harbour, "We are down for maintenance", same, "", nil, plat.OutcomeMaintenance},
		{"in German", harbour, "Wegen Wartung geschlossen", same, "", nil, plat.OutcomeMaintenance},
		{"a number with 404 in it", harbour, "We have 14049 boats", same, "", nil, plat.OutcomeReplaced},
		{"not found", harbour, "Error 404: no such page", same, "", nil, plat.OutcomeMissing},
		{"another address", harbour, "Welcome to our town and its sights", "https://harbour.test/", "", nil, plat.OutcomeMoved},
		{"another address, the same page", harbour, harbour + " New: a lamp.", "https://harbour.test/b", "", nil, ""},
		{"half", harbour + " " + strings.ToUpper(harbour), harbour, same, "", nil, plat.OutcomePartial},
		{"a script of others failed", harbour, strings.Replace(harbour, "two", "three", 1), same, "", script, ""},
		{"a script of its own failed", harbour, strings.Replace(harbour, "two", "three", 1), same, "", own, plat.OutcomePartial},
		{"a page with few words", "Sold out", "In stock", same, "", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := &plat.Version{Blocks: []plat.Block{leaf(c.old)}, Capture: plat.Capture{FinalURL: same}}
			changes := []plat.Change{{Kind: plat.Removed, Old: 0, New: -1}}
			var now []plat.Block
			if c.now != "" {
				now = []plat.Block{leaf(c.now)}
				changes = []plat.Change{{Kind: plat.Content, Old: 0, New: 0}}
			}
			s := &plat.Snapshot{FinalURL: c.final, Title: c.title, Loads: c.loads}
			if got := softerror.Of(old, now, changes, s, softerror.Failed(s)); got.Outcome != c.want {
				t.Errorf("%q: %s, want %q", got.Outcome, got.Why, c.want)
			}
		})
	}
}

// A page is a part if more than a fifth is missing, and less than a fifth of that has come instead; a different page if little
// is left.
func TestHowMuchOfAPageIsMissing(t *testing.T) {
	const all = 1000
	for _, tc := range []struct {
		lost, came int32
		want       plat.Outcome
	}{
		{200, 0, ""}, {201, 0, plat.OutcomePartial}, {400, 79, plat.OutcomePartial}, {400, 80, ""}, {400, 600, ""}, {850, 0, plat.OutcomePartial}, {851, 0, plat.OutcomeReplaced}, {851, 600, plat.OutcomeReplaced}, {850, 170, ""}, {500, 99, plat.OutcomePartial}, {500, 100, ""},
	} {
		leaf := func(n int32) plat.Block { return plat.Block{TextLen: n} }
		old := &plat.Version{Blocks: []plat.Block{leaf(all - tc.lost), leaf(tc.lost)}}
		now, changes := []plat.Block{leaf(all - tc.lost), leaf(tc.came)}, []plat.Change{{Kind: plat.Removed, Old: 1, New: -1}, {Kind: plat.Added, Old: -1, New: 1}}
		if got := softerror.Of(old, now, changes, &plat.Snapshot{}, ""); got.Outcome != tc.want {
			t.Errorf("%d of %d characters are gone, %d came: %q, want %q (%s)", tc.lost, all, tc.came, got.Outcome, tc.want, got.Why)
		}
	}
	for n, want := range map[int32]plat.Outcome{79: "", 80: plat.OutcomeReplaced} {
		old := &plat.Version{Blocks: []plat.Block{{TextLen: n}}}
		if got := softerror.Of(old, []plat.Block{{TextLen: n}}, []plat.Change{{Kind: plat.Removed, Old: 0, New: -1}, {Kind: plat.Added, Old: -1, New: 0}}, &plat.Snapshot{}, ""); got.Outcome != want {
			t.Errorf("a page of %d characters: %q, want %q", n, got.Outcome, want)
		}
	}
}
