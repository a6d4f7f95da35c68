// Package feedtest parses feeds for tests, with an independent reader.
package feedtest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/mmcdole/gofeed"
)

// Parse parses a feed as readers do; XML must be well-formed.
func Parse(t testing.TB, body []byte) *gofeed.Feed {
	t.Helper()
	if bytes.HasPrefix(body, []byte("<?xml")) {
		d := xml.NewDecoder(bytes.NewReader(body))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("invalid XML: %v\n%.500s", err, body)
			}
		}
	}
	f, err := gofeed.NewParser().Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("invalid feed: %v\n%.500s", err, body)
	}
	return f
}
