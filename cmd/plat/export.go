package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plat/storage"
	"plat/warc"
)

// The formats of an export.
const (
	formatWARC  = "warc"
	formatWACZ  = "wacz"
	formatLines = "jsonl"
	formatHTML  = "html"
)

// endings say by the end of a file's name what it is to be.
var endings = []struct{ end, format string }{
	{".warc.gz", formatWARC}, {".wacz", formatWACZ}, {".jsonl", formatLines}, {".html", formatHTML},
}

// export is what is to be exported, where to, and what came of it.
type export struct {
	*app
	store  storage.Store
	begun  time.Time
	format string
	file   string // empty: standard output
	selection
	partSize int64 // of a WARC file, about, bytes
	counts   exported
}

// exported is what export prints when it is done; its JSON is part of the interface.
type exported struct {
	Format   string   `json:"format"`
	Files    []string `json:"files"`
	URLs     int      `json:"urls"`
	Versions int      `json:"versions"`
	Records  int      `json:"records"`  // of a web archive
	Revisits int      `json:"revisits"` // of them, those that only refer to another
	Bytes    int64    `json:"bytes"`
	MS       int64    `json:"ms"`
}

func (a *app) exportCommand() *cobra.Command {
	e := &export{app: a, partSize: warc.MaxFile}
	var site, since, until string
	cmd := &cobra.Command{
		Use:   "export [URL[@N]|PREFIX*…] -o FILE",
		Short: "Write versions as WARC, WACZ, JSON Lines or a report",
		Long: `export writes versions of URLs to a file that other programs read: of the URLs
given, of one version where @N names it, of all that begin with PREFIX where a "*"
ends it (quote it for the shell), or of all URLs.

  warc   WARC/1.1: for each version the page, made so that players show it, the page as
         captured, its picture, texts, block tree, style sheets and images. What is there
         already is referred to. Files of about 1 GB, NAME-00001.warc.gz after NAME.warc.gz.
  wacz   the same with an index and a list of pages, for ReplayWeb.page and others
  jsonl  an object for each version: the fields of show --json --text, and headers
  html   the history of one URL as a page that needs no other file

Without --format the end of the file's name says which. jsonl and html go to
standard output where there is no -o. docs/export.md says what is in the files.

Times are of versions, and written as blocks --since takes them.

JSON (only with -o): format, files, urls, versions, records, revisits, bytes, ms.`,
		Example: `  plat export -o archive.wacz
  plat export 'https://example.com/news/*' --since 7d -o news.warc.gz
  plat export https://example.com/ --format jsonl | jq -r .title
  plat export https://example.com/ -o history.html`,
		Annotations: heeds(naming),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.begun = time.Now()
			if err := e.choose(); err != nil {
				return err
			}
			if err := e.read(a, args, site, since, until, e.begun); err != nil {
				return err
			}
			if e.format == formatHTML && !e.oneURL() {
				return fail(exitUsage, "a report is of one URL, and of all of its versions; name it, without @N and other conditions")
			}
			return a.withStore(cmd.Context(), reads, func(s storage.Store) error {
				e.store = s
				return e.run(cmd.Context())
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&e.file, "output", "o", "", "`FILE` to write to")
	f.StringVar(&e.format, "format", "", "warc, wacz, jsonl or html")
	f.StringVar(&site, "site", "", "only of this `HOST`, or beginning of a URL")
	f.StringVar(&since, "since", "", "only versions taken at this `TIME` or later")
	f.StringVar(&until, "until", "", "only versions taken before this `TIME`")
	return cmd
}

// choose finds the format, and says what is wrong with it.
func (e *export) choose() error {
	var names []string
	known := false
	for _, x := range endings {
		names = append(names, x.format)
		if e.format == "" && strings.HasSuffix(e.file, x.end) {
			e.format = x.format
		}
		known = known || e.format == x.format
	}
	switch {
	case e.format == "":
		return fail(exitUsage, "there is no format; write --format %s, or -o FILE with a name that says it", strings.Join(names, ", "))
	case !known:
		return fail(exitUsage, "--format %q: write %s", e.format, strings.Join(names, ", "))
	case e.file == "" && (e.format == formatWARC || e.format == formatWACZ):
		return fail(exitUsage, "there is no file to write to; name it with -o FILE")
	case e.file == "" && e.json:
		return fail(exitUsage, "--json goes with -o FILE: standard output holds the export")
	}
	return nil
}

// run writes the files, and says what was written.
func (e *export) run(ctx context.Context) error {
	write := map[string]func(context.Context) error{formatWARC: e.writeWARC, formatWACZ: e.writeWACZ, formatLines: e.writeLines, formatHTML: e.writeReport}[e.format]
	err := write(ctx)
	e.out.progress("")
	switch {
	case err != nil:
		return err
	case e.file == "":
		return nil
	}
	c := &e.counts
	c.Format, c.MS = e.format, time.Since(e.begun).Milliseconds()
	if e.json {
		e.out.json(c)
		return nil
	}
	line := fmt.Sprintf("%s of %s, %s, in %s", counted(c.Versions, "version"), counted(c.URLs, "URL"), size(c.Bytes), c.Files[0])
	if n := len(c.Files) - 1; n > 0 {
		line += fmt.Sprintf(" and %s more", counted(n, "file"))
	}
	e.out.print(line)
	return nil
}

// advanced takes note of a version, and shows how far the work is.
func (e *export) advanced() {
	e.counts.Versions++
	if e.counts.Versions%10 == 0 {
		e.out.progress(fmt.Sprintf("exported %s of %s", counted(e.counts.Versions, "version"), counted(e.counts.URLs, "URL")))
	}
}
