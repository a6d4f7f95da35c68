package softerror

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"plat/diff"
	"plat/plat"
	"plat/queue/recent"
)

const (
	// maxHosts of two generations have their last answers in memory, maxURLs of each: at
	// most 3 MB.
	maxHosts = 1000
	maxURLs  = 32

	// lately is the time for which the loss of further URLs counts. An answer that stays for longer is
	// the page.
	lately = 6 * time.Hour

	// several is how many URLs must have lost their own pages to an answer before it is
	// doubted at a URL that has no version to compare it with.
	several = 3
)

// Answers remembers the last answers of a host's URLs, in memory only, and recognizes an
// answer that replaces many pages: a notice of unknown wording, the home
// page under every URL. It is safe for concurrent use; the zero value is ready.
//
// The first such answer is not recognized, unless it is the page of a different URL. Each worker of a fleet
// remembers its own visits.
type Answers struct {
	mu    sync.Mutex
	hosts recent.Map[string, []given] // the latest last; guarded by mu
}

// given is the last answer of a URL. Texts are hashes, zero if empty.
type given struct {
	url, was, is uint64 // the URL; the text of its last version, and of the answer
	own          bool   // most of the last version is there
	at           int64  // seconds
}

// Of notes an answer, and returns its sign if further URLs of its host give the same answer. Blocks
// must have their text, those of the last version too; old is nil if the URL has no version. The sign is
// empty if most of the last version is there.
//
// A false suspicion costs a visit, and a missed one a false version, so one further URL is enough that has
// lost its page to the same answer, or whose own page it is. More are needed if many URLs
// have the answer as their own page: for example lists without entries.
func (s *Answers) Of(u string, old *plat.Version, now []plat.Block, changes []plat.Change, snap *plat.Snapshot, at time.Time) Sign {
	me := given{url: sum(u), is: textOf(u, now), at: at.Unix()}
	before := u
	var c comparison
	if old != nil {
		before = old.Capture.FinalURL
		c = compare(old.Blocks, now, changes)
		me.own = c.old < little || c.lost <= lost*c.old
		if me.was = me.is; c.touched > 0 {
			me.was = textOf(u, old.Blocks)
		}
	}
	came, own := s.note(plat.HostOf(u), me, old != nil)
	switch {
	case me.is == 0 || me.own:
		return Sign{}
	case old != nil && (came+own == 0 || came+1 < own):
		return Sign{}
	case old == nil && (came < several || came < own):
		return Sign{}
	}
	return Sign{named(now, snap, before), fmt.Sprintf("%d other URLs of the site answer the same", came+own)}
}

// note puts an answer in place of the URL's last one, if the URL has a version. It returns how many
// different pages of other URLs came to be the same, and of how many URLs it is the own page.
func (s *Answers) note(host string, me given, keep bool) (came, own int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, _ := s.hosts.Get(host)
	others := make([]given, 0, len(all)+1)
	pages := map[uint64]bool{me.was: true}
	for _, g := range all {
		if g.url == me.url {
			continue
		}
		others = append(others, g)
		switch {
		case g.is != me.is:
		case g.own:
			own++
		case !pages[g.was] && me.at-g.at <= int64(lately/time.Second):
			pages[g.was] = true
			came++
		}
	}
	if keep {
		others = append(others, me)
		s.hosts.Max = maxHosts
		s.hosts.Put(host, others[max(0, len(others)-maxURLs):])
	}
	return came, own
}

// named returns the outcome that the words of an answer name.
func named(now []plat.Block, snap *plat.Snapshot, before string) plat.Outcome {
	if asksPassword(now) {
		return plat.OutcomeLogin
	}
	if compare(nil, now, nil).now <= short {
		if o, _ := told(snap.Title, now); o != "" {
			return o
		}
	}
	if elsewhere(before, snap.FinalURL) {
		return plat.OutcomeMoved
	}
	return plat.OutcomeReplaced
}

// textOf returns a hash of a page's text that does not depend on its division into blocks, without the varying parts
// of such answers: words with a digit, such as times and request numbers, and the page's URL. 0: no text.
func textOf(u string, blocks []plat.Block) uint64 {
	var varies []string
	if p, err := url.Parse(u); err == nil && len(p.Path) > 1 {
		varies = append(varies, p.RequestURI(), "", p.Path, "")
	}
	address := strings.NewReplacer(varies...)
	said, any := sha256.New(), false
	for i := range blocks {
		if !blocks[i].Leaf() {
			continue
		}
		for line := range strings.Lines(blocks[i].Text) { // a page may be one block of millions of words
			for w := range diff.Each(address.Replace(line)) {
				if !strings.ContainsFunc(w, unicode.IsDigit) {
					io.WriteString(said, w+" ")
					any = true
				}
			}
		}
	}
	if !any {
		return 0
	}
	return binary.BigEndian.Uint64(said.Sum(nil))
}

func sum(text string) uint64 {
	h := plat.HashOf([]byte(text))
	return binary.BigEndian.Uint64(h[:])
}
