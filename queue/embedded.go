package queue

import (
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// Server is a Redis inside this process, for one machine. It is not persistent: the
// window is filled from the archive at every start.
type Server struct {
	m *miniredis.Miniredis
}

// Embed starts a Redis that listens at a loopback address such as "127.0.0.1:6390";
// port 0 is any.
func Embed(addr string) (*Server, error) {
	s := &Server{m: miniredis.NewMiniRedis()}
	if err := s.m.StartAddr(addr); err != nil {
		return nil, fmt.Errorf("the embedded Redis cannot listen at %s: %w; use another address", addr, err)
	}
	return s, nil
}

// URL returns the address for [Options].
func (s *Server) URL() string { return "redis://" + s.m.Addr() + "/0" }

// Addr returns host and port.
func (s *Server) Addr() string { return s.m.Addr() }

// SetTime stops the server's clock at t, for simulations.
func (s *Server) SetTime(t time.Time) { s.m.SetTime(t) }

// Close stops the server and discards its data.
func (s *Server) Close() error {
	s.m.Close()
	return nil
}
