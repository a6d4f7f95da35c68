package mongo

import (
	"cmp"
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage/sorted"
)

// usage compares the documents of a collection, in order of their _id, with the references to them.
type usage struct {
	c             *checker
	refs          *sorted.Reader
	what, lost    string
	unused, bases *sorted.Set // documents without reference, and those on which others with one depend
}

func (c *checker) newUsage(ctx context.Context, refs *sorted.Set, what, lost string) *usage {
	return &usage{c: c, refs: refs.Read(), what: what, lost: lost, unused: sorted.New(ctx), bases: sorted.New(ctx)}
}

func (u *usage) close() {
	u.refs.Close()
	u.unused.Close()
	u.bases.Close()
}

func (u *usage) missing(id, who string) {
	u.c.Broke("the %s %.12s of %s is missing; %s", u.what, id, who, u.lost)
}

// see takes the next document, and returns the first that refers to it, or "".
func (u *usage) see(id, base string) (who string, err error) {
	n, err := u.refs.To(id, u.missing, func(_, is string) { who = cmp.Or(who, is) })
	if n == 0 {
		u.unused.Add(id, "")
	} else if base != "" {
		u.bases.Add(base, "")
	}
	return who, err
}

// end reports what is missing, and counts what is unreferenced.
func (u *usage) end() error {
	if err := u.refs.End(u.missing); err != nil {
		return err
	}
	bases, unused := u.bases.Read(), u.unused.Read()
	defer bases.Close()
	defer unused.Close()
	for id := range unused.All() {
		n, err := bases.To(id, nil, nil)
		if err != nil {
			return err
		}
		if n == 0 {
			u.c.Report.Unreferenced++
		}
	}
	return unused.End(nil)
}

// contents decodes every document of blocks, layouts or resources: first those without a base, then those
// that depend on these. It compares them with the references.
func (c *checker) contents(ctx context.Context, coll *mongo.Collection, refs *sorted.Set, count *int64, what, lost string) error {
	use := c.newUsage(ctx, refs, what, lost)
	defer use.close()
	dependent := sorted.New(ctx) // by base
	defer dependent.Close()
	layout := coll == c.s.layouts
	check := func(docs map[string]*contentDoc, d *contentDoc) {
		d.layout = layout
		if _, err := c.s.content(docs, d.ID); err != nil {
			c.Broke("the %s %.12s is damaged (%v); remove its document from %s, and the next visit that finds it stores it again", what, d.ID, err, coll.Name())
		}
	}
	err := each(ctx, coll, nil, c.unreadable, func(d *contentDoc) error {
		c.Step(1)
		*count++
		if _, err := use.see(d.ID, d.Base); err != nil {
			return err
		}
		if d.Base != "" {
			dependent.Add(d.Base, d.ID)
			return nil
		}
		if !d.Large.IsZero() {
			docs, err := c.s.documents(ctx, coll, []string{d.ID})
			if err != nil || docs[d.ID] == nil {
				return err
			}
			d = docs[d.ID]
		}
		check(map[string]*contentDoc{d.ID: d}, d)
		return nil
	})
	if err == nil {
		err = use.end()
	}
	if err != nil {
		return err
	}
	var some []string // those with the same base are together
	flush := func() error {
		if len(some) == 0 {
			return nil
		}
		docs, err := c.s.documents(ctx, coll, some)
		for _, id := range some {
			if d := docs[id]; d != nil && d.Base != "" {
				check(docs, d)
			}
		}
		some = some[:0]
		return err
	}
	all := dependent.Read()
	defer all.Close()
	for _, id := range all.All() {
		if some = append(some, id); len(some) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return errors.Join(flush(), all.End(nil))
}

func (c *checker) checkPictures(ctx context.Context, refs *sorted.Set) error {
	use := c.newUsage(ctx, refs, "picture", "the version can be restored")
	defer use.close()
	err := each(ctx, c.s.screenshots, nil, c.unreadable, func(d *pictureDoc) error {
		c.Step(1)
		c.Report.Pictures++
		if _, err := use.see(d.ID, ""); err != nil {
			return err
		}
		if !d.Large.IsZero() {
			var err error
			if d.Data, err = c.s.readLarge(ctx, d.Large); err != nil && !errors.Is(err, plat.ErrCorrupt) {
				return err
			}
		}
		if plat.HashOf(d.Data).String() != d.ID {
			c.Broke("the picture %.12s does not match its hash; it is lost, but its version is not", d.ID)
		}
		return nil
	})
	if err == nil {
		err = use.end()
	}
	return err
}
