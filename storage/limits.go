package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"plat/plat"
)

// Limits of the data in [Subscriptions], [Outbox] and [Crawls]. They follow from MongoDB, whose
// documents have at most 16 MB, and from feed readers. All texts are valid UTF-8.
const (
	MaxSubscription = 64 << 10 // bytes of a subscription: texts, and 8 for each lineage
	MaxChannel      = 64 << 10 // bytes of a channel's texts
	MaxItemTitle    = 1_000    // characters; also of Following.Broken
	MaxItemExcerpt  = 10_000   // characters
	MaxItemURL      = 16 << 10 // bytes; also of all other URLs
	MaxID           = 200      // bytes of the ID of an item or a message, or of the name of a channel
	MaxPages        = 10_000   // pages that a subscription follows
	MaxPageURLs     = 4 << 20  // bytes of all their URLs
	MaxPageMemory   = 8 << 20  // bytes of a page's memory; package watch writes at most 5 MB
	MaxMessageItems = 4 << 20  // bytes of the IDs of a message's items
	MaxItems        = 10_000   // items that one query yields
	MaxErrorText    = 1_000    // characters of a message's error; also of Crawl.Reason
	MaxCrawl        = 15 << 20 // bytes of a crawl: texts, and 48 for each seed and label, more than BSON adds
	MaxCrawlTopic   = 1 << 20  // bytes
	MaxCrawlSeeds   = 10_000
	MaxCrawlLabels  = 100_000
	MaxCrawlReading = 4 << 20 // bytes of a page's Reading
	MaxCrawlReport  = 4 << 20 // bytes
)

// subscriptionID matches the ID of a subscription or a crawl, which is a part of file names and
// addresses.
var subscriptionID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// SamePages reports whether two states of a subscription are about the same pages. Otherwise its pages are examined again.
func SamePages(a, b *plat.Subscription) bool {
	return a.URL == b.URL && DepthOf(a) == DepthOf(b) && slices.Equal(a.Feeds, b.Feeds)
}

// CheckSubscription returns an error if a subscription cannot be stored.
func CheckSubscription(s *plat.Subscription) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("subscription %.64q: %s", s.ID, fmt.Sprintf(format, args...))
	}
	switch {
	case !subscriptionID.MatchString(s.ID):
		return wrong("an ID is 1 to 64 letters, digits, - and _; take that of plat.NewID")
	case s.URL == "":
		return wrong("it has no URL")
	case len(s.URL) > MaxItemURL:
		return wrong("its URL has %d bytes; the limit is %d", len(s.URL), MaxItemURL)
	case s.Depth < 0:
		return wrong("its depth is %d; write 1 for the page alone", s.Depth)
	}
	texts := []string{s.URL, s.Title, s.Group, s.Digest}
	for _, l := range s.Labels {
		texts = append(texts, string(l))
	}
	for _, k := range s.Kinds {
		texts = append(texts, string(k))
	}
	for _, list := range [][]string{s.Feeds, s.Match, s.Except, s.Tags, s.Tell} {
		texts = append(texts, list...)
	}
	size := 8 * (len(s.Blocks) + len(s.Muted) + len(texts))
	for _, text := range texts {
		if size += len(text); !utf8.ValidString(text) {
			return wrong("%.100q is not UTF-8", text)
		}
	}
	if size > MaxSubscription {
		return wrong("title, conditions, tags and channels have %d bytes in all; the limit is %d", size, MaxSubscription)
	}
	return nil
}

// Check returns an error if an examination cannot be stored.
func (e *Examination) Check() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("examination of the subscription %.64q: %s", e.ID, fmt.Sprintf(format, args...))
	}
	f := &e.Following
	if err := checkText("why it is broken", f.Broken, MaxItemTitle); err != nil {
		return wrong("%v", err)
	}
	if len(f.Pages) > MaxPages {
		return wrong("it follows %d pages; the limit is %d", len(f.Pages), MaxPages)
	}
	known, size := make(map[string]bool, len(f.Pages)), 0
	for i := range f.Pages {
		p := &f.Pages[i]
		switch err := checkURL("page", p.URL); {
		case err != nil:
			return wrong("%v", err)
		case p.URL == "":
			return wrong("page %d has no URL", i)
		case known[p.URL]:
			return wrong("the page %s is listed twice", p.URL)
		case p.Depth < 1 || p.Examined < 0:
			return wrong("the page %s has the depth %d and is examined up to version %d", p.URL, p.Depth, p.Examined)
		case len(p.Memory) > MaxPageMemory:
			return wrong("the memory of %s has %d bytes; the limit is %d", p.URL, len(p.Memory), MaxPageMemory)
		}
		known[p.URL] = true
		size += len(p.URL)
	}
	if size > MaxPageURLs {
		return wrong("the URLs of its pages have %d bytes in all; the limit is %d", size, MaxPageURLs)
	}
	for i := range e.Items {
		it := &e.Items[i]
		err := checkItem(it)
		if err == nil && it.Subscription != e.ID {
			err = fmt.Errorf("it is of the subscription %.64q", it.Subscription)
		}
		if err != nil {
			return wrong("item %.200q: %v", it.ID, err)
		}
	}
	if err := CheckMessages(e.Messages); err != nil {
		return wrong("%v", err)
	}
	return nil
}

func checkItem(i *plat.Item) error {
	switch {
	case i.Kind == "":
		return errors.New("it has no kind")
	case i.Page == "":
		return errors.New("it has no page")
	case i.Seen.IsZero():
		return errors.New("it does not say when it was seen")
	}
	return errors.Join(checkID(i.ID), checkText("kind", string(i.Kind), MaxID), checkText("title", i.Title, MaxItemTitle), checkText("excerpt", i.Excerpt, MaxItemExcerpt),
		checkURL("URL", i.URL), checkURL("page", i.Page))
}

// CheckChannel returns an error if a channel cannot be stored.
func CheckChannel(c *plat.Channel) error {
	err := checkID(c.Name)
	size := len(c.URL) + len(c.Disabled)
	switch {
	case err != nil:
	case !utf8.ValidString(c.URL), !utf8.ValidString(c.Disabled):
		err = errors.New("it is not UTF-8")
	case size > MaxChannel:
		err = fmt.Errorf("it has %d bytes; the limit is %d", size, MaxChannel)
	}
	if err != nil {
		return fmt.Errorf("channel %.200q: %w", c.Name, err)
	}
	return nil
}

// CheckMessages returns an error if messages cannot be stored.
func CheckMessages(all []plat.Message) error {
	for i := range all {
		if err := checkMessage(&all[i]); err != nil {
			return fmt.Errorf("message %.200q: %w", all[i].ID, err)
		}
	}
	return nil
}

func checkMessage(m *plat.Message) error {
	if err := checkID(m.ID); err != nil {
		return err
	}
	if err := checkID(m.Channel); err != nil {
		return fmt.Errorf("channel %.200q: %w", m.Channel, err)
	}
	switch {
	case m.Subscription != "" && !subscriptionID.MatchString(m.Subscription):
		return fmt.Errorf("%.64q is not an ID of a subscription", m.Subscription)
	case m.Made.IsZero(), m.Due.IsZero():
		return errors.New("it does not say when it was made and when it is due")
	}
	size := 0
	for _, id := range m.Items {
		if err := checkID(id); err != nil {
			return fmt.Errorf("item %.200q: %w", id, err)
		}
		size += len(id)
	}
	if size > MaxMessageItems {
		return fmt.Errorf("the IDs of its items have %d bytes in all; the limit is %d", size, MaxMessageItems)
	}
	return nil
}

// CheckCrawl returns an error if a crawl cannot be stored.
func CheckCrawl(c *plat.Crawl) error {
	if err := checkCrawl(c); err != nil {
		return fmt.Errorf("crawl %.64q: %w", c.ID, err)
	}
	return nil
}

func checkCrawl(c *plat.Crawl) error {
	switch {
	case !subscriptionID.MatchString(c.ID):
		return errors.New("an ID is 1 to 64 letters, digits, - and _; take that of plat.NewID")
	case c.Revision < 0:
		return fmt.Errorf("its revision is %d; write that of the one that was read, 0 for a new one", c.Revision)
	case c.State == "":
		return errors.New("it has no state")
	case c.Pages < 0 || c.PerHost < 0:
		return fmt.Errorf("it has at most %d pages, %d of a host; write 0 for no limit", c.Pages, c.PerHost)
	case c.Resumed < 0:
		return fmt.Errorf("it went on after %d pages; write 0 or more", c.Resumed)
	case !fraction(c.Least):
		return fmt.Errorf("the least relevance is %v; write 0 to 1", c.Least)
	case len(c.Topic) > MaxCrawlTopic:
		return fmt.Errorf("the topic has %d bytes; the limit is %d", len(c.Topic), MaxCrawlTopic)
	case len(c.Seeds) > MaxCrawlSeeds:
		return fmt.Errorf("it has %d seeds; the limit is %d", len(c.Seeds), MaxCrawlSeeds)
	case len(c.Labels) > MaxCrawlLabels:
		return fmt.Errorf("it has %d labels; the limit is %d", len(c.Labels), MaxCrawlLabels)
	}
	err := errors.Join(checkText("name", c.Name, MaxItemTitle), checkText("topic", c.Topic, MaxCrawlTopic), checkText("order", c.Order, MaxID), checkText("near", c.Near, MaxItemURL), checkText("scope", c.Scope, MaxItemURL),
		checkText("state", string(c.State), MaxID), checkText("reason", c.Reason, MaxErrorText), checkText("policy", c.Revisit.Policy, MaxID), checkText("budget", c.Revisit.Budget, MaxID), checkText("slots", c.Revisit.Slots, MaxItemURL))
	if err == nil {
		err = (&plat.Plan{Schedule: c.Revisit}).Check()
	}
	if err != nil {
		return err
	}
	const each = 48
	size := len(c.Name) + len(c.Topic) + len(c.Order) + len(c.Near) + len(c.Scope) + len(c.State) + len(c.Reason) + each*(len(c.Seeds)+len(c.Labels))
	for _, url := range c.Seeds {
		if err := checkPageURL("seed", url); err != nil {
			return err
		}
		size += len(url)
	}
	for i := range c.Labels {
		if err := checkPageURL("label", c.Labels[i].URL); err != nil {
			return err
		}
		size += len(c.Labels[i].URL)
	}
	if size > MaxCrawl {
		return fmt.Errorf("topic, seeds and labels have %d bytes in all; the limit is %d", size, MaxCrawl)
	}
	return nil
}

// CheckAsked returns an error if pages cannot be requested.
func CheckAsked(pages []plat.CrawlPage) error {
	byN, byURL := make(map[int]string, len(pages)), make(map[string]int, len(pages))
	for i := range pages {
		p := &pages[i]
		err := errors.Join(checkPageURL("URL", p.URL), checkURL("from", p.From))
		switch {
		case err != nil:
		case !subscriptionID.MatchString(p.Crawl):
			err = fmt.Errorf("%.64q is not an ID of a crawl", p.Crawl)
		case p.Crawl != pages[0].Crawl:
			err = fmt.Errorf("it is of the crawl %s, the first page of %s", p.Crawl, pages[0].Crawl)
		case p.N < 1:
			err = fmt.Errorf("its place is %d; pages count from 1", p.N)
		case !fraction(p.Score):
			err = fmt.Errorf("its score is %v; write 0 to 1", p.Score)
		case byN[p.N] != "" && byN[p.N] != p.URL, byURL[p.URL] != 0 && byURL[p.URL] != p.N:
			err = fmt.Errorf("its place %d or its URL is given twice", p.N)
		}
		if err != nil {
			return fmt.Errorf("page %.200q: %w", p.URL, err)
		}
		byN[p.N], byURL[p.URL] = p.URL, p.N
	}
	return nil
}

// CheckAnswer returns an error if an answer cannot be stored.
func CheckAnswer(p *plat.CrawlPage) error {
	err := errors.Join(checkPageURL("URL", p.URL), checkText("outcome", string(p.Outcome), MaxID), checkText("title", p.Title, MaxItemTitle))
	switch {
	case err != nil:
	case !subscriptionID.MatchString(p.Crawl):
		err = fmt.Errorf("%.64q is not an ID of a crawl", p.Crawl)
	case p.Visited.IsZero() || p.Outcome == "":
		err = errors.New("it does not say when the page was visited, and how that ended")
	case !fraction(p.Relevance):
		err = fmt.Errorf("its relevance is %v; write 0 to 1", p.Relevance)
	case p.Version < 0:
		err = fmt.Errorf("it has the version %d; write 0 for none", p.Version)
	case len(p.Reading) > MaxCrawlReading:
		err = fmt.Errorf("its reading has %d bytes; the limit is %d", len(p.Reading), MaxCrawlReading)
	}
	if err != nil {
		return fmt.Errorf("page %.200q: %w", p.URL, err)
	}
	return nil
}

// CheckCrawlReport returns an error if the report on a crawl cannot be stored.
func CheckCrawlReport(report []byte) error {
	switch {
	case len(report) > MaxCrawlReport:
		return fmt.Errorf("the report has %d bytes; the limit is %d", len(report), MaxCrawlReport)
	case !json.Valid(report):
		return errors.New("the report is not JSON")
	}
	return nil
}

// fraction reports whether x is between 0 and 1. NaN is not.
func fraction(x float64) bool { return x >= 0 && x <= 1 }

func checkPageURL(what, url string) error {
	if url == "" {
		return fmt.Errorf("%s: it has no URL", what)
	}
	return checkURL(what, url)
}

func checkID(id string) error {
	switch {
	case id == "":
		return errors.New("it has no name")
	case len(id) > MaxID:
		return fmt.Errorf("its name has %d bytes; the limit is %d", len(id), MaxID)
	case !utf8.ValidString(id):
		return errors.New("its name is not UTF-8")
	}
	return nil
}

func checkURL(what, url string) error {
	if len(url) > MaxItemURL {
		return fmt.Errorf("%s %.100q has %d bytes; the limit is %d", what, url, len(url), MaxItemURL)
	}
	return checkText(what, url, MaxItemURL)
}

func checkText(what, text string, most int) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s %.100q is not UTF-8", what, text)
	}
	if n := utf8.RuneCountInString(text); n > most {
		return fmt.Errorf("%s %.100q has %d characters; the limit is %d", what, text, n, most)
	}
	return nil
}

// ErrorText returns an error in the form that is stored with a message: UTF-8, cut to
// [MaxErrorText] characters. Unlike other texts it is cut, not refused: it comes from
// receivers, and the attempt has to be counted.
func ErrorText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	n := 0
	for i := range text {
		if n++; n > MaxErrorText {
			return text[:i]
		}
	}
	return text
}
