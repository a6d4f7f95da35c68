package queue

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/common.lua
	commonSource string
	//go:embed lua/add.lua
	addSource string
	//go:embed lua/lease.lua
	leaseSource string
	//go:embed lua/beat.lua
	beatSource string
	//go:embed lua/settle.lua
	settleSource string
	//go:embed lua/begin.lua
	beginSource string
	//go:embed lua/revive.lua
	reviveSource string
	//go:embed lua/clear.lua
	clearSource string
	//go:embed lua/meet.lua
	meetOnly string

	addScript    = redis.NewScript(commonSource + addSource)
	leaseScript  = redis.NewScript(commonSource + leaseSource)
	beatScript   = redis.NewScript(commonSource + beatSource)
	settleScript = redis.NewScript(commonSource + settleSource)
	beginScript  = redis.NewScript(commonSource + beginSource)
	clearScript  = redis.NewScript(commonSource + clearSource)
	reviveScript = redis.NewScript(commonSource + reviveSource)
	meetSource   = commonSource + meetOnly
)

// run runs a script on a shard.
func (q *Queue) run(ctx context.Context, s *redis.Script, shard int, args ...any) *redis.Cmd {
	return s.Run(ctx, q.rdb, q.keys[shard], args...)
}
