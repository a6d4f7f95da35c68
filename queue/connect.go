package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
)

// parseURL parses an address of Redis.
func parseURL(raw string) (o *redis.UniversalOptions, cluster bool, err error) {
	plain := raw
	for _, scheme := range []string{"redis", "rediss"} {
		if rest, ok := strings.CutPrefix(raw, scheme+"+cluster://"); ok {
			plain, cluster = scheme+"://"+rest, true
		}
	}
	first, login, others := plain, "", []string(nil)
	if cluster { // url.Parse supports only one host
		scheme, rest, _ := strings.Cut(plain, "://")
		if i := strings.LastIndexByte(rest, '@'); i >= 0 {
			login, rest = rest[:i+1], rest[i+1:]
		}
		hosts, tail, _ := strings.Cut(rest, "/")
		all := strings.Split(hosts, ",")
		first, others = scheme+"://"+login+all[0]+"/"+tail, all[1:]
	}
	p, err := redis.ParseURL(first)
	if err != nil || !strings.Contains(raw, "://") { // without slashes it would mean this machine
		// The parsers' errors quote the URL, which may contain a password.
		return nil, false, fmt.Errorf("%w: Redis at %s: not a Redis URL; write redis://[USER:PASSWORD@]HOST:PORT/0, with %%2F for a / in the password", ErrConfig, plat.WithoutSecrets(raw))
	}
	return &redis.UniversalOptions{
		Addrs: append([]string{p.Addr}, others...), DB: p.DB, Username: p.Username, Password: p.Password, TLSConfig: p.TLSConfig,
		// A step whose answer was lost must not be retried silently; the caller
		// decides.
		MaxRetries: -1,
		// An unresponsive server must not block a worker's heartbeat.
		DialTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
	}, cluster, nil
}

// Servers returns the "host:port" of the servers in an address of Redis, nil for an invalid
// address.
func Servers(url string) []string {
	o, _, err := parseURL(url)
	if url == "" || err != nil {
		return nil
	}
	return o.Addrs
}

// meet sends each shard the run id of the connection's server.
func (q *Queue) meet(ctx context.Context, c *redis.Conn) error {
	run := ""
	if info, err := c.Info(ctx, "server").Result(); err == nil {
		for line := range strings.Lines(info) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "run_id:"); ok {
				run = id
			}
		}
	} else if !isRefusal(err) {
		return err
	}
	if run == "" {
		return nil // the embedded server loses the leases when it ends
	}
	pipe := c.Pipeline()
	var answers []*redis.Cmd
	for _, keys := range q.keys {
		answers = append(answers, pipe.Eval(ctx, meetSource, keys, run))
	}
	pipe.Exec(ctx)
	for _, a := range answers {
		switch n, err := a.Int(); {
		case err != nil && isElsewhere(err):
		case err != nil:
			return err
		case n == 1:
			q.o.Log.Warn("Redis was restarted: the window is filled again")
		}
	}
	return nil
}

// isRefusal reports whether Redis answered with an error.
func isRefusal(err error) bool {
	var e redis.Error
	return errors.As(err, &e)
}

// isElsewhere reports whether a key belongs to a different node of the cluster.
func isElsewhere(err error) bool {
	return err != nil && (strings.HasPrefix(err.Error(), "MOVED ") || strings.HasPrefix(err.Error(), "ASK "))
}

// explain adds advice to an error of the client.
func explain(where string, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	hint := ""
	var network net.Error
	switch {
	case strings.HasPrefix(text, "WRONGPASS"), strings.HasPrefix(text, "NOAUTH"), strings.Contains(text, "called without any password"):
		hint = "; write the correct login in the URL, redis://USER:PASSWORD@HOST:PORT/0"
	case strings.HasPrefix(text, "NOPERM"):
		hint = "; the user must be allowed the commands and keys listed in docs/redis.md"
	case strings.Contains(text, "cluster support disabled"):
		hint = "; this server is not a cluster: write redis:// instead of redis+cluster://"
	case strings.HasPrefix(text, "MOVED"), strings.HasPrefix(text, "CROSSSLOT"):
		hint = "; this server is part of a cluster: write redis+cluster:// instead of redis://"
	case strings.HasPrefix(text, "DENIED"), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		hint = "; without a password Redis accepts local connections only (protected mode): set one"
	case errors.As(err, &network):
		hint = "; check that Redis is running and reachable"
	}
	return fmt.Errorf("queue: Redis at %s: %w%s", plat.WithoutSecrets(where), err, hint)
}

// silent keeps the client from logging to standard error; errors are returned.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

func init() { redis.SetLogger(silent{}) }
