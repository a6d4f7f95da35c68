package browser

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"plat/browser/egress"
	"plat/fixtures"
	"plat/fixtures/oddhttp"
	"plat/fixtures/tcp"
	"plat/plat"
)

// An oddOutcome is the text that a reader of a response gets, blank if it is a page without text, or noPage.
type oddOutcome string

const noPage, blank = oddOutcome("no page"), oddOutcome("a blank page")

// A road is a way of plat to a response, compared with Chrome alone.
type road struct {
	name    string
	get     func(ctx context.Context, url string) (oddOutcome, error)
	differs map[string]string // by the name of a response, the reason for a different outcome
}

// oddSite answers a request for /N with the response N of all.
func oddSite(all []oddhttp.Response) func(net.Conn) {
	return func(c net.Conn) {
		c.SetDeadline(time.Now().Add(20 * time.Second))
		r := bufio.NewReader(c)
		for {
			line, err := r.ReadString('\n')
			for field := line; err == nil && field != "\r\n"; {
				field, err = r.ReadString('\n')
			}
			if err != nil {
				return
			}
			_, rest, _ := strings.Cut(line, " /")
			number, _, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			io.WriteString(c, all[n].Bytes)
			return
		}
	}
}

// oddServers serves responses by http, and by https.
func oddServers(t *testing.T, all []oddhttp.Response) (plain, secure string, roots *x509.CertPool) {
	plain = tcp.Listen(t, oddSite(all))
	example := httptest.NewTLSServer(http.NotFoundHandler())
	example.Close()
	certs := example.TLS.Certificates
	roots = x509.NewCertPool()
	roots.AddCert(example.Certificate())
	secure = tcp.Listen(t, func(c net.Conn) {
		s := tls.Server(c, &tls.Config{Certificates: certs, NextProtos: []string{"http/1.1"}})
		oddSite(all)(s)
		s.Close()
	})
	return plain, secure, roots
}

// atPort80 is a proxy by which port 80 of every host is a server of the test.
func atPort80(t *testing.T, server string) *url.URL {
	at := tcp.Listen(t, func(near net.Conn) {
		r := bufio.NewReader(near)
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		far, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer far.Close()
		io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(far, r)
			far.Close()
		}()
		io.Copy(near, far)
	})
	return &url.URL{Scheme: "http", Host: at}
}

// bareChrome starts a Chrome without plat, as automation starts it, and returns what it shows of a URL.
func bareChrome(t *testing.T, rules string) func(ctx context.Context, url string) (oddOutcome, error) {
	path, err := Find("")
	if err != nil {
		t.Skip(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path), chromedp.Flag("ignore-certificate-errors", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("no-proxy-server", true), chromedp.Flag("host-resolver-rules", rules+"MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	first, end := chromedp.NewContext(alloc)
	t.Cleanup(func() { end(); stop() })
	if err := chromedp.Do(first); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, url string) (oddOutcome, error) {
		tab, end := chromedp.NewContext(first, chromedp.WithNewBrowserContext())
		defer end()
		defer context.AfterFunc(ctx, end)()
		if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
			if strings.Contains(err.Error(), "net::ERR_") {
				return noPage, nil
			}
			return "", err
		}
		text, err := chromedp.Run(tab, chromedp.Evaluate[string](`document.body.innerText`))
		return oddText(text), err
	}
}

// oddText is a text without the differences of spaces.
func oddText(s string) oddOutcome {
	return cmp.Or(oddOutcome(strings.Join(strings.Fields(s), " ")), blank)
}

// byPool is the road of pages.
func byPool(p *Pool) func(context.Context, string) (oddOutcome, error) {
	return func(ctx context.Context, url string) (oddOutcome, error) {
		s, err := p.Render(ctx, Request{URL: url})
		var v *plat.VisitError
		if errors.As(err, &v) && v.Outcome != plat.OutcomeInterrupted && v.Outcome != plat.OutcomeCrashed {
			return noPage, nil
		} else if err != nil {
			return "", err
		}
		var b strings.Builder
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == plat.TextNode && n.HasBox {
				b.WriteString(n.Value + "\n")
			}
		}
		return oddText(b.String()), nil
	}
}

var tags = regexp.MustCompile(`<title>.*</title>|<[^>]*>`)

// byClient is the road of robots.txt and sitemaps.
func byClient(c *http.Client) func(context.Context, string) (oddOutcome, error) {
	return func(ctx context.Context, url string) (oddOutcome, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return "", err
		}
		resp, err := c.Do(r)
		if err != nil {
			return noPage, nil
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil {
			return noPage, nil
		}
		return oddText(tags.ReplaceAllString(string(b), " ")), nil
	}
}

// Pages and plat's own client read a response as Chrome alone does, whatever rule of HTTP it breaks. The tables name
// the exceptions.
func TestOddResponsesAreReadAsChromeReadsThem(t *testing.T) {
	t.Parallel()
	all := oddhttp.All()
	plain, secure, roots := oddServers(t, all)
	chrome := bareChrome(t, "MAP odd.test:80 "+plain+", ")
	flags := func(o *Options) { o.Flags, o.Tabs = []string{"--ignore-certificate-errors"}, 4 }
	p := poolWith(t, flags)
	g80, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: loopbackNames{}, Upstream: atPort80(t, plain)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g80.Close() })
	o := testOptions(t, g80)
	flags(&o)
	p80, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p80.Close() })
	client, client80 := newGuard(t, failing{}).ClientTrusting(roots), g80.Client()
	pages := road{"pages", func(ctx context.Context, url string) (oddOutcome, error) {
		if strings.HasPrefix(url, "http://odd.test") {
			return byPool(p80)(ctx, url)
		}
		return byPool(p)(ctx, url)
	}, oddPages}
	own := road{"own requests", func(ctx context.Context, url string) (oddOutcome, error) {
		if strings.HasPrefix(url, "http://odd.test") {
			return byClient(client80)(ctx, url)
		}
		return byClient(client)(ctx, url)
	}, oddRequests}
	var wg sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i, r := range all {
		if !fixtures.Today(i, 2) {
			continue
		}
		roots := []string{"http://" + plain}
		switch {
		case r.Port80:
			roots = []string{"http://odd.test"}
		case i%3 == 0 || os.Getenv("PLAT_LONG") == "1": // pages pass the proxy unread
			roots = append(roots, "https://"+secure)
		}
		for _, root := range roots {
			limit <- struct{}{}
			wg.Go(func() {
				defer func() { <-limit }()
				at := fmt.Sprint(root, "/", i)
				want, err := chrome(t.Context(), at)
				if err != nil {
					t.Errorf("%s (%s): Chrome alone: %v", r.Name, at, err)
					return
				}
				for _, way := range []road{pages, own} {
					got, err := way.get(t.Context(), at)
					if err != nil {
						t.Errorf("%s (%s), %s: %v", r.Name, at, way.name, err)
						continue
					}
					scheme, _, _ := strings.Cut(root, ":")
					reason := way.differs[r.Name]
					if reason == "" {
						reason = way.differs[scheme+": "+r.Name]
					}
					switch {
					case got != want && reason == "":
						t.Errorf("%s (%s), %s: %.200q, Chrome alone: %.200q", r.Name, at, way.name, got, want)
					case got == want && reason != "":
						t.Errorf("%s (%s), %s: as in Chrome, but the table says: %s", r.Name, at, way.name, reason)
					}
				}
			})
		}
	}
	wg.Wait()
}

// loopbackNames finds every name at 127.0.0.1.
type loopbackNames struct{}

func (loopbackNames) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

// notWhole is the reason that a response without the end of its head is no page: Chrome shows an empty document.
const notWhole = "plat stores nothing of a response that is not whole"

// oddPages are the responses whose pages differ on purpose from those of Chrome, with the reason.
var oddPages = map[string]string{
	"http: line feeds after two carriage returns": notWhole,
	"http: an end in the head":                    notWhole,
	"http: an end after the status line":          notWhole,
}

// oddRequests are those that plat's own client reads differently, with the reason.
var oddRequests = map[string]string{
	"http: line feeds after two carriage returns":  notWhole,
	"http: an end in the head":                     notWhole,
	"http: an end after the status line":           notWhole,
	"chunks with bare line feeds":                  inChunks,
	"chunks with a trailer without colon":          inChunks,
	"gzip, damaged at its end":                     "net/http reads nothing whose checksum is missing",
	"deflate that is plain":                        "only gzip is requested, and decoded",
	"br that is plain":                             "only gzip is requested, and decoded",
	"a 103 with NUL before it":                     "net/http drops informational responses unread",
	"a 204 with a body":                            "an empty file is a file",
	"http: ICY":                                    noHead,
	"http: icy in small letters":                   noHead,
	"ICY, on port 80":                              noHead,
	"no head, on port 80":                          noHead,
	"six bytes before the status line, on port 80": noHead,
	"a greeting of a mail server, on port 80":      noHead,
}

const (
	inChunks = "net/http has returned the head when it rejects the chunks"
	noHead   = "a robots.txt or a sitemap has a status"
)
