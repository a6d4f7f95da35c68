// Eval evaluates segmentation, labels and main text against human annotations
// of real pages:
//
//	scripts/eval-segment
//
// It renders the pages of the data (once; the snapshots are kept), cuts them,
// writes the results in the format of the data's own evaluators, and runs
// these. It uses no network.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"plat/fixtures/documents"
	"plat/fixtures/history"
	"plat/fixtures/truth"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("eval: ")
	dir, _ := history.Dir()
	data := flag.String("data", dir, "the folder of shared data")
	split := flag.String("split", "dev", "which half of the data")
	work := flag.String("work", ".work/eval", "where snapshots and predictions are kept; without it all is rendered again")
	only := flag.String("only", "", "measure only this set: webseg, landmarks, maincontent, documents or content; or again, blocks and labels of 20 pages over 20 renderings and with other fonts")
	gallery := flag.String("gallery", "", "write an HTML page with each page's picture and blocks to `DIR`")
	fit := flag.Bool("fit", false, "fit the weights of segmentation and labels, and print how they do on pages they were not fitted to")
	write := flag.Bool("write", false, "with -fit: write the weights into the packages")
	drop := flag.Bool("drop", false, "with -fit: say what each feature of the segmentation is worth")
	estimate := flag.Bool("estimate", false, "fit the models of texts, kinds, roles and comments to half of the sites, evaluate all by the other half, both ways")
	half := flag.Int("half", -1, "predict the pages of this half of the sites, 0 or 1, without evaluating them; -estimate does so")
	into := flag.String("into", "", "where predictions are kept, in `DIR`; empty: as -work")
	flag.Parse()
	if flag.NArg() > 0 || (*write || *drop) && !*fit || *fit && *estimate || !slices.Contains([]string{"", "webseg", "landmarks", "maincontent", "documents", "content", "again"}, *only) {
		log.Fatal("-only is webseg, landmarks, maincontent, documents, content or again, -write and -drop go with -fit, which does without -estimate, and there are no arguments")
	}
	if _, err := os.Stat(*data); *data == "" || err != nil {
		log.Fatalf("no data at %s; set -data or PLAT_DATA to its folder", *data)
	}
	if *gallery != "" && !filepath.IsAbs(*gallery) {
		*gallery = filepath.Join(os.Getenv("EVAL_FROM"), *gallery) // the script has changed the working directory
	}
	e := eval{data: *data, split: *split, work: *work, gallery: *gallery, into: cmp.Or(*into, *work)}
	if *half >= 0 {
		e.in = func(site string) bool { return truth.Fold(site, 2) == *half }
	}
	ctx := context.Background()
	var err error
	switch {
	case *fit:
		err = e.fit(ctx, *write, *drop)
	case *estimate:
		err = e.estimate(ctx)
	case *half >= 0:
		err = e.predict(ctx)
	default:
		err = e.evaluate(ctx, *only)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// evaluate evaluates one set, or all of them.
func (e *eval) evaluate(ctx context.Context, only string) error {
	for _, set := range []struct {
		name    string
		measure func(context.Context) error
	}{{"webseg", e.webseg}, {"landmarks", e.landmarks}, {"maincontent", e.maincontent}, {"documents", e.documents}, {"content", e.content}, {"again", e.again}} {
		if only != "" && only != set.name || only == "" && set.name == "again" {
			continue
		}
		switch err := set.measure(ctx); {
		case err == nil:
		case only == "" && errors.Is(err, documents.ErrNone):
			fmt.Println("not measured:", err)
		default:
			return err
		}
	}
	return nil
}

type eval struct {
	data, split, work, gallery string

	in   func(site string) bool // whether the pages of a site are evaluated; nil: all are
	into string                 // folder of predictions

	left int // pages of the set that the evaluator excludes
}

// truthFile is the file with the annotations of a set.
func (e *eval) truthFile(set string) string {
	return filepath.Join(e.data, set, e.split, "truth.json")
}

func (e *eval) evaluator(name string) string { return filepath.Join(e.data, "eval", name) }

// python runs an evaluator of the data.
func python(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "python3", args...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", cmd.Args, err)
	}
	return nil
}

// exportLines writes a JSON value for each page, a line each.
func exportLines(file string, pages []page, of func(page) any) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, p := range pages {
		if err := json.NewEncoder(w).Encode(of(p)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
