package app

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"plat/cmd/plat/terminal"
	"plat/export/atomicfile"
	"plat/export/tables"
)

// RowsHelp is the part of a command's help on the formats of [RowFlags].
const RowsHelp = `Formats: table, json (as --json), and, for data frames, databases and spreadsheets, csv
and parquet, whose columns docs/tables.md lists; docs/recipes/duckdb.md asks them by SQL.
-o FILE.csv and -o FILE.parquet write a file, for its owner only, and print how many
rows it has. CSV puts an apostrophe before texts that a spreadsheet would compute.`

// RowFlags are the flags of a command that prints rows of a table.
type RowFlags struct {
	Format string // one of rowFormats; empty: as the file's name and --json say
	File   string // empty or "-": standard output
}

var rowFormats = []string{"table", "json", "csv", "parquet"}

// Add adds the flags to a set.
func (f *RowFlags) Add(set *pflag.FlagSet) {
	set.StringVar(&f.Format, "format", "", "table, json, csv or parquet (default: the end of FILE's name, or table)")
	set.StringVarP(&f.File, "output", "o", "", "`FILE` to write rows to, as CSV or Parquet")
}

// Check chooses the format, and returns an error if the flags contradict each other.
func (f *RowFlags) Check(a *App) error {
	if f.File == "-" {
		f.File = ""
	}
	if ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(f.File)), "."); f.Format == "" && slices.Contains(rowFormats[2:], ext) {
		f.Format = ext
	}
	switch {
	case f.Format != "" && !slices.Contains(rowFormats, f.Format):
		return Fail(ExitUsage, "--format %q: write %s", f.Format, strings.Join(rowFormats, ", "))
	case f.File != "" && !f.Columns():
		return Fail(ExitUsage, "-o %s: give it a name that ends in .csv or .parquet, or write --format csv or --format parquet", f.File)
	case a.JSON && f.File == "" && f.Format != "" && f.Format != "json":
		return Fail(ExitUsage, "--json and --format %s exclude each other; leave one of them out", f.Format)
	case f.Format == "parquet" && f.File == "":
		return a.Piped("Parquet")
	case f.Format == "json":
		a.JSON = true
	}
	return nil
}

// Columns reports whether the rows are written as CSV or Parquet.
func (f *RowFlags) Columns() bool { return f.Format == "csv" || f.Format == "parquet" }

// WriteRows writes the rows that each passes to its argument, as CSV or Parquet. A file is complete, or not there.
func WriteRows[R any](a *App, f *RowFlags, t *tables.Table[R], each func(write func(*R) error) error) error {
	rows := 0
	var failed error // of each
	write := func(w io.Writer) error {
		to := t.CSV(w)
		if f.Format == "parquet" {
			to = t.Parquet(w)
		}
		var lost error // of the file
		failed = each(func(row *R) error {
			rows++
			lost = to.Write(row)
			return lost
		})
		if lost != nil || failed != nil {
			err := failed
			if lost != nil {
				err, failed = lost, nil
			}
			return err
		}
		return to.Close()
	}
	if f.File == "" {
		w := bufio.NewWriter(a.Out)
		err := write(w)
		if err == nil {
			err = w.Flush()
		}
		if a.Out.Err() != nil {
			return a.Out.Err()
		}
		return err
	}
	err := atomicfile.Write(f.File, write)
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return Fail(ExitError, "%w", err)
	case a.JSON:
		a.Out.JSON(struct {
			File   string `json:"file"`
			Format string `json:"format"`
			Rows   int    `json:"rows"`
		}{f.File, f.Format, rows})
	default:
		a.Out.Print(fmt.Sprintf("%s in %s", terminal.Counted(rows, "row"), f.File))
	}
	return nil
}
