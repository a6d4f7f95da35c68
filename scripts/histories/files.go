package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	archived "plat/storage/history"
)

// otherFiles checks the changes of kind image: if one page of a site reports that a file has changed,
// it must have changed for every page of that site that uses it, from the same bytes to
// the same bytes at the same time, and no file returns to earlier bytes.
type otherFiles struct {
	Versions int      `json:"versions"` // with a change of that kind
	Only     int      `json:"only"`     // and no other change
	Named    int      `json:"named"`    // it names files with other bytes, or attributes
	Files    int      `json:"files"`    // of all sites
	Wrong    []string `json:"wrong,omitempty"`

	all []fileChange
}

// A fileChange is a change of a file that one version reports.
type fileChange struct {
	file     string // site and URL
	taken    time.Time
	old, new string // hashes
}

// ofVersion counts a version.
func (f *otherFiles) ofVersion(ctx context.Context, b *bench, v *plat.Version) error {
	if v.Changes[plat.Image] == 0 {
		return nil
	}
	c, err := archived.Between(ctx, b.store, v.URL, v.Previous(), v.N)
	if err != nil {
		return err
	}
	d := c.Info()
	named := len(d.Files) > 0
	for i := range d.Changes {
		named = named || d.Changes[i].Kind == plat.Image && len(d.Changes[i].Attributes) > 0
	}
	f.Versions++
	if len(v.Changes) == 1 {
		f.Only++
	}
	if named {
		f.Named++
	} else {
		f.Wrong = append(f.Wrong, fmt.Sprintf("%s@%d names no file", v.URL, v.N))
	}
	for _, x := range d.Files {
		f.all = append(f.all, fileChange{storage.Host(v.URL) + " " + x.URL, v.Taken, x.Old, x.New})
	}
	return nil
}

// judge compares the reports of all versions.
func (f *otherFiles) judge() {
	slices.SortStableFunc(f.all, func(a, b fileChange) int { return cmp.Or(strings.Compare(a.file, b.file), a.taken.Compare(b.taken)) })
	had := map[string]bool{} // bytes that the file had, and has no more
	for i, x := range f.all {
		at := fmt.Sprintf("%s at %s", x.file, x.taken.Format(time.RFC3339))
		switch {
		case i == 0 || f.all[i-1].file != x.file:
			f.Files++
			clear(had)
		case f.all[i-1].taken.Equal(x.taken):
			if f.all[i-1] != x {
				f.Wrong = append(f.Wrong, at+": two pages say different things of it")
			}
			continue
		}
		if had[x.new] {
			f.Wrong = append(f.Wrong, at+": it has the bytes again that it had")
		}
		had[x.old] = true
	}
}

func (f *otherFiles) String() string {
	return fmt.Sprintf("%d versions have other images or style sheets, %d of them no other change; %d name what is another: %d files, %d of which may be wrong", f.Versions, f.Only, f.Named, f.Files, len(f.Wrong))
}
