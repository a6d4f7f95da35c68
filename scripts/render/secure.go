package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plat/browser"
)

// trust makes clients accept the certificate of a run.
type trust struct {
	pin string // of its key, for Chrome
	pem []byte // the certificate, for all else
}

// secured serves the set over TLS, HTTP/2 included, with a certificate made for
// this run. It returns the address and the trust for it.
func secured(ctx context.Context, origin string) (addr string, trusted trust, err error) {
	target, err := url.Parse(origin)
	if err != nil {
		return "", trusted, err
	}
	cert, trusted, err := certificate()
	if err != nil {
		return "", trusted, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", trusted, err
	}
	quiet := log.New(io.Discard, "", 0) // aborted connections are normal
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		Transport:      &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		FlushInterval:  -1, // immediately: some pages are streams
		ModifyResponse: secureLinks,
		ErrorLog:       quiet,
	}
	srv := &http.Server{Handler: proxy, TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}}, ErrorLog: quiet}
	context.AfterFunc(ctx, func() { srv.Close() })
	go srv.ServeTLS(l, "", "")
	return l.Addr().String(), trusted, nil
}

// certificate makes a key with a certificate for the loopback interface.
func certificate() (cert tls.Certificate, trusted trust, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, trusted, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return cert, trusted, err
	}
	c := x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(30 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, &c, &c, key.Public(), key)
	if err != nil {
		return cert, trusted, err
	}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return cert, trusted, err
	}
	sum := sha256.Sum256(spki)
	trusted = trust{pin: base64.StdEncoding.EncodeToString(sum[:]), pem: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, trusted, nil
}

// secureLinks adapts two pages that hard-code the scheme of their resources to
// TLS.
func secureLinks(r *http.Response) error {
	if p := r.Request.URL.Path; p != "/s/websocket.html" && p != "/s/iframe-cross.html" {
		return nil
	}
	b, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return err
	}
	b = bytes.ReplaceAll(b, []byte("'http://'+"), []byte("'https://'+"))
	b = bytes.ReplaceAll(b, []byte("'ws://'+"), []byte("'wss://'+"))
	r.Body = io.NopCloser(bytes.NewReader(b))
	r.ContentLength = int64(len(b))
	r.Header.Set("Content-Length", fmt.Sprint(len(b)))
	r.Header.Del("Last-Modified") // of the file
	return nil
}

// trusting writes a script into dir that plat chooses as its browser. It makes
// the browser accept the certificate with this pin, and no other.
func trusting(dir, pin string) (string, error) {
	real, err := browser.Find(os.Getenv("PLAT_CHROME"))
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, filepath.Base(real)) // plat recognises a headless shell by its name
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' --ignore-certificate-errors-spki-list=%s \"$@\"\n", strings.ReplaceAll(real, "'", `'\''`), pin)
	return path, os.WriteFile(path, []byte(script), 0o700)
}
