package settings

import (
	"net/netip"
	"slices"
	"testing"

	"plat/browser/egress"
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

func TestOurServicesAreKnownFromTheirAddresses(t *testing.T) {
	for _, tc := range []struct {
		redis, store string
		want         []egress.Service
	}{
		{"", "sqlite:plat.db", nil},
		{"redis://me:hush@redis.test:6390/2", "", []egress.Service{{Host: "redis.test", Port: 6390}}},
		{"redis+cluster://a.test:1,b.test/0", "", []egress.Service{{Host: "a.test", Port: 1}, {Host: "b.test", Port: 6379}}},
		{"redis+sentinel://me:hush@a.test:1,b.test/master/0", "", []egress.Service{{Host: "a.test", Port: 1}, {Host: "b.test", Port: 26379}}},
		{"rediss://[fd00::1]:7/0", "", []egress.Service{{Host: "fd00::1", Port: 7}}},
		{"", "mongodb://me:hush@m1.test,m2.test:27018,[fd00::2]:5/plat?replicaSet=a", []egress.Service{{Host: "m1.test", Port: 27017}, {Host: "m2.test", Port: 27018}, {Host: "fd00::2", Port: 5}}},
		{"", "mongodb://m1.test", []egress.Service{{Host: "m1.test", Port: 27017}}},
		{"", "mongodb://m1.test?tls=true", []egress.Service{{Host: "m1.test", Port: 27017}}},
		{"", "mongodb://%2Ftmp%2Fm.sock/plat", nil},
		{"", "mongodb+srv://me:hush@cluster.test/plat", []egress.Service{{Host: "cluster.test", SRV: "mongodb"}}},
		{"nonsense", "nonsense", nil},
	} {
		s := &Settings{Redis: tc.redis, Store: tc.store}
		o, err := s.egressOptions()
		if err != nil || !slices.Equal(o.Services, tc.want) {
			t.Errorf("%s %s: %v, %v, want %v", tc.redis, tc.store, o.Services, err, tc.want)
		}
		if o, err := s.TellEgress(); err != nil || !slices.Equal(o.Services, tc.want) {
			t.Errorf("to tell people: %v, %v", o.Services, err)
		}
	}
}
