package queue

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/fixtures"
)

// hostileWords are arguments that plat never passes to its scripts.
var hostileWords = []string{
	"", "0", "-1", "1e308", "-1e308", "nan", "inf", "-inf", "9223372036854775807", "99999999999999999999", "0x1p1000",
	"https://a.test/", strings.Repeat("x", 64<<10), strings.Repeat("1 ", 32<<10), "http://" + strings.Repeat("a", 60<<10), "q 1 1 1 1 " + strings.Repeat("9", 60<<10),
}

// poison writes values to the keys of a shard that plat never writes: very long and large ones, or
// ones of a different type.
func poison(t *testing.T, rdb redis.UniversalClient, keys []string, word string, strange bool) {
	t.Helper()
	ctx := t.Context()
	ok(t, rdb.FlushAll(ctx).Err())
	pipe := rdb.Pipeline()
	for i, key := range keys {
		switch {
		case strange && i != metaKey:
			pipe.LPush(ctx, key, word)
		case slices.Contains([]int{urlsKey, leaseKey, 7, 9, metaKey}, i): // hashes
			pipe.HSet(ctx, key, "https://a.test/", word, "a.test", word, word, word, "x", "q 1 1 1 1 1")
		default:
			pipe.Do(ctx, "ZADD", key, "1e308", word, "-inf", "a.test", "1", "x 0001 1 https://a.test/")
		}
	}
	pipe.HSet(ctx, keys[metaKey], "generation", "g", "format", "2", "hold", word, "seq", "9223372036854775807", "loader", word[:min(len(word), 60<<10)]+" 99999999999999")
	pipe.Set(ctx, "site", word, 0)
	pipe.RPush(ctx, "inbox", word, word)
	if _, err := pipe.Exec(ctx); err != nil {
		t.Fatal(err)
	}
}

// A client that may send commands can run plat's scripts on any data: the embedded server replies
// in time, and keeps running.
func TestScriptsOutliveHostileArgumentsAndData(t *testing.T) {
	s, err := Embed("127.0.0.1:0")
	ok(t, err)
	defer s.Close()
	o, err := redis.ParseURL(s.URL())
	ok(t, err)
	o.ReadTimeout, o.WriteTimeout = time.Minute, time.Minute // a panic ends a connection: the client opens a new one
	rdb := redis.NewClient(o)
	defer rdb.Close()
	var keys []string
	for _, name := range keyNames {
		keys = append(keys, "{t:0}:"+name)
	}
	same := slices.Repeat([]string{keys[urlsKey]}, len(keys))
	words := hostileWords
	if testing.Short() {
		words = words[len(words)-4:]
	}
	for w, word := range words {
		for n, text := range scripts {
			for k, given := range [][]string{keys, same, {"site"}, {"inbox", "site"}, nil} {
				if (w+n+k)%fixtures.OneIn(5) != 0 {
					continue
				}
				poison(t, rdb, keys, word, w%2 == k%2)
				for _, args := range [][]any{
					nil, {word}, {word, "1e308", "1e308", "1e308", "x", word, "1e308"}, {word, "30000", word, word, "done", word, "t", "w", word, word},
					fill(28, word), fill(1400, word[:min(len(word), 100)]), fill(1400, "a.test", "1", "0"),
				} {
					began := time.Now()
					err := rdb.Eval(t.Context(), text, given, args...).Err()
					if isNetwork(err) {
						t.Fatalf("script %d, keys %d, %d words like %.20q: %v", n, k, len(args), word, err)
					}
					if took := time.Since(began); took > 20*time.Second {
						t.Errorf("script %d, keys %d, %d words like %.20q took %v", n, k, len(args), word, took)
					}
				}
			}
		}
	}
	ok(t, rdb.Ping(t.Context()).Err())
}

// fill repeats words.
func fill(n int, words ...string) (all []any) {
	for i := range n {
		all = append(all, words[i%len(words)])
	}
	return all
}

// isNetwork reports whether the server is gone, or silent.
func isNetwork(err error) bool {
	var e net.Error
	return errors.As(err, &e)
}
