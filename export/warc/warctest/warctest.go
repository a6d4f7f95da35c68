// Package warctest reads WARC files for tests, by a reader of a different project.
package warctest

import (
	"io"
	"net/textproto"
	"testing"

	"github.com/nlnwa/gowarc/v3"
)

// Record is a record of a file.
type Record struct {
	Head  textproto.MIMEHeader
	Block []byte
}

// Records reads a WARC file. A record that violates WARC 1.1, or whose digests are wrong, fails the test.
func Records(t testing.TB, file string) (all []Record) {
	t.Helper()
	in, err := gowarc.NewWarcFileReader(file, 0, gowarc.WithStrictValidation(), gowarc.WithBlockErrorPolicy(gowarc.ErrFail), gowarc.WithBufferTmpDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	for r, err := range in.Records() {
		if err != nil {
			t.Fatalf("%s, record %d: %v", file, len(all), err)
		}
		if len(r.Validation) > 0 {
			t.Errorf("%s, record %d: %v", file, len(all), r.Validation)
		}
		raw, err := r.WarcRecord.Block().RawBytes()
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
		head := textproto.MIMEHeader{}
		for _, f := range *r.WarcRecord.WarcHeader() {
			head.Add(f.Name, f.Value)
		}
		all = append(all, Record{head, block})
		r.Close()
	}
	return all
}
