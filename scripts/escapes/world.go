package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/ipv4"
)

// The sites that attack: on the internet, and inside a network.
var (
	public  = site{"site.test", netip.MustParseAddr("11.22.33.44")}
	private = site{"intra.test", netip.MustParseAddr("10.77.0.1")}
)

type site struct {
	host string
	addr netip.Addr
}

// publicZones are the domains whose names, v{id} below them, have public addresses.
var publicZones = []string{"pub.test", "aia.test", "ocsp.test", "crl.test", "both.test", "rebind.test"}

// world is all that there is in this network beside the browsers: name servers, and servers of
// HTTP at every address.
type world struct {
	vectors []vector
	hold    time.Duration // minimum time that a page loads, so that its actions have time
	leaf    tls.Certificate
	issuer  tls.Certificate // known to no browser, and not sent along
	close   []io.Closer
	work    sync.WaitGroup

	mu     sync.Mutex
	asked  map[string]bool // guarded by mu: names of rebind.test
	served map[int]bool    // guarded by mu: vectors whose pages were requested
	run    *run            // guarded by mu
}

func openWorld(vectors []vector, hold time.Duration) (_ *world, err error) {
	w := &world{vectors: vectors, hold: hold}
	w.reset(nil)
	defer func() {
		if err != nil {
			w.stop()
		}
	}()
	if w.issuer, err = certify(&x509.Certificate{Subject: pkix.Name{CommonName: "an issuer"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil); err != nil {
		return nil, err
	}
	if w.leaf, err = certify(&x509.Certificate{Subject: pkix.Name{CommonName: public.host}, DNSNames: []string{public.host, private.host, "*.pub.test", "*.both.test", "*.rebind.test"}}, nil); err != nil {
		return nil, err
	}
	if err := trust(w.leaf.Leaf); err != nil {
		return nil, err
	}
	if err := w.serveNames(); err != nil {
		return nil, fmt.Errorf("serve names: %w", err)
	}
	quiet := log.New(io.Discard, "", 0) // browsers break off
	for _, port := range []string{":80", ":443"} {
		ln, err := net.Listen("tcp", port)
		if err != nil {
			return nil, err
		}
		srv := &http.Server{Handler: w, ErrorLog: quiet, TLSConfig: &tls.Config{GetCertificate: w.certificate}}
		w.close = append(w.close, srv, ln)
		w.work.Go(func() {
			if port == ":443" {
				srv.ServeTLS(seenFirst{ln, w}, "", "")
			} else {
				srv.Serve(seenFirst{ln, w})
			}
		})
	}
	return w, nil
}

func (w *world) stop() {
	for _, c := range w.close {
		c.Close()
	}
	w.work.Wait()
}

// reset begins a run, without requests so far.
func (w *world) reset(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked, w.served, w.run = map[string]bool{}, map[int]bool{}, r
}

// vector returns the vector of an ID; nil if absent.
func (w *world) vector(id int) *vector {
	if id < 1 || id > len(w.vectors) {
		return nil
	}
	return &w.vectors[id-1]
}

// named returns the vector that a name belongs to, and whether it is a name of a public address. It
// accepts names with the search domain, which follow a failed query, and names of ports, such as
// _8443._https.NAME, which query the properties of a server (RFC 9460).
func (w *world) named(name string) (v *vector, public bool) {
	name = strings.TrimSuffix(name, "."+searched)
	for strings.HasPrefix(name, "_") {
		_, name, _ = strings.Cut(name, ".")
	}
	label, rest, _ := strings.Cut(name, ".")
	label, _, _ = strings.Cut(label, "-")
	if n, ok := strings.CutPrefix(label, "v"); ok {
		id, _ := strconv.Atoi(n)
		v = w.vector(id)
	}
	for _, z := range publicZones {
		public = public || rest == z && v != nil
	}
	return v, public
}

// lookup returns the answer of the name servers.
func (w *world) lookup(name string) []netip.Addr {
	for _, s := range []site{public, private} {
		if name == s.host {
			return []netip.Addr{s.addr}
		}
	}
	v, isPublic := w.named(name)
	switch {
	case v == nil:
		return nil
	case strings.HasSuffix(name, ".both.test"):
		return []netip.Addr{v.public(), v.ip()}
	case strings.HasSuffix(name, ".rebind.test"):
		w.mu.Lock()
		again := w.asked[name]
		w.asked[name] = true
		w.mu.Unlock()
		if again {
			return []netip.Addr{v.ip()}
		}
		return []netip.Addr{v.public()}
	case isPublic:
		return []netip.Addr{v.public()}
	}
	return []netip.Addr{v.ip()}
}

// serveNames answers questions to all name servers that there are.
func (w *world) serveNames() error {
	c, err := net.ListenPacket("udp4", ":53")
	if err != nil {
		return err
	}
	p := ipv4.NewPacketConn(c)
	if err := p.SetControlMessage(ipv4.FlagDst, true); err != nil {
		c.Close()
		return err
	}
	w.close = append(w.close, c)
	w.work.Go(func() {
		buf := make([]byte, 2<<10)
		for {
			n, to, from, err := p.ReadFrom(buf)
			if err != nil {
				return
			}
			answer, err := w.answer(buf[:n])
			if err != nil {
				continue // no question
			}
			w.work.Go(func() {
				w.untilSeen(from, &net.UDPAddr{IP: to.Dst, Port: 53})
				// From the address of the query.
				_, _ = p.WriteTo(answer, &ipv4.ControlMessage{Src: to.Dst}, from)
			})
		}
	})
	return nil
}

// untilSeen waits until the capture knows the client: a socket that has its answer may be closed.
func (w *world) untilSeen(from, to net.Addr) {
	var way [2]netip.AddrPort
	for i, a := range []net.Addr{from, to} {
		at, err := netip.ParseAddrPort(a.String())
		if err != nil {
			return
		}
		way[i] = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	}
	for range 100 {
		w.mu.Lock()
		r := w.run
		w.mu.Unlock()
		if r == nil || r.hasSeen(way[0], way[1]) {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// seenFirst is a listener whose connections are silent until the capture knows their owners.
type seenFirst struct {
	net.Listener
	w *world
}

func (l seenFirst) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &seenConn{Conn: c, wait: sync.OnceFunc(func() { l.w.untilSeen(c.RemoteAddr(), c.LocalAddr()) })}, nil
}

type seenConn struct {
	net.Conn
	wait func()
}

func (c *seenConn) Read(b []byte) (int, error) {
	c.wait()
	return c.Conn.Read(b)
}

// answer answers a message of DNS.
func (w *world) answer(question []byte) ([]byte, error) {
	var p dnsmessage.Parser
	h, err := p.Start(question)
	if err != nil {
		return nil, err
	}
	q, err := p.Question()
	if err != nil {
		return nil, err
	}
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: h.ID, Response: true, RecursionDesired: true, RecursionAvailable: true}, Questions: []dnsmessage.Question{q}}
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	v, isPublic := w.named(name)
	switch {
	case q.Type == dnsmessage.TypeA:
		addrs := w.lookup(name)
		if addrs == nil {
			m.RCode = dnsmessage.RCodeNameError
		}
		for _, a := range addrs {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		}
	case q.Type == dnsmessage.TypeHTTPS && v != nil && isPublic && v.record:
		r := &dnsmessage.HTTPSResource{SVCBResource: dnsmessage.SVCBResource{Priority: 1, Target: dnsmessage.MustNewName(".")}}
		r.SetParam(dnsmessage.SVCParamALPN, []byte("\x02h3"))
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: r})
	case v == nil && name != public.host && name != private.host:
		m.RCode = dnsmessage.RCodeNameError
	}
	return m.Pack()
}

// url returns the URL of a vector's page on an attacking site.
func (w *world) url(v *vector, s site) string {
	scheme, host := "https", s.host
	if v.plain {
		scheme = "http"
	}
	if v.own {
		host = v.fill("{pub}", s.host)
	}
	return fmt.Sprintf("%s://%s/v/%d", scheme, host, v.id)
}

// ServeHTTP is all servers.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && !w.attacks(at.AddrPort().Addr().Unmap()) {
		// A target accepts every client.
		h := rw.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "*")
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Allow-Private-Network", "true")
		return
	}
	kind, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	id, _ := strconv.Atoi(rest)
	v := w.vector(id)
	switch {
	case kind == "v" && v != nil:
		w.page(rw, r, v)
	case kind == "x" && v != nil:
		answer(rw, v.subHead, v.fill(v.sub, r.Host), func(s string) string { return v.fill(s, r.Host) })
	case kind == "bundle":
		w.bundle(rw, r)
	case kind == "hold":
		rw.Header().Set("Cache-Control", "no-store")
		w.wait(r.Context())
	case kind == "close":
		rw.Header().Set("Connection", "close")
	case kind == "blank", kind == "again":
		rw.Header().Set("Content-Type", "text/html")
	default:
		http.NotFound(rw, r)
	}
}

// wait keeps a page loading.
func (w *world) wait(ctx context.Context) {
	select {
	case <-time.After(w.hold):
	case <-ctx.Done():
	}
}

// attacks reports whether pages come from an address.
func (w *world) attacks(a netip.Addr) bool {
	b := w.publicVector(a)
	return b != nil || a == public.addr || a == private.addr
}

// publicVector is the vector whose {pub} has an address.
func (w *world) publicVector(a netip.Addr) *vector {
	if b := a.As16(); a.Is4() && a == netip.AddrFrom4([4]byte{11, 22, 34, b[15]}) {
		return w.vector(int(b[15]))
	}
	return nil
}

// page is that of a vector.
func (w *world) page(rw http.ResponseWriter, r *http.Request, v *vector) {
	w.mu.Lock()
	w.served[v.id] = true
	w.mu.Unlock()
	fill := func(s string) string { return v.fill(s, r.Host) }
	if v.early {
		for name, value := range v.head {
			rw.Header().Set(name, fill(value))
		}
		rw.WriteHeader(http.StatusEarlyHints)
		w.wait(r.Context())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title><body>%s", v.name, fill(v.html))
	if v.js != "" {
		fmt.Fprintf(&b, "<script>%s</script>", fill(v.js))
	}
	if r.URL.RawQuery == "" {
		fmt.Fprintf(&b, "<img src=/hold/%d>", v.id) // the cache has requests for one URL wait for each other
	}
	answer(rw, v.head, b.String(), fill)
}

// answer sends a header and a body.
func answer(rw http.ResponseWriter, h header, body string, fill func(string) string) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.Header().Set("Cache-Control", "no-store")
	for name, value := range h {
		rw.Header().Set(name, fill(value))
	}
	if h["Location"] != "" {
		rw.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	_, _ = io.WriteString(rw, body) // a client that has left needs no answer
}

// bundle is a page of the pages of several vectors.
func (w *world) bundle(rw http.ResponseWriter, r *http.Request) {
	from := public
	if r.Host == private.host {
		from = private
	}
	var b strings.Builder
	b.WriteString("<!doctype html><title>bundle</title>")
	for id := range strings.SplitSeq(r.URL.Query().Get("v"), ",") {
		n, _ := strconv.Atoi(id)
		if v := w.vector(n); v != nil {
			fmt.Fprintf(&b, "<iframe src='%s?frame'></iframe>\n", w.url(v, from))
		}
	}
	fmt.Fprintf(&b, "<img src='/hold/%s'>", r.URL.Query().Get("v"))
	answer(rw, nil, b.String(), nil)
}

// certificate is that of a server.
func (w *world) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	v, _ := w.named(hello.ServerName)
	_, zone, _ := strings.Cut(hello.ServerName, ".")
	if v == nil {
		return &w.leaf, nil
	}
	c := &x509.Certificate{Subject: pkix.Name{CommonName: hello.ServerName}, DNSNames: []string{hello.ServerName}}
	at := []string{"http://" + v.ip().String() + "/x"}
	switch zone {
	case "aia.test":
		c.IssuingCertificateURL = at
	case "ocsp.test":
		c.OCSPServer = at
	case "crl.test":
		c.CRLDistributionPoints = at
	default:
		return &w.leaf, nil
	}
	made, err := certify(c, &w.issuer)
	return &made, err
}

// certify makes a certificate by an issuer, or a self-signed one.
func certify(c *x509.Certificate, by *tls.Certificate) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	parent, signer := c, crypto.PrivateKey(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// trust makes plat's own client, which requests robots.txt, trust a certificate.
func trust(c *x509.Certificate) error {
	f, err := os.CreateTemp("", "plat-roots-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Setenv("SSL_CERT_FILE", f.Name()); err != nil {
		return err
	}
	_, err = x509.SystemCertPool() // read now
	return err
}

// flags returns additional flags for every browser, so that it accepts our certificate and sends
// reports within seconds.
func (w *world) flags() ([]string, error) {
	if w.leaf.Leaf == nil {
		return nil, errors.New("there is no certificate")
	}
	sum := sha256.Sum256(w.leaf.Leaf.RawSubjectPublicKeyInfo)
	return []string{"--ignore-certificate-errors-spki-list=" + base64.StdEncoding.EncodeToString(sum[:]), "--short-reporting-delay"}, nil
}
