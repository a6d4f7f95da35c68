package output

import (
	"fmt"
	"slices"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/diff"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage/history"
)

// marks begin the line of a change.
var marks = map[plat.Kind]struct {
	sign  string
	style terminal.Style
}{
	plat.Added:         {"+", terminal.Green},
	plat.Removed:       {"−", terminal.Red},
	plat.Content:       {"~", terminal.Yellow},
	plat.Link:          {"↗", terminal.Yellow},
	plat.Image:         {"▣", terminal.Yellow},
	plat.Moved:         {"↕", terminal.Cyan},
	plat.Format:        {"≈", terminal.Faint},
	plat.Advertisement: {"$", terminal.Faint},
	plat.Volatile:      {"·", terminal.Faint},
	plat.Invisible:     {"○", terminal.Faint},
}

// Comparison prints the changes between two versions. whole is a hint how to print long texts in
// full ("… prints them"); if it is empty, they are not cut. all is a hint how to print the page's
// self-changes; if it is not empty, they are only counted.
func Comparison(s *terminal.Screen, c *history.Comparison, whole, all string) {
	s.Print(s.Paint(terminal.Bold, excerpt.Printable(c.New.URL)) + fmt.Sprintf("  version %d, %s → version %d, %s UTC", c.Old.N, terminal.Clock(c.Old.Taken), c.New.N, terminal.Clock(c.New.Taken)))
	news, others := c.Counts()
	what := Kinds(news)
	if what == "" {
		what = "nothing changed"
	}
	if held := Kinds(others); held != "" {
		if what += s.Paint(terminal.Faint, "; by itself: "+held); all != "" {
			what += s.Paint(terminal.Faint, " ("+all+")")
		}
	}
	s.Print(what)
	if old, now := c.Titles(); old != now {
		both := []history.Word{{Op: deleted, Text: excerpt.Line(old, shownTitle)}, {Op: equal, Text: " "}, {Op: inserted, Text: excerpt.Line(now, shownTitle)}}
		s.Print(s.Paint(terminal.Bold, "title") + "  " + spans(s, both, whole))
	}
	for i := range c.Blocks {
		ch := &c.Blocks[i]
		held := c.Suppressed(ch)
		if held && all != "" {
			continue
		}
		m, b := marks[ch.Kind], c.Block(ch)
		head := []string{s.Paint(m.style, m.sign+" "+string(ch.Kind)), fmt.Sprintf("#%d", ch.Lineage), s.Paint(terminal.Bold, string(b.Label))}
		if ch.Folded {
			head = append(head, s.Paint(terminal.Faint, "folded"))
		}
		if held {
			head = append(head, s.Paint(terminal.Faint, "by itself: "+c.Why(ch)))
		}
		if b.Topic != "" {
			head = append(head, quoted(b.Topic, 60))
		}
		switch {
		case ch.Kind == plat.Moved && ch.Old >= 0 && ch.New >= 0:
			head = append(head, s.Paint(terminal.Faint, c.Old.Blocks[ch.Old].Box.String()+" → "+b.Box.String()))
		case ch.Kind == plat.Volatile:
			head = append(head, s.Paint(terminal.Faint, strings.Join(c.Reasons(ch), ", ")))
		}
		s.Print(strings.TrimRight(strings.Join(head, "  "), " "))
		if t := spans(s, c.Words(ch), whole); t != "" {
			for _, l := range strings.Split(t, "\n") {
				s.Print("    " + l)
			}
		}
		attributes(s, c.Attributes(ch), whole)
		for i := range c.Files {
			if f := &c.Files[i]; f.Why == "" && ch.New >= 0 && slices.Contains(f.Blocks, ch.New) {
				s.Print("    " + file(f))
			}
		}
	}
	if c.Layout != plat.Same && c.Layout != "" {
		s.Print(s.Paint(terminal.Faint, "the layout around the blocks changed: "+string(c.Layout)))
	}
	for i := range c.Files {
		switch f := &c.Files[i]; {
		case f.Why == "" && len(f.Blocks) == 0:
			s.Print("    " + file(f))
		case f.Why != "" && all == "":
			s.Print("    " + file(f) + s.Paint(terminal.Faint, "  by itself: "+plat.ReasonText(f.Why)))
		}
	}
}

// shownTitle is the maximum length of a printed page title, characters.
const shownTitle = 300

// file prints the change of an image or a style sheet.
func file(f *diff.File) string {
	what := "image"
	if f.Style() {
		what = "style sheet"
	}
	return fmt.Sprintf("%s %s  %s, %s → %s, %s", what, excerpt.Printable(f.URL), f.Old.Hash.Short(), terminal.Size(f.Old.Size), f.New.Hash.Short(), terminal.Size(f.New.Size))
}

// shownAttributes is the maximum number of printed attributes of a change.
const shownAttributes = 10

// attributes prints the attributes in which a block differs, such as links and image texts.
func attributes(s *terminal.Screen, all []diff.Attribute, whole string) {
	for i, a := range all {
		if i == shownAttributes && whole != "" {
			s.Print(s.Paint(terminal.Faint, fmt.Sprintf("    … (%s more; %s)", terminal.Counted(len(all)-i, "attribute"), whole)))
			return
		}
		of := a.Tag + " " + a.Key
		if a.Key == "href" {
			of = "link"
		}
		if a.Text != "" {
			of += " " + quoted(a.Text, 60)
		}
		value := func(v string) string {
			if v == "" {
				return "none"
			}
			return excerpt.Printable(v)
		}
		s.Print("    " + of + "  " + value(a.Old) + " → " + value(a.New))
	}
}

// Printed lengths of text, characters: of the unchanged text on either side of a change, and of
// an added or removed block.
const (
	aroundChange = 60
	ofWhole      = 600
)

// The operations of words.
var equal, deleted, inserted = diff.Equal.String(), diff.Delete.String(), diff.Insert.String()

// spans is a change of words, marked [-…-] and {+…+} where there are no colours,
// as wdiff does.
func spans(s *terminal.Screen, all []history.Word, whole string) string {
	var b strings.Builder
	for i, sp := range all {
		t := sp.Text
		switch {
		case whole == "":
		case sp.Op == equal:
			t = middle(t, i == 0, i == len(all)-1)
		case len(all) == 1:
			if r := []rune(t); len(r) > ofWhole {
				t = string(r[:ofWhole]) + fmt.Sprintf(" … (%s more; %s)", terminal.Counted(len(r)-ofWhole, "character"), whole)
			}
		}
		if sp.Op == equal {
			b.WriteString(cleanLines(t))
			continue
		}
		if sp.SelfChange {
			if sp.Op == inserted { // the removed words of a self-change are omitted
				b.WriteString(s.Paint(terminal.Faint, cleanLines(t)))
			}
			continue
		}
		// White space before a mark stays outside of it.
		lead := t[:len(t)-len(strings.TrimLeft(t, " \n"))]
		b.WriteString(lead)
		t = t[len(lead):]
		for k, l := range strings.Split(cleanLines(t), "\n") {
			if k > 0 {
				b.WriteByte('\n')
			}
			switch {
			case l == "" || len(all) == 1 && !s.Colors:
				b.WriteString(l) // the kind has said it
			case sp.Op == deleted && s.Colors:
				b.WriteString(s.Paint(terminal.Struck, l))
			case sp.Op == deleted:
				b.WriteString("[-" + l + "-]")
			case s.Colors:
				b.WriteString(s.Paint(terminal.Written, l))
			default:
				b.WriteString("{+" + l + "+}")
			}
		}
	}
	return b.String()
}

func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = excerpt.Printable(lines[i])
	}
	return strings.Join(lines, "\n")
}

// middle omits from an unchanged text the part that is far from any change.
func middle(t string, first, last bool) string {
	r := []rune(t)
	head, tail := aroundChange, aroundChange
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	if len(r) <= head+tail+20 {
		return t
	}
	// Cut between words where there are any nearby.
	from, to := head, len(r)-tail
	for k := from; k > from-20 && k > 0; k-- {
		if r[k] == ' ' || r[k] == '\n' {
			from = k
			break
		}
	}
	for k := to; k < to+20 && k < len(r); k++ {
		if r[k] == ' ' || r[k] == '\n' {
			to = k
			break
		}
	}
	start, end := string(r[:from]), string(r[to:])
	if !first {
		start += " "
	}
	return start + "…" + end
}
