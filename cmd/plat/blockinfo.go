package main

import (
	"context"
	"fmt"

	"plat"
	"plat/storage"
	"plat/workers"
)

// box is a rectangle in JSON, CSS px.
type box struct {
	X float32 `json:"x"`
	Y float32 `json:"y"`
	W float32 `json:"w"`
	H float32 `json:"h"`
}

func boxOf(r plat.Rect) box { return box{r.X, r.Y, r.W, r.H} }

// blockInfo is a block in JSON.
type blockInfo struct {
	Level      int32      `json:"level"`
	Path       []int32    `json:"path"`
	Run        int32      `json:"run"`
	Rule       plat.Rule  `json:"rule"`
	Tag        string     `json:"tag"`
	Box        box        `json:"box"`
	Leaf       bool       `json:"leaf"`
	Hash       string     `json:"hash,omitempty"`
	Lineage    int32      `json:"lineage"`
	Label      plat.Label `json:"label"`
	Confidence float32    `json:"confidence"`
	Because    string     `json:"because"`
	Topic      string     `json:"topic"`
	Chars      int32      `json:"chars"`
	LinkShare  float32    `json:"link_share"`
	ImageShare float32    `json:"image_share"`
	Background string     `json:"background,omitempty"`
	Color      string     `json:"color,omitempty"`
	FontSize   float32    `json:"font_size,omitempty"`
	Bytes      *int       `json:"bytes,omitempty"` // of the content, where it was loaded
	Text       *string    `json:"text,omitempty"`
}

func infoOf(b *plat.Block) blockInfo {
	info := blockInfo{
		Level: b.Level, Path: b.Path, Run: b.Run, Rule: b.Rule, Tag: b.Tag, Box: boxOf(b.Box),
		Leaf: b.Leaf(), Lineage: b.Lineage, Label: b.Label, Confidence: b.Confidence, Because: b.Because, Topic: b.Topic,
		Chars: b.TextLen, LinkShare: b.LinkShare, ImageShare: b.ImageShare, FontSize: b.FontSize,
	}
	if info.Path == nil {
		info.Path = []int32{}
	}
	if b.Leaf() {
		info.Hash, info.Background, info.Color = b.Hash.String(), b.Background.String(), b.Color.String()
	}
	if b.Content != nil {
		n := len(b.Content)
		info.Bytes = &n
	}
	return info
}

// ruleName is how a rule is named where there is no room to quote it: plain
// numbers are those of the paper's section 2.1.
func ruleName(r plat.Rule) string {
	switch r {
	case plat.RuleRoot:
		return "the page"
	case plat.RuleGather:
		return "gathered"
	case plat.RuleSeparator:
		return "separator"
	case plat.RuleOverlay:
		return "overlay"
	}
	return fmt.Sprintf("rule %d", r)
}

// load returns a version with the contents of all of its leaves, or of those
// whose hashes pick returns.
func load(ctx context.Context, s storage.Store, url string, n int, pick func(*plat.Version) []plat.Hash) (*plat.Version, error) {
	v, err := s.Version(ctx, url, n)
	if err != nil {
		return nil, missing(ctx, s, ref{url: url, n: n}, err)
	}
	hashes := allHashes(v)
	if pick != nil {
		hashes = pick(v)
	}
	if err := workers.Load(ctx, s, v.Blocks, hashes); err != nil {
		return nil, about(ref{url: url, n: v.N}.String(), err)
	}
	return v, nil
}

func allHashes(v *plat.Version) []plat.Hash {
	var hashes []plat.Hash
	seen := map[plat.Hash]bool{}
	for i := range v.Blocks {
		if b := &v.Blocks[i]; b.Leaf() && !seen[b.Hash] {
			seen[b.Hash] = true
			hashes = append(hashes, b.Hash)
		}
	}
	return hashes
}

func leaves(v *plat.Version) int {
	n := 0
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			n++
		}
	}
	return n
}

// changesOf is v.Changes, never nil.
func changesOf(v *plat.Version) map[plat.Kind]int {
	if v.Changes == nil {
		return map[plat.Kind]int{}
	}
	return v.Changes
}
