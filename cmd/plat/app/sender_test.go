package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"plat/plat"
	"plat/watch/notify"
)

// No notification goes to our own ports, even if the networks of receivers are permitted.
func TestOurPortsAreNoReceivers(t *testing.T) {
	heard := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { heard++ }))
	defer receiver.Close()
	port := netip.MustParseAddrPort(receiver.Listener.Addr().String()).Port()
	a := New(nil, strings.NewReader(""), io.Discard, io.Discard)
	a.Store, a.TellPrivate = "sqlite:plat.db", []string{"127.0.0.0/8"}
	for _, tc := range []struct {
		closed []uint16
		want   string
	}{{nil, ""}, {[]uint16{port}, "is plat's own"}} {
		s, err := a.Sender("1", tc.closed...)
		if err != nil {
			t.Fatal(err)
		}
		out := s.Send(t.Context(), &plat.Channel{Name: "here", URL: receiver.URL + "/#unsigned"}, &notify.Delivery{})
		if tc.want == "" && out.Err != nil || tc.want != "" && (out.Err == nil || !strings.Contains(out.Err.Error(), tc.want)) {
			t.Errorf("closed %v: %v, want %q", tc.closed, out.Err, tc.want)
		}
		s.Close()
	}
	if heard != 1 {
		t.Errorf("the receiver heard %d messages, not 1", heard)
	}
}
