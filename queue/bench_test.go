package queue

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/queue/redistest"
)

var million = flag.Int("urls", 100_000, "URLs in the window of BenchmarkLeaseAndDone, and its size")

// BenchmarkLeaseAndDone measures leasing and settling with a full window and many
// concurrent workers: each iteration is a lease and its settlement. It also reports
// the CPU time of both sides, and Redis' memory per queued URL. The window is not filled again meanwhile, so use fewer
// iterations than URLs. The embedded server gets a window of its default size.
//
//	go test ./queue -run '^$' -bench LeaseAndDone/redis -benchtime 50000x -args -urls 1000000
func BenchmarkLeaseAndDone(b *testing.B) {
	b.Run("redis", func(b *testing.B) { leaseAndDone(b, redistest.Start(b, "--appendonly", "no").URL(), *million) })
	b.Run("embedded", func(b *testing.B) {
		s, err := Embed("127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		leaseAndDone(b, s.URL(), min(*million, embeddedSize))
	})
}

func leaseAndDone(b *testing.B, url string, urls int) {
	const perHost = 100
	q := begun(b, url, func(o *Options) { o.Size = urls })
	before := memory(b, q)
	for n := 0; n < urls; {
		var hosts []HostJobs
		for len(hosts) < 100 && n < urls {
			h := HostJobs{Host: fmt.Sprintf("www.host-%d.example", n/perHost)}
			for ; len(h.Jobs) < perHost && n < urls; n++ {
				h.Jobs = append(h.Jobs, LoadedJob{URL: fmt.Sprintf("https://%s/section/%d/article-%d.html", h.Host, n%7, n), Priority: float32(n%10) / 10})
			}
			hosts = append(hosts, h)
		}
		elect(b, q)
		if _, err := q.Load(b.Context(), hosts); err != nil {
			b.Fatal(err)
		}
	}
	after := memory(b, q)
	spent := used(q)
	var left atomic.Int64
	left.Store(int64(b.N))
	var work sync.WaitGroup
	b.ResetTimer()
	for w := range 64 {
		work.Go(func() {
			var l *Lease
			var err error
			for left.Add(-1) >= 0 {
				if l == nil {
					l, _, err = q.Lease(b.Context(), fmt.Sprint(w))
				}
				switch {
				case err != nil:
				case l == nil:
					err = errors.New("the frontier is empty: use fewer iterations, or more -urls")
				case left.Load() < 64:
					l, err = nil, q.Done(b.Context(), l, 0)
				default:
					l, err = q.EndNext(b.Context(), l, Finished, 0, fmt.Sprint(w))
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	b.StopTimer()
	report(b, q, spent, "job")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	b.ReportMetric(float64(urls), "urls")
	if after > 0 {
		b.ReportMetric(float64(after-before)/float64(urls), "B/url")
	}
}

// report reports the CPU time that both sides have used since then, of each iteration.
func report(b *testing.B, q *Queue, then [2]float64, iteration string) {
	for i, n := range used(q) {
		if n > 0 {
			b.ReportMetric((n-then[i])/float64(b.N)*1e6, []string{"client-us/", "redis-us/"}[i]+iteration)
		}
	}
}

// used returns the CPU time of this process and of Redis, in seconds; 0 if it does not say.
func used(q *Queue) (s [2]float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) == nil {
		s[0] = time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	text, _ := q.rdb.(*redis.Client).Info(context.Background(), "cpu").Result()
	for line := range strings.Lines(text) {
		for _, name := range []string{"used_cpu_sys:", "used_cpu_user:"} {
			if n, is := strings.CutPrefix(strings.TrimSpace(line), name); is {
				part, _ := strconv.ParseFloat(n, 64)
				s[1] += part
			}
		}
	}
	return s
}

// memory returns the memory that Redis uses, in bytes, 0 if unknown.
func memory(b *testing.B, q *Queue) int64 {
	b.Helper()
	text, err := q.rdb.(*redis.Client).Info(context.Background(), "memory").Result()
	if err != nil {
		return 0
	}
	var n int64
	fmt.Sscanf(text, "# Memory\r\nused_memory:%d", &n)
	return n
}
