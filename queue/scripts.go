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
	//go:embed lua/rejoin.lua
	rejoinSource string
	//go:embed lua/release.lua
	releaseSource string
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

	announceScript = script(stateSource + announceSource)
	offerScript    = script(stateSource + offerSource)
	loadScript     = script(stateSource + loadSource)
	windowScript   = script(stateSource + windowSource)
	hostsScript    = script(stateSource + hostsSource)
	evictScript    = script(stateSource + evictSource)
	beatScript     = script(commonSource + beatSource)
	settleScript   = script(commonSource + settleSource + leaseSource + stateOnly + expireSource)
	backScript     = script(stateSource + backSource)
	beginScript    = script(commonSource + beginSource)
	rejoinScript   = script(stateSource + rejoinSource)
	releaseScript  = script(commonSource + releaseSource)
	clearScript    = script(stateSource + clearSource)
	statsScript    = script(stateSource + statsSource)
	meetSource     = own(commonSource + meetOnly)
	budgetScript   = script(budgetSource)
	siteScript     = script(siteSource)
)

// scripts are the texts of all scripts of this package: an embedded server runs only these.
var scripts []string

// own adds a script of this package to scripts, and returns it.
func own(text string) string {
	scripts = append(scripts, text)
	return text
}

func script(text string) *redis.Script { return redis.NewScript(own(text)) }

// run runs a script on a shard. Each key takes part of its time, so only begin, which removes the
// keys of an older version, receives these.
func (q *Queue) run(ctx context.Context, s *redis.Script, shard int, args ...any) *redis.Cmd {
	keys := q.keys[shard]
	if s != beginScript {
		keys = keys[:oldKeys]
	}
	return s.Run(ctx, q.rdb, keys, args...)
}
