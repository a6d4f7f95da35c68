package listing

import (
	"fmt"
	"strings"

	"plat/cmd/plat/term"
	"plat/plat"
	"plat/storage/history"
)

// Versions is a table of the versions of a URL.
type Versions struct{ t term.Table }

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
	if held := Kinds(plat.HeldBack(v.ByItself)); held != "" {
		what = strings.TrimPrefix(what+"; by itself: "+held, "; ")
	}
	l.t.Row(term.Number(fmt.Sprint(v.N)), term.Text(term.Clock(v.Taken)), term.Number(term.Count(int64(history.Leaves(v)))), term.Number(term.Size(v.Capture.PageBytes)),
		term.Number(fmt.Sprint(v.Capture.Status)), term.Text(what))
}

// Print prints the table.
func (l *Versions) Print(s *term.Screen) { l.t.Print(s) }
