package sqlite

import (
	"bytes"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/docs"
	"plat/plat"
	"plat/storage/delta"
	"plat/storage/tree"
)

// The page of the worked examples of docs/format.md.
var (
	exampleLayout = plat.Layout{HTML: []byte("<body></body>"), Slots: []int32{6}}
	exampleBlock1 = []byte("<p>Storm closes the harbour</p>")
	exampleBlock2 = []byte("<p>Storm closes the harbour again</p>")
	exampleTime   = time.UnixMilli(1_790_000_000_000).UTC()
)

// examplePacks returns the packs of the first and the second commit.
func examplePacks() (first, second []byte) {
	var c delta.Coder
	l := exampleLayout.Marshal()
	first = encodePack(&c, []entry{entryOf(kindLayout, plat.HashOf(l), l), entryOf(kindBlock, plat.HashOf(exampleBlock1), exampleBlock1)}, nil)
	base := append(l, exampleBlock1...)
	return first, encodePack(&c, []entry{entryOf(kindBlock, plat.HashOf(exampleBlock2), exampleBlock2)}, base)
}

// exampleVersions returns the two versions.
func exampleVersions() (first, second *plat.Version) {
	version := func(n int, taken time.Time, content, before []byte) *plat.Version {
		v := &plat.Version{URL: "https://news.example/", N: n, Taken: taken, Layout: exampleLayout.Sum(), Level: 3, Profile: "visual", Coverage: 1, Lineages: 1,
			Capture: plat.Capture{FinalURL: "https://news.example/", Status: 200, ContentType: "text/html", Title: "News", PageBytes: int64(len(exampleLayout.HTML) + len(content)),
				Width: 1366, Height: 768, Duration: 1500 * time.Millisecond, Settled: plat.SettledQuiet},
			Blocks: []plat.Block{
				{Run: 1, Parent: -1, Tag: "html", Slot: -1, Box: plat.Rect{W: 1366, H: 768}},
				{Path: []int32{0, 1, 0}, Run: 1, Level: 1, Rule: 3, Tag: "p", Box: plat.Rect{X: 8, Y: 16, W: 1350, H: 20.5}, Hash: plat.HashOf(content), TextLen: int32(len(content) - 10),
					FontSize: 16, Color: 0xff, Background: 0xffffffff, Topic: "Storm", Role: plat.RoleContent, Holds: plat.HoldsText, Label: plat.LabelMain, Confidence: 0.64, Lineage: 1},
			}}
		if before != nil {
			v.Blocks[1].Base = plat.HashOf(before)
			v.Changes = map[plat.Kind]int{plat.Content: 1}
		}
		return v
	}
	return version(1, exampleTime, exampleBlock1, nil), version(2, exampleTime.Add(time.Hour), exampleBlock2, exampleBlock1)
}

// exampleVisits returns the visits that found the versions.
func exampleVisits() []plat.Visit {
	first := plat.Visit{URL: "https://news.example/", Time: exampleTime, Outcome: plat.OutcomeNew, Version: 1, Status: 200, Duration: 2 * time.Second, Bytes: 300,
		Settles: exampleTime.Add(-time.Second), Next: exampleTime.Add(time.Hour)}
	second := first
	second.Time, second.Outcome, second.Version, second.Bytes = exampleTime.Add(time.Hour+5*time.Second), plat.OutcomeChanged, 2, 306
	second.Settles, second.Next = first.Next, first.Next.Add(time.Hour)
	return []plat.Visit{first, second}
}

// TestTheFormatSaysWhatIsWritten compares the worked examples of docs/format.md with the
// encoder's output, and decodes them. If a new version of the compressor writes different
// bytes, replace the example.
func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	same := func(name string, got []byte) []byte {
		t.Helper()
		want, err := docs.Example(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is\n% x\nthe document has\n% x, %v", name, got, want, err)
		}
		return want
	}
	same("layout", exampleLayout.Marshal())
	same("facet", []byte(facet(facetHost, "news.example")))

	first, second := examplePacks()
	first, second = same("pack-1", first), same("pack-2", second)
	var s Store
	_, base, err := decodePack(&s.coder, first, nil)
	if err != nil {
		t.Fatal(err)
	}
	if entries, _, err := decodePack(&s.coder, second, base); err != nil || len(entries) != 1 || !bytes.Equal(entries[0].data, exampleBlock2) {
		t.Errorf("the second pack has %v, %v", entries, err)
	}

	var prev *tree.Tree
	v1, v2 := exampleVersions()
	for i, v := range []*plat.Version{v1, v2} {
		row := s.packTree(tree.Encode(&tree.Tree{Version: *v, Since: []int32{0, int32(v.N)}}, prev), 1, v.N, millis(v.Taken), prev)
		row = same(fmt.Sprintf("version-%d", i+1), row)
		if prev, err = s.unpackTree(row, 1, v.URL, v.N, millis(v.Taken), prev); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(prev.Version, *v) {
			t.Errorf("version %d of the document is\n%+v, want\n%+v", v.N, prev.Version, *v)
		}
	}

	run := same("visits", encodeVisits(exampleVisits(), 1))
	if got, err := decodeVisits(run, 1, v1.URL, millis(exampleTime)); err != nil || !reflect.DeepEqual(got, exampleVisits()) {
		t.Errorf("the visits of the document are\n%+v, %v, want\n%+v", got, err, exampleVisits())
	}
}

// TestTheFormatNamesEveryTableAndColumn checks the schema of new files.
func TestTheFormatNamesEveryTableAndColumn(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a.db"), Options{})
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for heading, db := range map[string]*sql.DB{"#### `%s`": s.read.DB, "### `%s` of the search index": s.index.read.DB} {
		n := 0
		err := rows(t.Context(), db, func(scan func(...any) error) error {
			n++
			var table, column string
			if err := scan(&table, &column); err != nil {
				return err
			}
			if section := docs.Section(fmt.Sprintf(heading, table)); !strings.Contains(section, "`"+column+"`") {
				t.Errorf("the section %s does not say what %s is", fmt.Sprintf(heading, table), column)
			}
			return nil
		}, `SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'words\_%' ESCAPE '\' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
		if err != nil || n < 10 {
			t.Errorf("%d columns, %v", n, err)
		}
		err = rows(t.Context(), db, func(scan func(...any) error) error {
			var index string
			err := scan(&index)
			if !strings.Contains(docs.Format, "`"+index+"`") {
				t.Errorf("the document does not name the index %s", index)
			}
			return err
		}, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
		if err != nil {
			t.Error(err)
		}
	}
}

// TestTheFormatNamesEveryNumber checks formats, bits of masks, codes and limits.
func TestTheFormatNamesEveryNumber(t *testing.T) {
	has := func(heading string, texts ...string) {
		t.Helper()
		section := docs.Section(heading)
		for _, text := range texts {
			if !strings.Contains(section, text) {
				t.Errorf("the section %s does not say %q", heading, text)
			}
		}
	}
	has("## SQLite archives", fmt.Sprintf("`%#x`", applicationID), fmt.Sprintf("1 to %d", format))
	for n := range format {
		has("## SQLite archives", fmt.Sprintf("| %d | ", n+1))
	}
	has("## Search index", fmt.Sprintf("`%#x`", searchID), fmt.Sprintf("`user_version` %d", searchFormat), fmt.Sprint(spanSlots))
	has("### Packs", fmt.Sprintf("%d packs", maxLinks), fmt.Sprintf("%d bytes", maxChain))
	has("### Version trees", fmt.Sprintf("mod %d", tree.KeyEvery))
	has("### Runs of visits", fmt.Sprintf("%d bytes", runBytes))
	bit := 0
	for ; 1<<bit <= visitSkipped; bit++ {
		has("### Runs of visits", fmt.Sprintf("| %d | ", bit))
	}
	if text := fmt.Sprintf("| %d | ", bit); strings.Contains(docs.Section("### Runs of visits"), text) {
		t.Errorf("the section on runs of visits has an unknown bit: %s", text)
	}
	for i, o := range outcomes {
		has("### Runs of visits", fmt.Sprintf("%d `%s`", i+1, o))
	}
	has("#### `words`", fmt.Sprint(wordKey("harbour")), fmt.Sprint(labelKey(plat.LabelMain)))
	has("### Packs", fmt.Sprint(key(kindLayout, exampleLayout.Sum())), fmt.Sprint(key(kindBlock, plat.HashOf(exampleBlock1))))
}
