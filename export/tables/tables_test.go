package tables

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
)

var update = flag.Bool("update", false, "write docs/tables.md")

// described returns the lines of docs/tables.md for a table.
func described[R any](t *Table[R]) string {
	var b strings.Builder
	b.WriteString("| column | type | unit | null | |\n|---|---|---|---|---|\n")
	for _, c := range t.Columns {
		null := c.Null
		if null == "" {
			null = "never"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, c.Type, c.Unit, null, c.About)
	}
	return b.String()
}

func TestTheDocumentListsEveryColumn(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "tables.md")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for command, want := range map[string]string{"plat blocks": described(&Blocks), "plat versions": described(&Versions), "plat search": described(&Hits), "plat watch items": described(&Items)} {
		heading := "\n## " + command + "\n"
		before, section, ok := strings.Cut(text, heading)
		if !ok {
			t.Errorf("docs/tables.md has no section %q", command)
			continue
		}
		section, after, more := strings.Cut(section, "\n## ")
		if more {
			after = "\n## " + after
		}
		start := strings.Index(section, "| column |")
		if start < 0 {
			start = len(section)
		}
		end := start
		for line := range strings.Lines(section[start:]) {
			if !strings.HasPrefix(line, "|") {
				break
			}
			end += len(line)
		}
		if section[start:end] == want {
			continue
		}
		if !*update {
			t.Errorf("docs/tables.md differs from the columns of %s; go test ./export/tables -update writes them:\n%s", command, want)
		}
		text = before + heading + section[:start] + want + section[end:] + after
	}
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Names are the same in all tables and formats, and each once in its table.
func TestColumnsHaveNamesOfTheirOwn(t *testing.T) {
	check := func(table string, names []string) {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) {
			t.Errorf("%s has two columns of one name: %v", table, names)
		}
	}
	check("blocks", namesOf(&Blocks))
	check("versions", namesOf(&Versions))
	check("search", namesOf(&Hits))
	check("items", namesOf(&Items))
}

func namesOf[R any](t *Table[R]) (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

var taken = time.Date(2026, 1, 3, 4, 5, 6, 789e6, time.FixedZone("", 3600))

// blockRows are a content, and the changes of each sort.
func blockRows() []*Block {
	leaf := func(words string) plat.Block {
		return plat.Block{Lineage: 7, Hash: plat.HashOf([]byte(words)), Label: plat.LabelMain, Confidence: .92, Topic: words, Path: []int32{0, 1, 12}, Level: 3, Tag: "div",
			Box: plat.Rect{X: -4, Y: .1, W: 100, H: 20}, TextLen: 5, FontSize: 16}
	}
	words := func(s string) *string { return &s }
	old := leaf("old")
	bare := leaf("bare")
	bare.Path = nil
	return []*Block{
		{Found: storage.Found{URL: "https://a.test/", N: 3, Taken: taken, Block: bare}},
		{Found: storage.Found{URL: "https://a.test/", N: 3, Taken: taken, Block: leaf("=1+1"), SelfChange: "clock",
			Change: &storage.BlockChange{Kind: plat.Content, N: 2, Took: taken.Add(-time.Hour), Old: &old}}, Text: words("new, \"quoted\"\nand 北京\x1b[31m\u202e"), OldText: words("")},
		{Found: storage.Found{URL: "https://a.test/", N: 3, Taken: taken, Block: old,
			Change: &storage.BlockChange{Kind: plat.Removed, N: 2, Took: taken.Add(-time.Hour), Old: &old}}, OldText: words("'it was")},
		{Found: storage.Found{URL: "https://a.test/", N: 1, Taken: taken, Block: old, Change: &storage.BlockChange{Kind: storage.First}}, Text: words("+1")},
	}
}

func written[R any](t testing.TB, to func(io.Writer) Writer[R], rows ...*R) []byte {
	t.Helper()
	var b bytes.Buffer
	w := to(&b)
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCSVIsReadAsItWasWritten(t *testing.T) {
	out := written(t, Blocks.CSV, blockRows()...)
	if bytes.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("control characters are in %q", out)
	}
	if n := bytes.Count(out, []byte("\r\n")); n != 5 || bytes.Count(out, []byte("\n")) != 6 {
		t.Errorf("%d lines end in CR LF, want 5, and one line within a text that does not: %q", n, out)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0], namesOf(&Blocks)) {
		t.Errorf("the first row is %v", rows[0])
	}
	at := func(row int, column string) string { return rows[row][slices.Index(rows[0], column)] }
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{1, "taken", "2026-01-03T03:05:06.789Z"}, {1, "change", ""}, {1, "path", "[]"}, {1, "x", "-4"}, {1, "y", "0.1"}, {1, "confidence", "0.92"}, {1, "text", ""},
		{2, "topic", "'=1+1"}, {2, "path", "[0,1,12]"}, {2, "text", "new, \"quoted\"\nand 北京[31m"}, {2, "by_itself", "clock"}, {2, "old_version", "2"}, {2, "old_taken", "2026-01-03T02:05:06.789Z"},
		{3, "hash", ""}, {3, "change", "removed"}, {3, "old_text", "''it was"}, {3, "old_hash", plat.HashOf([]byte("old")).String()},
		{4, "text", "'+1"}, {4, "change", "first"}, {4, "old_version", ""}, {4, "old_taken", ""},
	} {
		if got := at(c.row, c.column); got != c.want {
			t.Errorf("%s of row %d is %q, want %q", c.column, c.row, got, c.want)
		}
	}
	if out := written[plat.Item](t, Items.CSV); string(out) != strings.Join(namesOf(&Items), ",")+"\r\n" {
		t.Errorf("without rows the file is %q", out)
	}
}

// readBack returns the rows of a Parquet file, by name of the column: nil for null.
func readBack(t testing.TB, b []byte) (*parquet.File, []map[string]any) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]any
	names := f.Schema().Columns()
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				m := map[string]any{}
				for _, v := range row {
					path := names[v.Column()]
					switch {
					case len(path) > 1:
						list, _ := m[path[0]].([]int64)
						if !v.IsNull() {
							list = append(list, v.Int64())
						}
						m[path[0]] = list
					case v.IsNull():
						m[path[0]] = nil
					case v.Kind() == parquet.ByteArray:
						m[path[0]] = string(v.ByteArray())
					case v.Kind() == parquet.Int64:
						m[path[0]] = v.Int64()
					case v.Kind() == parquet.Float:
						m[path[0]] = v.Float()
					case v.Kind() == parquet.Boolean:
						m[path[0]] = v.Boolean()
					}
				}
				out = append(out, m)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	return f, out
}

func TestParquetIsExact(t *testing.T) {
	f, rows := readBack(t, written(t, Blocks.Parquet, blockRows()...))
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	if !slices.Equal(names, namesOf(&Blocks)) {
		t.Errorf("the columns are %v", names)
	}
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, c := range []struct {
		row    int
		column string
		want   any
	}{
		{0, "taken", taken.UnixMilli()}, {0, "change", nil}, {0, "by_itself", nil}, {0, "text", nil}, {0, "old_text", nil}, {0, "old_version", nil}, {0, "role", nil}, {0, "x", float32(-4)}, {0, "version", int64(3)},
		{1, "topic", "=1+1"}, {1, "text", "new, \"quoted\"\nand 北京\x1b[31m\u202e"}, {1, "old_text", ""}, {1, "old_version", int64(2)}, {1, "by_itself", "clock"},
		{2, "hash", nil}, {2, "text", nil}, {2, "old_text", "'it was"}, {3, "old_taken", nil}, {3, "old_hash", nil},
	} {
		if got := rows[c.row][c.column]; got != c.want {
			t.Errorf("%s of row %d is %#v, want %#v", c.column, c.row, got, c.want)
		}
	}
	if a, b := rows[0]["path"].([]int64), rows[1]["path"].([]int64); len(a) != 0 || !slices.Equal(b, []int64{0, 1, 12}) {
		t.Errorf("the lists are %v and %v", a, b)
	}
}

func TestTheOtherTablesAreReadBack(t *testing.T) {
	gone := 5
	words := "text"
	_, rows := readBack(t, written(t, Hits.Parquet,
		&Hit{SpanInfo: history.SpanInfo{URL: "https://a.test/", First: 1, Since: taken, Last: 4, Seen: taken, Gone: &gone, Until: &taken, Text: &words}, Score: 1.5, Ranked: true, Snippet: []storage.Part{{Text: "a "}, {Text: "b", Match: true}}},
		&Hit{SpanInfo: history.SpanInfo{URL: "https://a.test/", First: 1, Since: taken, Last: 4, Seen: taken}}))
	if r := rows[0]; r["gone"] != int64(5) || r["until"] != taken.UnixMilli() || r["score"] != float32(1.5) || r["snippet"] != "a b" || r["text"] != "text" {
		t.Errorf("the hit is %v", r)
	}
	if r := rows[1]; r["gone"] != nil || r["until"] != nil || r["score"] != nil || r["snippet"] != "" {
		t.Errorf("the hit without end is %v", r)
	}
	_, rows = readBack(t, written(t, Versions.Parquet,
		&plat.Version{URL: "https://a.test/", N: 2, Taken: taken, Coverage: .5, Changes: map[plat.Kind]int{plat.Invisible: 2, plat.Added: 1}, Meta: map[string]string{"b": "2", "a": "<1>"},
			SelfChanges: []plat.SelfChange{{Lineage: 1, Kind: plat.Content, Why: "clock"}}, Capture: plat.Capture{Status: 200}}))
	if r := rows[0]; r["hidden"] != int64(2) || r["added"] != int64(1) || r["removed"] != int64(0) || r["held_back"] != int64(1) || r["meta"] != `{"a":"\u003c1\u003e","b":"2"}` || r["picture"] != nil || r["news"] != true || r["coverage"] != float32(.5) {
		t.Errorf("the version is %v", r)
	}
	cells := string(written(t, Versions.CSV, &plat.Version{URL: "https://a.test/", N: 12, Taken: taken}))
	if _, row, _ := strings.Cut(cells, "\r\n"); !strings.HasPrefix(row, "https://a.test/,12,2026-01-03T03:05:06.789Z,,,0,false,") || !strings.Contains(row, ",,false,,") {
		t.Errorf("the version in CSV is %q", row)
	}
	_, rows = readBack(t, written(t, Items.Parquet, &plat.Item{ID: "x", Kind: plat.ItemNew, Seen: taken, URL: "https://me:secret@a.test/"}))
	if r := rows[0]; r["dated"] != nil || r["lineage"] != nil || r["excerpt"] != nil || r["url"] != "https://a.test/" {
		t.Errorf("the item is %v", r)
	}
}

func TestAValueThatMustNotBeNullIsAnError(t *testing.T) {
	for _, to := range []Writer[plat.Item]{Items.CSV(io.Discard), Items.Parquet(io.Discard)} {
		if err := to.Write(&plat.Item{}); err == nil || !strings.Contains(err.Error(), "seen") {
			t.Errorf("an item without a time gives %v", err)
		}
	}
}

// A file of many row groups is written as its rows come.
func TestMemoryDoesNotGrowWithTheRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, 20_000) // hard to compress
	for i := range letters {
		letters[i] = byte('a' + r.IntN(26))
	}
	most := uint64(0)
	size := countingWriter(0)
	w := Blocks.Parquet(&size)
	row := blockRows()[1]
	const rows = 6000 // 120 MB of texts
	for i := range rows {
		at := r.IntN(len(letters))
		words := string(letters[at:]) + string(letters[:at])
		row.Text = &words
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
		if i%500 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB at most in memory, %d MB written", most>>20, size>>20)
	if most > 32<<20 || size < 30<<20 {
		t.Errorf("%d MB at most in memory, want 32 or less, while %d MB are written", most>>20, size>>20)
	}
}

type countingWriter int64

func (w *countingWriter) Write(b []byte) (int, error) {
	*w += countingWriter(len(b))
	return len(b), nil
}
