package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"plat/plat"
	"plat/storage/sorted"
	"plat/storage/tree"
)

// references are what packs have, and what versions refer to, in sorted files: an archive may have more contents than
// memory holds.
type references struct {
	entries *sorted.Set    // of packs, by row of contents: kind, hash and what they are
	stored  [2]*sorted.Set // hashes of contents and of layouts
	used    [2]*sorted.Set // the same that versions refer to, with what refers to them
	keys    *sorted.Set    // of these
}

func newReferences(ctx context.Context) *references {
	r := &references{entries: sorted.New(ctx), keys: sorted.New(ctx)}
	for k := range r.stored {
		r.stored[k], r.used[k] = sorted.New(ctx), sorted.New(ctx)
	}
	return r
}

func (r *references) close() {
	for _, s := range []*sorted.Set{r.entries, r.keys, r.stored[0], r.stored[1], r.used[0], r.used[1]} {
		s.Close()
	}
}

// sortKey returns the text of a key, which sorts as it does: see key.
func sortKey(key int64) string { return fmt.Sprintf("%012x", uint64(key+1<<47)) }

// indexKey returns the text of a row of contents, which sorts as it does.
func indexKey(key, pack int64) string { return fmt.Sprintf("%s %016x", sortKey(key), uint64(pack)) }

// use notes that what refers to a content or a layout.
func (r *references) use(kind byte, h plat.Hash, what string) {
	r.used[kind].Add(h.String(), what)
	r.keys.Add(sortKey(key(kind, h)), "")
}

// entries checks the entries of a pack, except whether they are indexed.
func (c *checker) entries(id int64, entries []entry) {
	for i := range entries {
		e := &entries[i]
		h := plat.HashOf(e.data)
		if e.mark != h[len(h)-1] {
			c.elsewhere(fmt.Sprintf("entry %d of pack %d has the hash %s", i, id, h.Short()))
			continue
		}
		c.refs.entries.Add(indexKey(key(e.kind, h), id), fmt.Sprintf("%d %s entry %d of pack %d has the hash %s", e.kind, h, i, id, h.Short()))
		if e.kind == kindLayout {
			if _, err := plat.UnmarshalLayout(e.data); err != nil {
				c.Broke("layout %s in pack %d cannot be decoded (%v); storing it again will not repair it", h.Short(), id, err)
			}
		}
	}
}

func (c *checker) elsewhere(entry string) {
	c.Broke("%s, but is stored under a different one; its content is lost unless a visit stores it again", entry)
}

// packs decodes every pack once, chain by chain, and checks that its entries are
// indexed by their hash.
func (c *checker) packs(ctx context.Context) error {
	children := map[int64][]int64{}
	all := map[int64]bool{}
	err := rows(ctx, c.q, func(scan func(...any) error) error {
		var id, parent int64
		err := scan(&id, &parent)
		children[parent] = append(children[parent], id)
		all[id] = true
		return err
	}, "SELECT id, parent FROM packs ORDER BY id")
	if err != nil {
		return err
	}
	failed := map[int64]bool{}
	var walk func(parent int64, base []byte, ok bool) error
	walk = func(parent int64, base []byte, ok bool) error {
		for _, id := range children[parent] {
			delete(all, id)
			var row []byte
			if err := c.q.QueryRowContext(ctx, "SELECT data FROM packs WHERE id = ?", id).Scan(&row); err != nil {
				return err
			}
			c.Step(1)
			var entries []entry
			var raw []byte
			if ok {
				var err error
				if entries, raw, err = decodePack(&c.s.coder, row, base); err != nil {
					c.Broke("pack %d cannot be decoded (%v); its contents are lost unless a visit stores them again", id, err)
				}
				if err != nil {
					failed[id] = true
				}
			} else {
				failed[id] = true
				c.Broke("the parent of pack %d cannot be decoded; its contents are lost unless a visit stores them again", id)
			}
			c.entries(id, entries)
			// Clip the capacity, so that siblings do not overwrite each other's
			// appended data.
			next := append(base[:len(base):len(base)], raw...)
			if err := walk(id, next, ok && !failed[id]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(0, nil, true); err != nil {
		return err
	}
	for id := range all {
		failed[id] = true
		c.Broke("the parent of pack %d is missing; its contents are lost unless a visit stores them again", id)
	}
	return c.indexed(ctx, failed)
}

// indexed compares the index of contents with the entries of packs. Both are in the same order.
func (c *checker) indexed(ctx context.Context, failed map[int64]bool) error {
	entries := c.refs.entries.Read()
	defer entries.Close()
	lost := func(_, value string) { c.elsewhere(strings.SplitN(value, " ", 3)[2]) }
	have := func(_, value string) {
		kind, hash, _ := strings.Cut(value, " ")
		hash, _, _ = strings.Cut(hash, " ")
		n, _ := strconv.Atoi(kind)
		c.refs.stored[n].Add(hash, "")
	}
	err := rows(ctx, c.q, func(scan func(...any) error) error {
		var key, pack int64
		if err := scan(&key, &pack); err != nil {
			return err
		}
		n, err := entries.To(indexKey(key, pack), lost, have)
		if err == nil && n == 0 && !failed[pack] {
			c.Broke("the content with the key %s is missing from pack %d; it is lost unless a visit stores it again", sortKey(key), pack)
		}
		return err
	}, "SELECT key, pack FROM contents ORDER BY key, pack")
	return cmp.Or(err, entries.End(lost))
}

// version checks that everything a version refers to exists. last are the contents of the version before, which
// refers to them: contents and layouts are looked up later.
func (c *checker) version(t *tree.Tree, last map[plat.Hash]bool) (contents map[plat.Hash]bool) {
	c.Step(1)
	c.Report.Versions++
	contents = map[plat.Hash]bool{t.Layout: true}
	if !last[t.Layout] {
		c.refs.use(kindLayout, t.Layout, fmt.Sprintf("the layout %s of version %d of %s", t.Layout.Short(), t.N, t.URL))
	}
	for i := range t.Blocks {
		b := &t.Blocks[i]
		if !b.Leaf() {
			continue
		}
		if !last[b.Hash] && !contents[b.Hash] {
			c.refs.use(kindBlock, b.Hash, fmt.Sprintf("block %d (%s) of version %d of %s", i, b.Hash.Short(), t.N, t.URL))
		}
		contents[b.Hash] = true
		if t.Since[i] < 1 || t.Oldest && int(t.Since[i]) != t.N || int(t.Since[i]) > t.N {
			c.Broke("block %d of version %d of %s is dated by version %d; blocks will show a wrong date", i, t.N, t.URL, t.Since[i])
		}
	}
	if !t.Picture.IsZero() {
		if _, ok := c.pictures[t.Picture]; !ok {
			c.Broke("the picture %s of version %d of %s is missing", t.Picture.Short(), t.N, t.URL)
		}
		c.pictures[t.Picture] = true
	}
	c.usesResources(t)
	return contents
}

// referred counts contents and layouts, and reports those that versions refer to and no pack has.
func (c *checker) referred(context.Context) error {
	for kind, count := range []*int64{&c.Report.Blocks, &c.Report.Layouts} {
		stored, used := c.refs.stored[kind].Read(), c.refs.used[kind].Read()
		defer stored.Close()
		defer used.Close()
		counts := func(string, string) { *count++ }
		last, there := "", 0
		for hash, what := range used.All() {
			if hash != last {
				var err error
				if there, err = stored.To(hash, counts, counts); err != nil {
					return err
				}
				last = hash
			}
			if there == 0 {
				c.Broke("%s is missing; the version cannot be restored, nor those after it that have it", what)
			}
		}
		if err := cmp.Or(used.End(nil), stored.End(counts)); err != nil {
			return err
		}
	}
	return nil
}

// unneeded counts the contents of packs that no version needs.
func (c *checker) unneeded(ctx context.Context) error {
	keys := c.refs.keys.Read()
	defer keys.Close()
	var last int64
	there := 0
	needed, err := neededPacks(ctx, c.q, func(key int64) (bool, error) {
		var err error
		if there == 0 || key != last { // a key may have several packs
			there, err = keys.To(sortKey(key), nil, nil)
		}
		last = key
		return there > 0, err
	})
	if err == nil {
		err = keys.End(nil)
	}
	if err != nil {
		return err
	}
	return rows(ctx, c.q, func(scan func(...any) error) error {
		var pack int64
		err := scan(&pack)
		if !needed[pack] {
			c.Report.Unreferenced++
		}
		return err
	}, "SELECT pack FROM contents")
}

// neededPacks returns the packs that have a content with a key that is needed, and their
// ancestors. It asks in the order of keys.
func neededPacks(ctx context.Context, q querier, needs func(key int64) (bool, error)) (map[int64]bool, error) {
	needed := map[int64]bool{}
	err := rows(ctx, q, func(scan func(...any) error) error {
		var key, pack int64
		if err := scan(&key, &pack); err != nil {
			return err
		}
		is, err := needs(key)
		if is {
			needed[pack] = true
		}
		return err
	}, "SELECT key, pack FROM contents ORDER BY key, pack")
	if err != nil {
		return nil, err
	}
	// Latest first: parents are older.
	err = rows(ctx, q, func(scan func(...any) error) error {
		var id, parent int64
		err := scan(&id, &parent)
		if needed[id] && parent != 0 {
			needed[parent] = true
		}
		return err
	}, "SELECT id, parent FROM packs ORDER BY id DESC")
	return needed, err
}
