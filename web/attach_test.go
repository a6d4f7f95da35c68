package web

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage"
)

// A picture that the last version gets later is shown, although the version was shown, and is in the cache, without it.
func TestAPictureThatIsAddedLaterIsShown(t *testing.T) {
	const page = "https://a.test/"
	store := made(t)
	s := New(Options{Store: store})
	q := "url=" + url.QueryEscape(page)
	st, err := store.State(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	pic := &plat.Picture{Type: "image/png", Data: data.Bytes()}
	hash := plat.HashOf(pic.Data).String()
	file := []byte("p { color: green }")
	files := []plat.Resource{{URL: "https://a.test/later.css", Type: "text/css", Status: 200, Size: int64(len(file)), Hash: plat.HashOf(file), Data: file}}
	shows := func(at string) bool {
		t.Helper()
		w := get(s, http.MethodGet, at+q)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %.300s", at, w.Code, w.Body)
		}
		return strings.Contains(w.Body.String(), hash)
	}
	pages := []string{"/version?", "/version?by=age&", "/api/v1/version?", "/api/v1/versions?"}
	for _, at := range pages {
		if shows(at) {
			t.Errorf("%s shows a picture that is not there yet", at)
		}
	}
	if _, err := store.Attach(t.Context(), page, st.Head, &storage.Attachment{Picture: pic, Resources: files}); err != nil {
		t.Fatal(err)
	}
	visit := plat.Visit{URL: page, Time: st.Last.Add(time.Hour), Outcome: plat.OutcomeUnchanged, Version: st.Head}
	if err := store.Record(t.Context(), visit, 1); err != nil {
		t.Fatal(err)
	}
	for _, at := range pages {
		if !shows(at) {
			t.Errorf("%s does not show the picture", at)
		}
	}
	if w := get(s, http.MethodGet, "/api/v1/picture/"+hash); w.Code != http.StatusOK || w.Body.String() != string(pic.Data) {
		t.Errorf("the picture: %d %.100s", w.Code, w.Body)
	}
}
