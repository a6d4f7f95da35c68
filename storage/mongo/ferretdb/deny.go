package main

import "fmt"

// Levels of denial, with the errors of MongoDB for users without permission.
const (
	nothing int32 = iota
	write
	all
)

// deny processes a line of standard input.
func (p *proxy) deny(line string) error {
	switch line {
	case "deny nothing":
		p.denied.Store(nothing)
	case "deny write":
		p.denied.Store(write)
	case "deny all":
		p.denied.Store(all)
	default:
		return fmt.Errorf("unknown command %q", line)
	}
	return nil
}

// refusal returns the error reply to a forbidden command, nil if it is allowed.
func (p *proxy) refusal(c *command) []byte {
	denied := p.denied.Load()
	if denied == nothing || c == nil {
		return nil
	}
	switch c.name() {
	case "hello", "isMaster", "ismaster", "ping", "endSessions", "buildInfo":
		return nil
	case "find", "getMore", "aggregate", "count", "listIndexes", "listCollections", "dbStats":
		if denied == write {
			return nil
		}
	}
	return failure(c, 13, "Unauthorized", fmt.Sprintf("not authorized on %s to execute command { %s: ... }", c.database(), c.name()))
}
