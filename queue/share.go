package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// shared is a text with the time at which it was made, by Redis' clock in ms. An embedded Redis keeps keys for ever, so
// their age is compared here.
type shared struct {
	At   int64  `json:"at"`
	Text string `json:"text"`
}

// Shared returns a text that one process of the fleet makes for all: it is kept under a name as long as it is fresh,
// and while one process makes it, which takes limit at most, the others wait.
func (q *Queue) Shared(ctx context.Context, name string, fresh, limit time.Duration, make func(context.Context) (string, error)) (string, error) {
	key := q.o.Prefix + ":shared:" + name
	turn := key + ":turn"
	for {
		now, err := q.Now(ctx)
		if err != nil {
			return "", explain(q.o.URL, err)
		}
		is, err := q.readShared(ctx, key, now, fresh)
		if err != nil || is != nil {
			return is.text(), err
		}
		mine, err := q.rdb.SetNX(ctx, turn, now.UnixMilli(), 2*limit).Result()
		if err != nil {
			return "", explain(q.o.URL, err)
		}
		if mine {
			return q.makeShared(ctx, key, turn, fresh, limit, make)
		}
		// A process that had the turn may have crashed. If two find that, two may make the text, once.
		since, err := q.rdb.Get(ctx, turn).Int64()
		if err == nil && now.Sub(time.UnixMilli(since)) > limit {
			err = q.rdb.Del(ctx, turn).Err()
		}
		if err != nil && !errors.Is(err, redis.Nil) {
			return "", explain(q.o.URL, err)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return "", fmt.Errorf("%s is still made by a different process: %w", name, ctx.Err())
		}
	}
}

func (s *shared) text() string {
	if s == nil {
		return ""
	}
	return s.Text
}

// readShared returns a text that is fresh, or nil.
func (q *Queue) readShared(ctx context.Context, key string, now time.Time, fresh time.Duration) (*shared, error) {
	b, err := q.rdb.Get(ctx, key).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(q.o.URL, err)
	}
	var is shared
	if json.Unmarshal(b, &is) != nil || now.Sub(time.UnixMilli(is.At)).Abs() > fresh {
		return nil, nil // it is made again
	}
	return &is, nil
}

func (q *Queue) makeShared(ctx context.Context, key, turn string, fresh, limit time.Duration, make func(context.Context) (string, error)) (string, error) {
	done := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	text, err := make(ctx)
	var now time.Time
	if err == nil {
		now, err = q.Now(done)
	}
	if err == nil {
		var b []byte
		if b, err = json.Marshal(shared{now.UnixMilli(), text}); err == nil {
			err = q.rdb.Set(done, key, b, 2*fresh).Err()
		}
		err = explain(q.o.URL, err)
	}
	// If it took longer than limit, the turn may be a different process's; then two make it, once.
	if lost := q.rdb.Del(done, turn).Err(); err == nil {
		err = explain(q.o.URL, lost)
	}
	return text, err
}
