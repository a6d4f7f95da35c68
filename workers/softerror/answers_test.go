package softerror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/workers/softerror"
)

// A town is a site whose pages have a head, something of their own, and a foot, each a block.
type town struct {
	softerror.Answers
	last map[string]*plat.Version // by path
	now  time.Time
}

const (
	townHead = "The harbour: ships, quays and tides, as the pilots write them down at noon."
	townFoot = "Written by the people of the harbour, who count every ship that comes in."
	closed   = "The quay is closed to visitors until further notice. Ask at the gate."
)

var about = strings.Fields("herring salt lanterns pilots ropes timber bread")

// ownText returns the text of page n, in words of its own.
func ownText(n int) string {
	return strings.Repeat(fmt.Sprintf("All that is known of %s stands here, %[1]s first. ", strings.Repeat(about[n], 2)), 4)
}

func townPage(n int) []string { return []string{townHead, ownText(n), townFoot} }

func blocksOf(texts []string) (blocks []plat.Block) {
	for _, text := range texts {
		blocks = append(blocks, leaf(text))
	}
	return blocks
}

// answers returns the outcome of an answer. It does not become a version.
func (s *town) answers(path string, texts ...string) plat.Outcome {
	return s.leadsTo(path, path, texts...)
}

func (s *town) leadsTo(path, final string, texts ...string) plat.Outcome {
	const host = "https://harbour.test"
	s.now = s.now.Add(time.Second)
	old, now := s.last[path], blocksOf(texts)
	var changes []plat.Change
	if old != nil {
		for i := range max(len(now), len(old.Blocks)) {
			switch {
			case i >= len(now):
				changes = append(changes, plat.Change{Kind: plat.Removed, Old: int32(i), New: -1})
			case i >= len(old.Blocks):
				changes = append(changes, plat.Change{Kind: plat.Added, Old: -1, New: int32(i)})
			case now[i].Text != old.Blocks[i].Text:
				changes = append(changes, plat.Change{Kind: plat.Content, Old: int32(i), New: int32(i)})
			}
		}
	}
	return s.Of(host+path, old, now, changes, &plat.Snapshot{FinalURL: host + final}, s.now).Outcome
}

// keep makes an answer the last version.
func (s *town) keep(path string, texts ...string) {
	s.last[path] = &plat.Version{Blocks: blocksOf(texts), Capture: plat.Capture{FinalURL: "https://harbour.test" + path}}
}

// newTown has pages /0 to /6 with a version each, all visited twice.
func newTown(t *testing.T) *town {
	t.Helper()
	s := &town{last: map[string]*plat.Version{}, now: time.Unix(1e9, 0)}
	for n := range about {
		s.keep(fmt.Sprint("/", n), townPage(n)...)
		s.expect(t, "as always", fmt.Sprint("/", n), "", townPage(n)...)
	}
	return s
}

func (s *town) expect(t *testing.T, when, path string, want plat.Outcome, texts ...string) {
	t.Helper()
	if got := s.answers(path, texts...); got != want {
		t.Errorf("%s, %s is %q, want %q", when, path, got, want)
	}
}

func TestAnAnswerOfSeveralURLsIsNotThePage(t *testing.T) {
	s := newTown(t)
	s.expect(t, "the first with the notice", "/0", "", townHead, closed, townFoot)
	for _, path := range []string{"/1", "/2", "/3", "/0"} {
		s.expect(t, "with the notice", path, plat.OutcomeReplaced, townHead, closed, townFoot)
	}
	s.expect(t, "cut in other blocks", "/4", plat.OutcomeReplaced, townHead+" "+closed, townFoot)
	s.expect(t, "back to normal", "/1", "", townPage(1)...)
	s.expect(t, "with a notice of its own", "/5", "", townHead, "This quay alone is closed. Go to the next, or wait for the tide.", townFoot)
	for n := range 5 {
		s.expect(t, "back to normal", fmt.Sprint("/", n), "", townPage(n)...)
	}
	s.expect(t, "when no other has the notice any more", "/0", "", townHead, closed, townFoot)
}

func TestTheHomePageUnderEveryAddress(t *testing.T) {
	s := newTown(t)
	for n := 1; n < 5; n++ {
		s.expect(t, "the home page", fmt.Sprint("/", n), plat.OutcomeReplaced, townPage(0)...)
	}
	s.expect(t, "at its own address", "/0", "", townPage(0)...)
	if got := s.leadsTo("/5", "/0", townPage(0)...); got != plat.OutcomeMoved {
		t.Errorf("where it leads there, it is %q", got)
	}
}

func TestWhatVariesInAnAnswerIsPassedOver(t *testing.T) {
	s := newTown(t)
	for n := range 4 {
		path := "/about/" + about[n]
		s.keep(path, townPage(n)...)
		want := plat.OutcomeReplaced
		if n == 0 {
			want = ""
		}
		s.expect(t, "with the notice", path, want, townHead, fmt.Sprintf("The way %s is closed since 12:0%d. Your number is %d8f3ab. Ask at the gate, not here.", path, n, n), townFoot)
	}
}

func TestASharedAnswerIsNamedByItsWords(t *testing.T) {
	for said, want := range map[string]plat.Outcome{
		closed: plat.OutcomeReplaced, "We work on the quay. Service unavailable until the tide turns.": plat.OutcomeMaintenance,
		"There is no such ship: not found in any of our books.": plat.OutcomeMissing,
		`Say who you are. <input type="password">`:              plat.OutcomeLogin,
	} {
		s := newTown(t)
		s.answers("/0", townHead, said, townFoot)
		s.expect(t, said, "/1", want, townHead, said, townFoot)
	}
}

func TestAFirstVisitIsDoubtedBySeveral(t *testing.T) {
	s := newTown(t)
	notice := []string{townHead, closed, townFoot}
	for n := range 3 {
		s.expect(t, fmt.Sprintf("after %d with the notice", n), "/new", "", notice...)
		s.answers(fmt.Sprint("/", n), notice...)
	}
	s.expect(t, "after three", "/new", plat.OutcomeReplaced, notice...)
	s.expect(t, "with a page of its own", "/other", "", townHead, ownText(0)+ownText(1), townFoot)

	s = newTown(t)
	for n := range 5 { // one page with several addresses
		s.keep(fmt.Sprint("/", n), townPage(0)...)
		s.answers(fmt.Sprint("/", n), notice...)
	}
	s.expect(t, "after one page with five addresses", "/new", "", notice...)

	s = newTown(t)
	for n := range 5 { // a crawl: nothing says that these are not their pages
		s.expect(t, "first visits only", fmt.Sprint("/new", n), "", notice...)
	}
	s.expect(t, "after first visits only", "/0", "", notice...)
}

// URLs whose own pages are alike are not suspicious.
func TestPagesThatAreAlikeAreNotDoubted(t *testing.T) {
	t.Run("nearly the same, always", func(t *testing.T) {
		s := newTown(t)
		text := func(n int, then string) string {
			return fmt.Sprintf("Berth %d lies behind the northern mole, and is %s. Ships call the pilots by lamp before they enter, at any tide.", n, then)
		}
		for round, then := range []string{"free", "free", "taken", "taken", "under repair"} {
			for n := range 6 {
				path := fmt.Sprint("/berth/", n)
				s.expect(t, fmt.Sprintf("in round %d", round), path, "", text(n, then))
				s.keep(path, text(n, then))
			}
		}
	})
	t.Run("another foot on all pages", func(t *testing.T) {
		s := newTown(t)
		for n := range about {
			s.expect(t, "with the new foot", fmt.Sprint("/", n), "", townHead, ownText(n), closed+" "+closed)
		}
	})
	t.Run("two pages that are one", func(t *testing.T) {
		s := newTown(t)
		s.keep("/1", townPage(0)...)
		s.expect(t, "as always", "/1", "", townPage(0)...)
		for _, path := range []string{"/0", "/1", "/0", "/1"} {
			s.expect(t, "with other words", path, "", townHead, closed, townFoot)
		}
	})
	t.Run("lists without entries", func(t *testing.T) {
		s := newTown(t)
		none := []string{townHead, "There is nothing here yet. Be the first to write of it, or look elsewhere.", townFoot}
		for n := range 4 {
			path := fmt.Sprint("/tag/", n)
			s.keep(path, none...)
			s.expect(t, "an empty list", path, "", none...)
		}
		for n := range 3 {
			s.expect(t, "a list that became empty", fmt.Sprint("/", n), "", none...)
		}
		s.expect(t, "a new list", "/tag/new", "", none...)
		s.expect(t, "when as many became empty as were", "/3", plat.OutcomeReplaced, none...)
	})
	t.Run("days apart", func(t *testing.T) {
		s := newTown(t)
		for n := range 3 {
			s.expect(t, "with the notice", fmt.Sprint("/", n), "", townHead, closed, townFoot)
			s.now = s.now.Add(7 * time.Hour)
		}
	})
	t.Run("pages with few words", func(t *testing.T) {
		s := newTown(t)
		for n := range 4 {
			path := fmt.Sprint("/few/", n)
			s.keep(path, "In stock: "+about[n])
			s.expect(t, "sold out", path, "", "Sold out")
		}
	})
	t.Run("of other hosts, and long ago", func(t *testing.T) {
		s := newTown(t)
		other := &plat.Version{Blocks: blocksOf([]string{harbour}), Capture: plat.Capture{FinalURL: "https://mole.test/"}}
		s.Of("https://mole.test/", other, blocksOf([]string{closed}), []plat.Change{{Kind: plat.Content}}, &plat.Snapshot{}, s.now)
		s.expect(t, "of another host", "/0", "", closed)
		for n := range 40 {
			path := fmt.Sprint("/many/", n)
			s.keep(path, ownText(n%len(about))+fmt.Sprint(n))
			s.answers(path, ownText(n%len(about))+fmt.Sprint(n))
		}
		s.expect(t, "40 URLs later", "/1", "", closed)
	})
	t.Run("nothing to read", func(t *testing.T) {
		s := newTown(t)
		for n := range 4 {
			s.expect(t, "numbers only", fmt.Sprint("/", n), "", "14 15 16")
		}
	})
}
