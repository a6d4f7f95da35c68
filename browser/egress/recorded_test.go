package egress

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// tape is a recording of two URLs.
type tape map[string]string

func (t tape) Answer(_ context.Context, method, url string, header http.Header) *http.Response {
	body, ok := t[method+" "+url]
	if !ok {
		return nil
	}
	return &http.Response{StatusCode: 203, Header: http.Header{"Content-Type": {"text/plain"}, "X-Seen": {header.Get("X-Asked")}}, Body: io.NopCloser(strings.NewReader(body))}
}

func recordedLane(t *testing.T) *Lane {
	t.Helper()
	g, err := New(Options{Recorded: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	l, err := g.Lane()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRecordedPagesGetTheirResponsesFromTheRecording(t *testing.T) {
	l := recordedLane(t)
	l.ResetRecorded(0, tape{"GET http://a.test/x": "plain", "GET https://a.test/x?y": "secret", "POST https://a.test:8443/": "posted"})
	client := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr()}),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(c tls.ConnectionState) error { return verified(l.g, c) }},
	}}
	defer client.CloseIdleConnections()
	for _, tc := range []struct{ method, url, want string }{
		{"GET", "http://a.test/x", "plain"}, {"GET", "https://a.test/x?y", "secret"}, {"POST", "https://a.test:8443/", "posted"}, {"GET", "https://a.test/x?y", "secret"},
	} {
		req, err := http.NewRequest(tc.method, tc.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Asked", "yes")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != tc.want || resp.StatusCode != 203 || resp.Header.Get("X-Seen") != "yes" {
			t.Errorf("%s %s: %d %q, %v", tc.method, tc.url, resp.StatusCode, body, err)
		}
	}
	for _, missing := range []string{"http://a.test/none", "https://a.test/none", "https://b.test/"} {
		resp, err := client.Get(missing)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Header.Get(verdict) != "not-recorded" || len(resp.Header["Location"]) != 2 {
			t.Errorf("%s: %d %v, want the proxy's refusal", missing, resp.StatusCode, resp.Header)
		}
	}
	failed := 0
	for _, x := range l.Exchanges() {
		if errors.Is(x.Err, ErrRefused) {
			failed++
		}
	}
	if failed != 3 {
		t.Errorf("%d exchanges failed, want 3: %+v", failed, l.Exchanges())
	}
}

// verified checks that a certificate has the key that Chrome accepts.
func verified(g *Guard, c tls.ConnectionState) error {
	sum := sha256.Sum256(c.PeerCertificates[0].RawSubjectPublicKeyInfo)
	if base64.StdEncoding.EncodeToString(sum[:]) != g.PublicKey() {
		return errors.New("the certificate has a different key")
	}
	return c.PeerCertificates[0].VerifyHostname(c.ServerName)
}

// Requests that net/http refuses, which browsers send.
func TestARecordedServerTakesOddTargets(t *testing.T) {
	l := recordedLane(t)
	l.ResetRecorded(0, tape{"GET https://a.test/%zz?a|b": "odd"})
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.Contains(line, " 200 ") {
		t.Fatalf("%q, %v", line, err)
	}
	s := tls.Client(c, &tls.Config{InsecureSkipVerify: true, ServerName: "a.test"})
	fmt.Fprint(s, "GET /%zz?a|b HTTP/1.1\r\nHost: a.test\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(s), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "odd" {
		t.Errorf("%d %q, %v", resp.StatusCode, body, err)
	}
}

func TestAGuardOfRecordedPagesReachesNothing(t *testing.T) {
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Close()
	l := recordedLane(t)
	if _, err := l.g.DialContext(t.Context(), "tcp", listening.Addr().String()); !errors.Is(err, ErrRefused) {
		t.Errorf("dial: %v", err)
	}
	l.Reset(0) // a page without a recording
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr()})}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://" + listening.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Header.Get(verdict) != "not-recorded" {
		t.Errorf("a page without a recording got %v", resp.Header)
	}
	if x := l.Exchanges(); len(x) != 1 || !errors.Is(x[0].Err, ErrRefused) {
		t.Errorf("exchanges: %+v", x)
	}
}
