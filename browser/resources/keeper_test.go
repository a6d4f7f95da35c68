package resources

import "testing"

// A style sheet from Chrome's cache is in the bytes of its server.
func TestCachedSheetsAreDecoded(t *testing.T) {
	for in, want := range map[string]string{
		"a{}":                                "a{}",
		"\xef\xbb\xbfp::before{content:'ü'}": "p::before{content:'ü'}",
		"p::before{content:'\xfc\x80'}":      "p::before{content:'ü€'}",
		"@charset \"shift_jis\";p::before{content:'\x8b\x99'}": "@charset \"shift_jis\";p::before{content:'漁'}",
	} {
		if got := string(sheetText([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
