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

	// lately is for how long other URLs' loss counts. An answer that stays for longer is what
	// the site shows.
	lately = 6 * time.Hour

	// several is how many URLs must have lost their own pages to an answer before it is
	// doubted at a URL that has no version to compare it with.
	several = 3
)

// Answers knows what URLs of a host have answered last, in memory only, and tells by that an
// answer that stands in place of many pages: a notice in words that nobody has listed, the home
// page under every address. It is safe for concurrent use; the zero value is ready.
//
// The first of them is not known by that, unless the answer is the page of another URL. A fleet's
// workers know each what they have visited themselves.
type Answers struct {
	mu    sync.Mutex
	hosts recent.Map[string, []given] // the latest last; guarded by mu
}

// given is the last answer of a URL. Texts are hashes, zero for none.
type given struct {
	url, was, is uint64 // the URL; the text of its last version, and of the answer
	own          bool   // most of the last version is there
	at           int64  // seconds
}

// Of notes an answer, and says what it seems to be if others of its host give the same. Blocks
// must have their text, those of the last version too; that is nil if there is none. The sign is
// empty if most of the last version is there.
//
// A doubt costs a visit, and its absence a false version, so one other URL is enough that has
// lost another page to the same answer, or whose own page it is. It takes more where many URLs
// have the answer for their own page: lists without entries, say.
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

// named returns what an answer that is not the page calls itself.
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

// textOf is a hash of what a page says, however it is cut into blocks, without what such answers
// vary: words with a digit, as times and numbers of requests have, and the page's address. 0: nothing.
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
