package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"plat/web/api"
)

// apiRoot is the path prefix of the JSON API.
const apiRoot = "/api/v1"

// intakePath accepts URLs for the queue.
const intakePath = apiRoot + "/urls"

// segmentPath takes pages to divide.
const segmentPath = apiRoot + "/segment"

// answerTime is the time limit of a response.
const answerTime = 20 * time.Second

// openapi describes the API; a test checks that the server conforms to it.
//
//go:embed openapi.yaml
var openapi []byte

// endpoint is one path of the API. It accepts GET and HEAD.
type endpoint struct {
	path   string   // pattern for http.ServeMux
	params []string // query parameters; all other parameters are rejected
	serve  func(w http.ResponseWriter, r *http.Request, p *api.Params) error
}

// endpoints lists the API's endpoints.
func (s *Server) endpoints() []endpoint {
	return []endpoint{
		{"/sites", []string{"limit", "cursor"}, s.apiSites},
		{"/urls", []string{"prefix", "host", "limit", "cursor"}, s.apiURLs},
		{"/url", []string{"url"}, s.apiURL},
		{"/versions", []string{"url", "limit", "cursor"}, s.apiVersions},
		{"/version", []string{"url", "version", "at", "text"}, s.apiVersion},
		{"/text", []string{"url", "version", "at"}, s.apiText},
		{"/page", []string{"url", "version", "at"}, s.apiPage},
		{"/diff", []string{"url", "old", "new"}, s.apiDiff},
		{"/spans", []string{"url", "lineage", "text", "limit", "cursor"}, s.apiSpans},
		{"/blocks", []string{"host", "prefix", "label", "topic", "since", "until", "head", "all", "text", "limit", "cursor"}, s.apiBlocks},
		{"/rules", []string{"url"}, s.apiRules},
		{"/search", []string{"q", "host", "prefix", "label", "since", "until", "gone", "standing", "text", "limit", "cursor"}, s.apiSearch},
		{"/visits", []string{"url", "limit", "cursor"}, s.apiVisits},
		{"/schedule", []string{"url"}, s.apiSchedule},
		{"/spent", []string{"host", "days"}, s.apiSpent},
		{"/resources", []string{"url", "version", "limit", "cursor"}, s.apiResources},
		{"/resource/{hash}", []string{"name"}, s.apiResource},
		{"/picture/{hash}", nil, s.apiPicture},
		{"/stats", nil, s.apiStats},
		{"/queue", nil, s.apiQueue},
		{"/queue/workers", nil, s.apiWorkers},
		{"/queue/dead", []string{"limit", "cursor"}, s.apiDead},
		{"/about", nil, s.apiAbout},
		{"/openapi.yaml", nil, s.apiDocument},
		{"/openapi.json", nil, s.apiDocument},
	}
}

// api registers the JSON API.
func (s *Server) api(mux *api.Mux) {
	for _, e := range s.endpoints() {
		mux.Handle(apiRoot+e.path, s.endpoint(e), e.params...)
	}
	mux.Routes = append(mux.Routes, api.Route{Method: http.MethodPost, Path: intakePath})
	s.segment(mux)
	mux.Handle("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "unknown address; "+apiRoot+"/openapi.yaml lists the endpoints")
	})
}

// endpoint checks method and parameters, and sets the response's time limit.
func (s *Server) endpoint(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		methods := []string{http.MethodGet, http.MethodHead}
		if apiRoot+e.path == intakePath {
			methods = append(methods, http.MethodPost)
		}
		switch {
		case !slices.Contains(methods, r.Method):
			w.Header().Set("Allow", strings.Join(methods, ", "))
			s.fail(w, r, http.StatusMethodNotAllowed, "use "+strings.Join(methods, " or "))
			return
		case r.Method == http.MethodPost:
			s.apiTake(w, r)
			return
		}
		ctx, done := context.WithTimeout(r.Context(), answerTime)
		defer done()
		r = r.WithContext(ctx)
		p := api.ReadParams(r, e.params, s.Drop)
		if p.Err != nil {
			s.failed(w, r, p.Err)
			return
		}
		if err := e.serve(w, r, p); err != nil {
			s.failed(w, r, err)
		}
	}
}

// forever is the Cache-Control of content-addressed responses.
const forever = "private, max-age=31536000, immutable"

// reply sends v as JSON.
func reply(w http.ResponseWriter, r *http.Request, v any) error { return api.WriteJSON(w, r, v) }

// send sends a body with its hash as ETag, see [api.Bytes].
func send(w http.ResponseWriter, r *http.Request, body []byte) { api.WriteBytes(w, r, body) }

// replyList sends one page of a list, see [api.List].
func replyList[T any](w http.ResponseWriter, r *http.Request, p *api.Params, items []T, next any) error {
	return api.WriteList(w, r, p, items, next)
}

// apiTake passes URLs to the handler that takes them.
func (s *Server) apiTake(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Take == nil && s.Store == nil:
		w.Header().Set("Retry-After", "5")
		s.fail(w, r, http.StatusServiceUnavailable, "starting")
		return
	case s.Take == nil:
		s.fail(w, r, http.StatusNotFound, "this server has no workers, so it takes no URLs")
		return
	}
	if p := api.ReadParams(r, nil, s.Drop); p.Err != nil {
		s.failed(w, r, p.Err)
		return
	}
	s.Take.ServeHTTP(w, r)
}

func (s *Server) apiAbout(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	return reply(w, r, struct {
		Version string `json:"version"`
	}{s.Version})
}

// openapiJSON is the API description as JSON.
var openapiJSON = sync.OnceValues(func() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(openapi, &doc); err != nil {
		return nil, err
	}
	return json.MarshalIndent(doc, "", "  ")
})

func (s *Server) apiDocument(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
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
