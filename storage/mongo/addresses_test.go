package mongo

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage/storagetest"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// certificate returns a certificate for 127.0.0.1, signed by a, or by itself, and its PEM with the key.
func (a *authority) certificate(t testing.TB, name string) (cert *x509.Certificate, key *ecdsa.PrivateKey, file []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name, Organization: []string{"plat"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true}
	by := *a
	if a.cert == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
		by = authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return cert, key, append(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
}

// certificates writes ca.pem, plat.pem and other.pem, which a different authority has signed, and returns their folder
// and the configuration of a server that requires a certificate.
func certificates(t testing.TB) (dir string, server *tls.Config) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, b []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var ca, other authority
	var file []byte
	ca.cert, ca.key, file = (&authority{}).certificate(t, "the authority")
	write("ca.pem", file)
	other.cert, other.key, file = (&authority{}).certificate(t, "a different authority")
	write("otherca.pem", file)
	_, _, file = ca.certificate(t, "worker")
	write("plat.pem", file)
	_, _, file = other.certificate(t, "worker")
	write("other.pem", file)
	_, _, file = ca.certificate(t, "mongo1")
	own, err := tls.X509KeyPair(file, file)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(ca.cert)
	return dir, &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}
}

var address = regexp.MustCompile(`(?m)^  (mongodb://\S+)$`)

// documentedAddresses returns the addresses of docs/mongo.md, with the certificates of a folder.
func documentedAddresses(t testing.TB, dir string) (all []string) {
	t.Helper()
	_, text, _ := strings.Cut(readDoc(t), "\n## Addresses and replica sets\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, m := range address.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(m[1], "/run/secrets", dir))
	}
	if len(all) < 8 {
		t.Fatalf("%s has %d addresses", docPath, len(all))
	}
	return all
}

// TestDocumentedAddresses parses the addresses of docs/mongo.md, and opens an archive with each, at the
// imitated replica set, which requires what the address has: certificates, a login, or neither.
func TestDocumentedAddresses(t *testing.T) {
	dir, secure := certificates(t)
	name := open(t, Options{}).db.Name()
	kinds := map[string]int{}
	for _, a := range documentedAddresses(t, dir) {
		o := options.Client().ApplyURI(a)
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", a, err)
			continue
		}
		var server *tls.Config
		kind := "plain"
		switch {
		case strings.Contains(a, "MONGODB-X509"):
			server, kind = secure, "x509"
		case strings.Contains(a, "tlsCertificateKeyFile"):
			server, kind = secure, "certificate"
		case strings.Contains(a, "tls=true"):
			server, kind = &tls.Config{Certificates: secure.Certificates}, "tls"
		case o.Auth != nil:
			kind = "scram"
		}
		kinds[kind]++
		rs := newTLSReplicaSet(t, server)
		rs.single = !strings.Contains(a, "replicaSet=")
		rs.login = o.Auth != nil
		var mu sync.Mutex
		var logins []bson.Raw
		rs.logins = func(d bson.Raw) { mu.Lock(); logins = append(logins, d); mu.Unlock() }
		s, err := Open(t.Context(), rs.instead(a), Options{Database: name})
		if err == nil {
			if err := s.Probe(t.Context()); err != nil {
				t.Errorf("%s: Probe: %v", a, err)
			}
			s.Close()
		}
		// The test server accepts no login. The test checks the first message of the login.
		scram := o.Auth != nil && kind != "x509"
		if scram && (err == nil || !strings.Contains(err.Error(), "check the password, and that the URI names the user's database (?authSource=admin)")) {
			t.Errorf("%s: %v, want that the password is wrong", a, err)
		} else if !scram && err != nil {
			t.Errorf("%s: %v", a, err)
		}
		if o.Auth != nil {
			mu.Lock()
			checkLogin(t, a, logins, scram)
			mu.Unlock()
		}
	}
	for _, kind := range []string{"plain", "scram", "tls", "certificate", "x509"} {
		if kinds[kind] == 0 {
			t.Errorf("%s has no address of the kind %s", docPath, kind)
		}
	}
}

// instead returns an address with the members of the set as its hosts.
func (rs *replicaSet) instead(address string) string {
	rest := strings.TrimPrefix(address, "mongodb://")
	login, after, ok := strings.Cut(rest, "@")
	if ok {
		login, rest = login+"@", after
	} else {
		login = ""
	}
	_, after, _ = strings.Cut(rest, "/")
	own := rs.uri("")
	hosts, _, _ := strings.Cut(strings.TrimPrefix(own, "mongodb://"), "/")
	return "mongodb://" + login + hosts + "/" + after
}

// checkLogin checks the first message of a login.
func checkLogin(t *testing.T, a string, logins []bson.Raw, scram bool) {
	t.Helper()
	if len(logins) == 0 {
		t.Errorf("%s: nobody logs in", a)
		return
	}
	mechanism, _ := logins[0].Lookup("mechanism").StringValueOK()
	db, _ := logins[0].Lookup("$db").StringValueOK()
	_, payload, _ := logins[0].Lookup("payload").BinaryOK()
	switch {
	case !scram && (mechanism != "MONGODB-X509" || db != "$external"):
		t.Errorf("%s: it logs in by %s at %s", a, mechanism, db)
	case scram && (!strings.HasPrefix(mechanism, "SCRAM-SHA-") || db != "admin" || !strings.HasPrefix(string(payload), "n,,n=plat,")):
		t.Errorf("%s: it logs in by %s at %s with %q", a, mechanism, db, payload)
	case strings.Contains(a, "SCRAM-SHA-256") && mechanism != "SCRAM-SHA-256":
		t.Errorf("%s: it logs in by %s", a, mechanism)
	}
}

// TestCertificatesAreChecked opens archives with certificates that are not accepted.
func TestCertificatesAreChecked(t *testing.T) {
	dir, secure := certificates(t)
	rs := newTLSReplicaSet(t, secure)
	name := open(t, Options{}).db.Name()
	for _, x := range []struct{ what, options, want string }{
		{"no certificate", "&tls=true&tlsCAFile=DIR/ca.pem", "certificate required"},
		{"a certificate of a different authority", "&tls=true&tlsCAFile=DIR/ca.pem&tlsCertificateKeyFile=DIR/other.pem", "certificate required"},
		{"a server of a different authority", "&tls=true&tlsCAFile=DIR/otherca.pem&tlsCertificateKeyFile=DIR/plat.pem", "certificate signed by unknown authority"},
		{"no TLS", "", ""},
		{"a missing file", "&tls=true&tlsCAFile=DIR/none.pem", "none.pem: no such file"},
	} {
		s, err := Open(t.Context(), rs.uri(strings.ReplaceAll(x.options, "DIR", dir)), Options{Database: name, Patience: 300 * time.Millisecond})
		if err == nil {
			s.Close()
			t.Errorf("%s: the archive is opened", x.what)
		} else if !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.what, err, x.want)
		}
	}
	s, err := Open(t.Context(), rs.uri("&tls=true&tlsCAFile="+dir+"/ca.pem&tlsCertificateKeyFile="+dir+"/plat.pem"), Options{Database: name})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Record(t.Context(), plat.Visit{URL: "https://a.test/", Time: time.Now(), Outcome: plat.OutcomeTimeout}, 0); err != nil {
		t.Error(err)
	}
}

// A server with a password takes those who know it, by both mechanisms of SCRAM.
func TestAPasswordIsChecked(t *testing.T) {
	t.Parallel()
	requireServer(t)
	if ferretdb == "" {
		t.Skip("skipped: the server of PLAT_TEST_MONGODB_URI has users of its own")
	}
	uri, _, stop, err := runFerretDB(t.TempDir(), "MONGO_INITDB_ROOT_USERNAME=plat", "MONGO_INITDB_ROOT_PASSWORD=s/cret")
	t.Cleanup(stop) // after those of the stores
	if err != nil {
		t.Fatal(err)
	}
	at := strings.TrimPrefix(uri, "mongodb://")
	for _, options := range []string{"", "&authMechanism=SCRAM-SHA-256", "&authMechanism=SCRAM-SHA-1"} {
		s := openAt(t, "mongodb://plat:s%2Fcret@"+at+"?authSource=admin"+options, Options{})
		if _, err := s.Commit(t.Context(), storagetest.NewPage("https://a.test/", 1).Next()); err != nil {
			t.Errorf("%s: %v", options, err)
		}
		for user, want := range map[string]string{"plat:secret@": "check the password", "other:s%2Fcret@": "check the password", "": "requires authentication; the address has no user and password: write mongodb://USER:PASSWORD@HOST/DATABASE"} {
			s, err := Open(t.Context(), "mongodb://"+user+at+"?authSource=admin"+options, Options{Database: "plat"})
			if err == nil {
				s.Close()
			}
			if user == "" && options != "" {
				continue // the driver wants a user with them
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("as %q with %q: %v, want %q", user, options, err, want)
			}
		}
	}
}
