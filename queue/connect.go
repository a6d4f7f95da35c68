package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/plat"
)

// topology is the kind of servers that an address of Redis names.
type topology int

const (
	single   topology = iota // one server
	cluster                  // redis+cluster://: some nodes of a cluster
	sentinel                 // redis+sentinel://: the Sentinels, who know the master
)

// sentinelPort is the port of Sentinels that name none.
const sentinelPort = "26379"

// parseURL parses an address of Redis.
func parseURL(raw string) (o *redis.UniversalOptions, kind topology, err error) {
	plain := raw
	for _, scheme := range []string{"redis", "rediss"} {
		if rest, ok := strings.CutPrefix(raw, scheme+"+cluster://"); ok {
			plain, kind = scheme+"://"+rest, cluster
		}
		if rest, ok := strings.CutPrefix(raw, scheme+"+sentinel://"); ok {
			plain, kind = scheme+"://"+rest, sentinel
		}
	}
	first, login, all, master := plain, "", []string(nil), ""
	if kind != single { // url.Parse supports only one host
		scheme, rest, _ := strings.Cut(plain, "://")
		if i := strings.LastIndexByte(rest, '@'); i >= 0 {
			login, rest = rest[:i+1], rest[i+1:]
		}
		hosts, tail, _ := strings.Cut(rest, "/")
		if kind == sentinel {
			master, tail = cutMaster(tail)
		}
		all = strings.Split(hosts, ",")
		first = scheme + "://" + login + all[0] + "/" + tail
	}
	own := url.Values{} // of the Sentinels
	if kind == sentinel {
		first, own, err = cutLogin(first)
	}
	var p *redis.Options
	if err == nil {
		p, err = redis.ParseURL(first)
	}
	switch {
	case kind == sentinel && (err != nil || master == "" || slices.Contains(all, "")),
		kind == single && err != nil && strings.Contains(raw, "sentinel://"): // other programs write redis-sentinel://
		// The parsers' errors quote the URL, which may contain a password.
		return nil, kind, fmt.Errorf("%w: Redis at %s: not an address of Sentinels; write redis+sentinel://[USER:PASSWORD@]HOST:26379,HOST:26379/MASTER/0, with the name of the master as the Sentinels know it", ErrConfig, plat.WithoutSecrets(raw))
	case err != nil || !strings.Contains(raw, "://"): // without slashes it would mean this machine
		return nil, kind, fmt.Errorf("%w: Redis at %s: not a Redis URL; write redis://[USER:PASSWORD@]HOST:PORT/0, with %%2F for a / in the password", ErrConfig, plat.WithoutSecrets(raw))
	}
	addrs := []string{p.Addr}
	switch kind {
	case cluster:
		addrs = append(addrs, all[1:]...)
	case sentinel:
		for i, at := range all {
			if _, _, err := net.SplitHostPort(at); err != nil {
				all[i] = net.JoinHostPort(strings.Trim(at, "[]"), sentinelPort)
			}
		}
		addrs = all
		if p.TLSConfig != nil {
			p.TLSConfig.ServerName = "" // each server has a name of its own
		}
	}
	return &redis.UniversalOptions{
		Addrs: addrs, DB: p.DB, Username: p.Username, Password: p.Password, TLSConfig: p.TLSConfig,
		MasterName: master, SentinelUsername: own.Get("sentinel_username"), SentinelPassword: own.Get("sentinel_password"),
		// A step whose answer was lost must not be retried silently; the caller
		// decides.
		MaxRetries: -1,
		// An unresponsive server must not block a worker's heartbeat.
		DialTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
	}, kind, nil
}

// cutMaster cuts the name of the master from MASTER/DB?PARAMETERS.
func cutMaster(tail string) (master, rest string) {
	end := strings.IndexAny(tail, "/?")
	if end < 0 {
		return tail, ""
	}
	return tail[:end], strings.TrimPrefix(tail[end:], "/")
}

// cutLogin cuts the parameters with the login of the Sentinels from a URL.
func cutLogin(raw string) (rest string, login url.Values, err error) {
	rest, query, _ := strings.Cut(raw, "?")
	all, err := url.ParseQuery(query)
	login = url.Values{}
	for _, name := range []string{"sentinel_username", "sentinel_password"} {
		if all.Has(name) {
			login[name] = all[name]
			all.Del(name)
		}
	}
	if len(all) > 0 {
		rest += "?" + all.Encode()
	}
	return rest, login, err
}

// Servers returns the "host:port" of the servers, or Sentinels, in an address of Redis, nil for an
// invalid address.
func Servers(address string) []string {
	o, _, err := parseURL(address)
	if address == "" || err != nil {
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
			if strings.TrimSpace(line) == "redis_mode:sentinel" {
				return nil // it has no keys
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
	case strings.Contains(text, "all sentinels specified"):
		switch {
		case strings.Contains(text, "NOAUTH"), strings.Contains(text, "WRONGPASS"), strings.Contains(text, "called without any password"):
			hint = "; the Sentinels ask for a login of their own: append ?sentinel_password=PASSWORD to the URL"
		case errors.Is(err, redis.Nil):
			hint = "; the Sentinels know no master of this name: write it as in their setting sentinel monitor"
		case strings.Contains(text, "unknown command"):
			hint = "; this is a Redis server and no Sentinel, which has port 26379 by default: write redis:// for a single server"
		default:
			hint = "; check that the Sentinels are running and reachable"
		}
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
