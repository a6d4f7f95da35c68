package output

import (
	"fmt"
	"time"

	"plat/cmd/plat/terminal"
	"plat/plat"
	"plat/storage/history"
)

// SnapshotInfo describes a snapshot; its JSON is part of the interface.
type SnapshotInfo struct {
	URL       string       `json:"url"`
	FinalURL  string       `json:"final_url"`
	Status    int          `json:"status"`
	Title     string       `json:"title"`
	Language  string       `json:"language"`
	Taken     time.Time    `json:"taken"`
	Browser   string       `json:"browser"`
	Viewport  history.Box  `json:"viewport"`
	Width     float32      `json:"width"`
	Height    float32      `json:"height"`
	Nodes     int          `json:"nodes"`
	Lines     int          `json:"lines"`
	Requests  int          `json:"requests"`
	Blocked   int          `json:"blocked"`
	WireBytes int64        `json:"wire_bytes"`
	Settled   plat.Settled `json:"settled"`
	Unsettled bool         `json:"unsettled"`
	Picture   bool         `json:"picture"`
	MS        int64        `json:"ms"`
	File      string       `json:"file"`
	FileBytes int64        `json:"file_bytes"`
}

// Snapshot prints a summary of a snapshot file of so many bytes.
func Snapshot(out *terminal.Screen, s *plat.Snapshot, path string, bytes int64, asJSON bool) {
	i := SnapshotInfo{
		URL: s.URL, FinalURL: s.FinalURL, Status: s.Status, Title: s.Title, Language: s.Language, Taken: s.Taken.UTC(),
		Browser: s.Browser, Viewport: history.Box(s.Viewport), Width: s.Width, Height: s.Height, Nodes: len(s.Nodes), Lines: len(s.Lines),
		Requests: s.Requests, Blocked: s.Blocked, WireBytes: s.Bytes, Settled: s.Settled, Unsettled: s.Settled.Short(), Picture: s.Picture != nil,
		MS: s.Timing.Total.Milliseconds(), File: path, FileBytes: bytes,
	}
	if asJSON {
		out.JSON(i)
		return
	}
	t := terminal.Table{}
	t.Row(terminal.Text("url").In(terminal.Bold), terminal.Text(i.URL))
	if i.FinalURL != i.URL {
		t.Row(terminal.Text("final url").In(terminal.Bold), terminal.Text(i.FinalURL))
	}
	t.Row(terminal.Text("title").In(terminal.Bold), terminal.Text(i.Title))
	t.Row(terminal.Text("status").In(terminal.Bold), terminal.Text(fmt.Sprint(i.Status)))
	t.Row(terminal.Text("taken").In(terminal.Bold), terminal.Text(terminal.Clock(i.Taken)+" by "+i.Browser))
	t.Row(terminal.Text("page").In(terminal.Bold), terminal.Text(fmt.Sprintf("%.0f×%.0f px, %s, %s, %s", i.Width, i.Height,
		terminal.Counted(i.Nodes, "node"), terminal.Counted(i.Requests, "request"), terminal.Size(i.WireBytes))))
	t.Row(terminal.Text("file").In(terminal.Bold), terminal.Text(path+", "+terminal.Size(i.FileBytes)))
	t.Print(out)
}
