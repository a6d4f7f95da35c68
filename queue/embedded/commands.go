package embedded

import (
	"fmt"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/server"
)

// allowed are the commands that clients and scripts may send: those of plat's workers, those that
// push on the inbox, and those that only read. Excluded are commands that allocate as much as an
// argument says (SETRANGE, SETBIT, ZRANDMEMBER), those that make a value longer than a word
// (APPEND), and those whose connections hold data that this package cannot end (SUBSCRIBE).
var allowed = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`
		AUTH HELLO PING ECHO QUIT SELECT CLIENT COMMAND INFO TIME CLUSTER
		MULTI EXEC DISCARD WATCH UNWATCH
		EVAL EVALSHA SCRIPT

		LPUSH RPUSH LPUSHX RPUSHX LPOP RPOP LTRIM LREM BLPOP BRPOP LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH
		SET SETNX SETEX PSETEX GETSET GETDEL INCR INCRBY DECR DECRBY MSET
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

// maxWord is the greatest length of a word that is not a list entry, in bytes. Scripts match keys,
// arguments and values against patterns, which takes some 250 bytes of stack for each byte of
// them: a stack beyond 1 GB ends the process.
const maxWord = 64 << 10

// long are the commands for list entries, which scripts match against no pattern.
var long = map[string]bool{"LPUSH": true, "RPUSH": true, "LPUSHX": true, "RPUSHX": true, "LREM": true}

// refusal returns the reason why a command is refused. It is empty if it is.
func (s *Server) refusal(words []string) string {
	name := strings.ToUpper(words[0])
	if !allowed[name] {
		return "ERR unknown command '" + printable(words[0]) + "', or one that the Redis of plat up does not have"
	}
	// EVALSHA can run only scripts that passed this check.
	text, isScript := "", false
	switch {
	case name == "EVAL" && len(words) > 1:
		text, isScript = words[1], true
	case name == "SCRIPT" && len(words) > 2 && strings.EqualFold(words[1], "LOAD"):
		text, isScript = words[2], true
	}
	if isScript && !s.scripts[text] {
		return "ERR the Redis of plat up runs no scripts but those of its own version of plat; use that version everywhere, or run a real Redis and name it with --redis"
	}
	if !long[name] {
		for _, w := range words[1:] {
			if len(w) > maxWord {
				return fmt.Sprintf("ERR a word of %s has at most %d bytes; only entries of lists may be longer", name, maxWord)
			}
		}
	}
	return ""
}

// before runs before every command, including those of scripts, for which it is the only check of
// permission and time. It returns true if it has replied. A script can be ended only between two
// commands; plat's scripts have no loop without a command that is longer than their input.
func (s *Server) before(peer *server.Peer, name string, _ ...string) bool {
	switch {
	case !allowed[name]:
		peer.WriteError("ERR the Redis of plat up does not have " + printable(name))
	case waiting[name] || name == "PING": // may run without the turn
		return false
	case time.Now().After(s.until):
		peer.WriteError(fmt.Sprintf("ERR the script took more than %v, and was ended", s.times.script))
	default:
		return false
	}
	return true
}

// printable returns a word as an error may quote it.
func printable(word string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\'' {
			return '?'
		}
		return r
	}, word[:min(len(word), 64)])
}

// waiting are the commands that may block.
var waiting = map[string]bool{"BLPOP": true, "BRPOP": true, "BLMOVE": true, "BRPOPLPUSH": true, "BZPOPMIN": true, "BZPOPMAX": true}

// carryOut carries out a command. A panic, such as that of miniredis for a script that returns a
// function, ends the connection and no other.
func (s *Server) carryOut(peer *server.Peer, words []string) {
	waits := waiting[strings.ToUpper(words[0])]
	if !waits {
		s.turn.Lock()
		defer s.turn.Unlock()
		s.until = time.Now().Add(s.times.script)
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

// unlock unlocks miniredis if a panic has left it locked. The caller has the turn: a goroutine
// without the turn holds the lock only for an instant, so a lock that stays is the caller's.
func (s *Server) unlock() {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if s.m.TryLock() {
			break
		}
	}
	s.m.Unlock()
}
