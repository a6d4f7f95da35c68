package weburl

import (
	"strings"
	"testing"
)

func TestNamesFile(t *testing.T) {
	for url, want := range map[string]bool{
		"https://a.test/report.pdf":           true,
		"https://a.test/REPORT.PDF?v=2#page3": true,
		"/data/2026.csv":                      true,
		"https://a.test/x.tar.gz":             true,
		"https://a.test/photo.jpeg":           true,
		"https://a.test/":                     false,
		"https://a.zip":                       false,
		"https://a.zip?x=/y.pdf":              false,
		"https://a.zip/":                      false,
		"https://a.test/pdf":                  false,
		"https://a.test/report.pdf/":          false,
		"https://a.test/view?file=report.pdf": false,
		"https://a.test/index.html":           false,
		"https://a.test/feed.xml":             false,
		"":                                    false,
	} {
		if got := NamesFile(url); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}

// Documents, tables, archives, pictures, sounds, films and programs are no pages, but any program may write a page.
func TestKindsOfFiles(t *testing.T) {
	for kinds, want := range map[string]bool{
		"csv tsv yaml yml toml ics vcf pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub": true, "zip gz tgz bz2 xz 7z rar tar exe msi dmg deb rpm apk iso": true,
		"jpg jpeg png gif webp avif svg ico bmp mp3 ogg oga wav flac m4a mp4 webm ogv mov": true, "html htm php asp aspx jsp cgi xml rss json md txt xhtml shtml de com": false,
	} {
		for kind := range strings.FieldsSeq(kinds) {
			if NamesFile("https://a.test/b."+kind) != want || NamesFile("b."+strings.ToUpper(kind)) != want || NamesFile("https://a."+kind) {
				t.Errorf("%s is a kind of files: %v", kind, !want)
			}
		}
	}
}
