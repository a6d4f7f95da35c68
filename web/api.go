package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

// apiRoot is where the interface for programs begins.
const apiRoot = "/api/v1"

// intakePath is the way in for URLs.
const intakePath = apiRoot + "/urls"

// answerTime is the most that one answer may take.
const answerTime = 20 * time.Second

// openapi describes the interface for programs; a test holds it to that.
//
//go:embed openapi.yaml
var openapi []byte

// endpoint is one address of the interface. It answers to GET and HEAD.
type endpoint struct {
	path   string   // as http.ServeMux has it
	params []string // of the query; no others are taken
	serve  func(w http.ResponseWriter, r *http.Request, p *params) error
}

// endpoints lists the interface for programs.
func (s *Server) endpoints() []endpoint {
	return []endpoint{
		{"/sites", []string{"limit", "cursor"}, s.apiSites},
		{"/urls", []string{"prefix", "host", "limit", "cursor"}, s.apiURLs},
		{"/url", []string{"url"}, s.apiURL},
		{"/versions", []string{"url", "limit", "cursor"}, s.apiVersions},
		{"/version", []string{"url", "version", "text"}, s.apiVersion},
		{"/page", []string{"url", "version"}, s.apiPage},
		{"/diff", []string{"url", "old", "new"}, s.apiDiff},
		{"/spans", []string{"url", "lineage", "text", "limit", "cursor"}, s.apiSpans},
		{"/blocks", []string{"host", "prefix", "label", "topic", "since", "until", "head", "text", "limit", "cursor"}, s.apiBlocks},
		{"/search", []string{"q", "host", "prefix", "label", "since", "until", "gone", "standing", "text", "limit", "cursor"}, s.apiSearch},
		{"/visits", []string{"url", "limit", "cursor"}, s.apiVisits},
		{"/resources", []string{"url", "version", "limit", "cursor"}, s.apiResources},
		{"/resource/{hash}", nil, s.apiResource},
		{"/picture/{hash}", nil, s.apiPicture},
		{"/stats", nil, s.apiStats},
		{"/queue", nil, s.apiQueue},
		{"/queue/dead", []string{"limit", "cursor"}, s.apiDead},
		{"/about", nil, s.apiAbout},
		{"/openapi.yaml", nil, s.apiDocument},
		{"/openapi.json", nil, s.apiDocument},
	}
}

// api answers programs.
func (s *Server) api(mux *http.ServeMux) {
	for _, e := range s.endpoints() {
		mux.Handle(apiRoot+e.path, s.endpoint(e))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "there is nothing here; "+apiRoot+"/openapi.yaml lists what there is")
	})
}

// endpoint checks method and parameters, and sets the time an answer may take.
func (s *Server) endpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods := []string{http.MethodGet, http.MethodHead}
		if apiRoot+e.path == intakePath {
			methods = append(methods, http.MethodPost)
		}
		switch {
		case !slices.Contains(methods, r.Method):
			w.Header().Set("Allow", strings.Join(methods, ", "))
			s.fail(w, r, http.StatusMethodNotAllowed, "here one may "+strings.Join(methods, " or "))
			return
		case r.Method == http.MethodPost:
			s.apiTake(w, r)
			return
		}
		ctx, done := context.WithTimeout(r.Context(), answerTime)
		defer done()
		r = r.WithContext(ctx)
		p := s.readParams(r, e.params)
		if p.err != nil {
			s.failed(w, r, p.err)
			return
		}
		if err := e.serve(w, r, p); err != nil {
			s.failed(w, r, err)
		}
	})
}

// forever is how long that may be kept whose address is its hash.
const forever = "private, max-age=31536000, immutable"

// reply answers with v in JSON.
func reply(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	send(w, r, append(body, '\n'))
	return nil
}

// send answers with a body under the hash of it: who has it already is told so.
// Whether it changed is asked each time, as the token may have.
func send(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`)
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// part is one page of a list.
type part[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"` // address of the next page; null on the last
}

// replyList answers with one page of a list; next is the cursor of the page after
// it, nil if there is none.
func replyList[T any](w http.ResponseWriter, r *http.Request, p *params, items []T, next any) error {
	l := part[T]{Items: items}
	if items == nil {
		l.Items = []T{}
	}
	if next != nil {
		l.Next = nextPage(w, r, p, next)
	}
	return reply(w, r, l)
}

// nextPage is the address of the page of a list that begins at a cursor. It is in
// the header as well.
func nextPage(w http.ResponseWriter, r *http.Request, p *params, at any) *string {
	p.query.Set("cursor", cursorOf(at))
	to := r.URL.Path + "?" + p.query.Encode()
	w.Header().Set("Link", "<"+to+`>; rel="next"`)
	return &to
}

// apiTake hands URLs to whoever takes them.
func (s *Server) apiTake(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Take == nil && s.Store == nil:
		w.Header().Set("Retry-After", "5")
		s.fail(w, r, http.StatusServiceUnavailable, "starting")
		return
	case s.Take == nil:
		s.fail(w, r, http.StatusNotFound, "this server only reads: it has no workers to give URLs to")
		return
	}
	if p := s.readParams(r, nil); p.err != nil {
		s.failed(w, r, p.err)
		return
	}
	s.Take.ServeHTTP(w, r)
}

func (s *Server) apiAbout(w http.ResponseWriter, r *http.Request, _ *params) error {
	return reply(w, r, struct {
		Version string `json:"version"`
	}{s.Version})
}

// openapiJSON is the description in JSON.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(openapi, &doc); err != nil {
		return nil, err
	}
	return json.MarshalIndent(doc, "", "  ")
})

func (s *Server) apiDocument(w http.ResponseWriter, r *http.Request, _ *params) error {
	body, kind := openapi, "application/yaml" // RFC 9512
	if strings.HasSuffix(r.URL.Path, ".json") {
		var err error
		if body, err = openapiJSON(); err != nil {
			return err
		}
		kind = "application/json"
	}
	w.Header().Set("Content-Type", kind)
	send(w, r, body)
	return nil
}
