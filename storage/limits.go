package storage

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"plat"
)

// Limits of what [Subscriptions] and [Outbox] store: those of MongoDB, whose documents have
// 16 MB, and what readers of feeds can take. All texts are valid UTF-8.
const (
	MaxSubscription = 64 << 10 // bytes of a subscription: texts, and 8 for each lineage
	MaxChannel      = 64 << 10 // bytes of a channel's texts
	MaxItemTitle    = 1_000    // characters; of Following.Broken too
	MaxItemExcerpt  = 10_000   // characters
	MaxItemURL      = 16 << 10 // bytes; of other URLs too
	MaxID           = 200      // bytes of the ID of an item or a message, or of the name of a channel
	MaxPages        = 10_000   // that a subscription follows
	MaxPageURLs     = 4 << 20  // bytes of all their URLs
	MaxPageMemory   = 8 << 20  // bytes of the memory of one of them; those of package watch have at most 5 MB
	MaxMessageItems = 4 << 20  // bytes of the IDs of a message's items
	MaxItems        = 10_000   // that one query yields
	MaxErrorText    = 1_000    // characters of a message's error
)

// subscriptionID is the form of a subscription's ID: part of names of files and addresses.
var subscriptionID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// CheckSubscription returns why a subscription cannot be stored, nil if it can.
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
	for _, list := range [][]string{s.Match, s.Except, s.Tags, s.Tell} {
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

// Check returns why an examination cannot be stored, nil if it can.
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

// CheckChannel returns why a channel cannot be stored, nil if it can.
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

// CheckMessages returns why messages cannot be stored, nil if they can.
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
		return fmt.Errorf("%.64q is no ID of a subscription", m.Subscription)
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

// ErrorText is an error as it is stored with a message: UTF-8, cut to [MaxErrorText]
// characters. It is not refused like other texts: it comes from receivers, and the attempt has
// to be counted.
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
