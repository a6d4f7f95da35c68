package queue

import "plat/queue/embedded"

// Server is a Redis inside this process, for one machine. It is not persistent: the
// window is filled from the archive at every start.
type Server = embedded.Server

// Embed starts a Redis that listens at a loopback address such as "127.0.0.1:6390";
// port 0 is any. It has no password; see [embedded.Start].
func Embed(addr string) (*Server, error) { return embedded.Start(addr, "") }
