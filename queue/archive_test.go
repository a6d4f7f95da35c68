package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"plat/plat"
)

// archive is a fake archive: all jobs that are not done.
type archive struct {
	mu   sync.Mutex
	jobs map[string][]*archived // by host
	age  int
}

type archived struct {
	url      string
	priority float32
	age      int
}

func newArchive() *archive { return &archive{jobs: map[string][]*archived{}} }

// put enlists a URL and returns it.
func (a *archive) put(url string, priority float32) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := plat.HostOf(url)
	a.age++
	a.jobs[host] = append(a.jobs[host], &archived{url, priority, a.age})
	return url
}

// done settles a URL, and reports whether it was not done.
func (a *archive) done(url string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	host := plat.HostOf(url)
	before := len(a.jobs[host])
	a.jobs[host] = slices.DeleteFunc(a.jobs[host], func(j *archived) bool { return j.url == url })
	return len(a.jobs[host]) < before
}

// read returns the first n jobs of a host, and whether there are more.
func (a *archive) read(host string, n int) (jobs []LoadedJob, more bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Clone(a.jobs[host])
	slices.SortFunc(all, func(a, b *archived) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.age, b.age))
	})
	for _, j := range all[:min(n, len(all))] {
		jobs = append(jobs, LoadedJob{URL: j.url, Priority: j.priority, Due: time.UnixMilli(1)})
	}
	return jobs, len(all) > n
}

func (a *archive) hosts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var hosts []string
	for h, jobs := range a.jobs {
		if len(jobs) > 0 {
			hosts = append(hosts, h)
		}
	}
	slices.Sort(hosts)
	return hosts
}

// fill loads hosts like a simple loader: it tops up low hosts, and brings in hosts that are not in
// the window, n URLs of each.
func (a *archive) fill(ctx context.Context, q *Queue, n int) error {
	for shard := range q.Shards() {
		w, err := q.Window(ctx, shard)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		var hosts []string
		for _, l := range w.Low {
			hosts = append(hosts, l.Host)
		}
		for _, h := range a.hosts() {
			if q.ShardOf(h) == shard && !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
		states, err := q.Hosts(ctx, shard, hosts)
		if err != nil {
			return err
		}
		var loads []HostJobs
		for i, h := range hosts {
			if s := states[i]; !s.In || s.Low {
				jobs, more := a.read(h, n+s.Queued)
				loads = append(loads, HostJobs{Host: h, Jobs: jobs, More: more, Stamp: s.Stamp})
			}
		}
		if _, err := q.Load(ctx, loads); err != nil && !errors.Is(err, ErrNotLoader) {
			return err
		}
	}
	return nil
}
