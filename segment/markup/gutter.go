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

// Gutter reports whether an element with this class may have the numbers of lines beside code. It has them if its text are
// numbers, see [Numbers].
func Gutter(class string) bool {
	for name := range strings.FieldsSeq(class) {
		if gutters[name] {
			return true
		}
	}
	return false
}

// Numbers reports whether a text has digits and no other characters than blanks and marks: line numbers.
func Numbers[T string | []byte](text T) (digits, only bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c > ' ' && c != '.' && c != ':' && c != '|':
			return digits, false
		}
	}
	return digits, true
}

// maxLooks limits the pieces and nodes that are read in search of gutters, so that elements in one another take no quadratic time.
const maxLooks = 1 << 20

// gutter returns the length of what follows the start tag read last up to the end of its element, if it has line numbers, else
// 0.
func (s *scanner) gutter() int {
	if s.earlier || VoidElement(string(s.name)) {
		return 0
	}
	start, named := s.content[s.from:s.tagEnd], false
	if at := bytes.Index(start, []byte(` class="`)); at >= 0 {
		class, _, _ := bytes.Cut(start[at+len(` class="`):], []byte(`"`))
		named = Gutter(string(class))
	}
	pre := string(s.name) == "pre"
	if !named && !pre {
		return 0
	}
	depth, found := 0, false
	var text []byte
	rest := s.content[s.tagEnd:]
	for n := 0; n < len(rest); {
		if s.looked++; s.looked > maxLooks {
			return 0
		}
		if rest[n] != '<' {
			end := bytes.IndexByte(rest[n:], '<')
			if end < 0 {
				return 0
			}
			digits, only := Numbers(bytes.ReplaceAll(rest[n:n+end], []byte("&nbsp;"), nil))
			if !only {
				return 0
			}
			found = found || digits
			if pre {
				text = append(text, rest[n:n+end]...)
			}
			n += end
			continue
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
			if found && bytes.Equal(name, s.name) && (named || counts(string(text))) {
				return n
			}
			return 0
		case !VoidElement(string(name)):
			depth++
		}
	}
	return 0
}

// GutterOf reports whether an element of a snapshot has line numbers beside code; until is where its subtree ends. looked counts the nodes that are read for a
// snapshot, begun with 0.
func GutterOf(nodes []plat.Node, i, until int32, looked *int) bool {
	class, _ := nodes[i].Attr("class")
	named, pre := Gutter(class), nodes[i].Name == "pre"
	if !named && !pre {
		return false
	}
	found, text := false, strings.Builder{}
	for k := i + 1; k < until; k++ {
		if *looked++; *looked > maxLooks {
			return false
		}
		if nodes[k].Kind == plat.TextNode {
			digits, only := Numbers(nodes[k].Value)
			if !only {
				return false
			}
			found = found || digits
			if pre {
				text.WriteString(nodes[k].Value)
			}
		}
	}
	return found && (named || counts(text.String()))
}

// leastLines is the least number of lines that numbers without a name belong to.
const leastLines = 3

// counts reports whether the words of a text are the numbers of lines from the first on.
func counts(text string) bool {
	n := 0
	for w := range strings.FieldsSeq(text) {
		if n++; w != strconv.Itoa(n) {
			return false
		}
	}
	return n >= leastLines
}
