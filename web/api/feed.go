package api

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plat/web/cache"
)

// Made is a feed as it is sent.
type Made struct {
	Body    []byte
	Updated time.Time
}

// Feed sends a feed of a media type, or 304 if the client has it. state identifies the content:
// each state is produced once.
func Feed(w http.ResponseWriter, r *http.Request, c *cache.Cache, media, state string, produce func(ctx context.Context) (Made, error)) error {
	tag := `W/` + tagOf([]byte(state))
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	m, err := cache.Remember(r.Context(), c, "feed "+tag, func(m Made) int64 { return int64(len(m.Body)) + 100 }, produce)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	http.ServeContent(w, r, "", m.Updated, bytes.NewReader(m.Body))
	return nil
}

// Self is the address of a feed without its token, because feeds are shared.
func Self(origin string, r *http.Request) string {
	q := url.Values{}
	for name, values := range r.URL.Query() {
		if name != "token" {
			q[name] = values
		}
	}
	to := origin + r.URL.Path
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	return to
}
