// Package view defines the JSON of subscriptions and items for commands and the HTTP interface.
package view

import (
	"context"
	"fmt"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/watch"
)

// Subscription is the JSON of a subscription.
type Subscription struct {
	ID       string          `json:"id"`
	URL      string          `json:"url"`
	Title    string          `json:"title,omitempty"`
	Page     string          `json:"page_title,omitempty"` // of the last version, if it was read
	Depth    int             `json:"depth"`
	Group    string          `json:"group,omitempty"`
	Tags     []string        `json:"tags,omitempty"`
	Feeds    []string        `json:"feeds,omitempty"`
	Blocks   []int32         `json:"blocks,omitempty"`
	Muted    []int32         `json:"muted,omitempty"`
	Labels   []plat.Label    `json:"labels,omitempty"`
	Kinds    []plat.ItemKind `json:"kinds,omitempty"`
	Match    []string        `json:"match,omitempty"`
	Except   []string        `json:"except,omitempty"`
	Tell     []string        `json:"tell,omitempty"`
	Digest   string          `json:"digest,omitempty"`
	Paused   bool            `json:"paused,omitempty"`
	Made     time.Time       `json:"made"`
	State    string          `json:"state"`          // ok, new, paused, Choose, or the fault
	Hint     string          `json:"hint,omitempty"` // what to do about the state
	Since    time.Time       `json:"since,omitzero"`
	Faults   []Fault         `json:"faults,omitempty"` // of the last visits of the page and its feeds
	Entries  int             `json:"entries"`
	Items    int             `json:"items"`
	Unread   int             `json:"unread"`
	Latest   time.Time       `json:"latest,omitzero"`
	Last     time.Time       `json:"last,omitzero"` // last visit
	Next     time.Time       `json:"next,omitzero"`
	Schedule plat.Schedule   `json:"schedule,omitzero"`
	Pages    int             `json:"pages"`
}

// Read returns the JSON of a subscription with the state of its URL, and the faults of its page and feeds.
func Read(ctx context.Context, store FaultStore, s *storage.Subscribed, st *plat.URLState) (Subscription, error) {
	faults, err := Faults(ctx, store, s, st)
	return subscriptionOf(s, st, faults), err
}

func subscriptionOf(s *storage.Subscribed, st *plat.URLState, faults []Fault) Subscription {
	return Subscription{
		ID: s.ID, URL: s.URL, Title: s.Title, Depth: storage.DepthOf(&s.Subscription), Group: s.Group, Tags: s.Tags,
		Feeds: s.Feeds, Blocks: s.Blocks, Muted: s.Muted, Labels: s.Labels, Kinds: s.Kinds, Match: s.Match, Except: s.Except,
		Tell: s.Tell, Digest: s.Digest, Paused: s.Paused, Made: s.Made, State: StateOf(s, st, faults), Hint: HintOf(s, st, faults), Since: s.Since, Faults: faults,
		Entries: s.Entries, Items: s.Items, Unread: s.Unread, Latest: s.Latest, Last: st.Last, Next: st.Due, Schedule: st.Schedule,
		Pages: len(s.Pages),
	}
}

// feedFails begins the state of a subscription with a feed that fails.
const feedFails = "a feed fails: "

// Choose is the state of a subscription to a page without a list of news. Only what is added to its other lists is reported
// until its reader chooses what to watch.
const Choose = "choose what to watch"

// Sought describes the search for a list of news on a page: its aim, its result, given as a reason of [watch.Undecided], and the
// consequence.
func Sought(reason string) string {
	return "plat looks for a list of news, such as articles, dated entries or links; " + reason + ", so only what is added to its lists is told"
}

// ToChoose says how the reader of a subscription chooses what to watch.
func ToChoose(s *storage.Subscribed) string {
	return fmt.Sprintf("plat watch test %s shows the lists; plat watch edit %s --block NUMBER watches one, as does /watch/%s/pick on the page's picture", excerpt.Printable(s.URL), s.ID, s.ID)
}

// HintOf returns what to do about the state of a subscription, or the empty string.
func HintOf(s *storage.Subscribed, st *plat.URLState, faults []Fault) string {
	switch state := StateOf(s, st, faults); {
	case strings.HasPrefix(state, feedFails):
		return fmt.Sprintf("its items go on coming from the page and its other feeds; plat watch edit %s --feed URL names another feed, and --feed '' none", s.ID)
	case state == Choose:
		return Sought(s.Broken) + "; " + ToChoose(s)
	case state == "new" && st.Head > 0:
		return "plat watch run, or plat up, examines the page"
	case state == "new" && st.Due.IsZero():
		return fmt.Sprintf("nothing visits the page; plat schedule set %s --every 1h has it visited", s.URL)
	case state == "new":
		return "plat watch run, or plat up, visits the page"
	}
	return ""
}

// StateOf returns the state of a subscription: "ok", "new" before its first visit, "paused", [Choose], or
// the fault. A fault that begins with "forgotten" means that its page is no longer visited.
func StateOf(s *storage.Subscribed, st *plat.URLState, faults []Fault) string {
	switch {
	case s.Paused:
		return "paused"
	case st.Gone():
		return "forgotten: the page was removed from the archive"
	case st.Outcome.Failed():
		return "the last visit: " + string(st.Outcome)
	case watch.Undecided(s.Broken):
		return Choose
	case s.Broken != "":
		return s.Broken
	case len(faults) > 0:
		return feedFails + faults[0].Error
	case len(s.Pages) == 0:
		return "new"
	}
	return "ok"
}

// Item is the JSON of an item.
type Item struct {
	ID           string        `json:"id"`
	Subscription string        `json:"subscription"`
	Kind         plat.ItemKind `json:"kind"`
	Title        string        `json:"title"`
	URL          string        `json:"url,omitempty"`
	Excerpt      string        `json:"excerpt,omitempty"`
	Dated        time.Time     `json:"dated,omitzero"`
	Seen         time.Time     `json:"seen"`
	Page         string        `json:"page"`
	Version      int           `json:"version"`
	Lineage      int32         `json:"lineage,omitempty"`
}

// ItemOf returns the JSON of an item.
func ItemOf(it *plat.Item) Item {
	return Item{
		ID: it.ID, Subscription: it.Subscription, Kind: it.Kind, Title: it.Title, URL: plat.WithoutUser(it.URL), Excerpt: it.Excerpt,
		Dated: it.Dated, Seen: it.Seen, Page: it.Page, Version: it.Version, Lineage: it.Lineage,
	}
}
