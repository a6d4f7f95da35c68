package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"plat/export/warc"
	"plat/plat/weburl"
)

// The parts of a HAR file (HTTP Archive 1.2) that are read, with two fields of Chrome's.
type (
	harEntry struct {
		Page         string    `json:"pageref"`
		Started      time.Time `json:"startedDateTime"`
		ResourceType string    `json:"_resourceType"`
		Request      struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		} `json:"request"`
		Response struct {
			Status  int        `json:"status"`
			Headers []harField `json:"headers"`
			Content struct {
				Text     *string `json:"text"`
				Encoding string  `json:"encoding"`
				MimeType string  `json:"mimeType"`
			} `json:"content"`
		} `json:"response"`
	}

	harField struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// A spoolSource has responses in a temporary file: head and body, one after the other.
type spoolSource struct{ file *os.File }

// response returns the response at an offset, whose length is that of Within.
func (s *spoolSource) response(at warc.Place) (*http.Response, error) {
	r := bufio.NewReader(io.NewSectionReader(s.file, at.Offset, at.Within))
	h, err := readHead(r)
	if err != nil {
		return nil, err
	}
	return responseOf(h, r, nil), nil
}

// openHAR reads a HAR file, one entry in memory at a time.
func (l *Library) openHAR(ctx context.Context, f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	t, err := l.tempFile()
	if err != nil {
		return err
	}
	l.sources = append(l.sources, &spoolSource{t})
	in := json.NewDecoder(skipMark(bufio.NewReaderSize(f, 64<<10)))
	h := harReader{l: l, out: t, source: int32(len(l.sources) - 1), pages: map[string]bool{}}
	err = fields(in, func(name string) error {
		if name != "log" {
			return skipValue(in)
		}
		h.seen = true
		return fields(in, func(name string) error {
			if name != "entries" {
				return skipValue(in)
			}
			return elements(in, func() error {
				var raw json.RawMessage
				if err := errors.Join(in.Decode(&raw), context.Cause(ctx)); err != nil {
					return err
				}
				var e harEntry
				if err := json.Unmarshal(raw, &e); err != nil {
					l.damaged(fmt.Errorf("HAR at byte %d: %w", in.InputOffset(), err))
					return nil
				}
				return h.entry(&e, in.InputOffset())
			})
		})
	})
	switch {
	case err != nil && !h.seen:
		return ErrUnknown
	case err != nil && context.Cause(ctx) == nil && len(h.pages) > 0:
		l.damaged(fmt.Errorf("HAR, from byte %d on: %w", in.InputOffset(), err)) // cut off
	case err != nil:
		return fmt.Errorf("HAR: %w", err)
	case !h.seen:
		return fmt.Errorf("%w: the JSON has no log of requests", ErrUnknown)
	}
	return nil
}

// A harReader adds the entries of a HAR file.
type harReader struct {
	l      *Library
	out    *os.File
	at     int64
	source int32
	pages  map[string]bool // whose document is found
	seen   bool
}

// entry adds an entry. The page of several entries is the first that is one.
func (h *harReader) entry(e *harEntry, read int64) error {
	defer h.l.read(read)
	switch {
	case !weburl.IsWeb(e.Request.URL):
		h.l.leave(notWeb)
		return nil
	case e.Response.Status == 0:
		h.l.leave("a request without a response")
		return nil
	case e.Response.Status == http.StatusNotModified:
		h.l.leave(notSent)
		return nil
	case e.Response.Content.Text == nil && e.Response.Status == http.StatusOK:
		h.l.leave("a response whose content was not saved")
		return nil
	}
	var body []byte
	if text := e.Response.Content.Text; text != nil {
		body = []byte(*text)
		if e.Response.Content.Encoding == "base64" {
			var err error
			if body, err = base64.StdEncoding.DecodeString(*text); err != nil {
				h.l.damaged(fmt.Errorf("%s: the content is not base64: %w", e.Request.URL, err))
				return nil
			}
		}
	}
	block := e.block(body)
	if _, err := h.out.Write(block); err != nil {
		return err
	}
	at := entry{at: e.Started.UnixMilli(), place: warc.Place{Offset: h.at, Within: int64(len(block))}, source: h.source, status: int16(e.Response.Status)}
	h.at += int64(len(block))
	h.l.add(e.Request.URL, at)
	r := bufio.NewReader(bytes.NewReader(block))
	head, err := readHead(r)
	if err != nil {
		return nil
	}
	reason := why(head, e.Request.URL, r)
	switch {
	case e.Request.Method != http.MethodGet:
		h.l.leave(posted)
	case reason != "":
		h.l.leave(reason)
	case e.ResourceType != "" && e.ResourceType != "document", e.Page != "" && h.pages[e.Page]:
		h.l.leave(byPage)
	default:
		h.pages[e.Page] = true
		h.l.capture(e.Request.URL, e.Started)
	}
	return nil
}

// block returns the response as bytes of HTTP. Its content is decoded, and text is UTF-8.
func (e *harEntry) block(body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d\r\n", e.Response.Status)
	typed := false
	for _, f := range e.Response.Headers {
		switch name := strings.ToLower(f.Name); {
		case name == "content-encoding", name == "transfer-encoding", strings.HasPrefix(name, ":"):
			continue
		case name == "content-type":
			typed = true
			if e.Response.Content.Encoding != "base64" && strings.HasPrefix(strings.ToLower(f.Value), "text/") {
				media, _, _ := strings.Cut(f.Value, ";")
				f.Value = media + "; charset=utf-8"
			}
		}
		for value := range strings.SplitSeq(f.Value, "\n") { // Chrome joins fields of one name
			fmt.Fprintf(&b, "%s: %s\r\n", clean(f.Name), clean(value))
		}
	}
	if !typed && e.Response.Content.MimeType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", clean(e.Response.Content.MimeType))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// skipMark skips a byte order mark, which some browsers write.
func skipMark(r *bufio.Reader) *bufio.Reader {
	if b, _ := r.Peek(3); bytes.Equal(b, []byte("\ufeff")) {
		r.Discard(3)
	}
	return r
}

var errShape = errors.New("the JSON has an unexpected shape")

// fields calls f at the value of each field of an object.
func fields(in *json.Decoder, f func(name string) error) error {
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errShape, err)
	}
	for in.More() {
		t, err := in.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if err := f(name); err != nil {
			return err
		}
	}
	_, err := in.Token()
	return err
}

// elements calls f at each element of an array.
func elements(in *json.Decoder, f func() error) error {
	if t, err := in.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(errShape, err)
	}
	for in.More() {
		if err := f(); err != nil {
			return err
		}
	}
	_, err := in.Token()
	return err
}

// skipValue reads a value, token by token.
func skipValue(in *json.Decoder) error {
	depth := 0
	for {
		t, err := in.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}
