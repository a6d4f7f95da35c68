package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"plat/fixtures/landmarks"
	"plat/label"
	"plat/segment"
)

// asMeasured is the rendering in which the regions of landmarks were measured: without
// the flags some lines break elsewhere.
var asMeasured = rendering{set: "landmarks", width: 1280, height: 1024, flags: "--font-render-hinting=none --disable-font-subpixel-positioning"}

func (e *eval) landmarkDir() string { return filepath.Join(e.data, "landmarks") }

// designed returns the rendered pages of many designs.
func (e *eval) designed(ctx context.Context) ([]page, error) {
	marked, err := landmarks.Read(e.landmarkDir())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range landmarks.Variants {
		for _, p := range marked {
			names = append(names, v+"/"+p.ID)
		}
	}
	return e.load(ctx, asMeasured, names)
}

// landmarks evaluates regions and labels on pages of many designs, with and without
// hints in their source.
func (e *eval) landmarks(ctx context.Context) error {
	pages, err := e.designed(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("pages of many designs, each as it is and without hints; fitted to these, -fit says what others reach\n\n")
	file := filepath.Join(e.work, "landmarks.jsonl")
	if err := exportTrees(file, pages); err != nil {
		return err
	}
	args := []string{filepath.Join(e.landmarkDir(), "landeval.py"), "-d", filepath.Join(e.landmarkDir(), landmarks.Truth), file}
	cmd := exec.CommandContext(ctx, "python3", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", cmd.Args, err)
	}
	return nil
}

// leaf is a block as landeval.py reads it.
type leaf struct {
	Index  int    `json:"index"`
	Parent int32  `json:"parent"`
	Level  int32  `json:"level"`
	Leaf   bool   `json:"leaf"`
	Box    rect   `json:"box"`
	Label  string `json:"label,omitempty"`
}

type rect struct {
	X float32 `json:"x"`
	Y float32 `json:"y"`
	W float32 `json:"w"`
	H float32 `json:"h"`
}

// exportTrees writes the block trees of pages as `plat export` does.
func exportTrees(file string, pages []page) error {
	d, err := label.New(label.Options{})
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, p := range pages {
		c, err := segment.Segment(p.snap, segment.Params{})
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := d.Describe(p.snap, &c.Page, c.Spans, c.Visible()); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		var line struct {
			URL  string `json:"url"`
			Tree []leaf `json:"tree"`
		}
		line.URL = "http://landmarks.test/" + p.name + ".html"
		for i := range c.Blocks {
			b := &c.Blocks[i]
			line.Tree = append(line.Tree, leaf{i, b.Parent, b.Level, b.Leaf(), rect{b.Box.X, b.Box.Y, b.Box.W, b.Box.H}, string(b.Label)})
		}
		if err := json.NewEncoder(w).Encode(&line); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
