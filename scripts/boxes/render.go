package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"plat/browser/snapshotfile"
	"plat/plat"
)

// A layout is the saved data of a page: its nodes with a box, in document
// order.
type layout struct {
	Page   string       `json:"page"`
	Error  string       `json:"error,omitempty"`
	Index  []int        `json:"index"`  // of the node in the snapshot
	Name   []string     `json:"name"`   // tag, or "#text" and the like
	Parent []int        `json:"parent"` // the nearest ancestor with a box, as an index into these lists; -1 if absent
	Box    [][4]float64 `json:"box"`    // x, y, width, height in CSS px
}

// layoutOf extracts the layout of a snapshot.
func layoutOf(name string, s *plat.Snapshot) layout {
	l := layout{Page: name}
	place := make([]int, len(s.Nodes)) // of a node or its nearest ancestor in l
	for i := range s.Nodes {
		n := &s.Nodes[i]
		up := -1
		if n.Parent >= 0 {
			up = place[n.Parent]
		}
		if place[i] = up; !n.HasBox {
			continue
		}
		place[i] = len(l.Index)
		l.Index = append(l.Index, i)
		l.Name = append(l.Name, nameOf(n))
		l.Parent = append(l.Parent, up)
		l.Box = append(l.Box, [4]float64{round(n.Box.X), round(n.Box.Y), round(n.Box.W), round(n.Box.H)})
	}
	return l
}

func round(v float32) float64 { return math.Round(float64(v)*100) / 100 }

func nameOf(n *plat.Node) string {
	switch n.Kind {
	case plat.ElementNode:
		return n.Name
	case plat.TextNode:
		return "#text"
	case plat.DocumentNode:
		return "#document"
	}
	return fmt.Sprintf("#%d", n.Kind)
}

// path returns the path of node i, as "html/body/div[2]/#text".
func (l *layout) path(i int) string {
	var steps []string
	for ; i >= 0; i = l.Parent[i] {
		rank := 1
		for j := range i {
			if l.Parent[j] == l.Parent[i] && l.Name[j] == l.Name[i] {
				rank++
			}
		}
		step := l.Name[i]
		if rank > 1 {
			step += fmt.Sprintf("[%d]", rank)
		}
		if step != "#document" || l.Parent[i] >= 0 {
			steps = append([]string{step}, steps...)
		}
	}
	return strings.Join(steps, "/")
}

// shelf holds layouts by page.
type shelf map[string]layout

// render renders all pages with a plat command. It retries a failed page once.
func (s *settings) render(ctx context.Context, bin string) (shelf, error) {
	pages, stop, err := s.pages(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	dir, err := os.MkdirTemp("", "plat-boxes-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var mu sync.Mutex
	all := shelf{}
	todo := make(chan page)
	var work sync.WaitGroup
	for i := range s.at {
		file := filepath.Join(dir, fmt.Sprintf("%d.snapshot", i))
		work.Go(func() {
			for p := range todo {
				snap, err := shoot(ctx, bin, p, file)
				if err != nil {
					snap, err = shoot(ctx, bin, p, file)
				}
				l := layout{Page: p.name}
				if err != nil {
					l.Error = err.Error()
				} else {
					l = layoutOf(p.name, snap)
				}
				mu.Lock()
				all[p.name] = l
				if len(all)%50 == 0 || len(all) == len(pages) {
					fmt.Fprintf(os.Stderr, "%d of %d pages rendered by %s\n", len(all), len(pages), bin)
				}
				mu.Unlock()
			}
		})
	}
	for _, p := range pages {
		if ctx.Err() != nil {
			break
		}
		todo <- p
	}
	close(todo)
	work.Wait()
	return all, ctx.Err()
}

// shoot renders one page into file and reads it.
func shoot(ctx context.Context, bin string, p page, file string) (*plat.Snapshot, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, "snapshot", "save", p.url, "-o", file, "--json", "--log-level", "error",
		"--allow-private", "127.0.0.0/8", "--no-dns", "--width", strconv.Itoa(p.width), "--height", strconv.Itoa(p.height))
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return snapshotfile.Read(bufio.NewReader(f))
}

// save writes one line of JSON for each page.
func (s shelf) save(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	out := json.NewEncoder(w)
	for _, name := range names(s) {
		if err == nil {
			err = out.Encode(s[name])
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func load(file string) (shelf, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := shelf{}
	d := json.NewDecoder(bufio.NewReader(f))
	for d.More() {
		var l layout
		if err := d.Decode(&l); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s[l.Page] = l
	}
	return s, nil
}
