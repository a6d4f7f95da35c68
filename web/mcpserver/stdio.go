package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastAnswers is the longest time that requests before the end of the input are waited for.
const lastAnswers = 30 * time.Second

// Stdio is a transport by lines, as of standard input and output. At the end of the input, the requests before it are
// still answered: the SDK's own transport drops them, as a client that closes its end is gone.
func Stdio(in io.Reader, out io.Writer) mcp.Transport {
	lines, pipe := io.Pipe()
	var open atomic.Int64 // requests without an answer
	go func() {
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadBytes('\n')
			if len(bytes.TrimSpace(line)) > 0 {
				if m := headOf(line); m.Method != "" && m.hasID() {
					open.Add(1)
				}
				if _, gone := pipe.Write(append(bytes.TrimRight(line, "\r\n"), '\n')); gone != nil {
					return
				}
			}
			if err != nil {
				for end := time.Now().Add(lastAnswers); open.Load() > 0 && time.Now().Before(end); {
					time.Sleep(5 * time.Millisecond)
				}
				pipe.CloseWithError(err)
				return
			}
		}
	}()
	return &mcp.IOTransport{Reader: lines, Writer: &answers{out: out, open: &open}}
}

// message is the head of a message of JSON-RPC 2.0.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (m *message) hasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

func headOf(line []byte) (m message) {
	_ = json.Unmarshal(line, &m)
	return m
}

// answers writes messages, and counts those that answer a request.
type answers struct {
	out  io.Writer
	open *atomic.Int64
	rest []byte // of a line that has not ended
}

func (a *answers) Write(b []byte) (int, error) {
	n, err := a.out.Write(b)
	a.rest = append(a.rest, b...)
	for {
		line, rest, ended := bytes.Cut(a.rest, []byte("\n"))
		if !ended {
			return n, err
		}
		if m := headOf(line); m.hasID() && m.Method == "" {
			a.open.Add(-1)
		}
		a.rest = rest
	}
}

func (a *answers) Close() error { return nil }
