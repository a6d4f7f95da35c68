package settings

import (
	"net/netip"
	"slices"
	"testing"
)

func TestHostsAnswerForTheNamesTheyHave(t *testing.T) {
	s := &Settings{Host: []string{"Intranet.Test.=10.1.2.3", "intranet.test=fd00::1"}}
	o, err := s.egressOptions()
	if err != nil {
		t.Fatal(err)
	}
	got, err := o.Resolver.LookupNetIP(t.Context(), "ip", "intranet.test")
	if want := []netip.Addr{netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("fd00::1")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("intranet.test is %v, %v; want %v", got, err, want)
	}
}
