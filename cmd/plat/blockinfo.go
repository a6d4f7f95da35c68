package main

import (
	"context"
	"fmt"

	"plat"
	"plat/history"
	"plat/storage"
)

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
	if err := history.Load(ctx, s, v.Blocks, hashes); err != nil {
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
