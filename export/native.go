package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plat/plat"
	"plat/segment/markup"
	"plat/storage/tree"
)

// VersionField is the field of each record of a version, with its number.
const VersionField = "Plat-Version"

// versionFormat is the format of version records. A plat refuses later ones.
const versionFormat = 1

// A VersionRecord is a version as the archive has it, in the record [VersionURN]: all that is not in the page as captured,
// in the picture and in the files.
type VersionRecord struct {
	Format    int       `json:"format"`
	URL       string    `json:"url"`
	N         int       `json:"version"`
	Taken     time.Time `json:"taken"`
	Page      plat.Hash `json:"page"`                // of the page as captured, by which it is found
	Tree      []byte    `json:"tree"`                // see package tree; without a previous version
	Slots     []int32   `json:"slots"`               // of the layout
	Contents  []int32   `json:"contents"`            // bytes of each leaf's content, in the order of the tree
	Resources []byte    `json:"resources,omitempty"` // the manifest; see plat.Manifest.Marshal
}

// newVersionRecord returns the record of a version, whose contents are loaded.
func newVersionRecord(v *plat.Version, slots []int32, m plat.Manifest, page []byte) *VersionRecord {
	r := &VersionRecord{
		Format: versionFormat, URL: v.URL, N: v.N, Taken: v.Taken, Page: plat.HashOf(page), Slots: slots, Contents: []int32{},
		Tree: tree.Encode(&tree.Tree{Version: *v, Since: make([]int32, len(v.Blocks))}, nil), Resources: m.Marshal(),
	}
	if r.Slots == nil {
		r.Slots = []int32{}
	}
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			r.Contents = append(r.Contents, int32(len(v.Blocks[i].Content)))
		}
	}
	return r
}

// ReadVersion decodes a version record.
func ReadVersion(data []byte) (*VersionRecord, error) {
	r := &VersionRecord{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("version record: %w", err)
	}
	if r.Format != versionFormat {
		return nil, fmt.Errorf("version record: the format is %d, this plat reads %d; use a newer plat", r.Format, versionFormat)
	}
	return r, nil
}

// Version returns the version and its layout, given the page as captured. Its leaves have their contents and texts. The
// error is plat.ErrCorrupt if the page is not that of the record, or does not have the layout and the blocks.
func (r *VersionRecord) Version(page []byte) (*plat.Version, plat.Layout, plat.Manifest, error) {
	fail := func(err error) (*plat.Version, plat.Layout, plat.Manifest, error) {
		return nil, plat.Layout{}, nil, fmt.Errorf("version %d of %s: %w", r.N, r.URL, err)
	}
	if plat.HashOf(page) != r.Page {
		return fail(fmt.Errorf("the page is a different one: %w", plat.ErrCorrupt))
	}
	m, err := plat.UnmarshalManifest(r.Resources)
	if err != nil {
		return fail(err)
	}
	t, err := tree.Decode(r.Tree, r.URL, r.N, nil)
	if err != nil {
		return fail(err)
	}
	v := &t.Version
	v.Taken = r.Taken.UTC()
	l, err := r.split(page, v.Blocks)
	if err != nil {
		return fail(err)
	}
	if l.Sum() != v.Layout || m.Sum() != v.Resources {
		return fail(fmt.Errorf("the layout or the list of files is a different one: %w", plat.ErrCorrupt))
	}
	return v, l, m, nil
}

// split takes the contents of leaves out of a page, and returns the layout that is left: the reverse of [markup.Restore].
func (r *VersionRecord) split(page []byte, blocks []plat.Block) (plat.Layout, error) {
	bad := fmt.Errorf("the page does not have the blocks: %w", plat.ErrCorrupt)
	l := plat.Layout{Slots: r.Slots}
	rest, from, slot, leaf := page, int32(0), int32(-1), 0
	take := func(n int) ([]byte, bool) {
		if n < 0 || n > len(rest) {
			return nil, false
		}
		part := rest[:n:n]
		rest = rest[n:]
		return part, true
	}
	for i := range blocks {
		b := &blocks[i]
		if !b.Leaf() {
			continue
		}
		if leaf == len(r.Contents) {
			return l, bad
		}
		if b.Slot != slot {
			if b.Slot != slot+1 || int(b.Slot) >= len(r.Slots) {
				return l, bad
			}
			slot = b.Slot
			part, ok := take(int(r.Slots[slot]) - int(from))
			if !ok {
				return l, bad
			}
			l.HTML, from = append(l.HTML, part...), r.Slots[slot]
		}
		lead, ok := take(len(b.Lead))
		if !ok || string(lead) != b.Lead {
			return l, bad
		}
		if b.Content, ok = take(int(r.Contents[leaf])); !ok || plat.HashOf(b.Content) != b.Hash {
			return l, bad
		}
		if b.Content == nil {
			b.Content = []byte{}
		}
		b.Text = markup.Text(b.Content, b.Hidden)
		leaf++
	}
	if leaf != len(r.Contents) || int(slot) != len(r.Slots)-1 {
		return l, bad
	}
	l.HTML = append(l.HTML, rest...)
	if again, err := markup.Restore(&l, blocks); err != nil || !bytes.Equal(again, page) {
		return l, errors.Join(bad, err)
	}
	return l, nil
}
