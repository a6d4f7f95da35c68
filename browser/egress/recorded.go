package egress

import (
	"context"
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
	"strings"
	"sync"
	"time"

	"plat/plat"
)

// A Recording answers the requests of a page in place of the network. It must be safe for concurrent use.
type Recording interface {
	// Answer returns the recorded response to a request for an absolute URL, as the browser spells it, or nil if there is
	// none. Status is 200 to 599, Header has no connection-specific fields, and Body is not nil.
	Answer(ctx context.Context, method, url string, header http.Header) *http.Response
}

// notRecorded is the refusal of a request without a recorded response.
var notRecorded = refusal("not-recorded", "the recording has no response to it")

// ResetRecorded is Reset for a page that gets all its responses from a recording. It reaches no address. The guard
// must have [Options.Recorded].
func (l *Lane) ResetRecorded(maxBytes int64, r Recording) {
	p := newPage(maxBytes)
	p.recording = r
	l.page.Swap(p).end(ErrStopped)
}

// PublicKey is the digest of the key of all certificates that recorded servers have, for Chrome's switch
// --ignore-certificate-errors-spki-list; empty if the guard has no [Options.Recorded].
func (g *Guard) PublicKey() string {
	if g.tls == nil {
		return ""
	}
	return g.tls.digest
}

// send gets the response to a request: from its page's recording, or from the server.
func (l *Lane) send(ctx context.Context, p *page, asked *head, t target, body io.Reader) (reply, error) {
	if p.recording == nil {
		return l.g.origins.send(ctx, asked, t, body)
	}
	resp := p.recording.Answer(ctx, asked.method, asked.url(), asked.header)
	if resp == nil {
		return reply{}, notRecorded
	}
	return reply{Response: resp}, nil
}

// A tlsServer is the end of the tunnels of recorded pages: a server for every host, in this process.
type tlsServer struct {
	server *http.Server
	conns  chan net.Conn
	life   *life
	key    *ecdsa.PrivateKey
	digest string // of the public key, SHA-256 in base64

	mu    sync.Mutex
	certs map[string]*tls.Certificate // guarded by mu: by host
}

// maxCertificates limits the certificates kept, because pages name the hosts.
const maxCertificates = 1000

func newTLSServer(life *life) (*tlsServer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(public)
	s := &tlsServer{conns: make(chan net.Conn), life: life, key: key, digest: base64.StdEncoding.EncodeToString(sum[:]), certs: map[string]*tls.Certificate{}}
	var http1 http.Protocols
	http1.SetHTTP1(true)
	s.server = &http.Server{
		Handler: http.HandlerFunc(s.serve), DisableGeneralOptionsHandler: true, Protocols: &http1, ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(_ context.Context, c net.Conn) context.Context {
			end := c.(*tunnelEnd)
			return context.WithValue(end.page.ctx, clientKey{}, end)
		},
	}
	life.run(func(ctx context.Context) {
		defer context.AfterFunc(ctx, func() { s.server.Close() })()
		s.server.Serve(s)
	})
	return s, nil
}

// Accept, Close and Addr make the server its own listener.
func (s *tlsServer) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.life.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (s *tlsServer) Close() error   { return nil }
func (s *tlsServer) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// open returns a connection to the recorded server of a host.
func (s *tlsServer) open(p *page, t target) (net.Conn, *Error) {
	near, far := net.Pipe()
	end := &tunnelEnd{Conn: tls.Server(far, &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) { return s.certificate(h.ServerName, t.host) }}), page: p, host: strings.TrimSuffix(t.String(), ":443"), target: t}
	end.heads.src = end.Conn
	select {
	case s.conns <- end:
		return near, nil
	case <-p.ctx.Done():
		return nil, dialError(p.ctx, context.Cause(p.ctx)).at(t.String())
	case <-s.life.ctx.Done():
		return nil, dialError(s.life.ctx, ErrStopped).at(t.String())
	}
}

// certificate returns a certificate for a host. Chrome accepts it by its key.
func (s *tlsServer) certificate(name, host string) (*tls.Certificate, error) {
	if name == "" {
		name = host // an address
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.certs[name]; c != nil {
		return c, nil
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{Organization: []string{"plat"}},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(90 * 24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if ip := net.ParseIP(strings.Trim(name, "[]")); ip != nil {
		about.IPAddresses = []net.IP{ip}
	} else {
		about.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &s.key.PublicKey, s.key)
	if err != nil {
		return nil, err
	}
	if len(s.certs) >= maxCertificates {
		clear(s.certs)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: s.key}
	s.certs[name] = c
	return c, nil
}

// serve answers one request in a tunnel.
func (s *tlsServer) serve(w http.ResponseWriter, r *http.Request) {
	end := r.Context().Value(clientKey{}).(*tunnelEnd)
	end.page.begin()
	defer end.page.done()
	asked := end.heads.next()
	x := asked.exchange("https://" + end.host + withPath(asked.target))
	e := asked.err
	if e == nil && asked.scheme == "" {
		if resp := end.page.recording.Answer(r.Context(), asked.method, x.URL, asked.header); resp != nil {
			respond(w, resp)
			return
		}
		e = notRecorded
	} else if e == nil {
		e = refusal("bad-request", "the request target is that of a proxy")
	}
	e = e.at(end.target.String())
	var key plat.Hash
	if x.Navigation {
		key = tunnelKey(end.target.String())
	}
	end.page.fail(e, key)
	x.Err = e
	end.page.record(x)
	refuse(w, e)
}

// respond writes a recorded response.
func respond(w http.ResponseWriter, resp *http.Response) {
	defer resp.Body.Close()
	writeHead(w, resp.StatusCode, resp.Header)
	if copyBody(w, resp.Body) != nil {
		panic(http.ErrAbortHandler)
	}
}

// A tunnelEnd is the server's end of a tunnel. Its heads keep requests as the browser wrote them.
type tunnelEnd struct {
	net.Conn
	heads  heads
	page   *page
	host   string // with its port, if that is not 443
	target target
}

func (c *tunnelEnd) Read(b []byte) (int, error) { return c.heads.Read(b) }
