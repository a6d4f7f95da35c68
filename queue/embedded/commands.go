package embedded

import (
	"fmt"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// allowed are the commands that clients may send: those of plat's workers, those that push on
// the inbox, and those that only read. Not among them are commands that allocate what a number
// says (SETRANGE, SETBIT, ZRANDMEMBER), and those whose connections keep what this package does
// not end (SUBSCRIBE).
var allowed = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`
		AUTH HELLO PING ECHO QUIT SELECT CLIENT COMMAND INFO TIME CLUSTER
		MULTI EXEC DISCARD WATCH UNWATCH
		EVAL EVALSHA EVAL_RO EVALSHA_RO SCRIPT

		LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LTRIM LREM BLPOP BRPOP LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH
		SET SETNX SETEX PSETEX GETSET GETDEL INCR INCRBY DECR DECRBY MSET APPEND
		HSET HMSET HSETNX HDEL HINCRBY HINCRBYFLOAT
		SADD SREM
		ZADD ZREM ZINCRBY ZPOPMIN ZPOPMAX BZPOPMIN BZPOPMAX ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX
		FLUSHALL FLUSHDB DEL UNLINK EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST RENAME

		EXISTS TYPE TTL PTTL KEYS SCAN DBSIZE
		GET MGET STRLEN GETRANGE
		HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HSCAN
		LLEN LINDEX LRANGE
		SMEMBERS SCARD SISMEMBER SMISMEMBER SSCAN
		ZCARD ZCOUNT ZSCORE ZMSCORE ZRANK ZREVRANK ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE
		ZRANGEBYLEX ZREVRANGEBYLEX ZLEXCOUNT ZSCAN`) {
		allowed[name] = true
	}
}

func isAllowed(words []string) bool { return allowed[strings.ToUpper(words[0])] }

// printable is a word as an error may quote it.
func printable(word string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\'' {
			return '?'
		}
		return r
	}, word[:min(len(word), 64)])
}

// waiting are the commands that may wait for others.
var waiting = map[string]bool{"BLPOP": true, "BRPOP": true, "BLMOVE": true, "BRPOPLPUSH": true, "BZPOPMIN": true, "BZPOPMAX": true}

// carryOut carries out a command. If it panics, as miniredis does by a script that returns a
// function, that ends the connection and nothing else.
func (s *Server) carryOut(peer *server.Peer, words []string) {
	waits := waiting[strings.ToUpper(words[0])]
	if !waits {
		s.turn.Lock()
		defer s.turn.Unlock()
	}
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if !waits {
			s.unlock()
		}
		peer.WriteError("ERR the command failed: " + printable(fmt.Sprint(p)))
		peer.Close()
	}()
	s.commands.Dispatch(peer, words)
}

// unlock unlocks miniredis if a panic has left it locked. The caller has the turn: who takes
// the lock without it has it for an instant, so a lock that stays is the caller's.
func (s *Server) unlock() {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s.m.TryLock() {
			break
		}
	}
	s.m.Unlock()
}
