package similarity

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// small returns a WordNet of a few words.
func small() fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"data.noun": `  1 licence
00000001 03 n 01 thing 0 003 ~ 00000002 n 0000 ~ 00000003 n 0000 ~ 00000004 n 0000 | a thing
00000002 06 n 02 car 0 automobile 0 002 @ 00000001 n 0000 ~ 00000005 n 0000 | a machine; "by car | by rail"
00000003 06 n 04 railway_car 0 car 1 carriage 0 wagon 0 001 @ 00000001 n 0000 | on rails
00000004 04 n 02 Decision 0 settlement 0 002 @ 00000001 n 0000 + 00000001 v 0101 | what is decided
00000005 06 n 01 cab 0 001 @ 00000002 n 0000 | for hire
00000006 07 n 01 hugeness 0 000 | size
`,
		"index.noun": `  1 licence
automobile n 1 2 @ ~ 1 1 00000002
cab n 1 1 @ 1 1 00000005
car n 2 2 @ ~ 2 2 00000002 00000003
carriage n 1 1 @ 1 1 00000003
decision n 1 2 @ + 1 1 00000004
hugeness n 1 0 1 0 00000006
railway_car n 1 1 @ 1 0 00000003
settlement n 1 1 @ 1 1 00000004
thing n 1 1 ~ 1 1 00000001
wagon n 1 1 @ 1 1 00000003
`,
		"data.verb":  "00000001 31 v 02 decide 0 settle 0 001 + 00000004 n 0101 02 + 02 00 + 08 00 | reach a decision\n",
		"index.verb": "decide v 1 1 + 1 1 00000001\nsettle v 1 1 + 1 1 00000001\n",
		"data.adj": "00000001 00 a 01 big 0 001 & 00000002 a 0000 | great\n" +
			"00000002 00 s 02 huge(ip) 0 vast 0 002 & 00000001 a 0000 + 00000006 n 0101 | very\n",
		"index.adj": "big a 1 1 & 1 1 00000001\nhuge a 1 1 & 1 1 00000002\nvast a 1 1 & 1 1 00000002\n",
		"data.adv":  "",
		"index.adv": "",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func same(word string) string { return word }

func TestWordNetSaysHowSensesMeet(t *testing.T) {
	w, err := LoadWordNet(small(), same)
	if err != nil {
		t.Fatal(err)
	}
	car := 1 - math.Log(2)/math.Log(6) // the information of a synset with one of six below it
	for _, tc := range []struct {
		name, a, b string
		want       float64
	}{
		{"equal words", "car", "car", 1},
		{"equal words that are unknown", "wug", "wug", 1},
		{"synonyms", "car", "automobile", 1},
		{"synonyms in a second sense", "car", "carriage", .95},
		{"a kind of the other", "cab", "automobile", .5 + .4*car},
		{"not by way of what is above all", "carriage", "automobile", 0},
		{"a derived word", "decide", "decision", .9},
		{"a synonym of a derived word", "decide", "settlement", .9},
		{"a word from which none is derived", "settle", "settlement", 0},
		{"a derived word of an adjective with its place", "huge", "hugeness", .9},
		{"not of its synonym", "vast", "hugeness", 0},
		{"similar adjectives", "big", "vast", .8},
		{"words of several are left out", "railway_car", "carriage", 0},
		{"different parts of speech", "big", "cab", 0},
		{"an unknown word", "car", "wug", 0},
	} {
		for _, got := range []float64{w.Near(tc.a, tc.b), w.Near(tc.b, tc.a)} {
			if math.Abs(got-tc.want) > .005 {
				t.Errorf("%s: %s and %s: %.3f, want %.3f", tc.name, tc.a, tc.b, got, tc.want)
			}
		}
	}
	if got := (*WordNet)(nil).Near("a", "b"); got != 0 {
		t.Errorf("nil knows words: %v", got)
	}
	// Stems take the senses of all their words.
	w, err = LoadWordNet(small(), func(word string) string { return word[:3] })
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Near("dec", "set"); got != 1 {
		t.Errorf("decide and settle by their stems: %v", got)
	}
	if got := w.Near("car", "wag"); got != 1 {
		t.Errorf("wagon, and carriage, whose stem is that of car: %v", got)
	}
}

func TestEveryWayToMeetIsTried(t *testing.T) {
	w := &WordNet{at: map[string]int32{"a": 0, "b": 1}, first: []int32{0, 2, 3},
		lists: []entry{{7, derived, 100, 255}, {7, above, 90, 255}, {7, above, 80, 255}}}
	if got := w.Near("a", "b"); math.Abs(got-.75*.9*.8) > 1e-9 {
		t.Errorf("only the second of two entries goes with the other: %v", got)
	}
}

func TestInformationCountsWhatIsBelowOnce(t *testing.T) {
	d := &database{synsets: make([]synset, 9)}
	got := d.information([][]int32{{}, {0}, {0}, {1, 2}, {3}, {}, {}, {}, {}}) // two ways lead from 3 to 0
	for i, below := range []float64{4, 2, 2, 1, 0} {
		if want := math.Round(255 * (1 - math.Log(below+1)/math.Log(9))); float64(got[i]) != want {
			t.Errorf("synset %d: %d, want %v", i, got[i], want)
		}
	}
}

func TestMalformedWordNetIsRefused(t *testing.T) {
	for _, tc := range []struct{ name, file, old, new, want string }{
		{"a pointer to nothing", "data.noun", "@ 00000001", "@ 00000009", "n 00000009, which is missing"},
		{"a sense that is missing", "index.noun", "1 1 00000005", "1 1 00000009", "index.noun, line 3: there is no synset 00000009"},
		{"a line cut off", "data.noun", " n 0000 ~ 00000003 n 0000 ~ 00000004 n 0000 | a thing", "", "data.noun, line 2: 3 things, in 2 fields"},
		{"a count that is none", "data.adj", "a 01 big", "a zz big", `"zz" is not a number`},
		{"a great count", "data.adj", "a 01 big", "a ffffffff big", "things"},
		{"a word number that is none", "data.verb", "n 0101", "n 0901", "a pointer of word 9, of 2"},
		{"a part of speech in another's file", "index.verb", "decide v", "decide n", "part of speech n in the file of v"},
		{"a synset twice", "data.adj", "00000002 00 s", "00000001 00 s", "comes twice"},
		{"a long line", "data.adv", "", strings.Repeat("x", maxDatabaseLine+1), "too long"},
	} {
		files := small()
		text := string(files[tc.file].Data)
		if tc.old != "" && !strings.Contains(text, tc.old) {
			t.Fatalf("%s: no %q", tc.name, tc.old)
		}
		files[tc.file].Data = []byte(strings.Replace(text, tc.old, tc.new, 1))
		if _, err := LoadWordNet(files, same); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.want)
		}
	}
	files := small()
	delete(files, "index.adv")
	if _, err := LoadWordNet(files, same); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "apt-get install wordnet-base") {
		t.Errorf("a missing file: %v", err)
	}
	// A cycle is invalid in a hierarchy, but must not hang.
	files = small()
	files["data.noun"].Data = []byte(strings.ReplaceAll(string(files["data.noun"].Data), "~ ", "@ "))
	if _, err := LoadWordNet(files, same); err != nil {
		t.Errorf("a circle: %v", err)
	}
}

func FuzzWordNet(f *testing.F) {
	files := small()
	f.Add(files["data.noun"].Data, files["index.noun"].Data)
	f.Add(files["data.verb"].Data, files["index.verb"].Data)
	f.Add([]byte("00000001 03 n 01 a 0 002 @ 00000001 n 0000 & 00000001 n 0100\n"), []byte("a n 3 0 1 1 00000001 00000001 00000001"))
	f.Fuzz(func(t *testing.T, data, index []byte) {
		files := fstest.MapFS{}
		for _, p := range partsOfSpeech {
			files["data."+p.name], files["index."+p.name] = &fstest.MapFile{}, &fstest.MapFile{}
		}
		files["data.noun"].Data, files["index.noun"].Data = data, index
		w, err := LoadWordNet(files, same)
		if err != nil {
			return
		}
		n := 0
		for a := range w.at {
			for b := range w.at {
				if s := w.Near(a, b); s < 0 || s > 1 || s != w.Near(b, a) {
					t.Fatalf("%q and %q: %v and %v", a, b, s, w.Near(b, a))
				}
				if n++; n > 1000 {
					return
				}
			}
		}
	})
}

// installed is Debian's WordNet by English stems.
func installed(t testing.TB) *WordNet {
	w, err := LoadWordNet(os.DirFS(WordNetDir), stem)
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("skipped: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWordNetAsInstalled(t *testing.T) {
	w := installed(t)
	if len(w.at) < 60_000 {
		t.Errorf("%d stems", len(w.at))
	}
	for pair, want := range map[string][2]float64{ // at least, at most
		"car automobile":     {1, 1},
		"buy purchase":       {1, 1},
		"physician doctor":   {1, 1},
		"decide decision":    {.9, 1},
		"happy glad":         {.7, .95},
		"truck bus":          {.5, .9},
		"car vehicle":        {.5, .9},
		"physics chemistry":  {.5, .9},
		"football sport":     {.5, .9},
		"dog novelist":       {0, 0},
		"king cabbage":       {0, 0},
		"tree stone":         {0, 0},
		"person entity":      {0, 0},
		"music chemistry":    {0, 0},
		"computer professor": {0, 0},
	} {
		a, b, _ := strings.Cut(pair, " ")
		if got := w.Near(stem(a), stem(b)); got < want[0] || got > want[1] {
			t.Errorf("%s: %.2f, want %v", pair, got, want)
		}
	}
	for i, first := range w.first[1:] {
		if n := first - w.first[i]; n > maxList {
			t.Fatalf("a list of %d", n)
		}
	}
}

// BenchmarkLoadWordNet reads Debian's files, stemming included.
func BenchmarkLoadWordNet(b *testing.B) {
	installed(b)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := installed(b)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportAllocs()
	for b.Loop() {
		installed(b)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
	runtime.KeepAlive(kept)
}
