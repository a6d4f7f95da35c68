package output

import (
	"fmt"
	"strings"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage/history"
)

// Versions is a table of the versions of a URL.
type Versions struct{ t terminal.Table }

// NewVersions returns a table without versions.
func NewVersions() *Versions {
	v := &Versions{}
	v.t.Head(">n", "taken (UTC)", ">blocks", ">bytes", ">status", "changes")
	return v
}

// Add adds a version with its block tree.
func (l *Versions) Add(v *plat.Version) {
	what := Kinds(v.Changes)
	switch {
	case v.N == 1:
		what = "first version"
	case v.Previous() == 0:
		what = "oldest version kept"
	}
	if held := Kinds(plat.SuppressedKinds(v.SelfChanges)); held != "" {
		what = strings.TrimPrefix(what+"; by itself: "+held, "; ")
	}
	if s := v.Seems(); s != "" {
		what = strings.TrimPrefix(what+"; "+Seems(s), "; ")
	}
	l.t.Row(terminal.Number(fmt.Sprint(v.N)), terminal.Text(terminal.Clock(v.Taken)), terminal.Number(terminal.Count(int64(history.Leaves(v)))), terminal.Number(terminal.Size(v.Capture.PageBytes)),
		terminal.Number(fmt.Sprint(v.Capture.Status)), terminal.Text(what))
}

// Print prints the table.
func (l *Versions) Print(s *terminal.Screen) {
	if l.t.Len() == 1 {
		s.Print("no results")
		return
	}
	l.t.Print(s)
}
