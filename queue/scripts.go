package queue

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/common.lua
	commonSource string
	//go:embed lua/announce.lua
	announceSource string
	//go:embed lua/offer.lua
	offerSource string
	//go:embed lua/load.lua
	loadSource string
	//go:embed lua/window.lua
	windowSource string
	//go:embed lua/hosts.lua
	hostsSource string
	//go:embed lua/evict.lua
	evictSource string
	//go:embed lua/lease.lua
	leaseSource string
	//go:embed lua/beat.lua
	beatSource string
	//go:embed lua/settle.lua
	settleSource string
	//go:embed lua/begin.lua
	beginSource string
	//go:embed lua/clear.lua
	clearSource string
	//go:embed lua/stats.lua
	statsSource string
	//go:embed lua/meet.lua
	meetOnly string

	announceScript = redis.NewScript(commonSource + announceSource)
	offerScript    = redis.NewScript(commonSource + offerSource)
	loadScript     = redis.NewScript(commonSource + loadSource)
	windowScript   = redis.NewScript(commonSource + windowSource)
	hostsScript    = redis.NewScript(commonSource + hostsSource)
	evictScript    = redis.NewScript(commonSource + evictSource)
	leaseScript    = redis.NewScript(commonSource + leaseSource)
	beatScript     = redis.NewScript(commonSource + beatSource)
	settleScript   = redis.NewScript(commonSource + settleSource)
	beginScript    = redis.NewScript(commonSource + beginSource)
	clearScript    = redis.NewScript(commonSource + clearSource)
	statsScript    = redis.NewScript(commonSource + statsSource)
	meetSource     = commonSource + meetOnly
)

// run runs a script on a shard.
func (q *Queue) run(ctx context.Context, s *redis.Script, shard int, args ...any) *redis.Cmd {
	return s.Run(ctx, q.rdb, q.keys[shard], args...)
}
