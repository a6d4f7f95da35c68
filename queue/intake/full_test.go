package intake_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/queue"
	"plat/queue/intake"
	"plat/queue/redistest"
	"plat/storage/sqlite/sqlitetest"
)

// An inbox that has filled Redis is emptied, by a worker that starts then: else nothing would ever
// free its memory.
func TestAnInboxThatHasFilledRedisIsEmptied(t *testing.T) {
	server := redistest.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr})
	defer client.Close()
	earlier, err := queue.Open(t.Context(), queue.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer earlier.Close()
	if _, err := earlier.Begin(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	const urls = 2500
	for i := range urls {
		if err := client.LPush(t.Context(), "plat:inbox", fmt.Sprintf("http://h%d.test/%d", i%10, i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.LPush(t.Context(), "plat:inbox", "nonsense").Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if err := client.LPush(t.Context(), "plat:inbox", "http://a.test/").Err(); err == nil {
		t.Fatal("Redis is not full")
	}

	q, err := queue.Open(t.Context(), queue.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	store := sqlitetest.Open(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	rejected := 0
	x := intake.Drainer{Store: store, Queue: q, Taken: func() {}, Rejected: func() { rejected++ }, Log: slog.New(slog.DiscardHandler)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		x.Run(ctx)
	}()
	for ctx.Err() == nil {
		if n, err := client.LLen(t.Context(), "plat:inbox").Result(); err != nil || n == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	<-ended
	n, err := client.LLen(t.Context(), "plat:inbox").Result()
	if err != nil || n != 0 {
		t.Errorf("%d entries remain, %v", n, err)
	}
	c, err := store.Counts(t.Context(), time.Now().Add(time.Hour))
	if err != nil || c.Backlog != urls || rejected != 1 {
		t.Errorf("%+v, %d rejected, %v", c, rejected, err)
	}
}
