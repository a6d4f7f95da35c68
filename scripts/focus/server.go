package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"plat/scripts/focus/corpus"
)

// server is all hosts of a corpus on one port of the loopback interface. It is a proxy for
// tunnels, whatever their address, and itself the other end of all of them: so hosts keep their
// names and ports, and https is spoken.
type server struct {
	corpus    *corpus.Corpus
	listener  net.Listener
	tunnels   tunnels
	sites     *http.Server
	proxy     *http.Server
	tls       *tls.Config
	authority *authority
	ended     sync.WaitGroup

	Pages, Moved, Missing atomic.Int64 // answers
}

// serve starts a server. Close it.
func serve(c *corpus.Corpus) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a, err := newAuthority()
	if err != nil {
		l.Close()
		return nil, err
	}
	quiet := log.New(io.Discard, "", 0) // connections that are broken off are normal
	s := &server{corpus: c, listener: l, tunnels: tunnels{make(chan net.Conn), make(chan struct{}), l.Addr()}, tls: &tls.Config{GetCertificate: a.certificate}, authority: a}
	s.sites = &http.Server{Handler: http.HandlerFunc(s.answer), ErrorLog: quiet}
	s.proxy = &http.Server{Handler: http.HandlerFunc(s.tunnel), ErrorLog: quiet}
	s.ended.Go(func() { s.sites.Serve(s.tunnels) })
	s.ended.Go(func() { s.proxy.Serve(l) })
	return s, nil
}

func (s *server) close() {
	s.proxy.Close()
	close(s.tunnels.end)
	s.sites.Close()
	s.ended.Wait()
}

// url is the proxy's.
func (s *server) url() *url.URL { return &url.URL{Scheme: "http", Host: s.listener.Addr().String()} }

// tunnel opens a tunnel and serves sites at its end. Who begins with a TLS record speaks https.
func (s *server) tunnel(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "use CONNECT", http.StatusMethodNotAllowed)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
		conn.Close()
		return
	}
	first, err := rw.Reader.Peek(1)
	if err != nil {
		conn.Close()
		return
	}
	var c net.Conn = &begun{conn, rw.Reader}
	const handshake = 0x16 // RFC 8446, section 5.1
	if first[0] == handshake {
		c = tls.Server(c, s.tls)
	}
	select {
	case s.tunnels.conns <- c:
	case <-s.tunnels.end:
		conn.Close()
	}
}

// begun is a connection of which some bytes have been read already.
type begun struct {
	net.Conn
	r *bufio.Reader
}

func (b *begun) Read(p []byte) (int, error) { return b.r.Read(p) }

// tunnels is the listener of the sites.
type tunnels struct {
	conns chan net.Conn
	end   chan struct{}
	addr  net.Addr
}

func (t tunnels) Accept() (net.Conn, error) {
	select {
	case c := <-t.conns:
		return c, nil
	case <-t.end:
		return nil, net.ErrClosed
	}
}
func (t tunnels) Close() error   { return nil }
func (t tunnels) Addr() net.Addr { return t.addr }

// answer answers for a site: with the page, a redirect from an alias of the page, or 404.
func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	at := scheme + "://" + r.Host + r.URL.RequestURI()
	id := s.corpus.Find(at)
	if id < 0 {
		s.Missing.Add(1)
		http.NotFound(w, r)
		return
	}
	p := &s.corpus.Pages[id]
	asked, _ := corpus.Key(at)
	own, _ := corpus.Key(p.URL)
	if u, err := url.Parse(p.URL); err == nil && (asked != own || u.Scheme != scheme) {
		s.Moved.Add(1)
		http.Redirect(w, r, p.URL, http.StatusMovedPermanently)
		return
	}
	s.Pages.Add(1)
	w.Header().Set("Content-Type", p.Type)
	w.Write(p.Body)
}

// authority makes certificates for this run. Those of all hosts have one key, so that a flag can
// make a browser trust it.
type authority struct {
	key   *ecdsa.PrivateKey
	own   *x509.Certificate
	pool  *x509.CertPool
	pin   string // of the key
	mu    sync.Mutex
	hosts map[string]*tls.Certificate // guarded by mu
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, pool: x509.NewCertPool(), hosts: map[string]*tls.Certificate{}}
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(spki)
	a.pin = base64.StdEncoding.EncodeToString(sum[:])
	c := certificateFor("corpus")
	c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return nil, err
	}
	if a.own, err = x509.ParseCertificate(der); err != nil {
		return nil, err
	}
	a.pool.AddCert(a.own)
	return a, nil
}

func certificateFor(host string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: host},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(7 * 24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{host},
	}
}

func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := hello.ServerName
	if c := a.hosts[host]; c != nil {
		return c, nil
	}
	der, err := x509.CreateCertificate(rand.Reader, certificateFor(host), a.own, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	a.hosts[host] = &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	return a.hosts[host], nil
}
