package queue

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/common.lua
	commonSource string
	//go:embed lua/state.lua
	stateOnly string
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
	//go:embed lua/expire.lua
	expireSource string
	//go:embed lua/beat.lua
	beatSource string
	//go:embed lua/settle.lua
	settleSource string
	//go:embed lua/back.lua
	backSource string
	//go:embed lua/begin.lua
	beginSource string
	//go:embed lua/clear.lua
	clearSource string
	//go:embed lua/stats.lua
	statsSource string
	//go:embed lua/meet.lua
	meetOnly string
	//go:embed lua/budget.lua
	budgetSource string
	//go:embed lua/site.lua
	siteSource string

	stateSource = commonSource + stateOnly

	announceScript = redis.NewScript(stateSource + announceSource)
	offerScript    = redis.NewScript(stateSource + offerSource)
	loadScript     = redis.NewScript(stateSource + loadSource)
	windowScript   = redis.NewScript(stateSource + windowSource)
	hostsScript    = redis.NewScript(stateSource + hostsSource)
	evictScript    = redis.NewScript(stateSource + evictSource)
	beatScript     = redis.NewScript(commonSource + beatSource)
	settleScript   = redis.NewScript(commonSource + settleSource + leaseSource + stateOnly + expireSource)
	backScript     = redis.NewScript(stateSource + backSource)
	beginScript    = redis.NewScript(commonSource + beginSource)
	clearScript    = redis.NewScript(stateSource + clearSource)
	statsScript    = redis.NewScript(stateSource + statsSource)
	meetSource     = commonSource + meetOnly
	budgetScript   = redis.NewScript(budgetSource)
	siteScript     = redis.NewScript(siteSource)
)

// run runs a script on a shard. Each key is a part of its time, so only begin, which
// removes them, is given those of an older plat.
func (q *Queue) run(ctx context.Context, s *redis.Script, shard int, args ...any) *redis.Cmd {
	keys := q.keys[shard]
	if s != beginScript {
		keys = keys[:oldKeys]
	}
	return s.Run(ctx, q.rdb, keys, args...)
}
