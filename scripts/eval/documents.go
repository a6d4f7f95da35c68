package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"

	"plat/fixtures/documents"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
)

// documented returns the pages of documentation, and their snapshots.
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

// documents evaluates the text of pages of documentation, against the element that their
// generators mark. Beside it is the result of the rules for articles on the same page.
func (e *eval) documents(ctx context.Context) error {
	scores, err := e.scoreDocuments(ctx)
	if err != nil {
		return err
	}
	showDocuments(scores)
	return nil
}

// scoresOfDocuments has the results of pages of documentation.
const scoresOfDocuments = "documents.json"

// scoreDocuments compares the text of each page with the marked element.
func (e *eval) scoreDocuments(ctx context.Context) ([]ofDocument, error) {
	marked, pages, err := e.documented(ctx)
	if err != nil {
		return nil, err
	}
	of := map[string]documents.Page{}
	for _, m := range marked {
		of[m.File] = m
	}
	pages = e.ofHalf(pages, func(p page) string { return of[p.name].Package })
	cuts, err := describe(pages, segment.Params{})
	if err != nil {
		return nil, err
	}
	var scores []ofDocument
	for _, p := range pages {
		m := of[p.name]
		main, ok := m.Main(p.snap)
		if !ok {
			continue
		}
		want := shownWords(p.snap, main)
		if len(want) == 0 {
			continue
		}
		a := cuts[p.name].Article()
		scores = append(scores, ofDocument{m.Package, p.name, a.Kind, len(want), agree(want, words(a.Text)), agree(want, words(article.Extract(p.snap).Text))})
	}
	return scores, nil
}

// showDocuments prints the results by package.
func showDocuments(scores []ofDocument) {
	fmt.Printf("\ntext of %d pages of documentation, F by words\n%-28s %5s %6s %9s\n", len(scores), "package", "pages", "F", "as article")
	slices.SortStableFunc(scores, func(a, b ofDocument) int { return cmp.Compare(a.Package, b.Package) })
	var packages int
	var all, articles float64
	for from := 0; from < len(scores); packages++ {
		to, f, asArticle := from, 0.0, 0.0
		for ; to < len(scores) && scores[to].Package == scores[from].Package; to++ {
			f, asArticle = f+scores[to].F, asArticle+scores[to].AsArticle
		}
		n := float64(to - from)
		fmt.Printf("%-28s %5d %6.3f %9.3f\n", scores[from].Package, to-from, f/n, asArticle/n)
		all, articles, from = all+f/n, articles+asArticle/n, to
	}
	fmt.Printf("%-28s %5d %6.3f %9.3f\nthe ten worst\n", "mean of the packages", len(scores), all/float64(packages), articles/float64(packages))
	slices.SortStableFunc(scores, func(a, b ofDocument) int { return cmp.Compare(a.F, b.F) })
	for _, s := range scores[:min(10, len(scores))] {
		fmt.Printf("%.3f  %-9s %5d words  %s\n", s.F, s.Kind, s.Words, s.Name)
	}
}

// ofDocument is the result of a page of documentation.
type ofDocument struct {
	Package, Name string
	Kind          plat.PageKind
	Words         int
	F, AsArticle  float64
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
