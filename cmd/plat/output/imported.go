package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat/excerpt"
	"plat/workers/batch"
	"plat/workers/importer"
)

// ImportEnd is the result of an import.
type ImportEnd struct {
	importer.Sums
	Totals batch.Totals  // of the captures that were not there before
	There  int           // captures that the archive has already
	Late   int           // captures before the last visit of their URL
	Spent  time.Duration // in all
}

// Reading is "reading: 1,200 records, 12 MB of 40 MB".
func Reading(s importer.Sums) string {
	line := fmt.Sprintf("reading: %s", terminal.Counted(s.Records, "record"))
	if s.Total > 0 {
		line += fmt.Sprintf(", %s of %s", terminal.Size(s.Bytes), terminal.Size(s.Total))
	}
	return line
}

// ImportProgress is "12/100 · 1 failed · 4.2 captures/s · 21s left".
func ImportProgress(e *ImportEnd, spent time.Duration) string {
	p := batch.Progress{Totals: e.Totals, Found: e.Captures, All: true, Spent: spent}
	p.Pages += e.There + e.Late
	return progress(p, "captures")
}

// PrintImported prints a capture that was imported; if quiet, only a failure. An error means that the output is closed.
func PrintImported(out *terminal.Screen, r *importer.Result, quiet, asJSON bool) error {
	switch {
	case quiet && r.Error == "":
	case asJSON:
		out.JSON(r)
	case !r.There && !r.Late:
		out.Print(r.At.Local().Format("2006-01-02 15:04:05") + "  " + Page(out, &r.Page))
	}
	if out.Err() != nil {
		return terminal.ErrOutput
	}
	return nil
}

// Importable prints what is in files.
func Importable(out *terminal.Screen, s importer.Sums, asJSON bool) {
	if asJSON {
		out.JSON(importJSON(&ImportEnd{Sums: s}))
		return
	}
	var t terminal.Table
	t.Head("in the files", ">number", "")
	row := func(name string, n int, note string) {
		t.Row(terminal.Text(name), terminal.Number(terminal.Count(int64(n))), terminal.Text(note).In(terminal.Faint))
	}
	span := ""
	if s.Captures > 0 {
		span = s.First.Local().Format("2006-01-02 15:04:05") + " to " + s.Last.Local().Format("2006-01-02 15:04:05")
	}
	row("records", s.Records, kinds(s.Kinds))
	row("captures of pages", s.Captures, span)
	row("URLs of these", s.URLs, "")
	if s.Versions > 0 {
		row("versions of plat", s.Versions, "stored as they are")
	}
	t.Print(out)
	leftOut(out, &s)
}

// kinds is "2 WARC, 1 WACZ".
func kinds(n map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%d %s", n[k], k))
	}
	return strings.Join(parts, ", ")
}

// leftOut prints which records are not captures, and why.
func leftOut(out *terminal.Screen, s *importer.Sums) {
	if len(s.Left) > 0 {
		var t terminal.Table
		t.Head("not captures of pages", ">records")
		for _, why := range slices.SortedFunc(maps.Keys(s.Left), func(a, b string) int {
			return max(-1, min(1, s.Left[b]-s.Left[a]))*2 + strings.Compare(a, b)
		}) {
			t.Row(terminal.Text(excerpt.Printable(why)), terminal.Number(terminal.Count(int64(s.Left[why]))))
		}
		t.Print(out)
	}
	for _, d := range s.Damaged {
		out.Print(out.Paint(terminal.Red, "damaged: "+excerpt.Printable(d)))
	}
}

// Imported prints the end of an import.
func Imported(out *terminal.Screen, e *ImportEnd, quiet, asJSON bool) {
	switch {
	case asJSON:
		out.JSON(importJSON(e))
		return
	case quiet:
		return
	}
	leftOut(out, &e.Sums)
	line := Totals(out, &e.Totals, e.Spent)
	if e.There > 0 {
		line += out.Paint(terminal.Bold, fmt.Sprintf("; %s there already", terminal.Counted(e.There, "capture")))
	}
	if e.Late > 0 {
		line += out.Paint(terminal.Bold, fmt.Sprintf("; %s left out: the archive has a later visit", terminal.Counted(e.Late, "capture")))
	}
	out.Print(line)
}

// importJSON is the last line of an import with --json.
func importJSON(e *ImportEnd) any {
	type imported struct {
		Files     int            `json:"files"`
		Kinds     map[string]int `json:"kinds"`
		Records   int            `json:"records"`
		Captures  int            `json:"captures"`
		Versions  int            `json:"versions"`
		URLs      int            `json:"urls"`
		First     time.Time      `json:"first,omitzero"`
		Last      time.Time      `json:"last,omitzero"`
		Left      map[string]int `json:"left"`
		Damaged   []string       `json:"damaged,omitempty"`
		Pages     int            `json:"pages"`
		New       int            `json:"new"`
		Changed   int            `json:"changed"`
		Unchanged int            `json:"unchanged"`
		Blank     int            `json:"blank"`
		Failed    int            `json:"failed"`
		There     int            `json:"there"`
		Late      int            `json:"late"`
		PageBytes int64          `json:"page_bytes"`
		Stored    int64          `json:"stored_bytes"`
		Pictures  int64          `json:"picture_bytes"`
		Resources int64          `json:"resource_bytes"`
		MS        int64          `json:"ms"`
	}
	t := &e.Totals
	return struct {
		Import imported `json:"import"`
	}{imported{
		e.Files, e.Kinds, e.Records, e.Captures, e.Versions, e.URLs, e.First, e.Last, e.Left, e.Damaged, t.Pages, t.New, t.Changed, t.Unchanged, t.Blank,
		t.Failed, e.There, e.Late, t.PageBytes, t.StoredBytes, t.PictureBytes, t.ResourceBytes, e.Spent.Milliseconds(),
	}}
}
