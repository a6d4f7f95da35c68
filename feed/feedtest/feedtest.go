// Package feedtest reads feeds for tests, by a reader of others.
package feedtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/mmcdole/gofeed"
)

// Parse reads a feed as readers do, and XML as strictly as there is.
func Parse(t testing.TB, body []byte) *gofeed.Feed {
	t.Helper()
	if bytes.HasPrefix(body, []byte("<?xml")) {
		d := xml.NewDecoder(bytes.NewReader(body))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("this is no XML: %v\n%.500s", err, body)
			}
		}
	}
	f, err := gofeed.NewParser().Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("this is no feed: %v\n%.500s", err, body)
	}
	return f
}
