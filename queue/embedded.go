package queue

import (
	"log/slog"

	"plat/queue/embedded"
)

// Server is a Redis inside this process, for one machine. It is not persistent: the
// window is filled from the archive at every start. It runs the scripts of this package only.
type Server = embedded.Server

// Embed starts a Redis that listens at a loopback address such as "127.0.0.1:6390";
// port 0 is any. It has no password.
func Embed(addr string) (*Server, error) { return EmbedWithPassword(addr, "", nil) }

// EmbedWithPassword is Embed with a password, which other addresses need, and a log; see [embedded.Start].
func EmbedWithPassword(addr, password string, log *slog.Logger) (*Server, error) {
	return embedded.Start(addr, password, log, scripts...)
}
