// Package warctest reads WARC files for tests, independently of package warc.
package warctest

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"testing"
)

// Record is a record read from a file.
type Record struct {
	Head  textproto.MIMEHeader
	Block []byte
}

// Records reads a compressed WARC file.
func Records(t testing.TB, file string) []Record {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []Record
	for in := bufio.NewReader(gz); ; {
		if line, err := in.ReadString('\n'); err == io.EOF {
			return all
		} else if line != "WARC/1.1\r\n" {
			t.Fatalf("a record begins with %q, %v", line, err)
		}
		head, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(head.Get("Content-Length"), &n)
		block := make([]byte, n+4)
		if _, err := io.ReadFull(in, block); err != nil {
			t.Fatal(err)
		}
		all = append(all, Record{head, block[:n]})
	}
}
