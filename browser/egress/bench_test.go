package egress

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"syscall"
	"testing"
	"time"

	"plat/fixtures/tcp"
)

// BenchmarkLoad loads one resource over a persistent connection, directly from
// the server and through a lane, as plain HTTP and as TLS in a tunnel. Client,
// proxy and server share the machine's CPUs, so the proxy's share is as large
// here as it can be. Compare lane with direct of the same size:
//
//	go test ./browser/egress -run '^$' -bench Load -count 6
func BenchmarkLoad(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 16 << 20} {
		body := make([]byte, size)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write(body)
		})
		for _, secure := range []bool{false, true} {
			scheme := "http"
			if secure {
				scheme = "https"
			}
			for _, way := range []string{"direct", "lane"} {
				b.Run(fmt.Sprintf("%s/size=%dKiB/%s", scheme, size>>10, way), func(b *testing.B) {
					site := httptest.NewUnstartedServer(h)
					if secure {
						site.StartTLS()
					} else {
						site.Start()
					}
					defer site.Close()
					tr := &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
					defer tr.CloseIdleConnections()
					if way == "lane" {
						l := newPageOn(b, newGuard(b, local()), 1<<50)
						tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr()})
					}
					c := &http.Client{Transport: tr}
					buf := make([]byte, 64<<10)
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						resp, err := c.Get(site.URL)
						if err != nil {
							b.Fatal(err)
						}
						n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, buf)
						if err != nil || n != int64(size) {
							b.Fatalf("%d bytes, %v", n, err)
						}
						resp.Body.Close()
					}
				})
			}
		}
	}
}

// BenchmarkTunnelOpen measures a CONNECT up to the first byte: two connections,
// one check.
func BenchmarkTunnelOpen(b *testing.B) {
	at := echo(b)
	l := newPageOn(b, newGuard(b, local()), 0)
	b.ReportAllocs()
	for b.Loop() {
		w := dialLane(b, l)
		w.connectTo(b, at)
		w.Close()
	}
}

// BenchmarkCheck checks a public address, the longest path through the tables.
func BenchmarkCheck(b *testing.B) {
	g := newGuard(b, Options{})
	a := addrs("93.184.216.34", "2606:4700:4700::1111")
	b.ReportAllocs()
	for b.Loop() {
		if g.Check(a[0], 443) != nil || g.Check(a[1], 443) != nil {
			b.Fatal("refused")
		}
	}
}

// BenchmarkTunnel streams raw bytes through an open tunnel: only the copying,
// without TLS or HTTP at either end.
func BenchmarkTunnel(b *testing.B) {
	for _, size := range []int{16 << 10, 1 << 20, 16 << 20} {
		body := make([]byte, size)
		at := tcp.Listen(b, func(c net.Conn) {
			for one := make([]byte, 1); ; {
				if _, err := c.Read(one); err != nil {
					return
				}
				c.Write(body)
			}
		})
		for _, way := range []string{"direct", "lane"} {
			b.Run(fmt.Sprintf("size=%dKiB/%s", size>>10, way), func(b *testing.B) {
				var c net.Conn
				var err error
				if way == "direct" {
					c, err = net.Dial("tcp", at)
				} else {
					w := dialLane(b, newPageOn(b, newGuard(b, local()), 1<<50))
					w.connectTo(b, at)
					c = w.Conn
				}
				if err != nil {
					b.Fatal(err)
				}
				defer c.Close()
				c.SetDeadline(time.Time{})
				buf := make([]byte, 64<<10)
				var cpu, end syscall.Rusage
				syscall.Getrusage(syscall.RUSAGE_SELF, &cpu)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					c.Write(buf[:1])
					for left := size; left > 0; {
						n, err := c.Read(buf[:min(left, len(buf))])
						if err != nil {
							b.Fatal(err)
						}
						left -= n
					}
				}
				syscall.Getrusage(syscall.RUSAGE_SELF, &end)
				spent := end.Utime.Nano() + end.Stime.Nano() - cpu.Utime.Nano() - cpu.Stime.Nano()
				b.ReportMetric(float64(spent)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
