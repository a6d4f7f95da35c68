package follow

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plat/plat"
	"plat/storage"
	"plat/watch/digest"
	"plat/watch/notify"
)

// channelName matches valid names of channels.
var channelName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$`)

// CheckName returns an error if a channel cannot have this name.
func CheckName(channel string) error {
	if !channelName.MatchString(channel) {
		return fmt.Errorf("channel %.100q: write letters, digits, blanks and . _ -, at most 64", channel)
	}
	return nil
}

// CheckURL returns an error if a channel cannot have this URL. Commands and references to
// secrets are refused.
func CheckURL(channel string) error { return new(notify.Sender).Check(channel) }

// Names returns texts in the form in which tags, channels and the like are stored: trimmed,
// sorted, without duplicates.
func Names(texts []string) []string {
	var all []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			all = append(all, t)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Check returns an error if a subscription cannot be followed. The error is for the user who
// wrote it.
func Check(s *plat.Subscription) error {
	if _, err := NewFilter(s); err != nil {
		return err
	}
	if s.Depth < 0 || s.Depth > 3 {
		return fmt.Errorf("depth %d: write 1 (the page), 2 (and what its items link to) or 3", s.Depth)
	}
	for _, l := range s.Labels {
		if !slices.Contains(plat.Labels, l) {
			return fmt.Errorf("label %q: write one of %v", l, plat.Labels)
		}
	}
	for _, b := range append(slices.Clone(s.Blocks), s.Muted...) {
		if b < 1 {
			return fmt.Errorf("block %d: write a number as plat show prints it", b)
		}
	}
	if len(s.Feeds) > plat.MaxFeeds {
		return fmt.Errorf("%d feeds: write at most %d", len(s.Feeds), plat.MaxFeeds)
	}
	for _, f := range s.Feeds {
		if u, err := plat.Canonical(f, nil); err != nil || u != f {
			return fmt.Errorf("feed %.100q: write a canonical URL, as %.100q", f, cmp.Or(u, "https://example.com/feed"))
		}
		if f == s.URL {
			return errors.New("the page is its own feed: leave out the feed")
		}
	}
	for _, name := range s.Tell {
		if err := CheckName(name); err != nil {
			return err
		}
	}
	if s.Digest != "" {
		if _, err := digest.Parse(s.Digest); err != nil {
			return err
		}
	}
	if len(s.Blocks) > 0 && len(s.Feeds) > 0 {
		return errors.New("chosen blocks are watched on one page alone: leave out the feeds")
	}
	if len(s.Blocks) > 0 && storage.DepthOf(s) > 1 {
		return errors.New("chosen blocks are watched on one page alone: leave out the depth")
	}
	return nil
}
