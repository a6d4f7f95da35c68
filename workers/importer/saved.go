package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"plat/export/warc"
	"plat/plat/weburl"
)

// A fileSource has responses in files, whose number is the offset of their place.
type fileSource struct {
	files []string
	types []string // media types, with the charset if known; empty: as the name says
}

func (s *fileSource) response(at warc.Place) (*http.Response, error) {
	f, err := os.Open(s.files[at.Offset])
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(f)
	h := responseHead{http.StatusOK, http.Header{}}
	t := s.types[at.Offset]
	if t == "" {
		start, _ := r.Peek(512)
		t = typeOf(s.files[at.Offset], start)
	}
	h.header.Set("Content-Type", t)
	return responseOf(h, r, f), nil
}

// typeOf returns the media type of a file: by its name, else by its first bytes. Text has no charset, which browsers find
// out as for a page without a header.
func typeOf(path string, start []byte) string {
	base, _, _ := strings.Cut(filepath.Base(path), "?")
	t := mime.TypeByExtension(filepath.Ext(base))
	if t == "" || filepath.Ext(base) == "" {
		t = http.DetectContentType(start)
	}
	media, _, _ := strings.Cut(t, ";")
	if strings.HasPrefix(media, "text/") || media == "application/javascript" {
		return media
	}
	return t
}

var (
	singleFile = regexp.MustCompile(`(?s)<!--\s+Page saved with SingleFile\s+url:\s*(\S+)\s+saved date:\s*([^\n]*?)\s*\n`)
	savedFrom  = regexp.MustCompile(`<!-- saved from url=\(\d{4}\)(\S+) -->`)
)

// errNoURL is returned for a page that does not say its address.
var errNoURL = errors.New("the page does not say its URL; give it with --url")

// openSaved reads a page that SingleFile or a browser has saved as one file.
func (l *Library) openSaved(path string, st os.FileInfo) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	start := make([]byte, 16<<10)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	url, at := savedAs(start[:n])
	if l.o.URL != "" {
		url = l.o.URL
	}
	if at.IsZero() {
		at = st.ModTime()
	}
	if !l.o.At.IsZero() {
		at = l.o.At
	}
	if url == "" {
		return errNoURL
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	l.sources = append(l.sources, &fileSource{files: []string{abs}, types: []string{"text/html"}})
	l.add(url, entry{at: at.UnixMilli(), source: int32(len(l.sources) - 1), status: http.StatusOK})
	l.capture(url, at)
	l.read(l.sums.Bytes + st.Size())
	return nil
}

// savedAs returns URL and time of a saved page, by the comment at its beginning.
func savedAs(start []byte) (url string, at time.Time) {
	if m := singleFile.FindSubmatch(start); m != nil {
		date, _, _ := strings.Cut(string(m[2]), " (") // the name of the time zone
		at, _ = time.Parse("Mon Jan 02 2006 15:04:05 GMT-0700", date)
		return string(m[1]), at
	}
	if m := savedFrom.FindSubmatch(start); m != nil && strings.HasPrefix(string(m[1]), "http") {
		return string(m[1]), time.Time{}
	}
	return "", time.Time{}
}

// checkURL returns an error if the address of a folder is not one.
func checkURL(url string) error {
	if !weburl.IsWeb(url) {
		return fmt.Errorf("--url %q: write it with https:// or http://", url)
	}
	return nil
}
