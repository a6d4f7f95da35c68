package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Clients that send slowly hold a place each, and no more than there are; those that go away give it back.
func TestImportsAreFewAtATime(t *testing.T) {
	store := made(t)
	s := httptest.NewServer(New(Options{Store: store}))
	defer s.Close()
	post := func(ctx context.Context, body io.Reader) (int, string) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+apiRoot+"/watch/import?check=true", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.Client().Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	ctx, leave := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	var bodies []*io.PipeWriter
	for range 4 {
		in, out := io.Pipe()
		slow.Go(func() { post(ctx, in) })
		if _, err := out.Write([]byte("https://slow.test/\n")); err != nil { // it is being read
			t.Fatal(err)
		}
		bodies = append(bodies, out)
	}
	code, said := 0, ""
	for range 1000 { // until the fourth has its place
		if code, said = post(t.Context(), strings.NewReader("https://a.test/\n")); code == 503 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if code != 503 || !strings.Contains(said, "4 imports are under way already; send it again") {
		t.Errorf("a fifth is answered %d %s", code, said)
	}
	leave()
	for _, b := range bodies {
		b.CloseWithError(io.ErrUnexpectedEOF)
	}
	slow.Wait()
	for range 1000 { // until the server has noticed
		if code, said = post(t.Context(), strings.NewReader("https://a.test/\n")); code == 200 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("once they are gone an import is answered %d %s", code, said)
}
