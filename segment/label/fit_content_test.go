package label

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"plat/fixtures/content"
	"plat/fixtures/landmarks"
	"plat/fixtures/truth"
	"plat/plat"
	"plat/segment"
)

// foretold returns what a model of texts says of the nodes of a page that it has not seen.
func foretold(t *testing.T, s *plat.Snapshot, set, page string) []float32 {
	t.Helper()
	if set == amongOthers {
		set = "documents"
	}
	if slices.Contains(landmarks.Variants, set) {
		set, page = "landmarks", set+"/"+page
	}
	raw, err := os.ReadFile(filepath.Join(*fitSaid, set, page+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var passages []struct {
		First, Last int32
		Main        float32
	}
	if err := json.Unmarshal(raw, &passages); err != nil {
		t.Fatal(err)
	}
	main := make([]float32, len(s.Nodes))
	for _, p := range passages {
		for n := p.First; n <= p.Last; n++ {
			main[n] = p.Main
		}
	}
	return main
}

// contentLeaves returns the leaves of pages whose texts are marked. The marks identify only content and comments.
func contentLeaves(t *testing.T, d *Describer) (all []leaf) {
	pages, err := content.Read(filepath.Join(*fitData, "content"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if p.Text == nil || p.Doubt != nil || leftOut(cmp.Or(p.Site, p.ID)) {
			continue
		}
		if _, err := os.Stat(filepath.Join(*fitSaid, "content", p.ID+".json")); err != nil {
			continue // it does not render without its host
		}
		s, err := p.Snapshot(filepath.Join(*fitSnaps, "content"))
		if err != nil {
			t.Fatal(err)
		}
		of, _ := p.On(s, func(n int32) bool { return s.Nodes[n].HasBox && !s.Nodes[n].Box.Empty() })
		own, sum := d.leavesOf(t, s, nil, segment.DefaultLevel, "content", p.ID, truth.Fold(cmp.Or(p.Site, p.ID), folds), func(n int32) (part, bool) {
			w := of[n]
			switch main, noise := w[content.Main]+w[content.Comment], w[content.Noise]; {
			case main+noise == 0:
				return 0, false
			case main >= noise:
				return partMain, true
			}
			return partNavigation, true
		})
		if len(own) > manyLeaves {
			continue
		}
		for i := range own {
			l := &own[i]
			l.told = marksComments[p.Source]
			for n := l.span.First; n < l.span.End; n++ {
				l.talk += float64(of[n][content.Comment])
				if l.told || p.Source == "wcxb" && p.Kind != "forum" {
					l.rest += float64(of[n][content.Main])
				}
				if l.told {
					l.rest += float64(of[n][content.Noise])
				}
			}
			l.NotFirst, l.Y[partNavigation] = l.Y[partNavigation]*weightOfContent, 0
			l.Y[partMain] *= weightOfContent
			if controls(&l.facts) > someControls {
				l.NotFirst, l.Y[partMain] = 0, 0
			}
			for k := range l.chars {
				l.chars[k] /= sum
			}
		}
		all = append(all, own...)
	}
	return all
}

// marksComments are the sources that mark comments. The others call them main text or noise; only the main text of wcxb
// has none, but for that of forums.
var marksComments = map[string]bool{"dragnet": true, "l3s-gn1": true}

// someControls are so many that a block is a form, which the marks call noise wherever it is.
const someControls = .3

// weightOfContent makes up for its pages being many.
const weightOfContent = .25
