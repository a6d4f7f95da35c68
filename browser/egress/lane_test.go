package egress

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
)

func TestConnectionsOfAPageDieWithIt(t *testing.T) {
	over := make(chan struct{}, 1)
	begun := make(chan struct{}, 1)
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		over <- struct{}{}
	})
	at := echo(t)
	g := newGuard(t, local())
	for name, end := range map[string]func(*Lane){
		"Reset": func(l *Lane) { l.Reset(0) },
		"Stop":  (*Lane).Stop,
		"Close": func(l *Lane) { l.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			l := newPageOn(t, g, 0)
			defer l.Close()
			idle, tunnel, plain := dialLane(t, l), dialLane(t, l), dialLane(t, l)
			tunnel.connectTo(t, at)
			tunnel.says(t, "alive")
			io.WriteString(plain, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
			<-begun
			before := l.Stats()
			if a := l.Idle(); a.InFlight != 1 {
				t.Errorf("%d in flight, want the one request", a.InFlight)
			}
			end(l)
			idle.dead(t)
			tunnel.dead(t)
			plain.dead(t)
			<-over // the server's handler notices as well
			if before.Requests != 2 || before.BytesIn == 0 || before.BytesOut == 0 {
				t.Errorf("before: %+v", before)
			}
			if s := l.Stats(); name == "Reset" && (s.Requests != 0 || s.BytesIn != 0 || s.BytesOut != 0) {
				t.Errorf("the new page begins with %+v", s)
			} else if name != "Reset" && s.Requests != 2 {
				t.Errorf("what is known of the page is lost: %+v", s)
			}
		})
	}
}

func TestALaneWithoutAPageServesNothing(t *testing.T) {
	site := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the site was reached") })
	g := newGuard(t, local())
	l, err := g.Lane()
	if err != nil {
		t.Fatal(err)
	}
	w := dialLane(t, l)
	io.WriteString(w, "GET "+site.URL+"/ HTTP/1.1\r\nHost: x\r\n\r\n")
	w.dead(t)
	if err := l.Quiet(t.Context(), 0); !errors.Is(err, ErrStopped) {
		t.Errorf("Quiet = %v, want ErrStopped", err)
	}
}

func TestLanesCannotBeReachedThroughLanes(t *testing.T) {
	g := newGuard(t, local())
	a, b := newPageOn(t, g, 0), newPageOn(t, g, 0)
	for _, lane := range []*Lane{a, b} {
		_, port, _ := net.SplitHostPort(lane.Addr())
		for _, host := range []string{"127.0.0.1", "127.1", "localhost", "[::ffff:127.0.0.1]", "127.0.0.2"} {
			for _, request := range []string{"CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://%s/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
				resp := dialLane(t, a).ask(t, fmt.Sprintf(request, host+":"+port))
				if resp.StatusCode != 403 || resp.Header.Get(verdict) != "own-listener" {
					t.Errorf("%s:%s: %s %q, want 403 own-listener", host, port, resp.Status, resp.Header.Get(verdict))
				}
			}
		}
	}
	resp := dialLane(t, a).ask(t, "GET /json/version HTTP/1.1\r\nHost: "+a.Addr()+"\r\n\r\n")
	ours(t, "a request for a server", resp)
	if resp.StatusCode != 403 {
		t.Errorf("taken for a server, the lane answers %s", resp.Status)
	}
}

func TestConnectionsPerLaneAreLimited(t *testing.T) {
	at := echo(t)
	o := local()
	o.MaxConns = 3
	l := newPageOn(t, newGuard(t, o), 0)
	var open []*wire
	for range 3 {
		w := dialLane(t, l)
		w.connectTo(t, at)
		open = append(open, w)
	}
	dialLane(t, l).dead(t)
	open[1].says(t, "still here")
	open[0].Close()
	for { // the lane notices the end asynchronously
		w := dialLane(t, l)
		if _, err := io.WriteString(w, "CONNECT "+at+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			continue
		}
		if resp, err := http.ReadResponse(w.r, &http.Request{Method: "CONNECT"}); err == nil && resp.StatusCode == 200 {
			break
		}
	}
}

func TestAPageWithoutNetworkReachesNoAddress(t *testing.T) {
	var served atomic.Int32
	site := serve(t, func(http.ResponseWriter, *http.Request) { served.Add(1) })
	at := site.Listener.Addr().String()
	g := newGuard(t, local()) // which opens the site's address
	l := newPageOn(t, g, 0)
	l.ResetOffline()
	resp, _ := getDocument(t, browser(t, l), "http://"+at+"/")
	if ours(t, at, resp); resp.Header.Get(verdict) != "offline" {
		t.Errorf("a request: %s %q, want offline", resp.Status, resp.Header.Get(verdict))
	}
	tunnel := dialLane(t, l).ask(t, "CONNECT "+at+" HTTP/1.1\r\nHost: "+at+"\r\n\r\n")
	if tunnel.StatusCode != 403 || tunnel.Header.Get(verdict) != "offline" {
		t.Errorf("a tunnel: %s %q, want 403 offline", tunnel.Status, tunnel.Header.Get(verdict))
	}
	if s := l.Stats(); s.Refusals != 2 || s.Tunnels != 0 || served.Load() != 0 {
		t.Errorf("%d refusals, %d tunnels, %d requests served; want 2, 0, 0", s.Refusals, s.Tunnels, served.Load())
	}
	l.Reset(0)
	if resp, _ := getDocument(t, browser(t, l), "http://"+at+"/"); resp.StatusCode != 200 {
		t.Errorf("the next page of the lane: %s, want 200", resp.Status)
	}
}
