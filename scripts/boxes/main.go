// Boxes compares the layout of real pages in two versions of plat: pages of the
// benchmark kit and of the segmentation data. Each page is rendered by plat
// snapshot save, in a browser of its own, and the boxes of its nodes are
// compared, rounded to 0.01 px.
//
//	scripts/bench boxes -before COMMIT          compare with that commit, rendered twice
//	scripts/bench boxes -save FILE              save the current boxes
//	scripts/bench boxes -against FILE[,FILE]    compare with saved ones
//	scripts/bench boxes -from FILE -against FILE
//
// With two files, a page that matches either is equal: some pages render in two
// ways, and the difference between the files shows which.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"plat/fixtures/history"
	"plat/scripts/earlier"
)

type settings struct {
	data, kit, work, bin string
	only                 *regexp.Regexp
	at                   int // pages rendered at once
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("boxes: ")
	var s settings
	dir, _ := history.Dir()
	flag.StringVar(&s.data, "data", dir, "the folder of shared data")
	flag.StringVar(&s.kit, "kit", os.Getenv("KIT"), "the folder of the benchmark kit; default ../shared/bench")
	flag.StringVar(&s.work, "work", ".work", "where the kit's pages and other versions of plat are kept")
	flag.StringVar(&s.bin, "plat", "bin/plat", "the command that renders")
	flag.IntVar(&s.at, "at-once", 2, "pages rendered at once")
	only := flag.String("only", "", "only pages that match this `REGEXP`")
	save := flag.String("save", "", "keep the boxes in `FILE`")
	from := flag.String("from", "", "take the boxes from `FILE` and render nothing")
	against := flag.String("against", "", "compare with the boxes kept in `FILE[,FILE]`")
	before := flag.String("before", "", "compare with the boxes that plat of this `COMMIT` sees, rendered twice")
	flag.Parse()
	if s.kit == "" {
		s.kit = filepath.Join("..", "shared", "bench")
	}
	var err error
	if s.only, err = regexp.Compile(*only); err != nil {
		log.Fatal(err)
	}
	if flag.NArg() > 0 || *save == "" && *against == "" && *before == "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var files []string
	if *against != "" {
		files = strings.Split(*against, ",")
	}
	if *before != "" {
		kept, err := s.before(ctx, *before)
		if err != nil {
			log.Fatal(err)
		}
		files = append(files, kept...)
	}
	if err := s.run(ctx, *from, *save, files); err != nil {
		log.Fatal(err)
	}
}

func (s *settings) run(ctx context.Context, from, save string, files []string) error {
	var now shelf
	var err error
	if from != "" {
		now, err = load(from)
	} else {
		now, err = s.render(ctx, s.bin)
	}
	if err != nil {
		return err
	}
	if save != "" {
		if err := now.save(save); err != nil {
			return err
		}
	}
	var kept []shelf
	for _, file := range files {
		k, err := load(file)
		if err != nil {
			return err
		}
		kept = append(kept, k)
	}
	if len(kept) > 1 {
		fmt.Printf("%s against %s:\n", files[1], files[0])
		report(compare(kept[1], kept[:1], s.only))
	}
	if len(kept) > 0 {
		fmt.Printf("%s against %s:\n", cmp.Or(from, "now"), strings.Join(files, " and "))
		report(compare(now, kept, s.only))
	}
	return nil
}

// before builds plat as of a commit, renders all pages twice with it, and
// returns the files with the boxes. Existing files are reused.
func (s *settings) before(ctx context.Context, commit string) ([]string, error) {
	dir, bin, err := earlier.Plat(ctx, filepath.Join(s.work, "boxes"), commit)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range []string{"1.jsonl", "2.jsonl"} {
		file := filepath.Join(dir, name)
		files = append(files, file)
		if _, err := os.Stat(file); err == nil {
			continue
		}
		boxes, err := (&settings{data: s.data, kit: s.kit, work: s.work, at: s.at, only: regexp.MustCompile("")}).render(ctx, bin)
		if err != nil {
			return nil, err
		}
		if err := boxes.save(file); err != nil {
			return nil, err
		}
	}
	return files, nil
}
