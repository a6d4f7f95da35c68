package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"time"

	"plat/plat/excerpt"
)

// WriteJSON sends v as JSON, see [excerpt.MarshalJSON].
func WriteJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := excerpt.MarshalJSON(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	WriteBytes(w, r, append(body, '\n'))
	return nil
}

// WriteStored sends v, the result of a change, as JSON with a status. No cache keeps it.
func WriteStored(w http.ResponseWriter, code int, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	return WriteLine(w, v)
}

// WriteLine writes v as a line of JSON, see [excerpt.MarshalJSON].
func WriteLine(w io.Writer, v any) error {
	line, err := excerpt.MarshalJSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// WriteBytes sends a body with its hash as ETag, or 304 if it matches the client's.
// Clients must revalidate each time, because the token may have changed.
func WriteBytes(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("ETag", tagOf(body))
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// tagOf returns an entity tag: a hash of the content.
func tagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// Part is one page of a list.
type Part[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // address of the next page; null on the last
}

// WriteList sends one page of a list; next is the cursor of the next page, nil on the last page.
func WriteList[T any](w http.ResponseWriter, r *http.Request, p *Params, items []T, next any) error {
	l := Part[T]{Items: items}
	if items == nil {
		l.Items = []T{}
	}
	if next != nil {
		l.Next = NextPage(w, r, p, next)
	}
	return WriteJSON(w, r, l)
}

// NextPage returns the address of the list page that begins at a cursor, and also sets it in
// the Link header.
func NextPage(w http.ResponseWriter, r *http.Request, p *Params, at any) *string {
	return Following(w, r, p, "cursor", CursorOf(at))
}

// Following is [NextPage] for a list with a different name of the cursor parameter.
func Following(w http.ResponseWriter, r *http.Request, p *Params, name, value string) *string {
	p.Query.Set(name, value)
	to := r.URL.Path + "?" + p.Query.Encode()
	w.Header().Set("Link", "<"+to+`>; rel="next"`)
	return &to
}
