package markup

import (
	"bytes"
	"strconv"
	"strings"

	"plat/plat"
)

// gutters are the classes of the line numbers beside code.
var gutters = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`gutter code-gutter rouge-gutter lineno linenos linenumber linenumbers line-number line-numbers line_numbers line-numbers-rows
		linenodiv lineNumber lineNumbers lnt ln lntd-numbers code-line-number codeline-number crayon-nums crayon-num hljs-ln-numbers hljs-ln-n blob-num
		CodeMirror-linenumber CodeMirror-gutter cm-gutter ace_gutter ace_gutter-cell react-syntax-highlighter-line-number source-line-number line-num linenum
		line_number lines-number pre-numbering`) {
		gutters[name] = true
	}
}

// gutter reports whether an element with this class may have the numbers of lines beside code.
func gutter(class string) bool {
	for name := range strings.FieldsSeq(class) {
		if gutters[name] {
			return true
		}
	}
	return false
}

// isCode reports whether an element holds code by its name.
func isCode[T string | []byte](name T) bool {
	switch string(name) {
	case "pre", "code", "listing", "samp":
		return true
	}
	return false
}

// isCell reports whether an element is a cell of a table: numbers of lines stand in one, and code in the next.
func isCell[T string | []byte](name T) bool { return string(name) == "td" || string(name) == "th" }

// numbers reports whether a text has digits, blanks and marks only.
func numbers[T string | []byte](text T) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c <= ' ', c == '.', c == ':', c == '|', c == 0xC2, c == 0xA0: // the last two are U+00A0
		default:
			return false
		}
	}
	return true
}

// lineNumbers returns how many numbers of lines a text consists of, each one more than the one before; 0 if it has anything else.
func lineNumbers(text string) (n int) {
	last := 0
	for w := range strings.FieldsSeq(text) {
		if w = strings.TrimRight(strings.Trim(w, "|"), ".:"); w == "" {
			continue
		}
		now, err := strconv.Atoi(w)
		if err != nil || n > 0 && now != last+1 {
			return 0
		}
		last = now
		n++
	}
	return n
}

// leastLines is the least number of lines that numbers without a name belong to.
const leastLines = 3

// isGutter reports whether numbers are those of lines, by their text and where they stand: named says that a class calls them so,
// beside that they stand in code or in a cell of a table.
func isGutter(text string, named, beside bool) bool {
	n := lineNumbers(text)
	return named && (n > 1 || n == 1 && (beside || strings.Contains(text, "|"))) || beside && n >= leastLines && strings.HasPrefix(strings.TrimSpace(text), "1")
}

// maxLooks limits what is read in search of gutters, in pieces or nodes and 64 bytes of text, so that elements in one another take
// no quadratic time.
const maxLooks = 1 << 20

// looks is the share of a text in maxLooks.
func looks(size int) int { return 1 + size>>6 }

// gutter returns the length of what follows the start tag read last up to the end of its element, if it has line numbers, else
// 0.
func (s *scanner) gutter() int {
	if s.earlier || VoidElement(string(s.name)) {
		return 0
	}
	start, named := s.content[s.from:s.tagEnd], false
	if at := bytes.Index(start, []byte(` class="`)); at >= 0 && !isCode(s.name) {
		class, _, _ := bytes.Cut(start[at+len(` class="`):], []byte(`"`))
		named = gutter(string(class))
	}
	pre := string(s.name) == "pre" && s.beginsCell()
	if !named && !pre {
		return 0
	}
	depth := 0
	var text []byte
	rest := s.content[s.tagEnd:]
	for n := 0; n < len(rest); {
		if rest[n] != '<' {
			end := bytes.IndexByte(rest[n:], '<')
			if end < 0 {
				return 0
			}
			if s.looked += looks(end); s.looked > maxLooks {
				return 0
			}
			piece := bytes.ReplaceAll(rest[n:n+end], []byte("&nbsp;"), []byte(" "))
			if !numbers(piece) {
				return 0
			}
			text = append(append(text, piece...), ' ')
			n += end
			continue
		}
		if s.looked++; s.looked > maxLooks {
			return 0
		}
		name, length := tag(rest[n:])
		n += length
		switch {
		case len(name) == 0 || name[0] == '!':
			return 0
		case len(rest[n-length:]) > 1 && rest[n-length+1] == '/':
			if depth--; depth >= 0 {
				continue
			}
			if bytes.Equal(name, s.name) && isGutter(string(text), named, pre || s.code > 0 || isCell(s.name)) {
				return n
			}
			return 0
		case !VoidElement(string(name)):
			depth++
		}
	}
	return 0
}

// beginsCell reports whether the start tag read last follows that of a cell of a table.
func (s *scanner) beginsCell() bool {
	before := bytes.TrimRight(s.content[:s.from], " \t\r\n")
	at := bytes.LastIndexByte(before, '<')
	if at < 0 {
		return false
	}
	name, length := tag(before[at:])
	return at+length == len(before) && isCell(name)
}

// GutterOf reports whether an element of a snapshot has line numbers beside code; until is where its subtree ends. looked counts
// what is read for a snapshot, see maxLooks, begun with 0.
func GutterOf(nodes []plat.Node, i, until int32, looked *int) bool {
	class, _ := nodes[i].Attr("class")
	up := nodes[i].Parent
	named, pre := !isCode(nodes[i].Name) && gutter(class), nodes[i].Name == "pre" && within(nodes, up) && isCell(nodes[up].Name)
	if !named && !pre {
		return false
	}
	var text strings.Builder
	for k := i + 1; k < until; k++ {
		if *looked += looks(len(nodes[k].Value)); *looked > maxLooks {
			return false
		}
		if nodes[k].Kind == plat.TextNode {
			if !numbers(nodes[k].Value) {
				return false
			}
			text.WriteString(nodes[k].Value)
			text.WriteByte(' ')
		}
	}
	beside := pre || isCell(nodes[i].Name)
	for k, n := up, 0; within(nodes, k) && !beside && n < maxAbove; k, n = nodes[k].Parent, n+1 {
		beside = isCode(nodes[k].Name)
	}
	return isGutter(text.String(), named, beside)
}

// within reports whether a node exists: a snapshot from a damaged file may have any parents.
func within(nodes []plat.Node, i int32) bool { return i >= 0 && int(i) < len(nodes) }

// maxAbove limits the elements around a gutter in which code is looked for.
const maxAbove = 20
