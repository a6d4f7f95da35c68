package queue

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Defaults of [Options.Size].
const (
	maxSize      = 1_000_000
	plainSize    = 100_000 // Redis has no maxmemory, or it is unknown
	embeddedSize = 2_000   // its sorted sets are sorted for every range
	minSize      = 100

	// bytesPerURL is the memory of a queued URL in Redis: 350 bytes as measured by
	// BenchmarkLeaseAndDone, with a reserve for long ones.
	bytesPerURL = 500
)

// maxPerHost keeps the number of a host's URLs within the score of hosts; see
// lua/common.lua.
const maxPerHost = 100_000

// Size returns the bound of queued URLs in all shards. URLs that are given back may exceed
// it, at most by the number of leases.
func (q *Queue) Size() int { return q.size }

// PerHost returns the bound of queued URLs of a host.
func (q *Queue) PerHost() int { return q.perHost }

// Shards returns the number of shards.
func (q *Queue) Shards() int { return len(q.keys) }

// shardSize returns the bound of queued URLs in a shard.
func (q *Queue) shardSize() int { return (q.size + len(q.keys) - 1) / len(q.keys) }

// setSize sets the bounds of the window.
func (q *Queue) setSize(ctx context.Context) error {
	switch {
	case q.o.Size < 0:
		return fmt.Errorf("%w: a window of %d URLs: write 1 or more, or 0 for a size that suits Redis", ErrConfig, q.o.Size)
	case q.o.PerHost < 0 || q.o.PerHost > maxPerHost:
		return fmt.Errorf("%w: a window of %d URLs per host: write 1 to %d, or 0", ErrConfig, q.o.PerHost, maxPerHost)
	}
	if q.size = q.o.Size; q.size == 0 {
		var err error
		if q.size, err = q.defaultSize(ctx); err != nil {
			return err
		}
	}
	if q.perHost = q.o.PerHost; q.perHost == 0 {
		q.perHost = min(max(16, q.size/8), 1000)
	}
	return nil
}

// defaultSize returns a quarter of Redis' memory.
func (q *Queue) defaultSize(ctx context.Context) (int, error) {
	var mu sync.Mutex
	total, unlimited := int64(0), false
	read := func(ctx context.Context, c *redis.Client) error {
		text, err := c.Info(ctx, "memory").Result()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		bytes := maxMemory(text)
		total += bytes
		unlimited = unlimited || bytes == 0
		return nil
	}
	var err error
	switch c := q.rdb.(type) {
	case *redis.ClusterClient:
		err = c.ForEachMaster(ctx, read)
	case *redis.Client:
		err = read(ctx, c)
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "section (memory) is not supported"): // as only the embedded server says
		return embeddedSize, nil
	case err != nil && !isRefusal(err):
		return 0, err
	case err != nil, unlimited:
		return plainSize, nil
	}
	return int(min(max(total/4/bytesPerURL, minSize), maxSize)), nil
}

// maxMemory returns the limit from INFO memory in bytes, 0 if unlimited.
func maxMemory(info string) int64 {
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "maxmemory:"); ok {
			n, _ := strconv.ParseInt(text, 10, 64)
			return n
		}
	}
	return 0
}
