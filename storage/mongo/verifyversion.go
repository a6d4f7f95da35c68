package mongo

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/plat/weburl"
	"plat/storage/tree"
)

// versionChecker checks the versions of one URL.
type versionChecker struct {
	c    *checker
	u    *urlDoc
	refs *references

	count  int
	prev   *tree.Tree
	was    *standing // the same, if all before it could be read
	broken bool
	seen   map[plat.Hash]bool          // the contents of prev
	stands map[string]*blockVersionDoc // block versions that have not ended, without their words
	ended  map[string][16]byte         // the sums of the others
	taken  map[int32]time.Time         // the times of versions
	bases  map[int]pageBase            // of versions with which block versions begin
}

// pageBase is what the links of a version depend on.
type pageBase struct {
	layout plat.Hash
	url    *weburl.Base
}

func newVersionChecker(c *checker, u *urlDoc, refs *references) *versionChecker {
	return &versionChecker{c: c, u: u, refs: refs, stands: map[string]*blockVersionDoc{}, ended: map[string][16]byte{}, taken: map[int32]time.Time{}, bases: map[int]pageBase{}}
}

// version checks the next version.
func (x *versionChecker) version(ctx context.Context, raw bson.Raw) error {
	d, err := x.c.s.decodeVersion(ctx, raw)
	if errors.Is(err, plat.ErrCorrupt) {
		x.broken = true
		x.c.foreign(err)
		return nil
	}
	if err != nil {
		return err
	}
	if d.N > x.u.Head || d.N <= x.u.Forgotten {
		// It belongs to a commit in progress, or to an interrupted commit or Forget.
		x.c.Report.Unreferenced++
		return nil
	}
	x.c.Report.Versions++
	x.count++
	t, err := x.c.s.unpack(d, x.prev)
	if x.prev = t; err != nil {
		x.broken = true
		x.c.Broke("%v; the version cannot be shown", err)
		return nil
	}
	who := fmt.Sprintf("version %d of %s", t.N, t.URL)
	x.refs.layouts.Add(d.Layout, who)
	if d.Picture != "" {
		x.refs.pictures.Add(d.Picture, who)
	}
	if d.Resources != "" {
		x.refs.manifests.Add(d.Resources, who)
	}
	seen := make(map[plat.Hash]bool, len(t.Blocks))
	for i := range t.Blocks {
		if !t.Blocks[i].Leaf() {
			continue
		}
		if h := t.Blocks[i].Hash; !seen[h] {
			if seen[h] = true; !x.seen[h] {
				x.refs.blocks.Add(h.String(), who)
			}
		}
		if since := int(t.Since[i]); since <= x.u.Forgotten || since > t.N {
			x.c.Broke("block %d of %s is dated by version %d; blocks will show a wrong date", i, who, since)
		}
	}
	x.seen = seen
	if !x.broken {
		x.fold(t)
	}
	return nil
}

// fold notes the block versions that begin and end with a version.
func (x *versionChecker) fold(t *tree.Tree) {
	now := &standing{Tree: *t, first: firsts(&t.Version, x.was), at: make([]time.Time, len(t.Blocks))}
	x.taken[int32(t.N)] = t.Taken
	for i := range t.Blocks {
		if t.Blocks[i].Leaf() {
			now.at[i] = x.taken[t.Since[i]]
		}
	}
	begun, ends := turnover(now, x.was)
	if len(begun) > 0 {
		x.bases[t.N] = pageBase{t.Layout, now.Base()}
	}
	for _, i := range begun {
		d := newBlockVersionDoc(now, x.was, i, nil, weburl.NewBase(""))
		x.stands[d.ID] = d
	}
	for _, e := range ends {
		if d := x.stands[e.id]; d != nil {
			d.Gone, d.Until, d.Ended = t.N, instant(t.Taken), text(e.how)
			x.ended[e.id] = d.sum()
			delete(x.stands, e.id)
		}
	}
	x.was = now
}

// end checks the number of versions, then the documents that are derived from them.
func (x *versionChecker) end(ctx context.Context) error {
	c, u := x.c, x.u
	st := u.numbers()
	if want := st.Kept(); x.count != want {
		c.Broke("%s should have %d versions and has %d; the missing ones cannot be shown", u.URL, want, x.count)
		return nil
	}
	if x.broken {
		return nil // told
	}
	what, err := x.derived(ctx)
	if err != nil || what == "" {
		return err
	}
	// A commit may have added a version since u was read, or Attach is about to change the page.
	now, err := c.s.readURL(ctx, string(u.URL))
	if err == nil && now != nil && now.Head == u.Head && now.Forgotten == u.Forgotten && now.Derived == u.Derived && now.Attach == nil {
		c.Broke("%s: %s; run plat reindex", u.URL, what)
	}
	return err
}

// derived compares the page and its block versions with the versions, and returns the first
// difference.
func (x *versionChecker) derived(ctx context.Context) (what string, err error) {
	s, url := x.c.s, string(x.u.URL)
	page, err := s.page(ctx, url)
	if errors.Is(err, plat.ErrCorrupt) {
		return err.Error(), nil
	}
	switch {
	case err != nil:
		return "", err
	case x.was == nil:
		if page != nil {
			x.c.Report.Unreferenced++ // of an interrupted Forget
		}
		return "", nil
	case page == nil || page.N < x.was.N || page.build < x.u.Build || oldestOf(&page.Tree) <= x.u.Forgotten:
		if x.u.Pending {
			return "", nil // the next visit writes them, or Index
		}
		return "the block versions of the last version are missing", nil
	case page.N > x.was.N:
		return "", nil // committed since
	case !bytes.Equal(tree.Encode(&page.Tree, nil), tree.Encode(&x.was.Tree, nil)):
		return "the page differs from the last version", nil
	}
	for i := range x.was.Blocks {
		if b := &x.was.Blocks[i]; b.Leaf() && (page.first[i] != x.was.first[i] || !page.at[i].Equal(instant(x.was.at[i]))) {
			return fmt.Sprintf("in the page, block %d is from %v and began with version %d, and it is from %v and began with version %d",
				b.Lineage, page.at[i], page.first[i], x.was.at[i], x.was.first[i]), nil
		}
	}
	return x.blockVersions(ctx, url)
}

// blockVersions compares the block versions of a URL with the expected ones.
func (x *versionChecker) blockVersions(ctx context.Context, url string) (what string, err error) {
	s := x.c.s
	cur, err := s.blockVersions.Find(ctx, idsOf(url, ""), options.Find().SetBatchSize(64))
	if err != nil {
		return "", err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	found := 0
	var some []blockVersionDoc // whose words are not compared yet
	size := 0
	for cur.Next(ctx) {
		var d blockVersionDoc
		if err := cur.Decode(&d); err != nil {
			return undecodable(s.blockVersions, cur.Current, err).Error(), nil
		}
		want, known := x.ended[d.ID]
		if stands := x.stands[d.ID]; stands != nil {
			want, known = stands.sum(), true
		}
		if !known {
			return fmt.Sprintf("block %d has a version that began with version %d, and should have none", d.Lineage, d.First), nil
		}
		if found++; d.sum() != want {
			return fmt.Sprintf("the version of block %d that began with version %d is not as it should be", d.Lineage, d.First), nil
		}
		some, size = append(some, d), size+len(cur.Current)
		if len(some) == batch || size > maxWrites {
			if what, err := x.words(ctx, some); err != nil || what != "" {
				return what, err
			}
			some, size = some[:0], 0
		}
	}
	if err := cur.Err(); err != nil {
		return "", err
	}
	if what, err := x.words(ctx, some); err != nil || what != "" {
		return what, err
	}
	if all := len(x.ended) + len(x.stands); found < all {
		return fmt.Sprintf("%d of %d block versions are missing", all-found, all), nil
	}
	return "", nil
}

// sum returns a hash of a block version without its words.
func (d *blockVersionDoc) sum() (sum [16]byte) {
	is := *d
	is.Text, is.Terms, is.Links, is.Build = "", nil, nil, 0
	if b, err := d.block(); err == nil {
		is.More = packMore(&b, string(d.Began)) // as it is packed now
	}
	b, _ := bson.Marshal(is) // it came from BSON
	all := sha256.Sum256(b)
	copy(sum[:], all[:])
	return sum
}

// visits counts the visits of a URL.
func (c *checker) visits(ctx context.Context, u *urlDoc) error {
	n := 0
	for v, err := range c.s.Visits(ctx, string(u.URL), 0) {
		switch {
		case err != nil:
			return err
		case v.Time.Before(u.keptFrom()):
			c.Report.Unreferenced++ // of an interrupted Forget
		default:
			n++
		}
	}
	if n != u.Visits {
		// A visit may have been recorded since u was read.
		now, err := c.s.readURL(ctx, string(u.URL))
		if err != nil {
			return err
		}
		if now == nil || now.Rev == u.Rev {
			c.Broke("%s counts %d visits, but %d are stored", u.URL, u.Visits, n)
		}
	}
	return nil
}
