package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plat/fixtures"
	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
)

// whole creates an archive with rows in every table, and returns its file and
// contents.
func whole(t *testing.T) (path string, all []*storage.Commit) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "archive.plat")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, last := storagetest.Doomed()
	all = append(before, last)
	for _, c := range all {
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path, all
}

// readBack reads everything committed and reports whether it is intact; damage must
// be reported as an error.
func readBack(t *testing.T, s *Store, all []*storage.Commit) (ok bool, errs []error) {
	ok = true
	fail := func(err error) {
		ok = false
		errs = append(errs, err)
	}
	for _, c := range all {
		v, err := s.Version(t.Context(), c.Version.URL, c.Version.N)
		if err != nil {
			fail(err)
		} else if fmt.Sprint(v.Blocks[1:]) != fmt.Sprint(bare(c.Version.Blocks[1:])) {
			t.Errorf("version %d has wrong blocks without an error", v.N)
		}
		if l, err := s.Layout(t.Context(), c.Version.Layout); err != nil {
			fail(err)
		} else if l.Sum() != c.Version.Layout {
			t.Error("a layout changed without an error")
		}
		for i := range c.Version.Blocks {
			b := &c.Version.Blocks[i]
			if !b.Leaf() {
				continue
			}
			got, err := s.Contents(t.Context(), []plat.Hash{b.Hash})
			if err != nil {
				fail(err)
			} else if !bytes.Equal(got[0], b.Content) {
				t.Error("a content changed without an error")
			}
		}
		if c.Picture != nil {
			if p, err := s.Picture(t.Context(), c.Version.Picture); err != nil {
				fail(err)
			} else if !bytes.Equal(p.Data, c.Picture.Data) {
				t.Error("a picture changed without an error")
			}
		}
		if len(c.Resources) > 0 {
			if m, err := s.Manifest(t.Context(), c.Version.Resources); err != nil {
				fail(err)
			} else if m.Sum() != c.Version.Resources {
				t.Error("a manifest changed without an error")
			}
		}
		for _, r := range plat.ManifestOf(c.Resources) {
			if r.Left != "" {
				continue
			}
			if b, err := s.Resource(t.Context(), r.Hash); err != nil {
				fail(err)
			} else if plat.HashOf(b) != r.Hash {
				t.Error("a resource changed without an error")
			}
		}
	}
	for _, err := range s.Visits(t.Context(), all[0].Version.URL, 0) {
		if err != nil {
			fail(err)
		}
	}
	for _, err := range s.Find(t.Context(), storage.BlockQuery{}) {
		if err != nil {
			fail(err)
		}
	}
	return ok, errs
}

// bare returns blocks without their content.
func bare(blocks []plat.Block) []plat.Block {
	out := append([]plat.Block(nil), blocks...)
	for i := range out {
		out[i].Content, out[i].Text = nil, ""
	}
	return out
}

// Every byte of every data row is flipped in turn. Verify must report it, and reads
// must return correct data or ErrCorrupt.
func TestEveryFlipInARowIsReported(t *testing.T) {
	path, all := whole(t)
	s := openAt(t, path, Options{})
	if ok, errs := readBack(t, s, all); !ok {
		t.Fatal(errs)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, table := range []struct{ name, id string }{{"versions", "id"}, {"packs", "id"}, {"visits", "start"}, {"pictures", "id"}, {"resources", "id"}, {"manifests", "id"}} {
		var ids []int64
		var data [][]byte
		err := rows(t.Context(), s.write, func(scan func(...any) error) error {
			var id int64
			var b []byte
			err := scan(&id, &b)
			ids, data = append(ids, id), append(data, b)
			return err
		}, "SELECT "+table.id+", data FROM "+table.name)
		if err != nil || len(ids) == 0 {
			t.Fatal(len(ids), err)
		}
		set := func(i int, b []byte) {
			if _, err := s.write.Exec("UPDATE "+table.name+" SET data = ? WHERE "+table.id+" = ?", b, ids[i]); err != nil {
				t.Fatal(err)
			}
		}
		for i, b := range data {
			if len(b) == 0 {
				continue // empty
			}
			for at := 0; at < len(b); at += 1 + r.IntN(1+len(b)*fixtures.OneIn(6)/25) {
				bad := bytes.Clone(b)
				bad[at] ^= 1 << r.IntN(8)
				set(i, bad)
				rep, err := s.Verify(t.Context(), nil)
				if err != nil || rep.BrokenTotal == 0 {
					t.Errorf("%s %d: byte %d of %d flipped, and Verify finds %d broken, %v", table.name, ids[i], at, len(b), rep.BrokenTotal, err)
				}
				ok, errs := readBack(t, s, all)
				if ok {
					t.Errorf("%s %d: byte %d of %d flipped without an effect on reads", table.name, ids[i], at, len(b))
				}
				for _, err := range errs {
					if !errors.Is(err, plat.ErrCorrupt) {
						t.Errorf("%s %d: byte %d flipped: error = %v, want plat.ErrCorrupt", table.name, ids[i], at, err)
						break
					}
				}
			}
			for _, bad := range [][]byte{{}, b[:len(b)/2], append(bytes.Clone(b), 0)} {
				set(i, bad)
				if rep, err := s.Verify(t.Context(), nil); err != nil || rep.BrokenTotal == 0 {
					t.Errorf("%s %d: cut to %d of %d bytes, and Verify finds %d broken, %v", table.name, ids[i], len(bad), len(b), rep.BrokenTotal, err)
				}
				readBack(t, s, all)
			}
			set(i, b)
		}
	}
	if rep, err := s.Verify(t.Context(), nil); err != nil || rep.BrokenTotal != 0 {
		t.Errorf("after undoing all damage: %+v, %v", rep, err)
	}
}

// Lost or misdirected rows of the other tables are reported too.
func TestLostRowsAreReported(t *testing.T) {
	for _, damage := range []string{
		"DELETE FROM packs WHERE id = 1",
		"DELETE FROM packs WHERE id = 4",
		"UPDATE packs SET parent = 1 WHERE id = 4",
		"UPDATE packs SET parent = 4 WHERE id = 4",
		"DELETE FROM contents WHERE pack = 2",
		"UPDATE contents SET pack = 3 WHERE pack = 1",
		"DELETE FROM versions WHERE n = 2",
		"DELETE FROM versions WHERE n = 4",
		"UPDATE versions SET n = 9 WHERE n = 4",
		"UPDATE versions SET taken = taken + 1 WHERE n = 3",
		"UPDATE urls SET head = 2",
		"UPDATE urls SET head = 5",
		"UPDATE urls SET visits = 9",
		"UPDATE urls SET host = 77",
		"DELETE FROM visits",
		"DELETE FROM words WHERE word > 0",
		"DELETE FROM pictures",
		"DELETE FROM resources WHERE id = 1",
		"DELETE FROM manifests",
		"UPDATE resources SET size = size + 1 WHERE id = 1",
		"UPDATE resources SET size = 1 << 60 WHERE id = 2",
		"UPDATE manifests SET hash = zeroblob(32)",
	} {
		t.Run(damage, func(t *testing.T) {
			path, all := whole(t)
			s := openAt(t, path, Options{})
			res, err := s.write.Exec(damage)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := res.RowsAffected(); n == 0 {
				t.Fatal("the damage changed nothing")
			}
			rep, err := s.Verify(t.Context(), nil)
			if err != nil || rep.BrokenTotal == 0 {
				t.Errorf("Verify finds nothing: %+v, %v", rep, err)
			}
			t.Logf("%q", rep.Broken)
			readBack(t, s, all)
		})
	}
}

// Of a lost row the report says what is missing, and which versions refer to it.
func TestVerifyNamesWhatIsLost(t *testing.T) {
	const elsewhere, missing = "but is stored under a different one", "is missing; the version cannot be restored"
	for damage, want := range map[string][]string{
		"DELETE FROM contents WHERE pack = 2":                      {"entry 0 of pack 2 has the hash", elsewhere, ") of version 2 of ", missing},
		"DELETE FROM contents":                                     {elsewhere, "the layout ", ") of version 1 of ", ") of version 2 of ", missing},
		"UPDATE contents SET pack = 3 WHERE pack = 1":              {elsewhere, "is missing from pack 3"},
		"UPDATE contents SET key = key + 1 WHERE pack = 1":         {elsewhere, "is missing from pack 1", missing},
		"DELETE FROM packs WHERE id = (SELECT max(id) FROM packs)": {"is missing from pack ", missing},
		"UPDATE packs SET parent = 4 WHERE id = 4":                 {"the parent of pack 4 is missing", missing},
	} {
		t.Run(damage, func(t *testing.T) {
			path, _ := whole(t)
			s := openAt(t, path, Options{})
			if _, err := s.write.Exec(damage); err != nil {
				t.Fatal(err)
			}
			r, err := s.Verify(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range want {
				if !strings.Contains(strings.Join(r.Broken, "\n"), x) {
					t.Errorf("no finding has %q: %q", x, r.Broken)
				}
			}
		})
	}
}

// Bytes anywhere in the file are flipped. Open may fail; otherwise reads return
// correct data or an error, and if Verify finds nothing, everything is correct.
func TestFlipsInTheFileNeverPanic(t *testing.T) {
	path, all := whole(t)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	opened := 0
	for range 150 {
		bad := bytes.Clone(file)
		at := r.IntN(len(bad))
		bad[at] ^= 1 << r.IntN(8)
		copyOf := filepath.Join(t.TempDir(), "bad.plat")
		if err := os.WriteFile(copyOf, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(copyOf, Options{})
		if err != nil {
			continue
		}
		opened++
		rep, verr := s.Verify(t.Context(), nil)
		ok, errs := readBack(t, s, all)
		if verr == nil && rep.BrokenTotal == 0 && !ok {
			t.Errorf("byte %d flipped: Verify finds nothing, but reading: %v", at, errs[0])
		}
		s.Close()
	}
	if opened < 50 {
		t.Errorf("only %d of 150 damaged files opened", opened)
	}
}

func TestVerifyFindsDamagedSubscriptions(t *testing.T) {
	for damage, want := range map[string]string{
		"UPDATE subscriptions SET items = 7":                "does not count its items",
		"UPDATE subscriptions SET unread = 0":               "does not count its items",
		"UPDATE subscriptions SET latest = NULL":            "does not count its items",
		"UPDATE items SET subscription = 99":                "of a subscription that is missing",
		"UPDATE tags SET subscription = 99":                 "of a subscription that is missing",
		"UPDATE followed SET subscription = 99":             "of a subscription that is missing",
		"UPDATE followed_memories SET page = 99":            "of a page that is missing",
		"UPDATE messages SET first = 0":                     "not in order",
		"UPDATE messages SET made = 0 WHERE name = 'm2'":    "not in order",
		"DELETE FROM subscriptions":                         "of a subscription that is missing",
		"DELETE FROM followed":                              "of a page that is missing",
		"DELETE FROM messages WHERE name = 'm1'":            "not in order",
		"DELETE FROM items":                                 "does not count its items",
		"UPDATE subscriptions SET read_to = 1 WHERE id = 1": "",
	} {
		t.Run(damage, func(t *testing.T) {
			s := openTemp(t).(*Store)
			const url = "https://a.test/"
			day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			message := func(id string) plat.Message {
				return plat.Message{ID: id, Channel: "mail", Subscription: "s", Made: day, Due: day}
			}
			err := errors.Join(s.Subscribe(t.Context(), &plat.Subscription{ID: "s", URL: url, Tags: []string{"x"}}),
				s.Examined(t.Context(), &storage.Examination{ID: "s", Following: plat.Following{Pages: []plat.FollowedPage{{URL: url, Depth: 1, Examined: 1, Memory: []byte("memory")}}},
					Items: []plat.Item{{ID: "i", Subscription: "s", Kind: plat.ItemNew, Page: url, Version: 1, Seen: day}}, Messages: []plat.Message{message("m1"), message("m2")}}))
			if err == nil {
				_, err = s.write.Exec(damage)
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Verify(t.Context(), nil)
			if broken := strings.Join(r.Broken, "\n"); err != nil || (want == "") != (broken == "") || !strings.Contains(broken, want) {
				t.Errorf("Verify finds %q, %v; want %q", broken, err, want)
			}
		})
	}
}

func TestVerifyFindsDamagedCrawls(t *testing.T) {
	for damage, want := range map[string]string{
		"UPDATE crawls SET details = '{'":      "cannot be decoded",
		"UPDATE crawl_pages SET crawl = 99":    "by a crawl that is missing",
		"UPDATE crawl_readings SET page = 99":  "of a page that is missing",
		"UPDATE crawl_reports SET crawl = 99":  "on a crawl that is missing",
		"DELETE FROM crawls":                   "by a crawl that is missing",
		"DELETE FROM crawl_pages":              "of a page that is missing",
		"UPDATE crawl_pages SET relevance = 1": "",
	} {
		t.Run(damage, func(t *testing.T) {
			s := openTemp(t).(*Store)
			page := plat.CrawlPage{Crawl: "c", N: 1, URL: "https://a.test/", Visited: time.UnixMilli(5e12), Outcome: plat.OutcomeNew, Reading: []byte("reading")}
			err := s.PutCrawl(t.Context(), &plat.Crawl{ID: "c", State: plat.CrawlRuns})
			if err == nil {
				_, err = s.Ask(t.Context(), []plat.CrawlPage{page})
			}
			if err == nil {
				err = errors.Join(s.Answer(t.Context(), &page), s.PutReport(t.Context(), "c", []byte("{}")))
			}
			if err == nil {
				_, err = s.write.Exec(damage)
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Verify(t.Context(), nil)
			if broken := strings.Join(r.Broken, "\n"); err != nil || (want == "") != (broken == "") || !strings.Contains(broken, want) {
				t.Errorf("Verify finds %q, %v; want %q", broken, err, want)
			}
		})
	}
}
