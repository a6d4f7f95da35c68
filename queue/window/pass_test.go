package window_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"plat/queue"
	"plat/queue/window"
	"plat/storage"
)

// A manyHosts is an archive and a frontier with many hosts of one URL each, every one
// less urgent than the one before it.
type manyHosts struct {
	woken  map[string]float32
	in     []bool // the window
	room   int
	news   int64
	now    time.Time
	pages  int      // read by the loader
	loaded []int    // hosts
	low    []string // hosts that run low
}

func (m *manyHosts) name(i int) string { return fmt.Sprintf("h%d.test", i) }

func (m *manyHosts) row(i int) storage.ReadyHost {
	return storage.ReadyHost{Host: m.name(i), Priority: 1 - float32(i)/float32(len(m.in)), Row: int64(i + 1)}
}

func (m *manyHosts) number(host string) (i int) {
	fmt.Sscanf(host, "h%d.test", &i)
	return i
}

func (m *manyHosts) Wake(context.Context, time.Time, int) (map[string]float32, time.Time, error) {
	return m.woken, time.Time{}, nil
}

func (m *manyHosts) Ready(_ context.Context, after storage.ReadyHost, limit int) (all []storage.ReadyHost, _ error) {
	m.pages++
	for i := int(after.Row); i < len(m.in) && len(all) < limit; i++ {
		all = append(all, m.row(i))
	}
	return all, nil
}

func (m *manyHosts) load(hosts []storage.HostLimit) (all []storage.HostJobs) {
	for _, h := range hosts {
		i := m.number(h.Host)
		m.loaded = append(m.loaded, i)
		all = append(all, storage.HostJobs{Host: h.Host, Jobs: []storage.LoadedJob{{URL: "https://" + h.Host + "/", Priority: m.row(i).Priority}}})
	}
	return all
}

func (m *manyHosts) Defer(context.Context, ...storage.Deferral) error { return nil }

func (m *manyHosts) Load(_ context.Context, _ time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	return m.load(hosts), nil
}

// manyWindow is the frontier of manyHosts.
type manyWindow struct{ *manyHosts }

func (m manyWindow) Shards() int        { return 1 }
func (m manyWindow) ShardOf(string) int { return 0 }
func (m manyWindow) PerHost() int       { return 100 }

func (m manyWindow) Window(context.Context, int) (*queue.Window, error) {
	w := &queue.Window{Now: m.now, Queued: 20_000, Hosts: 20_000, Room: m.room, News: m.news}
	for _, h := range m.low {
		w.Low = append(w.Low, queue.LowHost{Host: h})
	}
	return w, nil
}

func (m manyWindow) Hosts(_ context.Context, _ int, hosts []string) (all []queue.HostWindow, _ error) {
	for _, h := range hosts {
		all = append(all, queue.HostWindow{In: m.in[m.number(h)], Low: slices.Contains(m.low, h)})
	}
	return all, nil
}

func (m manyWindow) Announce(context.Context, map[string]float32) error { return nil }

func (m manyWindow) Load(_ context.Context, hosts []queue.HostJobs) (n int, _ error) {
	for _, h := range hosts {
		if i := m.number(h.Host); !m.in[i] && m.room > 0 {
			m.in[i] = true
			m.room--
			n++
		}
		m.low = slices.DeleteFunc(m.low, func(l string) bool { return l == h.Host })
	}
	return n, nil
}

func (m manyWindow) Evict(context.Context, int, int, float32) (int, error) { return 0, nil }

// tick gives the window room for some URLs, and returns which hosts come in.
func (m *manyHosts) tick(t *testing.T, l *window.Loader, room int) []int {
	t.Helper()
	m.room, m.loaded, m.pages = room, nil, 0
	m.now = m.now.Add(10 * time.Millisecond)
	if _, err := l.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m.loaded
}

const manyInside = 20_000

func newManyHosts() (*manyHosts, *window.Loader) {
	m := &manyHosts{in: make([]bool, manyInside+10_000), now: time.Unix(1e9, 0)}
	for i := range manyInside {
		m.in[i] = true
	}
	return m, window.NewLoader(m, manyWindow{m}, nil, slog.New(slog.DiscardHandler), nil)
}

// 64 pages of 256 hosts, as many as a tick reads, are not enough to come to a host that
// is not in the window.
func TestHostsBehindManyOfTheWindowAreFound(t *testing.T) {
	m, l := newManyHosts()
	for range 10 {
		if m.tick(t, l, 40); len(m.loaded) > 0 {
			break
		}
	}
	next := manyInside
	for range 50 {
		// The frontier's clock advances by less than a second, so there is no new pass.
		for _, i := range m.loaded {
			if i != next {
				t.Fatalf("host %d was loaded, want %d: the most urgent one outside", i, next)
			}
			next++
		}
		m.tick(t, l, 40)
		if len(m.loaded) == 0 {
			t.Fatalf("nothing is loaded after host %d, though there is room", next)
		}
		if m.pages > 2 {
			t.Fatalf("%d pages were read for %d hosts", m.pages, len(m.loaded))
		}
	}
}

// The next pass finds changes behind the current one, and changes at the top are found at once.
func TestAChangeBehindThePassIsFound(t *testing.T) {
	m, l := newManyHosts()
	for range 10 {
		m.tick(t, l, 40)
	}
	m.in[100], m.in[10_000] = false, false // they have drained
	m.news++
	if m.tick(t, l, 40); len(m.loaded) == 0 || m.loaded[0] != 100 {
		t.Fatalf("loaded first: %v; host 100 is the most urgent", m.loaded)
	}
	for end := time.Now().Add(10 * time.Second); !m.in[10_000]; {
		if m.tick(t, l, 4); time.Now().After(end) {
			t.Fatal("host 10000 is not loaded, though it is more urgent than others that are")
		}
	}
}

// A host that runs low is loaded before less urgent ones outside, wherever the pass is.
func TestAHostThatRunsLowKeepsItsTurn(t *testing.T) {
	m, l := newManyHosts()
	for range 10 {
		m.tick(t, l, 40)
	}
	m.low = []string{m.name(17_000), m.name(500)}
	if m.tick(t, l, 40); len(m.loaded) < 3 || m.loaded[0] != 500 || m.loaded[1] != 17_000 {
		t.Fatalf("loaded: %v, want 500 and 17000 first", m.loaded)
	}
}

// A host for which there was no room is not skipped.
func TestWhatIsNotLoadedIsNotPassed(t *testing.T) {
	m, l := newManyHosts()
	for range 4 {
		m.tick(t, l, 40)
	}
	next := manyInside
	for m.in[next] {
		next++
	}
	// A tick with room for 1000 finds as many hosts, and loads some at a time, at first 8: of
	// these the frontier takes 8.
	m.room, m.loaded = 1000, nil
	m.now = m.now.Add(10 * time.Millisecond)
	full := window.NewLoader(m, oneLoad{manyWindow{m}, new(int)}, nil, slog.New(slog.DiscardHandler), nil)
	for range 3 {
		if _, err := full.Tick(t.Context()); err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
	}
	for i := range next + 8 {
		if !m.in[i] {
			t.Fatalf("host %d is not loaded", i)
		}
	}
	for range 3 {
		m.tick(t, full, 40)
	}
	for i := range next + 20 {
		if !m.in[i] {
			t.Fatalf("host %d was passed, and not loaded", i)
		}
	}
}

// A oneLoad fails at its second call of Load.
type oneLoad struct {
	manyWindow
	calls *int
}

func (o oneLoad) Load(ctx context.Context, hosts []queue.HostJobs) (int, error) {
	if *o.calls++; *o.calls == 2 {
		return 0, errDied
	}
	return o.manyWindow.Load(ctx, hosts)
}

// A twoShards has a shard that fails.
type twoShards struct{ manyWindow }

func (w twoShards) Shards() int { return 2 }

func (w twoShards) ShardOf(host string) int {
	if host == "away.test" {
		return 0
	}
	return 1
}

func (w twoShards) Announce(_ context.Context, hosts map[string]float32) error {
	if _, ok := hosts["away.test"]; ok {
		return errDied
	}
	return nil
}

func (w twoShards) Window(ctx context.Context, shard int) (*queue.Window, error) {
	if shard == 0 {
		return nil, errDied
	}
	got, err := w.manyWindow.Window(ctx, shard)
	got.Shard = shard
	return got, err
}

func TestAShardThatFailsKeepsNoOtherFromBeingLoaded(t *testing.T) {
	m, _ := newManyHosts()
	l := window.NewLoader(m, twoShards{manyWindow{m}}, nil, slog.New(slog.DiscardHandler), nil)
	m.room, m.now = 40, m.now.Add(time.Second)
	m.woken = map[string]float32{"away.test": 0.9, "h1.test": 0.5}
	for range 200 {
		if _, err := l.Tick(t.Context()); !errors.Is(err, errDied) {
			t.Fatalf("the failure is not told: %v", err)
		}
	}
	if m.room != 0 {
		t.Errorf("there is room for %d URLs still", m.room)
	}
}
