package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plat/cmd/plat/app"
	"plat/export/tables"
	"plat/fixtures/duckdb"
)

// duckDB returns the command duckdb of a folder of its own. Without the npm package the test is skipped, but not in CI.
func duckDB(t *testing.T) string {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("..", "..", ".work", "npm", "node_modules"))
	var name string
	if err == nil {
		name, err = duckdb.Install(t.TempDir(), modules)
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("skipped, it needs node and the packages that scripts/setup installs: ", err)
	}
	return name
}

// tableFile is a file of rows and the columns that it should have.
type tableFile struct {
	args         []string // without format
	names, types []string
	never        []string // columns without null
}

func tableFileOf[R any](t *tables.Table[R], args ...string) tableFile {
	a := tableFile{args: args}
	types := map[tables.Type]string{tables.Text: "VARCHAR", tables.Integer: "BIGINT", tables.Number: "FLOAT", tables.Boolean: "BOOLEAN", tables.Instant: "TIMESTAMP WITH TIME ZONE", tables.Integers: "BIGINT[]"}
	for _, c := range t.Columns {
		a.names, a.types = append(a.names, c.Name), append(a.types, types[c.Type])
		if c.Null == "" {
			a.never = append(a.never, c.Name)
		}
	}
	return a
}

func TestDuckDBReadsWhatIsWritten(t *testing.T) {
	t.Parallel()
	command := duckDB(t)
	store := madeUp(t)
	for name, x := range map[string]tableFile{
		"blocks":   tableFileOf(&tables.Blocks, "blocks", "--text"),
		"changes":  tableFileOf(&tables.Blocks, "blocks", "--changed", "--text", "--first"),
		"versions": tableFileOf(&tables.Versions, "versions", paperURL),
		"search":   tableFileOf(&tables.Hits, "search"),
		"items":    tableFileOf(&tables.Items, "watch", "items"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			rows := strings.Count(must(t, append(x.args, "--json", store)...), "\n")
			for _, file := range []string{name + ".parquet", name + ".csv"} {
				said := must(t, append(x.args, "-o", filepath.Join(dir, file), store)...)
				if want := strconv.Itoa(rows) + " row"; !strings.HasPrefix(said, want) || !strings.Contains(said, file) {
					t.Errorf("%v says %q, want %q", x.args, said, want)
				}
			}
			query := func(sql string) *duckdb.Result {
				t.Helper()
				r, err := duckdb.Query(command, dir, sql)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			parquet := query("SELECT * FROM '" + name + ".parquet'")
			if !slices.Equal(parquet.Names, x.names) || !slices.Equal(parquet.Types, x.types) || len(parquet.Rows) != rows {
				t.Errorf("%d rows of\n%v\n%v, want %d of\n%v\n%v", len(parquet.Rows), parquet.Names, parquet.Types, rows, x.names, x.types)
			}
			for i, column := range x.names {
				if slices.Contains(x.never, column) && slices.ContainsFunc(parquet.Rows, func(row []any) bool { return row[i] == nil }) {
					t.Errorf("%s is null in some rows", column)
				}
			}
			fromCSV := query("SELECT * FROM read_csv('" + name + ".csv', header = true)")
			if !slices.Equal(fromCSV.Names, x.names) || len(fromCSV.Rows) != rows {
				t.Errorf("the CSV has %d rows of %v", len(fromCSV.Rows), fromCSV.Names)
			}
			if rows == 0 {
				return
			}
			var same []string // counts of the rows in which a column differs
			for _, column := range []string{"url", "taken", "version", "since", "x", "lineage", "news", "path", "first", "label"} {
				if i := slices.Index(x.names, column); i >= 0 {
					same = append(same, "count(*) FILTER (TRY_CAST(c."+column+" AS "+x.types[i]+") IS DISTINCT FROM p."+column+") AS "+column)
				}
			}
			differ := query("SELECT " + strings.Join(same, ", ") + " FROM (SELECT *, row_number() OVER () AS i FROM read_csv('" + name + ".csv')) c JOIN " +
				"(SELECT *, row_number() OVER () AS i FROM '" + name + ".parquet') p USING (i)")
			for i, n := range differ.Rows[0] {
				if n != "0" {
					t.Errorf("%s of %v rows differs between CSV and Parquet", differ.Names[i], n)
				}
			}
		})
	}
}

func TestNullsOfChangesMeanWhatTheDocumentSays(t *testing.T) {
	command := duckDB(t)
	store, dir := madeUp(t), t.TempDir()
	must(t, "blocks", "--changed", "--text", "--first", "-o", filepath.Join(dir, "c.parquet"), store)
	r, err := duckdb.Query(command, dir, `SELECT change, count(*), count(text), count(old_text), count(old_version), count(hash), count(old_hash), count(by_itself), min(taken)::VARCHAR
		FROM 'c.parquet' GROUP BY change ORDER BY change`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{
		{"added", "1", "1", "0", "1", "1", "0", "0", "2026-01-05 03:04:05+00"},
		{"changed", "1", "1", "1", "1", "1", "1", "0", "2026-01-04 03:04:05+00"},
		{"first", "4", "4", "0", "0", "4", "0", "0", "2026-01-03 03:04:05+00"},
		{"removed", "1", "0", "1", "1", "0", "1", "0", "2026-01-05 03:04:05+00"},
	}
	if len(r.Rows) != len(want) {
		t.Fatalf("%v", r.Rows)
	}
	for i := range want {
		if !slices.Equal(r.Rows[i], want[i]) {
			t.Errorf("row %d is %v, want %v", i, r.Rows[i], want[i])
		}
	}
}

func TestRowsAreWrittenAsTheFlagsSay(t *testing.T) {
	store, dir := madeUp(t), t.TempDir()
	file := filepath.Join(dir, "blocks.CSV")
	if out := must(t, "blocks", "--json", "-o", file, store); out != `{"file":"`+file+`","format":"csv","rows":6}`+"\n" {
		t.Errorf("it prints %q", out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if rows, err := csv.NewReader(f).ReadAll(); err != nil || len(rows) != 7 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if st, err := f.Stat(); err != nil || st.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v", st.Mode(), err)
	}
	if out := must(t, "blocks", "--format", "parquet", "-o", "-", store); !strings.HasPrefix(out, "PAR1") || !strings.HasSuffix(out, "PAR1") {
		t.Errorf("Parquet for a pipe begins with %.10q", out)
	}
	if out, json := must(t, "blocks", "--format", "json", store), must(t, "blocks", "--json", store); out != json {
		t.Errorf("--format json prints\n%s\n--json\n%s", out, json)
	}
	// A file is not made by a command that fails.
	other := filepath.Join(dir, "none.csv")
	if r := command(t, "versions", "http://other.test/", "-o", other, store); r.code != app.ExitError || !strings.Contains(r.err, "archive it first") {
		t.Errorf("exit %d, %s", r.code, r.err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a failed command makes a file")
	}
}

func TestTheCommandsOfTheDuckDBRecipeRun(t *testing.T) {
	needChrome(t)
	t.Setenv("PATH", filepath.Dir(duckDB(t))+":"+os.Getenv("PATH"))
	runCommandsOf(t, "docs/recipes/duckdb.md", 9, []string{"removed", "rows in changes.parquet", "label | change | blocks | grown", "127.0.0.1:", "  - ", "  + "})
}
