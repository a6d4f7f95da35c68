package sitemap_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"plat/browser/fetch/sitemap"
)

// FuzzRead checks that no file exceeds its limits, that only absolute URLs are
// yielded, and that the result depends neither on the sizes of reads nor on
// gzip.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		protocolSample, protocolIndex, rss, atom, zip(protocolSample), utf16(protocolIndex),
		"http://a.test/\r\nhttps://b.test/\n", `<?xml version="1.0" encoding="gbk"?><urlset><url><loc>http://` + "\xd6\xd0" + `</loc></url>`,
		`<!DOCTYPE urlset [<!ENTITY a "b">]><urlset><url><loc>http://&a;&#65;&b=1</loc><priority>1e-1</priority></url></urlset>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		lim := sitemap.Limits{Bytes: 4096, Entries: 8, Token: 256, Depth: 6}
		whole := strings.NewReader(file)
		all, res, err := collectFrom(whole, lim)
		if len(all) != res.Entries || len(all) > lim.Entries {
			t.Fatalf("%d entries, and %+v", len(all), res)
		}
		if err == nil && res.Kind == sitemap.Unknown {
			t.Fatal("neither a kind nor an error")
		}
		if err != nil && errors.Is(err, sitemap.ErrFormat) && (res.Entries > 0 || res.Kind != sitemap.Unknown) {
			t.Fatalf("%+v, yet %v", res, err)
		}
		if read := len(file) - whole.Len(); int64(read) > lim.Bytes+1 {
			t.Fatalf("%d bytes were read", read)
		}
		for _, e := range all {
			low := strings.ToLower(e.Loc)
			if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") || len(e.Loc) > 3*lim.Token {
				t.Fatalf("loc %q", e.Loc)
			}
			if e.Priority != sitemap.NoPriority && !(e.Priority >= 0 && e.Priority <= 1) {
				t.Fatalf("priority %v", e.Priority)
			}
			if y := e.LastMod.Year(); y < 1 || y > 9999 {
				t.Fatalf("last modified %v", e.LastMod)
			}
		}
		slow, slowRes, slowErr := collectFrom(iotest.OneByteReader(strings.NewReader(file)), lim)
		if !slices.Equal(show(slow), show(all)) || slowRes != res || (slowErr == nil) != (err == nil) {
			t.Fatalf("byte by byte: %q, %+v, %v; at once: %q, %+v, %v", show(slow), slowRes, slowErr, show(all), res, err)
		}
		if strings.HasPrefix(file, "\x1f\x8b") || len(zip(file)) > int(lim.Bytes) {
			return
		}
		packed, packedRes, packedErr := collect(zip(file), lim)
		if !slices.Equal(show(packed), show(all)) || packedRes != res || (packedErr == nil) != (err == nil) {
			t.Fatalf("gzipped: %q, %+v, %v; plain: %q, %+v, %v", show(packed), packedRes, packedErr, show(all), res, err)
		}
	})
}
