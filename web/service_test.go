package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAServiceAnswersImmediately(t *testing.T) {
	s, err := Listen("127.0.0.1:0", Options{PublicURL: "https://archive.example"}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, host string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+s.Address()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(b)
	}
	for _, tc := range []struct {
		method, path, host string
		code               int
		says               string
	}{
		{"GET", "/healthz", "", 200, "ok"},
		{"GET", "/healthz", "archive.example", 200, "ok"},
		{"GET", "/healthz", "evil.test", 421, "evil.test"},
		{"GET", "/readyz", "", 503, "starting"},
		{"POST", "/api/v1/urls", "", 503, "starting"},
		{"GET", "/", "", 503, "starting"},
		{"GET", "/frame?version=1&url=http%3A%2F%2Fa.test%2F", "", 503, "starting"},
		{"GET", "/web/20260101000000/http://a.test/", "", 503, "starting"},
		{"GET", "/api/v1/sites", "", 503, "starting"},
	} {
		if code, says := ask(tc.method, tc.path, tc.host); code != tc.code || !strings.Contains(says, tc.says) {
			t.Errorf("%s %s as %q: %d, %q; want %d, %q", tc.method, tc.path, tc.host, code, says, tc.code, tc.says)
		}
	}
	s.Change(func(o *Options) { o.Ready = nil })
	if code, says := ask("GET", "/readyz", ""); code != 503 || !strings.Contains(says, "no archive") {
		t.Errorf("with nothing to show: %d, %s", code, says)
	}
	stop := s.Show(t.Context(), made(t))
	for _, path := range []string{"/", "/readyz"} {
		if code, _ := ask("GET", path, ""); code != 200 {
			t.Errorf("with an archive %s is answered by %d", path, code)
		}
	}
	stop()
	s.Stop()
	<-s.Ended()
}

func TestWithoutATokenTheArchiveIsServedOnLoopbackOnly(t *testing.T) {
	s, err := Listen("0.0.0.0:0", Options{}, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.Show(t.Context(), made(t))()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.Address(), "[::]"), ":")
	for path, want := range map[string]int{"/healthz": 200, "/": 404} {
		answer, err := http.Get("http://127.0.0.1:" + port + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, answer.StatusCode, want)
		}
	}
}
