// Package archived makes traces for package simulate from an archive: the changes of its pages,
// block by block.
//
// A page counts as changed at the time of the visit that found the change: an archive has no
// better time. So a trace lacks content that came and went between two visits, and policies are
// compared at fewer visits than the archive has made.
package archived

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"net/url"
	"slices"
	"time"

	"plat/plat"
	"plat/queue/schedule"
	"plat/queue/simulate"
	"plat/storage/history"
)

// Archive is the part of a store that is read.
type Archive interface {
	States(ctx context.Context, prefix, after string) iter.Seq2[plat.URLState, error]
	Visits(ctx context.Context, url string, limit int) iter.Seq2[plat.Visit, error]
	Version(ctx context.Context, url string, n int) (*plat.Version, error)
	Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error]
	Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	Layout(ctx context.Context, h plat.Hash) (plat.Layout, error)
	Manifest(ctx context.Context, h plat.Hash) (plat.Manifest, error)
}

// Options control how an archive becomes traces.
type Options struct {
	Store    string       // name of the archive
	BySite   bool         // a trace of each host, else one: each trace has its own budget of visits
	MinPages int          // traces of fewer are left out
	Progress func(string) // receives a line about the state of the reading; it may be nil
}

// Load returns the traces of files and folders or, without paths, those of the archive that open
// passes to read.
func Load(ctx context.Context, paths []string, o Options, open func(read func(a Archive) error) error) (all []*simulate.Trace, err error) {
	if len(paths) == 0 {
		err = open(func(a Archive) (err error) {
			all, err = Traces(ctx, a, o)
			return err
		})
		return all, err
	}
	return simulate.Load(paths, o.MinPages)
}

// Traces returns the traces of an archive. Pages without versions, and pages archived under a
// different URL, are left out. If no page is left, it returns an error.
func Traces(ctx context.Context, a Archive, o Options) ([]*simulate.Trace, error) {
	traces := map[string]*simulate.Trace{}
	pages := 0
	for s, err := range a.States(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if s.Head == 0 || s.Main != "" {
			continue
		}
		p, err := page(ctx, a, s.URL)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.URL, err)
		}
		of := o.Store
		if u, err := url.Parse(s.URL); o.BySite && err == nil {
			of = u.Host
		}
		t := traces[of]
		if t == nil {
			t = &simulate.Trace{Name: of, From: math.Inf(1), To: math.Inf(-1)}
			traces[of] = t
		}
		p.Until = max(days(s.Last), p.Changes[len(p.Changes)-1].At)
		t.Pages = append(t.Pages, p)
		t.From, t.To = min(t.From, p.Changes[0].At), max(t.To, p.Until)
		if pages++; o.Progress != nil {
			o.Progress(fmt.Sprintf("reading the archive: page %d", pages))
		}
	}
	if o.Progress != nil {
		o.Progress("")
	}
	var all []*simulate.Trace
	for _, t := range traces {
		if t.From < t.To && len(t.Pages) >= o.MinPages { // else its pages were visited once
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("cannot simulate %s: no page was visited twice; visit them again, or name files of traces", o.Store)
	}
	slices.SortFunc(all, func(x, y *simulate.Trace) int { return cmp.Compare(x.Name, y.Name) })
	return all, nil
}

func days(t time.Time) float64 { return float64(t.UnixMilli()) / 86400e3 }

// page returns the changes of a page: its versions, and its absences between them.
func page(ctx context.Context, a Archive, url string) (simulate.Page, error) {
	p := simulate.Page{Name: url}
	all, err := versions(ctx, a, url)
	if err != nil {
		return p, err
	}
	type seen struct {
		at time.Time
		n  int // version, 0: it was gone
	}
	oldest := all[0].n // older ones may have been forgotten
	var looks []seen
	for i := range all {
		looks = append(looks, seen{all[i].taken, all[i].n})
	}
	for v, err := range a.Visits(ctx, url, 0) {
		if err != nil {
			return p, err
		}
		if found := v.Version >= oldest && v.Version < oldest+len(all) && v.Time.After(all[v.Version-oldest].taken); found || v.Outcome == plat.OutcomeGone {
			looks = append(looks, seen{v.Time, v.Version})
		}
	}
	slices.SortStableFunc(looks, func(x, y seen) int { return x.at.Compare(y.at) })
	last := -1
	for _, l := range looks {
		if l.n == last || last < 0 && l.n == 0 {
			continue // also before it came to be
		}
		c := simulate.Change{At: days(l.at)}
		if l.n > 0 {
			c.State, c.Blocks = all[l.n-oldest].state, all[l.n-oldest].blocks
		}
		p.Changes, last = append(p.Changes, c), l.n
	}
	return p, nil
}

// version is a version of a page as the trace records it.
type version struct {
	n      int
	taken  time.Time
	state  uint64
	blocks []simulate.Block
}

// versions reads the versions of a page. The state of a block is its content at its last change
// that a reader would notice: changed words that are neither tokens nor self-changes. Style and
// position do not count.
func versions(ctx context.Context, a Archive, url string) (all []version, err error) {
	var last *plat.Version
	var states []uint64 // of its blocks
	for v, err := range a.Trees(ctx, url, 1, math.MaxInt) {
		if err != nil {
			return nil, err
		}
		if err := history.LoadAll(ctx, a, v.Blocks); err != nil {
			return nil, err
		}
		now := make([]uint64, len(v.Blocks))
		for i := range v.Blocks {
			now[i] = number(v.Blocks[i].Hash)
		}
		if last != nil {
			if err := keep(ctx, a, last, v, states, now); err != nil {
				return nil, err
			}
		}
		x := version{n: v.N, taken: v.Taken, state: number(v.Layout)}
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Leaf() {
				x.state = 31*x.state + number(b.Hash)
				x.blocks = append(x.blocks, simulate.Block{Lineage: b.Lineage, State: now[i], Weight: schedule.Weight(b)})
			}
		}
		all, last, states = append(all, x), v, now
	}
	return all, nil
}

// keep sets the states of those blocks to that of the version before that read as they did.
func keep(ctx context.Context, a Archive, old, v *plat.Version, states, now []uint64) error {
	c, err := history.Compare(ctx, a, old, v)
	if err != nil {
		return err
	}
	other := map[int32]bool{}
	for i := range c.Blocks {
		ch := &c.Blocks[i]
		other[ch.New] = ch.Kind == plat.Content && !c.Suppressed(ch)
	}
	for i, k := range c.Result.Old {
		if k >= 0 && !other[int32(i)] {
			now[i] = states[k]
		}
	}
	return nil
}

func number(h plat.Hash) uint64 { return binary.BigEndian.Uint64(h[:]) }
