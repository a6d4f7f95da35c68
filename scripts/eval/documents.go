package main

import (
	"context"
	"fmt"
	"regexp"

	"plat"
	"plat/article"
	"plat/fixtures/documents"
	"plat/segment"
)

// rendered returns the pages of documentation, and their snapshots.
func (e *eval) documented(ctx context.Context) ([]documents.Page, []page, error) {
	marked, err := documents.Read()
	if err != nil {
		return nil, nil, err
	}
	var names []string
	byFile := map[string]documents.Page{}
	for _, p := range marked {
		names = append(names, p.File)
		byFile[p.File] = p
	}
	pages, err := e.load(ctx, rendering{set: "documents", width: 1366}, names)
	if err != nil {
		return nil, nil, err
	}
	for i, p := range pages {
		marked[i] = byFile[p.name]
	}
	return marked, pages, nil
}

// documents evaluates the text of pages of documentation.
func (e *eval) documents(ctx context.Context) error {
	marked, pages, err := e.documented(ctx)
	if err != nil {
		return err
	}
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return err
	}
	type row struct {
		n    int
		a, c float64
	}
	rows := map[string]*row{}
	for i, p := range pages {
		pkg := marked[i].Package
		main, ok := marked[i].Main(p.snap)
		if !ok {
			continue
		}
		want := shownWords(p.snap, main)
		if len(want) == 0 {
			fmt.Println("none", pkg, p.name)
			continue
		}
		a, c := article.Extract(p.snap), article.Read(p.snap, &cuts[p.name].Page)
		fa, fc := agree(want, words(a.Text)), agree(want, words(c.Text))
		r := rows[pkg]
		if r == nil {
			r = &row{}
			rows[pkg] = r
		}
		r.n++
		r.a += fa
		r.c += fc
		fmt.Printf("%-24s %.3f %.3f  words %5d %s date %s by %v %s\n", pkg, fa, fc, len(want), c.Kind, a.Date, a.Authors, p.name)
	}
	sa, sc := 0.0, 0.0
	for k, r := range rows {
		fmt.Printf("%-24s %2d %.3f %.3f\n", k, r.n, r.a/float64(r.n), r.c/float64(r.n))
		sa += r.a / float64(r.n)
		sc += r.c / float64(r.n)
	}
	fmt.Printf("all %.3f %.3f\n", sa/float64(len(rows)), sc/float64(len(rows)))
	return nil
}

// shownWords are the words that are seen of some nodes, by the browser's boxes.
func shownWords(s *plat.Snapshot, of plat.Span) (all []string) {
	for i := of.First; i < of.End; i++ {
		n := &s.Nodes[i]
		if n.Kind == plat.TextNode && n.HasBox && !n.Box.Empty() && !s.Styles[n.Style].Hidden {
			all = append(all, words(n.Value)...)
		}
	}
	return all
}

func words(s string) []string { return wordRun.FindAllString(s, -1) }

var wordRun = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// agree is the F of two lists of words, whatever their order.
func agree(a, b []string) float64 {
	count := map[string]int{}
	for _, w := range a {
		count[w]++
	}
	both := 0
	for _, w := range b {
		if count[w] > 0 {
			count[w]--
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}
