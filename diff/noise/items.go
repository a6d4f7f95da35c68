package noise

import (
	"iter"
	"strings"
)

// separators stand between the items of a list that is written in one line. A line with two of
// one is such a list.
var separators = []string{" / ", " | ", " · ", " • ", " ‧ ", " » ", " › ", " ・ "}

// frames stand between such a list and what is written before it and after it.
var frames = []string{": ", ". ", " — ", " – "}

// eachLine divides a text into lines, and lines that are lists into their items. It yields where the lines of a text are, as [from, to) in bytes. The items of a line that is
// a list count as lines, and so does what is written before it and after it.
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

// separator is what stands between the items of a line, empty if it is no list.
func separator(line string) string {
	for _, s := range separators {
		if strings.Count(line, s) >= 2 {
			return s
		}
	}
	return ""
}

// firstItem is the length of the first item of a line, and where the next begins.
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

// withoutLines returns the lines of one list that another does not have, counting equal ones.
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

// sharedLine reports whether two texts have a line in common; lists are one line here.
func sharedLine(a, b string) bool {
	was := strings.Split(a, "\n")
	return len(withoutLines(was, strings.Split(b, "\n"))) < len(was)
}
