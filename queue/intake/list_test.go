package intake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/storage/sqlite/sqlitetest"
)

// A frontier that only has a clock.
type clock struct {
	now       time.Time
	offered   int
	announced int
	fails     int // number of calls to fail
}

var errAway = errors.New("away")

func (c *clock) Now(context.Context) (time.Time, error) { return c.now, nil }

func (c *clock) fail() error {
	if c.fails > 0 {
		c.fails--
		return errAway
	}
	return nil
}

func (c *clock) Offer(_ context.Context, jobs []plat.Job) error {
	err := c.fail()
	if err == nil {
		c.offered += len(jobs)
	}
	return err
}

func (c *clock) Announce(_ context.Context, hosts map[string]float32) error {
	err := c.fail()
	if err == nil {
		c.announced += len(hosts)
	}
	return err
}

func opened(t testing.TB) (*sqlite.Store, *clock) {
	t.Helper()
	s := sqlitetest.Open(t)
	return s, &clock{now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
}

func parse(text string) (plat.Job, error) { return queue.ParseSeed(text, queue.Seed{}, nil) }

func urls(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "https://h%d.test/page/%d\n", i%17, i)
	}
	return b.String()
}

func listFile(t testing.TB, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func take(t testing.TB, l *intake.List, s *sqlite.Store, c *clock, r io.Reader) intake.Progress {
	t.Helper()
	p, err := l.Take(t.Context(), s, c, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// settleAll visits everything that is due.
func settleAll(t testing.TB, s *sqlite.Store, at time.Time) (n int) {
	t.Helper()
	for st, err := range s.States(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		if st.Due.IsZero() {
			continue
		}
		n++
		if err := s.Record(t.Context(), plat.Visit{URL: st.URL, Time: at, Outcome: plat.OutcomeUnchanged, Settles: st.Due}, 1); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func TestListIsTakenWithWhatItRefuses(t *testing.T) {
	s, c := opened(t)
	var refused []int
	l := &intake.List{Parse: parse, Refused: func(line int, err error) {
		if err == nil {
			t.Error("refused without a reason")
		}
		refused = append(refused, line)
	}}
	text := "# a list\n\nhttps://a.test/1\nnonsense\n{\"url\": \"https://a.test/2\", \"priority\": 0.9}\n{\"url\n" + strings.Repeat("x", 10<<20) + "\nhttps://a.test/3"
	p := take(t, l, s, c, strings.NewReader(text))
	if p.URLs != 3 || p.New != 3 || p.Refused != 3 || p.Lines != 8 || p.Bytes != int64(len(text)) || fmt.Sprint(refused) != "[4 6 7]" {
		t.Errorf("%+v, refused lines %v", p, refused)
	}
	if st, err := s.State(t.Context(), "https://a.test/2"); err != nil || st.Priority != 0.9 || !st.Due.Equal(c.now) {
		t.Errorf("%+v, %v", st, err)
	}
	if c.offered != 3 || c.announced != 0 {
		t.Errorf("%d jobs were offered, %d hosts announced", c.offered, c.announced)
	}
}

func TestListGivenAgainGoesOnWhereItWas(t *testing.T) {
	s, c := opened(t)
	f := listFile(t, urls(0, 1000))
	// Interrupted after some batches.
	ctx, cancel := context.WithCancel(t.Context())
	l := &intake.List{Parse: parse, Progress: func(p intake.Progress) {
		if p.URLs >= 300 {
			cancel()
		}
	}}
	p, err := l.Take(ctx, s, c, f)
	if !errors.Is(err, context.Canceled) || p.URLs < 300 || p.URLs >= 1000 {
		t.Fatalf("%+v, %v", p, err)
	}
	first := settleAll(t, s, c.now.Add(time.Second))
	began := c.now
	c.now = c.now.Add(time.Hour)
	l.Progress = nil
	q := take(t, l, s, c, f)
	if q.Skipped != p.URLs || q.URLs != 1000-p.URLs || q.New != q.URLs || !q.Begun.Equal(began) || q.Lines != 1000 {
		t.Errorf("given again: %+v, after %+v", q, p)
	}
	// While a URL waits for its visit, the list does not start over.
	for range 2 {
		if again := take(t, l, s, c, f); again.URLs != 0 || again.Skipped != 1000 {
			t.Errorf("given once more: %+v", again)
		}
	}
	if n := settleAll(t, s, c.now); first+n != 1000 {
		t.Errorf("%d + %d URLs were visited, want 1000", first, n)
	}
	if again := take(t, l, s, c, f); again.URLs != 1000 || again.New != 0 || !again.Begun.Equal(c.now) {
		t.Errorf("given anew: %+v", again)
	}
	if n := settleAll(t, s, c.now.Add(time.Second)); n != 1000 {
		t.Errorf("given anew, %d URLs are visited", n)
	}
}

// URLs that wait for a retry or a revisit count as waiting too. A list with different settings is
// a different list.
func TestFinishedListIsBegunAnewOnlyIfNothingWaits(t *testing.T) {
	s, c := opened(t)
	f := listFile(t, urls(0, 100))
	l := &intake.List{Parse: parse}
	take(t, l, s, c, f)
	n := settleAll(t, s, c.now)
	one := strings.SplitN(urls(0, 1), "\n", 2)[0]
	retry := plat.Job{URL: one, Due: c.now.Add(time.Minute), Priority: 0.5}
	if _, err := s.Enlist(t.Context(), []plat.Job{retry}, storage.Join); err != nil {
		t.Fatal(err)
	}
	if err := s.Defer(t.Context(), storage.Deferral{URL: one, Due: retry.Due, At: c.now.Add(time.Hour), Attempts: 1}); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Minute)
	if p := take(t, l, s, c, f); p.URLs != 0 || p.Skipped != 100 || p.Left != 1 || n != 100 {
		t.Errorf("given again while a retry waits: %+v", p)
	}
	other := &intake.List{Parse: parse, Settings: "every 24h"}
	if p := take(t, other, s, c, f); p.URLs != 100 || p.Skipped != 0 || p.Left != 0 || !p.Begun.Equal(c.now) {
		t.Errorf("given with other settings: %+v", p)
	}
	if n := settleAll(t, s, c.now); n < 99 {
		t.Errorf("given with other settings, %d URLs were visited", n)
	}
}

// The frontier fails once: the next try offers it the jobs that are in the archive already.
func TestFrontierIsToldOfAllThatIsNew(t *testing.T) {
	s, c := opened(t)
	c.fails = 1
	l := &intake.List{Parse: parse, Waiting: func(error) {}}
	if p := take(t, l, s, c, listFile(t, urls(0, 40))); p.New != 40 || c.offered != 40 {
		t.Errorf("%+v; the frontier was told of %d URLs, want 40", p, c.offered)
	}
}

func TestListOfAPipeIsVisitedOnceToo(t *testing.T) {
	s, c := opened(t)
	l := &intake.List{Parse: parse}
	text := urls(0, 500)
	take(t, l, s, c, strings.NewReader(text[:len(text)/2])) // its beginning is a different list
	n := settleAll(t, s, c.now)
	c.now = c.now.Add(time.Minute)
	cut := io.MultiReader(strings.NewReader(text[:3*len(text)/4]), &broken{})
	if _, err := l.Take(t.Context(), s, c, onlyReader{cut}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("a list that breaks off: %v", err)
	}
	n += settleAll(t, s, c.now)
	c.now = c.now.Add(time.Minute)
	p := take(t, l, s, c, onlyReader{strings.NewReader(text)})
	n += settleAll(t, s, c.now)
	if p.URLs != 500 || p.Skipped != 0 {
		t.Errorf("%+v", p)
	}
	// The short list was visited, then all of the long one.
	if want := 250 + 500; n < want-5 || n > want+5 {
		t.Errorf("%d visits, want about %d", n, want)
	}
}

type onlyReader struct{ io.Reader }

type broken struct{}

func (*broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A pipe may never end.
func TestVisitsYieldWhileAFileIsTaken(t *testing.T) {
	s, c := opened(t)
	var said []bool
	l := &intake.List{Parse: parse, Yield: func(on bool) { said = append(said, on) }}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	io.WriteString(w, urls(3, 5))
	w.Close()
	if p := take(t, l, s, c, r); p.URLs != 2 || len(said) != 0 {
		t.Errorf("a pipe: %+v, yields %t", p, said)
	}
	f := listFile(t, urls(5, 7))
	if take(t, l, s, c, f); !slices.Equal(said, []bool{true, false}) {
		t.Errorf("a file: yields %t", said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.Again = true
	if _, err := l.Take(ctx, s, c, f); err == nil || !slices.Equal(said, []bool{true, false, true, false}) {
		t.Errorf("interrupted, %v: yields %t", err, said)
	}
}

func TestChangedListIsReadFromItsBeginning(t *testing.T) {
	s, c := opened(t)
	head := urls(0, 4000) // more than the bytes that identify a list
	f := listFile(t, head+urls(4000, 5000))
	l := &intake.List{Parse: parse}
	take(t, l, s, c, f)
	changed := strings.Replace(head+urls(4000, 5000), "/page/3999\n", "/other/399\n", 1)
	g := listFile(t, changed+urls(5000, 5100))
	p := take(t, l, s, c, g)
	if p.Skipped != 0 || p.URLs != 5100 || p.New != 101 {
		t.Errorf("a changed list: %+v", p)
	}
}

func TestAgainVisitsOnceMore(t *testing.T) {
	s, c := opened(t)
	f := listFile(t, urls(0, 100))
	take(t, &intake.List{Parse: parse}, s, c, f)
	settleAll(t, s, c.now)
	take(t, &intake.List{Parse: parse}, s, c, listFile(t, "https://other.test/")) // something is left
	c.now = c.now.Add(time.Hour)
	if p := take(t, &intake.List{Parse: parse, Again: true}, s, c, f); p.URLs != 100 || p.Skipped != 0 {
		t.Errorf("%+v", p)
	}
	if n := settleAll(t, s, c.now); n != 101 {
		t.Errorf("%d are visited, want 101", n)
	}
}

func TestListWaitsForAFrontierThatIsAway(t *testing.T) {
	s, c := opened(t)
	c.fails = 2
	waited := 0
	l := &intake.List{Parse: parse, Waiting: func(err error) {
		if !errors.Is(err, errAway) {
			t.Errorf("it waits because of %v", err)
		}
		waited++
	}}
	if p := take(t, l, s, c, strings.NewReader(urls(0, 300))); p.URLs != 300 || p.New != 300 || waited != 2 {
		t.Errorf("%+v, waited %d times", p, waited)
	}
	c.fails = 1
	if _, err := (&intake.List{Parse: parse}).Take(t.Context(), s, c, strings.NewReader("https://z.test/")); !errors.Is(err, errAway) {
		t.Errorf("without patience: %v", err)
	}
}

func TestReviveTakesDeadURLsOnly(t *testing.T) {
	s, c := opened(t)
	take(t, &intake.List{Parse: parse}, s, c, strings.NewReader(urls(0, 3)))
	for i, o := range []plat.Outcome{plat.OutcomeGone, plat.OutcomeNew, plat.OutcomeTimeout} {
		v := plat.Visit{URL: fmt.Sprintf("https://h%d.test/page/%d", i, i), Time: c.now, Outcome: o, Settles: c.now}
		if err := s.Record(t.Context(), v, 1); err != nil {
			t.Fatal(err)
		}
	}
	named := []string{"https://h1.test/page/1", "https://h2.test/page/2", "https://unknown.test/"}
	if n, err := intake.Revive(t.Context(), s, c, named); err != nil || n != 1 {
		t.Errorf("revived %d, %v; want one", n, err)
	}
	if n, err := intake.Revive(t.Context(), s, c, nil); err != nil || n != 1 {
		t.Errorf("revived %d, %v; want the other", n, err)
	}
	if got, err := s.Counts(t.Context(), c.now.Add(time.Hour)); err != nil || got != (storage.JobCounts{Hosts: 2, Due: 2}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A list is recognized after lines were added, and if its last line was incomplete.
func TestAListThatHasGrownGoesOn(t *testing.T) {
	for _, n := range []int{3, 5000} { // below 64 KiB and above
		s, c := opened(t)
		l := &intake.List{Parse: parse}
		f := listFile(t, urls(0, n)+"https://h0.test/par")
		take(t, l, s, c, f)
		settleAll(t, s, c.now)
		other := plat.Job{URL: "https://other.test/", Due: c.now, Priority: 0.5}
		if _, err := s.Enlist(t.Context(), []plat.Job{other}, storage.Join); err != nil {
			t.Fatal(err)
		}
		c.now = c.now.Add(time.Hour)
		if err := os.WriteFile(f.Name(), []byte(urls(0, n)+"https://h0.test/part\nno URL\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p := take(t, l, s, c, f)
		if p.URLs != 1 || p.New != 1 || p.Skipped != int64(n) || p.Lines != int64(n+2) || p.Refused != 1 {
			t.Errorf("%d lines, given again: %+v", n, p)
		}
		if n := settleAll(t, s, c.now.Add(time.Second)); n != 2 {
			t.Errorf("%d URLs were visited, want the new one and the other one", n)
		}
		// Refused lines are reported again.
		if _, err := s.Enlist(t.Context(), []plat.Job{{URL: other.URL, Due: c.now.Add(time.Minute), Priority: 0.5}}, storage.Join); err != nil {
			t.Fatal(err)
		}
		if p := take(t, l, s, c, f); p.URLs != 0 || p.Refused != 1 || p.Left != 1 {
			t.Errorf("%d lines, given once more: %+v", n, p)
		}
	}
}

// Two slow lists that begin alike are two, and the notes of many lists are not kept for ever.
func TestListsAreTakenApart(t *testing.T) {
	s, c := opened(t)
	l := &intake.List{Parse: parse}
	for i := range 2 {
		r, w := io.Pipe()
		go func() {
			fmt.Fprintln(w, "# seeds")
			time.Sleep(1500 * time.Millisecond)
			fmt.Fprintf(w, "https://h.test/%d\n", i)
			w.Close()
		}()
		if p := take(t, l, s, c, onlyReader{r}); p.URLs != 1 || p.New != 1 || p.Left != 0 {
			t.Errorf("slow list %d: %+v", i, p)
		}
	}
	for i := range 120 {
		c.now = c.now.Add(time.Second)
		take(t, l, s, c, strings.NewReader(fmt.Sprintf("https://h.test/list/%d\n", i)))
	}
	if notes, err := s.Notes(t.Context(), "list/"); err != nil || len(notes) < 100 || len(notes) > 102 {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if p := take(t, l, s, c, strings.NewReader("")); p.URLs != 0 || p.Left != 0 {
		t.Errorf("an empty list: %+v", p)
	}
}
