package noise

import (
	"slices"
	"time"

	"plat/diff/noise/attributes"
	"plat/plat"
)

// variesWithin reports whether a second rendering differs in every part in which two values of an
// attribute differ.
func variesWithin(was, is, again string) bool {
	a, b := parse(was), parse(is)
	all := confirmed(edits(a, seen{}, b, time.Time{}), a, b, parse(again))
	return !anyOpen(all)
}

// numbersDiffer reports whether two values differ only in numbers.
func numbersDiffer(was, is string) bool {
	a, b := parse(was), parse(is)
	for _, e := range edits(a, seen{}, b, time.Time{}) {
		x, y := a.in(e.Old), b.in(e.New)
		if !slices.EqualFunc(x, y, func(s, t token) bool { return s.shape() == '0' && t.shape() == '0' }) {
			return false
		}
	}
	return true
}

// otherTags reports whether the tags around the words changed, and the second rendering, if any,
// confirms it.
func otherTags(old, now, second *plat.Block) bool {
	is := skeleton(now.Content)
	return skeleton(old.Content) != is && (second == nil || skeleton(second.Content) == is)
}

// skeleton returns the tags of HTML without attributes, each word replaced by its shape.
func skeleton(content []byte) string {
	return attributes.Skeleton(content, func(text string) (shapes []byte) {
		for _, w := range parse(text).all {
			shapes = append(shapes, w.shape())
		}
		return shapes
	})
}
