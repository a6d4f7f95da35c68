package queue

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"plat/queue/redistest"
)

// When the master dies or is replaced, the process goes on with its successor.
func TestAFailoverNeedsNoRestart(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		failover(t, func(servers *redistest.Replicated, q *Queue) {
			servers.Master.Kill()
			if err := q.Ping(t.Context()); err == nil {
				t.Error("the killed master answers")
			}
		})
	})
	t.Run("replaced", func(t *testing.T) { // it lives on, as a replica
		failover(t, func(servers *redistest.Replicated, q *Queue) {
			ok(t, servers.Sentinel.Do(t.Context(), "SENTINEL", "FAILOVER", redistest.MasterName))
		})
	})
}

func failover(t *testing.T, happens func(*redistest.Replicated, *Queue)) {
	servers := redistest.StartReplicated(t)
	q := begun(t, servers.URL(), func(o *Options) { o.TTL = time.Minute })
	if q.Shards() != 1 {
		t.Errorf("%d shards", q.Shards())
	}
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 0.5))
	l := lease(t, q)
	ok(t, q.Done(t.Context(), lease(t, q), 0))
	servers.Sync(t)
	happens(servers, q)
	start := time.Now()
	var err error
	for !errors.Is(err, ErrNone) { // the replica may lack leases, so there is no frontier
		if time.Since(start) > 30*time.Second {
			t.Fatalf("after 30 s: %v", err)
		}
		var granted *Lease
		if granted, _, err = q.Lease(t.Context(), "w"); granted != nil {
			t.Fatalf("leased %s, and the earlier leases may be held", granted.URL)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("a new master after %v", time.Since(start).Round(10*time.Millisecond))
	if at, err := servers.Replica.Info(t.Context(), "replication"); err != nil || at["role"] != "master" {
		t.Errorf("the replica is %q, %v", at["role"], err)
	}
	if is, err := q.Begin(t.Context(), 0); !is || err != nil {
		t.Errorf("not begun: %v", err)
	}
	if err := q.Done(t.Context(), l, 0); !errors.Is(err, ErrLost) {
		t.Errorf("settled a lease of before the failover: %v", err)
	}
	add(t, q, job("http://a.test/", 1), job("http://b.test/", 0.5))
	for range 2 {
		ok(t, q.Done(t.Context(), lease(t, q), 0))
	}
	empty(t, q)
	checkKeys(t, q)
}

func TestErrorsOfSentinelsSayWhatToDo(t *testing.T) {
	servers := redistest.StartReplicated(t)
	check := func(name, url, want string) {
		t.Helper()
		q, err := Open(t.Context(), Options{URL: url})
		if err == nil {
			q.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v; want %q", name, err, want)
		}
	}
	check("an unknown master", "redis+sentinel://"+servers.Sentinel.Addr+"/other/0", "know no master of this name")
	check("a server", "redis+sentinel://"+servers.Master.Addr+"/other/0", "is a Redis server and no Sentinel")
	check("no Sentinel", "redis+sentinel://127.0.0.1:1/other/0", "check that the Sentinels are running")
	check("no master", "redis+sentinel://"+servers.Sentinel.Addr, "with the name of the master")
	text, err := os.ReadFile("../docs/redis.md")
	ok(t, err)
	_, rules, _ := strings.Cut(strings.ReplaceAll(string(text), "\n", " "), "at the Sentinels a user needs `")
	rules, _, found := strings.Cut(rules, "`")
	if !found {
		t.Fatal("docs/redis.md lists no rights at the Sentinels")
	}
	command := []any{"ACL", "SETUSER", "plat", "on", ">hush"}
	for _, rule := range strings.Fields(rules) {
		command = append(command, rule)
	}
	ok(t, servers.Sentinel.Do(t.Context(), command...))
	ok(t, servers.Sentinel.Do(t.Context(), "ACL", "SETUSER", "default", "resetpass", ">hush"))
	check("no login", servers.URL(), "?sentinel_password=")
	check("a wrong login", servers.URL()+"?sentinel_password=hush2", "?sentinel_password=")
	check("a user without the right", servers.URL()+"?sentinel_username=plat2&sentinel_password=hush", "?sentinel_password=")
	for _, login := range []string{"", "&sentinel_username=plat"} {
		q := open(t, servers.URL()+"?sentinel_password=hush"+login, nil)
		ok(t, q.Ping(t.Context()))
		time.Sleep(50 * time.Millisecond) // it subscribes
	}
	admin := redis.NewClient(&redis.Options{Addr: servers.Sentinel.Addr, Password: "hush"})
	defer admin.Close()
	if denied, err := admin.Do(t.Context(), "ACL", "LOG").Slice(); err != nil || slices.ContainsFunc(denied, func(e any) bool { return !strings.Contains(fmt.Sprint(e), "reason:auth") }) {
		t.Errorf("the listed rights do not suffice: %v, %v", denied, err)
	}
}

func TestAddressesOfSentinels(t *testing.T) {
	for raw, want := range map[string][]string{ // addresses, then master, user, password, the Sentinels' login
		"redis+sentinel://a/m":                                                    {"a:26379", "m", "", "", "", ""},
		"redis+sentinel://u:p%2F@a:1,b,[::1]/my-master/3":                         {"a:1,b:26379,[::1]:26379", "my-master", "u", "p/", "", ""},
		"rediss+sentinel://:p@a:1/m/0?sentinel_password=s%26&sentinel_username=x": {"a:1", "m", "", "p", "x", "s&"},
		"redis+sentinel://a:1/m?sentinel_password=s":                              {"a:1", "m", "", "", "", "s"},
	} {
		o, kind, err := parseURL(raw)
		if err != nil || kind != sentinel {
			t.Errorf("%s: %v, %v", raw, kind, err)
			continue
		}
		got := []string{strings.Join(o.Addrs, ","), o.MasterName, o.Username, o.Password, o.SentinelUsername, o.SentinelPassword}
		if !slices.Equal(got, want) || o.DB != 0 != strings.HasSuffix(raw, "/3") {
			t.Errorf("%s: %q, database %d; want %q", raw, got, o.DB, want)
		}
		if secure := strings.HasPrefix(raw, "rediss"); secure != (o.TLSConfig != nil) || secure && o.TLSConfig.ServerName != "" {
			t.Errorf("%s: TLS is %+v", raw, o.TLSConfig)
		}
	}
	for _, raw := range []string{"redis-sentinel://a:1/m/0", "sentinel://hush@a:1/m/0", "redis+sentinel://a:1", "redis+sentinel://a:1/", "redis+sentinel:///m/0", "redis+sentinel://a,,b/m", "redis+sentinel://a/m/x", "redis+sentinel://a/m/0?hush=1", "redis+sentinel://a/m/0?sentinel_password=hu%zzsh"} {
		if _, _, err := parseURL(raw); !errors.Is(err, ErrConfig) || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "write redis+sentinel://") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
