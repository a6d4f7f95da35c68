package noise

import (
	"iter"
	"strings"
)

// separators separate the items of a list in one line. A line with two equal separators is a list.
var separators = []string{" / ", " | ", " · ", " • ", " ‧ ", " » ", " › ", " ・ "}

// frames separate such a list from the text before and after it.
var frames = []string{": ", ". ", " — ", " – "}

// eachLine splits a text into lines, and lines that are lists into their items, and yields their
// positions as [from, to) in bytes. Text before and after a list counts as a line, too.
func eachLine(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for line := range strings.SplitSeq(text, "\n") {
			sep := separator(line)
			for at := 0; at <= len(line); {
				n, next := firstItem(line[at:], sep)
				if !yield(from+at, from+at+n) {
					return
				}
				at += next
			}
			from += len(line) + 1
		}
	}
}

// linesOf returns the lines of a text.
func linesOf(text string) (all []string) {
	for from, to := range eachLine(text) {
		all = append(all, text[from:to])
	}
	return all
}

// separator returns the separator of the items in a line, empty if the line is not a list.
func separator(line string) string {
	for _, s := range separators {
		if strings.Count(line, s) >= 2 {
			return s
		}
	}
	return ""
}

// firstItem returns the length of the first item of a line, and the start of the next one.
func firstItem(line, sep string) (n, next int) {
	n, next = len(line), len(line)+1
	if sep == "" {
		return n, next
	}
	cut := func(s string) {
		if i := strings.Index(line[:n], s); i >= 0 {
			n, next = i, i+len(s)
		}
	}
	cut(sep)
	for _, s := range frames {
		cut(s)
	}
	return n, next
}

// withoutLines returns the lines that only the first list has, counting equal ones.
func withoutLines(all, others []string) (left []string) {
	n := map[string]int{}
	for _, s := range others {
		n[s]++
	}
	for _, s := range all {
		if n[s]--; n[s] < 0 {
			left = append(left, s)
		}
	}
	return left
}

// sharedLine reports whether two texts have a line in common; a list is one line here.
func sharedLine(a, b string) bool {
	was := strings.Split(a, "\n")
	return len(withoutLines(was, strings.Split(b, "\n"))) < len(was)
}
