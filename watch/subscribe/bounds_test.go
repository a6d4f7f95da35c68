package subscribe

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"plat/fixtures/zips"
	"plat/plat/saferegexp"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	n int64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.n += int64(n)
	return n, err
}

// readBackup reads a backup, and returns the number of packed bytes read and of bytes unpacked.
func readBackup(raw string) (packed, unpacked int64, err error) {
	r, file := newReader(context.Background()), &counted{ReaderAt: strings.NewReader(raw)}
	err = r.explained(r.backup(file, int64(len(raw))))
	return file.n, maxUnpacked - *r.bytes, err
}

func TestEntriesOfABackupThatShareTheirBytesAreCounted(t *testing.T) {
	empty := bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, 100_000) // stored blocks without a byte in them
	for name, tc := range map[string]struct{ raw, want string }{
		"that fail when they are unpacked": {string(zips.Sharing(600, zips.Deflated(strings.Repeat(" ", maxRecord-10)), maxRecord-10)), "more than 128 MB when it is unpacked"},
		"that are nothing unpacked":        {string(zips.Sharing(600, append(empty, 3, 0), 0)), "entries of the backup overlap"},
		"that are too long":                {string(zips.Sharing(600, zips.Deflated(strings.Repeat(" ", 2*maxRecord)), 2*maxRecord)), "more than 128 MB when it is unpacked"},
	} {
		packed, unpacked, err := readBackup(tc.raw)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if packed > 8*int64(len(tc.raw))+maxDirectory || unpacked > maxUnpacked {
			t.Errorf("%s: %d bytes are read of %d, and %d are unpacked", name, packed, len(tc.raw), unpacked)
		}
	}
}

// allocated returns the total of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// watches returns n watches as JSON Lines.
func watches(n int, fields func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"url": "https://a.test/%d", %s}`+"\n", i, fields(i))
	}
	return b.String()
}

func utf16Of(text string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, c := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(c))
		b.WriteByte(byte(c >> 8))
	}
	return b.String()
}

// The work is proportional to the size of the file, counted in allocated bytes. Without limits,
// many of these files take seconds to hours, or up to 1 GB.
func TestWorkIsBounded(t *testing.T) {
	const mb = 1 << 20
	distinct := func(i int) string {
		var c []string
		for k := range 40 {
			c = append(c, fmt.Sprintf(`"%d-%d.{0,900}"`, i, k))
		}
		return `"match": [` + strings.Join(c, ",") + `]`
	}
	for name, tc := range map[string]struct {
		raw  string
		want string // part of the error; empty: no error
		most uint64 // bytes allocated
	}{
		"a table of many columns":          {"url," + strings.Repeat(",", 60_000) + "\n" + strings.Repeat("\n", 10) + strings.Repeat("a\n", 1000), "more than 1000 columns", 4 * mb},
		"a row of many columns":            {"url,title\n" + strings.Repeat(",", mb-100), "more than 50000 values", 256 * mb},
		"a quoted cell without end":        {"url,title\nhttps://a.test/,\"" + strings.Repeat("x\n", mb), "row 2 is longer than 1 MB", 16 * mb},
		"conditions without end":           {watches(900, distinct), "", 64 * mb},
		"long conditions of many watches":  {watches(9_000, func(i int) string { return fmt.Sprintf(`"match": ["%s%d"]`, strings.Repeat("x", 990), i) }), "conditions are too long together", 512 * mb},
		"ranges that take long to read":    {watches(2_000, func(i int) string { return fmt.Sprintf(`"match": ["%d[B-\\x{1e942}]"]`, i) }), "a range counts as 8,000", 64 * mb},
		"lines of nonsense":                {"https://a.test/\n" + strings.Repeat("x\n", 2*mb), "more than 10000 lines or entries in a row have no URL, the first is line 2: bad URL", 32 * mb},
		"empty lines":                      {"https://a.test/\n" + strings.Repeat("\n", 2*mb), "more than 200000 lines", 32 * mb},
		"comments":                         {"https://a.test/\n" + strings.Repeat("#\r", 2*mb), "more than 200000 lines", 32 * mb},
		"entries of nonsense":              {"[1" + strings.Repeat(",1", mb) + "]", "in a row have no URL, the first is entry 1: it is neither a URL", 384 * mb},
		"watches without a URL":            {`{"watching": {"a": {}` + strings.Repeat(`,"b": {}`, 100_000) + "}}", "", 128 * mb},
		"tags of a line":                   {"https://a.test/ " + strings.Repeat("a,", 2*mb), "line 1 is longer than 1 MB", 16 * mb},
		"tags of many lines":               {strings.Repeat("https://a.test/ "+strings.Repeat("a,", mb/4)+"\n", 8), "", 64 * mb},
		"tags of a watch":                  {`{"url": "https://a.test/", "tags": ["a"` + strings.Repeat(`,"b"`, 100_000) + "]}", "tags has more than 50000 values", 64 * mb},
		"fields of a watch":                {`{"url": "https://a.test/"` + strings.Repeat(`,"b":1`, 100_000) + "}", "more than 50000 values", 32 * mb},
		"a watch without end":              {`{"url": "https://a.test/", "title": "` + strings.Repeat("x", 4*mb), "longer than 1 MB", 32 * mb},
		"depth":                            {`{"url": "https://a.test/", "x": ` + strings.Repeat("[", 50_000), "more than 50000 values", 64 * mb},
		"depth of a list":                  {strings.Repeat("[", 2*mb), "longer than 1 MB", 64 * mb},
		"an outline of many tags":          {`<opml><body><outline xmlUrl="https://a.test/" category="` + strings.Repeat("a,", mb) + `"/></body></opml>`, "longer than 256 kB", 16 * mb},
		"an outline of many attributes":    {"<opml><body><outline" + strings.Repeat(" a=''", mb) + "/></body></opml>", "longer than 256 kB", 64 * mb},
		"a comment without end":            {"<opml><!--" + strings.Repeat("x", 4*mb), "longer than 256 kB", 16 * mb},
		"depth of outlines":                {"<opml><body>" + strings.Repeat("<outline>", mb), "nested more than 34 deep", 16 * mb},
		"UTF-16 that is nonsense":          {utf16Of("https://a.test/\n" + strings.Repeat("新\n", mb)), "more than 10000 lines", 32 * mb},
		"one URL again and again":          {strings.Repeat("https://a.test/ a\n", 150_000), "", 256 * mb},
		"a URL without end":                {"https://a.test/" + strings.Repeat("@", mb-100), "no URL in it", 32 * mb},
		"a condition of many watches":      {`{"settings": {"application": {"global_ignore_text": ["` + strings.Repeat("x", 1000) + `"]}}, "watching": {` + members(15_000) + `}}`, "conditions are too long together", 512 * mb},
		"what is compressed in other ways": {"\x1f\x8b\x08\x00" + strings.Repeat("\x00", mb), "longer than 1 MB", 16 * mb},
	} {
		var err error
		size := allocated(func() { _, err = read(tc.raw) })
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %.300v", name, err)
		case tc.want != "" && (!errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1500):
			t.Errorf("%s: %.300v, want %q", name, err, tc.want)
		}
		if size > tc.most {
			t.Errorf("%s: %d MB are allocated for a file of %d kB, want at most %d", name, size>>20, len(tc.raw)>>10, tc.most>>20)
		}
	}
}

// members returns watches by UUID.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d": {"url": "https://a.test/%d"}`, i, i)
	}
	return b.String()[1:]
}

// Conditions up to the limit are taken over. The rest are left out, with a reason.
func TestConditionsOfAWatchAreBoundedTogether(t *testing.T) {
	r := mustRead(t, `{"url": "https://a.test/", "match": ["a{1000}b{1000}", "c{1000}d{1000}", "e{1000}f{1000}", "g{1000}h{1000}", "i{1000}j{1000}", "k"], "except": ["m"]}`)
	s := r.Subscriptions[0]
	var total saferegexp.Total
	for _, p := range append(s.Match, s.Except...) {
		if err := total.Add("(?i)" + p); err != nil {
			t.Error(err)
		}
	}
	if len(s.Match) != 4 || len(s.Except) != 1 || !strings.Contains(omitted(r), `match: "i{1000}j{1000}" and all after it: the expressions are too large together`) {
		t.Errorf("%d and %d conditions; omissions are\n%s", len(s.Match), len(s.Except), omitted(r))
	}
}

// Reading checks its context regularly, and ends soon after the client has left.
func TestReadingEndsWithItsClient(t *testing.T) {
	gone := errors.New("gone")
	for name, raw := range map[string]string{
		"lines":   strings.Repeat("https://a.test/\n", 50_000),
		"JSON":    watches(20_000, func(int) string { return `"match": ["a"]` }),
		"list":    `["https://a.test/"` + strings.Repeat(`,"https://a.test/"`, 50_000) + `]`,
		"index":   `{"watching": {` + members(20_000) + `}}`,
		"table":   "url,title\n" + strings.Repeat("https://a.test/,x\n", 50_000),
		"OPML":    "<opml><body>" + strings.Repeat(`<outline xmlUrl="https://a.test/"/>`, 15_000),
		"backup":  zipped(t, "url-watches.json", `{"watching": {`+members(20_000)+`}}`),
		"UTF-16":  utf16Of(strings.Repeat("https://a.test/\n", 50_000)),
		"entries": string(zips.Sharing(600, zips.Deflated(strings.Repeat(" ", maxRecord-10)), maxRecord-10)),
	} {
		asked := 0
		r := newReader(t.Context())
		r.stop = func() error {
			if asked++; asked > 20 {
				return gone
			}
			return nil
		}
		var err error
		if strings.HasPrefix(raw, "PK") {
			err = r.backup(strings.NewReader(raw), int64(len(raw)))
		} else {
			err = r.text(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(raw)), nil })
		}
		if err = r.explained(err); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		if asked > 40 {
			t.Errorf("%s: it is asked %d more times after the client has gone", name, asked-21)
		}
	}
}

// Reading ends while the body is still being sent, and leaves no file behind.
func TestSpoolingEndsWithItsClient(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	sent := 0
	_, err := Read(ctx, readerFunc(func(p []byte) (int, error) {
		if sent++; sent == 3 {
			cancel()
		}
		return copy(p, "https://a.test/\n"), nil
	}))
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnknown) || sent > 3 {
		t.Errorf("%v after %d parts", err, sent)
	}
	broken := errors.New("broken")
	if _, err := Read(t.Context(), readerFunc(func([]byte) (int, error) { return 0, broken })); !errors.Is(err, broken) || errors.Is(err, ErrUnknown) {
		t.Errorf("a body that cannot be read: %v", err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The limit of entries does not affect a backup of many files.
func TestABackupOfManyFilesIsRead(t *testing.T) {
	var files []string
	for i := range 3000 {
		files = append(files, fmt.Sprintf("%d/watch.json", i), fmt.Sprintf(`{"url": "https://a.test/%d"}`, i), fmt.Sprintf("%d/history.txt", i), "1,x")
	}
	raw := zipped(t, files...)
	r := mustRead(t, raw)
	if len(r.Subscriptions) != 3000 || len(r.Omissions) != 0 {
		t.Errorf("%d subscriptions, omissions are\n%.500s", len(r.Subscriptions), omitted(r))
	}
	if _, err := zip.NewReader(strings.NewReader(raw), int64(len(raw))); err != nil {
		t.Fatal(err)
	}
}
