package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plat/fixtures/landmarks"
	"plat/plat"
	"plat/segment"
	"plat/segment/label"
)

const (
	againRuns  = 20
	againPages = 20 // spread over the set
)

// again renders pages of many designs repeatedly, with a new browser each time, and compares
// blocks and labels with those of the first time; finally with different fonts.
func (e *eval) again(ctx context.Context) error {
	marked, err := landmarks.Read(e.landmarkDir())
	if err != nil {
		return err
	}
	var names []string
	for i := range againPages {
		names = append(names, "plain/"+marked[i*len(marked)/againPages].ID)
	}
	site, err := e.site("landmarks")
	if err != nil {
		return err
	}
	srv := httptest.NewServer(site)
	defer srv.Close()
	once := func(fonts string) (map[string]*label.Divided, error) {
		pages, todo := make([]page, len(names)), []*page{}
		for i, name := range names {
			pages[i] = page{set: "landmarks", name: name}
			todo = append(todo, &pages[i])
		}
		r := asMeasured
		r.fonts = fonts
		if err := e.renderAll(ctx, srv.URL, r, todo, nil); err != nil {
			return nil, err
		}
		return describe(pages, segment.Params{})
	}
	first, err := once("")
	if err != nil {
		return err
	}
	fmt.Printf("\n%d pages rendered again, in blocks and labels against the first time\n%-12s %10s %14s %13s\n", len(names), "run", "same pages", "same blocks", "same labels")
	report := func(name string, cuts map[string]*label.Divided) {
		var sum agreement
		for _, n := range names {
			sum.add(first[n].Blocks, cuts[n].Blocks)
		}
		fmt.Printf("%-12s %10d %14s %13s\n", name, sum.pages, sum.of(sum.blocks), sum.of(sum.labels))
	}
	for run := 2; run <= againRuns; run++ {
		cuts, err := once("")
		if err != nil {
			return err
		}
		report(fmt.Sprint(run), cuts)
	}
	config, err := otherFonts()
	if err != nil {
		return err
	}
	defer os.RemoveAll(filepath.Dir(config))
	cuts, err := once(config)
	if err != nil {
		return err
	}
	report("other fonts", cuts)
	return nil
}

// agreement counts leaves that two renderings have in common.
type agreement struct{ pages, blocks, labels, all int }

func (a *agreement) of(n int) string { return fmt.Sprintf("%d of %d", n, a.all) }

// add compares the leaves of a page: a block is the same if it has the same nodes, and its
// label the same if its role and its kind of content are.
func (a *agreement) add(old, now []plat.Block) {
	key := func(b *plat.Block) string { return fmt.Sprint(b.Path, b.Run) }
	was := map[string]*plat.Block{}
	leaves := 0
	for i := range old {
		if old[i].Leaf() {
			was[key(&old[i])] = &old[i]
			leaves++
		}
	}
	blocks, labels := 0, 0
	for i := range now {
		b := &now[i]
		if o := was[key(b)]; b.Leaf() && o != nil {
			blocks++
			if o.Role == b.Role && o.Holds == b.Holds && o.Label == b.Label {
				labels++
			}
		}
	}
	a.all, a.blocks, a.labels = a.all+leaves, a.blocks+blocks, a.labels+labels
	if blocks == leaves && labels == leaves {
		a.pages++
	}
}

// otherFonts writes a configuration of fontconfig in which a page finds DejaVu alone.
func otherFonts() (file string, err error) {
	const dejavu = "/usr/share/fonts/truetype/dejavu"
	if _, err := os.Stat(dejavu); err != nil {
		return "", errors.Join(err, errors.New("apt-get install fonts-dejavu-core"))
	}
	dir, err := os.MkdirTemp("", "plat-fonts-")
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "fonts.conf")
	config := strings.Join([]string{`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>`, dejavu, `</dir><cachedir>`, dir, `</cachedir></fontconfig>`}, "")
	return file, os.WriteFile(file, []byte(config), 0o600)
}

// environment is that of a browser that finds its fonts by a configuration, empty for the
// machine's.
func environment(fonts string) []string {
	if fonts == "" {
		return nil
	}
	return append(slices.Clip(os.Environ()), "FONTCONFIG_FILE="+fonts)
}
