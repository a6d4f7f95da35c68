package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plat/plat"
	archived "plat/storage/history"
	"plat/storage/sqlite"
)

// judged counts the reports of the versions, and writes some of them.
func (b *bench) judged(ctx context.Context) error {
	if err := b.tell(ctx); err != nil || *show == 0 {
		return err
	}
	drawn, err := b.draw(ctx, *show)
	if err != nil {
		return err
	}
	for i, v := range drawn {
		c, err := archived.Between(ctx, b.store, v.url, v.n-1, v.n)
		if err != nil {
			return fmt.Errorf("%s@%d: %w", v.url, v.n, err)
		}
		fmt.Printf("== %s %d of %d: ", b.Set, i+1, len(drawn))
		write(c)
	}
	return nil
}

// reopen reads an archive that an earlier run has kept.
func reopen(ctx context.Context, name, _ string) (*result, error) {
	path := filepath.Join(*keep, name+".db")
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("no archive to read; -keep it first: %w", err)
	}
	store, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	b := &bench{result: &result{Set: name}, store: store}
	return b.result, b.judged(ctx)
}

// numbered is a version of a URL.
type numbered struct {
	url string
	n   int
}

// draw returns up to n random versions other than the first: half of them are not news, or have a
// change that is not.
func (b *bench) draw(ctx context.Context, n int) ([]numbered, error) {
	var quiet, loud []numbered
	if err := b.versions(ctx, func(v *plat.Version) error {
		switch {
		case v.N == 1:
		case !v.News() || slices.ContainsFunc(v.SelfChanges, func(x plat.SelfChange) bool { return x.Suppressed() }):
			quiet = append(quiet, numbered{v.URL, v.N})
		default:
			loud = append(loud, numbered{v.URL, v.N})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	chance := rand.New(rand.NewPCG(*seed, 0))
	some := func(all []numbered, n int) []numbered {
		chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:min(n, len(all))]
	}
	half := some(quiet, n/2)
	return append(half, some(loud, n-len(half))...), nil
}

// write writes the changes of a comparison as text: those that are news first.
func write(c *archived.Comparison) {
	d := c.Info()
	says := "no news"
	if c.New.News() {
		says = "news"
	}
	fmt.Printf("%s version %d, %s to %s: %s\n", d.URL, d.New, d.OldTaken.Format(time.DateTime), d.NewTaken.Format(time.DateTime), says)
	if d.Layout != plat.Same && d.Layout != "" {
		fmt.Printf("  layout: %s\n", d.Layout)
	}
	for _, held := range []bool{false, true} {
		for i := range d.Changes {
			if ch := &d.Changes[i]; ch.Kind != plat.Same && (ch.SelfChange != "") == held {
				writeChange(c, &c.Blocks[i], ch)
			}
		}
	}
	fmt.Println()
}

func writeChange(c *archived.Comparison, of *plat.Change, ch *archived.ChangeInfo) {
	says := "no news by its kind"
	switch {
	case ch.SelfChange != "":
		says = "by itself: " + plat.ReasonText(ch.SelfChange)
	case ch.Kind.News():
		says = "news"
	}
	folded := ""
	if ch.Folded {
		folded = ", folded"
	}
	fmt.Printf("  %s, block #%d (%s%s): %s\n", ch.Kind, ch.Lineage, ch.Label, folded, says)
	if own := c.SelfChange(of); own != nil && ch.SelfChange == "" {
		fmt.Printf("    in [brackets]: %s\n", plat.ReasonText(own.Why))
	}
	if ch.Words == nil {
		fmt.Printf("    %s\n", short(c.Block(of).Text, 200))
		return
	}
	for _, w := range ch.Words {
		text, sign := w.Text, " "
		switch {
		case w.Op == "delete":
			sign = "-"
		case w.Op == "insert":
			sign = "+"
		}
		most := 1000
		if sign == " " {
			most = 80
		}
		if text = short(text, most); w.SelfChange {
			text = "[" + text + "]"
		}
		fmt.Printf("    %s %s\n", sign, text)
	}
}

// short is a text in one line, without its middle if it is longer than most.
func short(text string, most int) string {
	all := []rune(strings.Join(strings.Fields(text), " "))
	if len(all) <= most {
		return string(all)
	}
	return string(all[:most/2]) + " … " + string(all[len(all)-most/2:])
}
