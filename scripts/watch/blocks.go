package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"

	"plat/plat"
	"plat/watch"
)

// truePage is a page of the truth.
type truePage struct {
	ID       string
	Versions []struct {
		N     int
		Items []struct{ Title string }
	}
}

// titles are those of a version, as words.
func (p *truePage) titles(n int) (out []string) {
	for _, v := range p.Versions {
		if v.N != n {
			continue
		}
		for _, it := range v.Items {
			if w := asWords(it.Title); len(w) > 2 {
				out = append(out, w)
			}
		}
	}
	return out
}

// asWords is a text in lower case, letters and digits only, between blanks.
func asWords(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(words, " ") + " "
}

// truths reads the truth of a set.
func (o *options) truths(set string) (map[string]*truePage, error) {
	f, err := os.Open(filepath.Join(o.data, "watch", "truth", set+"-"+o.split+".jsonl.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	out := map[string]*truePage{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var p truePage
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, err
		}
		out[p.ID] = &p
	}
	return out, lines.Err()
}

// fate counts the later versions of a chosen block.
type fate struct {
	Set      string `json:"set"`
	Page     string `json:"page"`
	Lineage  int32  `json:"block"`
	Versions int    `json:"versions"` // later ones with items
	Followed int    `json:"followed"`
	Wrong    []int  `json:"wrong"` // versions of the truth
	Lost     []int  `json:"lost"`
	Part     int    `json:"part_percent"` // of the page's text that the block is, at most
}

// followBlocks chooses blocks, and follows them.
func followBlocks(ctx context.Context, o *options) error {
	var all []*fate
	for _, set := range o.sets {
		truth, err := o.truths(set)
		if err != nil {
			return err
		}
		a, err := o.open(ctx, set)
		if err != nil {
			return err
		}
		for i := range a.pages {
			t := truth[a.pages[i].ID]
			if t == nil {
				continue
			}
			f := &fate{Set: set, Page: t.ID, Wrong: []int{}, Lost: []int{}}
			var m *watch.Memory
			_, err := a.versions(ctx, &a.pages[i], func(v *plat.Version, l *plat.Layout, n int) error {
				return f.version(&m, t.titles(n), v, l, n)
			})
			if err != nil {
				return err
			}
			if f.Versions > 0 {
				all = append(all, f)
			}
		}
		a.store.Close()
	}
	if o.json {
		return printJSON(all)
	}
	return printFates(all)
}

// version examines one version of the page.
func (f *fate) version(m **watch.Memory, titles []string, v *plat.Version, l *plat.Layout, n int) error {
	page := asWords(watch.Text(v.Blocks))
	there := 0
	for _, t := range titles {
		if strings.Contains(page, t) {
			there++
		}
	}
	if *m == nil {
		if there < 2 {
			return nil
		}
		if f.Lineage = smallest(v.Blocks, titles, there); f.Lineage == 0 {
			return nil
		}
		*m = watch.New()
	} else if there > 0 {
		f.Versions++
	}
	r, err := (*m).Look(&watch.Page{URL: v.URL, Layout: l, Blocks: v.Blocks}, watch.Options{Blocks: []int32{f.Lineage}})
	if err != nil || f.Versions == 0 || there == 0 {
		return err
	}
	var part []plat.Block
	for _, i := range r.Leaves {
		part = append(part, v.Blocks[i])
	}
	text := asWords(watch.Text(part))
	held := 0
	for _, t := range titles {
		if strings.Contains(text, t) {
			held++
		}
	}
	switch {
	case len(r.Leaves) == 0:
		f.Lost = append(f.Lost, n)
	case 5*held < 4*there:
		f.Wrong = append(f.Wrong, n)
	default:
		f.Followed++
		f.Part = max(f.Part, 100*len(text)/len(page))
	}
	return nil
}

// smallest is the lineage of the smallest block with at least nine tenths of the items.
func smallest(blocks []plat.Block, titles []string, there int) int32 {
	lineage, size := int32(0), 0
	for i := range blocks {
		var in []plat.Block
		for k := range blocks {
			up := int32(k)
			for up > int32(i) {
				up = blocks[up].Parent
			}
			if up == int32(i) && blocks[k].Leaf() {
				in = append(in, blocks[k])
			}
		}
		text := asWords(watch.Text(in))
		held := 0
		for _, t := range titles {
			if strings.Contains(text, t) {
				held++
			}
		}
		if 10*held >= 9*there && (lineage == 0 || len(text) <= size) {
			lineage, size = blocks[i].Lineage, len(text)
		}
	}
	return lineage
}

func printFates(all []*fate) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tpage\tblock\tlater versions\tfollowed\twrong\tlost\tpart of the page, at most\t")
	versions, followed := 0, 0
	for _, f := range all {
		fmt.Fprintf(w, "%s\t%s\t#%d\t%d\t%d\t%d\t%d\t%d %%\t\n", f.Set, f.Page, f.Lineage, f.Versions, f.Followed, len(f.Wrong), len(f.Lost), f.Part)
		versions += f.Versions
		followed += f.Followed
	}
	fmt.Fprintf(w, "\tall\t\t%d\t%d\t\t\t\t\n", versions, followed)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, f := range all {
		if len(f.Wrong)+len(f.Lost) > 0 {
			fmt.Printf("%s %s: wrong in versions %v, lost in %v\n", f.Set, f.Page, f.Wrong, f.Lost)
		}
	}
	return nil
}
