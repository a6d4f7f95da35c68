package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"plat/plat"
	"plat/queue/intake"
	"plat/storage"
	"plat/web/divide"
	"plat/web/submit"
)

// bodies are requests that change something, in the order in which they are sent: those that remove come last.
var bodies = map[string][]string{
	"POST /rule":                           {"url=" + url.QueryEscape(evilURL) + "&lineage=1&do=watch"},
	"POST /add":                            {"url=" + url.QueryEscape(evilURL) + "&scope=host", "url=" + url.QueryEscape(evil), "url=http%3A%2F%2Fa.test%2F&every=" + url.QueryEscape(evil)},
	"POST /watch/pick":                     {"url=" + url.QueryEscape(evilURL) + "&block=1"},
	"POST /watch/add":                      {"url=" + url.QueryEscape(evilURL+"2") + "&title=" + url.QueryEscape(evil)},
	"POST /watch/read":                     {"to=2026-05-01T00:00:00Z&group=" + url.QueryEscape(evil) + "&back=items"},
	"POST /watch/{id}/pick":                {"block=1"},
	"POST /watch/{id}/edit":                {"title=" + url.QueryEscape(evil) + "&match=" + url.QueryEscape(evil) + "&group=" + url.QueryEscape(evil) + "&tags=" + url.QueryEscape(evil)},
	"POST /watch/{id}/pause":               {"do=pause"},
	"POST /watch/{id}/remove":              {""},
	"POST /focus/begin":                    {"about=" + url.QueryEscape("birds "+evil) + "&urls=" + url.QueryEscape(evilURL) + "&name=" + url.QueryEscape(evil)},
	"POST /focus/{id}/label":               {"url=" + url.QueryEscape(evilURL) + "&belongs=yes"},
	"POST /focus/{id}/state":               {"do=stop"},
	"POST /focus/{id}/remove":              {""},
	"POST /api/v1/urls":                    {`["http://a.test/"]`, `[{"url":"http://a.test/","scope":` + quoted("x "+evil) + `}]`, "list:" + evil + "\nhttp://a.test/"},
	"POST /api/v1/segment":                 {`{"html":` + quoted("<title>"+evil+"</title><p>"+evil) + `,"base":` + quoted(evilURL) + `}`, `{"url":` + quoted(evil) + `}`},
	"POST /api/v1/watch":                   {`{"url":"http://c.test/","title":` + quoted(evil) + `,"match":[` + quoted(evil) + `],"tags":[` + quoted(evil) + `]}`},
	"POST /api/v1/watch/read":              {`{"group":` + quoted(evil) + `}`},
	"POST /api/v1/watch/import":            {evilURL + "\nnonsense " + evil},
	"POST /api/v1/watch/channels":          {`{"name":"me","url":"smtp://mail.b.test/?from=plat@b.test&to=me@b.test"}`, `{"name":"me","url":"mailto:` + evil + `"}`},
	"PATCH /api/v1/watch/{id}":             {`{"title":` + quoted(evil) + `}`, `{"labels":[` + quoted(evil) + `]}`, `{"except":[` + quoted("("+evil) + `]}`},
	"DELETE /api/v1/watch/{id}":            {""},
	"DELETE /api/v1/watch/channels/{name}": {""},
	"POST /api/v1/focus":                   {`{"about":` + quoted("birds "+evil) + `,"urls":[` + quoted(evilURL) + `],"name":` + quoted(evil) + `}`},
	"POST /api/v1/focus/{id}/labels":       {`[{"url":` + quoted(evilURL) + `,"belongs":"yes"}]`, `[{"url":` + quoted(evilURL) + `,"belongs":` + quoted(evil) + `}]`},
	"POST /api/v1/focus/{id}/state":        {`{"state":"paused"}`},
	"DELETE /api/v1/focus/{id}":            {""},
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// routed is a request and the path of its route.
type routed struct {
	method, path, target, body, media string
	removes                           bool
}

func (a routed) String() string { return fmt.Sprintf("%s %.160s", a.method, a.target) }

var placeholder = regexp.MustCompile(`\{([a-z]+)\$?\}`)

// requests are those of all routes of a server: with parameters that find something, with the least, and with evil in each place.
func requests(t *testing.T, s *Server, store storage.Store) (all []routed) {
	t.Helper()
	v, err := store.Version(t.Context(), evilURL, 2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := store.Manifest(t.Context(), v.Resources)
	if err != nil {
		t.Fatal(err)
	}
	kept := m[slices.IndexFunc(m, func(r plat.Resource) bool { return r.Left == "" })]
	part := func(method, path, name string) string {
		switch {
		case name == "id" && method == "DELETE":
			return "last"
		case name == "id" && strings.Contains(path, "/focus"):
			return "crawl"
		case name == "id" && method != "GET":
			return "other"
		case name == "id":
			return "sub"
		case name == "hash":
			return kept.Hash.String()
		case name == "file":
			return "plat.css"
		case name == "name":
			return url.PathEscape(evil)
		case name == "":
			return ""
		case slices.Contains([]string{"key", "manifest", "entry", "format"}, name):
			return "none" // those that there are come from pages, see below
		}
		t.Errorf("%s: say in the test what {%s} is", path, name)
		return ""
	}
	for _, r := range s.mux.Routes {
		at := placeholder.ReplaceAllStringFunc(r.Path, func(x string) string {
			if x == "{$}" {
				return ""
			}
			return part(r.Method, r.Path, placeholder.FindStringSubmatch(x)[1])
		})
		odd := placeholder.ReplaceAllLiteralString(r.Path, url.PathEscape(wrong))
		if r.Path == "/{$}" {
			odd = "/"
		}
		add := func(target, body, media string) {
			all = append(all, routed{r.Method, r.Path, target, body, media, r.Method == "DELETE" || strings.HasSuffix(r.Path, "/remove") && r.Method == "POST"})
		}
		q, least := url.Values{}, url.Values{}
		for _, name := range r.Params {
			values, ok := filled[name]
			if !ok {
				t.Errorf("%s %s: say in the test what the parameter %s may be", r.Method, r.Path, name)
				continue
			}
			if values[0] != "" {
				q.Set(name, values[0])
			}
			if name == "url" {
				least.Set(name, values[0])
			}
			hostile := url.Values{name: {wrong}}
			add(at+"?"+hostile.Encode(), "", "")
			if name != "url" && slices.Contains(r.Params, "url") {
				hostile.Set("url", evilURL)
				add(at+"?"+hostile.Encode(), "", "")
			}
		}
		add(odd, "", "")
		add(at+"?"+url.Values{wrong: {wrong}}.Encode(), "", "")
		if r.Method == "GET" {
			add(at+"?"+q.Encode(), "", "")
			add(at+"?"+least.Encode(), "", "")
			if r.Path == "/feed/{format}" {
				for _, f := range []string{"atom", "rss", "json"} {
					add("/feed/"+f+"?"+least.Encode(), "", "")
					add("/feed/"+f+"?all=true&"+least.Encode(), "", "")
				}
			}
			continue
		}
		send, ok := bodies[r.Method+" "+r.Path]
		if !ok {
			t.Errorf("%s %s: say in the test what is sent", r.Method, r.Path)
		}
		for _, body := range append(send, `{"`+wrong+`":1}`, quoted(evil), "a="+url.QueryEscape(wrong), wrong+"\n") {
			media := "application/x-www-form-urlencoded"
			if strings.HasPrefix(r.Path, "/api/") {
				media = "application/json"
			}
			if list, ok := strings.CutPrefix(body, "list:"); ok {
				body, media = list, "text/uri-list"
			}
			add(at, body, media)
		}
	}
	for _, x := range s.withURLs() {
		for _, rest := range []string{evilURL, "link/" + evilURL, "json/" + evilURL, url.PathEscape(wrong), "20260501020000/" + evilURL, "20260501020000id_/" + evilURL, "1/http://" + url.PathEscape(wrong)} {
			all = append(all, routed{method: "GET", path: x.prefix, target: x.prefix + rest})
		}
	}
	slices.SortStableFunc(all, func(a, b routed) int {
		switch {
		case a.removes == b.removes:
			return 0
		case b.removes:
			return -1
		}
		return 1
	})
	return all
}

// evilTake is a frontier whose errors are evil.
func evilTake() http.Handler {
	return submit.New(func(_ context.Context, jobs []plat.Job) (int, error) {
		if len(jobs) > 1 {
			return 0, errors.New(wrong)
		}
		return len(jobs), nil
	}, func(_ context.Context, l *intake.List, r io.Reader) (intake.Progress, error) {
		text, err := io.ReadAll(r)
		l.Refused(1, errors.New(wrong))
		return intake.Progress{URLs: int64(len(text))}, errors.Join(err, errors.New(wrong))
	}, nil)
}

// evilSegment divides pages into evil blocks, and fails with evil errors.
func evilSegment() *divide.Handler {
	return divide.New(divide.Options{Log: slog.New(slog.DiscardHandler), Divide: func(_ context.Context, from divide.Source) (any, error) {
		if from.HTML == nil {
			return nil, &plat.VisitError{Outcome: plat.OutcomeUnreachable, Err: errors.New(wrong)}
		}
		return map[string]string{"title": string(from.HTML), "url": from.URL}, nil
	}})
}
