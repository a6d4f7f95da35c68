package redistest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// taken returns a port that is in use.
func taken(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func needRedis(t *testing.T) {
	t.Helper()
	for _, program := range []string{"redis-server", "redis-cli"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("skipped: %s is not installed (Debian's packages redis-server and redis-tools)", program)
		}
	}
}

// Between the choice of a port and its use a different process may take it.
func TestATakenPortIsReplaced(t *testing.T) {
	needRedis(t)
	used := taken(t)
	tries := 0
	var url string
	err := withFreePorts(6, func(ports []int) (err error) {
		if tries++; tries <= 2 {
			ports[3*(tries-1)+1] = used // of a node for clients, then of one for the other nodes
		}
		url, err = cluster(t, "../../scripts/redis-cluster", ports)
		return err
	})
	if err != nil || tries != 3 || !strings.HasPrefix(url, "redis+cluster://127.0.0.1:") {
		t.Errorf("%q after %d tries, %v", url, tries, err)
	}

	s := &Server{Addr: fmt.Sprintf("127.0.0.1:%d", used), dir: t.TempDir(), args: []string{"--port", fmt.Sprint(used), "--bind", "127.0.0.1"}}
	if err := s.Restart(); !errors.Is(err, errTaken) {
		t.Errorf("a server on it: %v", err)
	}
}

// A server that ends for a different reason reports it at once.
func TestTheLogOfAServerThatEndsIsShown(t *testing.T) {
	needRedis(t)
	tries := 0
	err := withFreePorts(6, func(ports []int) (err error) {
		tries++
		ports[4] = 99999
		_, err = cluster(t, "../../scripts/redis-cluster", ports)
		return err
	})
	if err == nil || tries != 1 || !strings.Contains(err.Error(), "argument must be between 0 and 65535") {
		t.Errorf("a cluster, after %d tries: %v", tries, err)
	}
	if _, err := New(t.TempDir(), "--maxmemory", "much"); err == nil || !strings.Contains(err.Error(), "maxmemory") {
		t.Errorf("a server: %v", err)
	}
}

// The script chooses no port from the range that the system uses for connections.
func TestTheScriptChoosesPortsOutsideTheSystemsOwn(t *testing.T) {
	needRedis(t)
	b, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Skip("skipped: ", err)
	}
	var low, high int
	if _, err := fmt.Sscan(string(b), &low, &high); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", `source <(sed -n '/^some()/,/^}/p' ../../scripts/redis-cluster); for _ in 1 2 3 4 5 6 7 8 9; do some; done`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	n := 0
	for text := range strings.FieldsSeq(string(out)) {
		var port int
		if _, err := fmt.Sscan(text, &port); err != nil || port < 1024 || low > 3000 && port >= low {
			t.Errorf("port %q, the system's begin at %d", text, low)
		}
		n++
	}
	if n != 54 {
		t.Errorf("%d ports: %s", n, out)
	}
}
