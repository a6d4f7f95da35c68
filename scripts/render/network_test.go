package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestADelayedServerAnswersOneRoundTripLaterAndStillStreams(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintln(w, i)
			w.(http.Flusher).Flush()
			time.Sleep(100 * time.Millisecond)
		}
	}))
	defer srv.Close()
	const lag = 120 * time.Millisecond
	addr, err := delayed(t.Context(), strings.TrimPrefix(srv.URL, "http://"), lag)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, trips := range []time.Duration{2, 1} { // the first request connects
		start := time.Now()
		r, err := client.Get("http://" + addr)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(r.Body)
		lines.Scan()
		first := time.Since(start)
		if first < trips*lag {
			t.Errorf("the first line came after %v, want %v or more", first, trips*lag)
		}
		for lines.Scan() {
		}
		if rest := time.Since(start) - first; rest < 100*time.Millisecond {
			t.Errorf("the rest of the stream came within %v: it was held back", rest)
		}
		r.Body.Close()
	}
}

func TestPagesAreServedByTLSUnderACertificateOfTheRun(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "'ws://'+location.host of %s", r.Host)
	}))
	defer srv.Close()
	addr, trusted, err := secured(t.Context(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(trusted.pem) {
		t.Fatalf("no certificate: %q", trusted.pem)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	for path, want := range map[string]string{"/s/websocket.html": "'wss://'+location.host of " + addr, "/s/other.html": "'ws://'+location.host of " + addr} {
		r, err := (&http.Client{Transport: transport}).Get("https://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(b) != want || r.ProtoMajor != 2 {
			t.Errorf("%s: %q by %s, %v; want %q by HTTP/2", path, b, r.Proto, err, want)
		}
	}
	if len(trusted.pin) != 44 { // SHA-256 in base64
		t.Errorf("pin %q", trusted.pin)
	}
}

func TestTheTrustingBrowserIsTheRealOneWithOneMoreFlag(t *testing.T) {
	dir := t.TempDir()
	echo, err := exec.LookPath("echo")
	if err != nil {
		t.Skip("skipped: there is no echo")
	}
	t.Setenv("PLAT_CHROME", echo)
	path, err := trusting(dir, "PIN=")
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) != filepath.Base(echo) {
		t.Errorf("it is called %s", path)
	}
	out, err := exec.Command(path, "--a b", "c").Output()
	if want := "--ignore-certificate-errors-spki-list=PIN= --a b c\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}
