package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"plat"
	"plat/diff"
	"plat/excerpt"
	"plat/history"
	"plat/storage"
	"plat/term"
)

func (a *app) diffCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "diff URL[@N] [@M]",
		Short: "Print what changed between two versions",
		Long: `diff compares two versions of a URL block by block and prints the words that
changed. Without versions it compares the last two; with one, that one and the
version before it; with two, the first with the second. @0 is the last version.

Kinds of change: added, removed, content (other words), moved, format (same words,
other markup), hidden (words that no reader reaches), advertisement, volatile (tokens
that no reader sees). A change of what is a click or a touch away, in a closed menu or
behind a tab, is said to be folded.

JSON: url, old, new, old_taken, new_taken, differs, layout (how the layout changed), counts
(number by kind), changes: kind, lineage, label, topic, old and new (index in the
block tree, -1 for none), folded, old_text, new_text, words (op equal, delete or insert;
text), reasons.`,
		Example: `  plat diff https://example.com/
  plat diff https://example.com/@3 @7
  plat diff https://example.com/@3 --json | jq .counts`,
		Annotations: heeds(naming),
		Args:        cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, err := a.parseRef(args[0])
			if err != nil {
				return err
			}
			old, now := 0, r.n
			if len(args) == 2 {
				digits, ok := strings.CutPrefix(args[1], "@")
				if !ok {
					return fail(exitUsage, "%q: write the second version as @M, as in plat diff %s@1 @2", args[1], r.url)
				}
				old = r.n
				if now, err = parseVersion(digits); err != nil {
					return err
				}
			}
			return a.withStore(ctx, reads, func(s storage.Store) error { return a.diff(ctx, s, r.url, old, now, len(args) == 2, full) })
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "print long texts whole")
	return cmd
}

// diff prints the changes from version old to version now of a URL; 0 is the
// last one, or where old is not given the one before now.
func (a *app) diff(ctx context.Context, s storage.Store, url string, old, now int, given, full bool) error {
	after, err := load(ctx, s, url, now, nil)
	if err != nil {
		return err
	}
	if !given {
		if after.N == 1 {
			return about(url, fmt.Errorf("version 1 is the first; there is nothing before it to compare with"))
		}
		old = after.N - 1
	}
	before, err := load(ctx, s, url, old, func(v *plat.Version) []plat.Hash { return diff.Needed(v.Blocks, after.Blocks) })
	if err != nil {
		return err
	}
	c, err := history.Compare(ctx, s, before, after)
	if err != nil {
		return about(url, err)
	}
	if a.JSON {
		a.out.JSON(c.Info())
	} else {
		printDiff(a.out, c, full)
	}
	return nil
}

// marks begin the line of a change.
var marks = map[plat.Kind]struct {
	sign  string
	style term.Style
}{
	plat.Added:         {"+", term.Green},
	plat.Removed:       {"−", term.Red},
	plat.Content:       {"~", term.Yellow},
	plat.Moved:         {"↕", term.Cyan},
	plat.Format:        {"≈", term.Faint},
	plat.Advertisement: {"$", term.Faint},
	plat.Volatile:      {"·", term.Faint},
	plat.Invisible:     {"○", term.Faint},
}

// printDiff prints a comparison, long texts whole if full.
func printDiff(s *term.Screen, c *history.Comparison, full bool) {
	s.Print(s.Paint(term.Bold, excerpt.Printable(c.New.URL)) + fmt.Sprintf("  version %d, %s → version %d, %s UTC", c.Old.N, term.Clock(c.Old.Taken), c.New.N, term.Clock(c.New.Taken)))
	what := kinds(c.Count())
	if what == "" {
		what = "nothing changed"
	}
	s.Print(what)
	for i := range c.Blocks {
		ch := &c.Blocks[i]
		m, b := marks[ch.Kind], c.Block(ch)
		head := []string{s.Paint(m.style, m.sign+" "+string(ch.Kind)), fmt.Sprintf("#%d", ch.Lineage), s.Paint(term.Bold, string(b.Label))}
		if ch.Folded {
			head = append(head, s.Paint(term.Faint, "folded"))
		}
		if b.Topic != "" {
			head = append(head, quoted(b.Topic, 60))
		}
		switch {
		case ch.Kind == plat.Moved && ch.Old >= 0 && ch.New >= 0:
			head = append(head, s.Paint(term.Faint, c.Old.Blocks[ch.Old].Box.String()+" → "+b.Box.String()))
		case ch.Kind == plat.Volatile:
			head = append(head, s.Paint(term.Faint, strings.Join(c.Reasons(ch), ", ")))
		}
		s.Print(strings.TrimRight(strings.Join(head, "  "), " "))
		if t := spans(s, c.Words(ch), full); t != "" {
			for _, l := range strings.Split(t, "\n") {
				s.Print("    " + l)
			}
		}
	}
	if c.Layout != plat.Same && c.Layout != "" {
		s.Print(s.Paint(term.Faint, "the layout around the blocks changed: "+string(c.Layout)))
	}
}

// How much of a text is printed, in characters: of what did not change on
// either side of a change, and of a block that is new or gone.
const (
	aroundChange = 60
	ofWhole      = 600
)

// spans is a change of words, marked [-…-] and {+…+} where there are no colours,
// as wdiff does.
func spans(s *term.Screen, all []diff.Span, full bool) string {
	var b strings.Builder
	for i, sp := range all {
		t := sp.Text
		switch {
		case full:
		case sp.Op == diff.Equal:
			t = middle(t, i == 0, i == len(all)-1)
		case len(all) == 1:
			if r := []rune(t); len(r) > ofWhole {
				t = string(r[:ofWhole]) + fmt.Sprintf(" … (%s more; --full prints them)", term.Counted(len(r)-ofWhole, "character"))
			}
		}
		if sp.Op == diff.Equal {
			b.WriteString(cleanLines(t))
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
			case sp.Op == diff.Delete && s.Colors:
				b.WriteString(s.Paint(term.Struck, l))
			case sp.Op == diff.Delete:
				b.WriteString("[-" + l + "-]")
			case s.Colors:
				b.WriteString(s.Paint(term.Written, l))
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

// middle leaves out of an unchanged text what is far from any change.
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
