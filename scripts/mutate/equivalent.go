package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An entry is a mutation that a person has judged: no test can see it, because the program does the same.
// It is found by its function and lines, so that it holds when the file is edited elsewhere.
type entry struct {
	file, fn      string
	before, after []string // lines without indentation
	reason        string
}

// readEntries reads equivalent.txt: for each entry a line "FILE FUNCTION", the lines before the mutation after "- ",
// those after it after "+ ", and the reason after "= ". Lines that begin with # are comments.
func readEntries(r io.Reader) ([]*entry, error) {
	var entries []*entry
	var e *entry
	n := 0
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "- ") && e != nil:
			e.before = append(e.before, line[2:])
		case strings.HasPrefix(line, "+ ") && e != nil:
			e.after = append(e.after, line[2:])
		case strings.HasPrefix(line, "= ") && e != nil:
			e.reason = line[2:]
			entries = append(entries, e)
			e = nil
		default:
			file, fn, ok := strings.Cut(line, " ")
			if !ok || e != nil {
				return nil, fmt.Errorf("line %d: %q: an entry is a line \"FILE FUNCTION\", lines with -, lines with + and a reason with =", n, line)
			}
			e = &entry{file: file, fn: fn}
		}
	}
	if e != nil {
		return nil, fmt.Errorf("line %d: the entry of %s %s has no reason", n, e.file, e.fn)
	}
	return entries, lines.Err()
}

// judged returns the entry of the mutation e at s, or nil.
func judged(entries []*entry, s site, e edit) *entry {
	before, after := s.file.change(e)
	for _, n := range entries {
		if n.file == s.file.name && n.fn == s.fn && slices.Equal(n.before, before) && slices.Equal(n.after, after) {
			return n
		}
	}
	return nil
}
