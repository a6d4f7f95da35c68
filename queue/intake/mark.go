package intake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"plat/plat"
)

// A mark is the note of a list: its progress.
type mark struct {
	Settings string    `json:"settings,omitempty"` // hash of List.Settings
	Begun    time.Time `json:"begun"`
	Lines    int64     `json:"lines"`
	Bytes    int64     `json:"bytes"`
	Refused  int64     `json:"refused,omitzero"` // of the lines
	Sum      string    `json:"sum,omitempty"`    // SHA-256 of these bytes, hex; empty if the list was not a file
	Done     bool      `json:"done,omitzero"`
}

const (
	listPrefix = "list/"
	headBytes  = 64 << 10 // a list is identified by its beginning
	maxMarks   = 100      // of complete lists
)

// marks reads the notes of all lists, by name. The oldest notes of complete lists are removed if
// there are many.
func (t *taking) marks(ctx context.Context) (map[string]mark, error) {
	notes, err := t.s.Notes(ctx, listPrefix)
	if err != nil {
		return nil, err
	}
	all := map[string]mark{}
	var done []string
	for name, text := range notes {
		var m mark
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return nil, fmt.Errorf("the note %s of the archive: %v: %w", name, err, plat.ErrCorrupt)
		}
		if all[name] = m; m.Done {
			done = append(done, name)
		}
	}
	slices.SortFunc(done, func(a, b string) int { return cmp.Or(all[b].Begun.Compare(all[a].Begun), strings.Compare(a, b)) })
	for _, name := range done[min(len(done), maxMarks):] {
		if err := t.s.SetNote(ctx, name, ""); err != nil {
			return nil, err
		}
		delete(all, name)
	}
	return all, nil
}

// named returns the name of the note of a list with this beginning.
func (l *List) named(head []byte) string {
	return listPrefix + sumOf(append(head[:len(head):len(head)], l.Settings...))
}

// settings returns the hash of Settings.
func (l *List) settings() string { return sumOf([]byte(l.Settings)) }

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// continued finds the mark that was made of the beginning of a file, of several the farthest: the
// file is that list, and may have grown since. Empty if there is no such mark.
func (t *taking) continued(all map[string]mark) (name string, err error) {
	names := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(name string) bool {
		m := all[name]
		return m.Sum == "" || m.Bytes == 0 || m.Settings != t.settings()
	})
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(all[a].Bytes, all[b].Bytes) })
	if _, err := t.file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	sum, at := sha256.New(), int64(0)
	for _, n := range names {
		m := all[n]
		got, err := io.CopyN(sum, t.file, m.Bytes-at)
		if at += got; err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if hex.EncodeToString(sum.Sum(nil)) == m.Sum {
			name = n
		}
	}
	return name, nil
}
