package mongo

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// versionDoc is a document of versions. Its tree is packed, as a difference to the version before;
// that of the last version is plain in pages.
type versionDoc struct {
	ID    string    `bson:"_id"` // the URL's _id, ":", the number in eight digits
	URL   text      `bson:"url"`
	Host  text      `bson:"host"`
	N     int       `bson:"n"`
	Taken time.Time `bson:"taken"`

	// What people ask of versions. The tree has these values, too.
	Title     text        `bson:"title"`
	Status    int         `bson:"status"`
	Level     int         `bson:"level"`
	PageBytes int64       `bson:"page_bytes"`
	Changes   []changeDoc `bson:"changes,omitempty"`
	Layout    string      `bson:"layout"`
	Picture   string      `bson:"picture,omitempty"`
	Resources string      `bson:"resources,omitempty"` // _id in manifests

	Look   string `bson:"look,omitempty"` // fingerprint key: see lookKey
	Oldest int    `bson:"oldest"`         // the oldest version in which a lineage first had a content of this version

	// Tree is what package tree encodes, after its checksum, compressed. The name of the field is
	// that of the plain tree in format 1, so that older plats report an error and do not take the
	// version for one without blocks.
	Base int    `bson:"base,omitempty"` // the version against which it is encoded: the one before; absent: none
	Size int    `bson:"size"`           // bytes of the encoded tree, uncompressed
	Tree []byte `bson:"blocks"`

	Large bson.ObjectID `bson:"large,omitempty"` // the file of a large tree; then blocks is empty

	Visit   visitDoc   `bson:"visit"` // the visit that found it
	Written writtenDoc `bson:"written"`

	derived int // urlDoc.Derived when it became the head
}

// plainDoc is a document of versions in format 1.
type plainDoc struct {
	Page pageDoc `bson:",inline"`

	Look    string     `bson:"look,omitempty"`
	Visit   visitDoc   `bson:"visit"`
	Written writtenDoc `bson:"written"`
}

// newVersionDoc converts a version; prev is the one before, or nil to encode it in full.
func (s *Store) newVersionDoc(v, prev *tree.Tree) *versionDoc {
	d := &versionDoc{ID: versionID(v.URL, v.N), URL: text(v.URL), Host: text(storage.Host(v.URL)), N: v.N, Taken: instant(v.Taken),
		Title: text(v.Capture.Title), Status: v.Capture.Status, Level: v.Level, PageBytes: v.Capture.PageBytes, Changes: newChangeDocs(v.Changes),
		Layout: hexOf(v.Layout), Picture: hexOf(v.Picture), Resources: hexOf(v.Resources), Oldest: oldestOf(v)}
	s.pack(d, v, prev)
	return d
}

func (s *Store) pack(d *versionDoc, v, prev *tree.Tree) {
	d.Base = 0
	if prev != nil && v.N != tree.KeyBefore(v.N) {
		d.Base = prev.N
	} else {
		prev = nil
	}
	b := tree.Encode(v, prev)
	d.Size = len(b)
	sum := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli))
	d.Tree = s.coder.Encode(sum, b, nil)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxTree bounds the allocation for a damaged tree.
const maxTree = 1 << 30

// unpack is the inverse of pack; prev is version d.Base.
func (s *Store) unpack(d *versionDoc, prev *tree.Tree) (*tree.Tree, error) {
	fail := func(err error) (*tree.Tree, error) { return nil, fmt.Errorf("version %d of %s: %w", d.N, d.URL, err) }
	if d.ID != versionID(string(d.URL), d.N) {
		return fail(fmt.Errorf("its document has the _id of a different one: %w", plat.ErrCorrupt))
	}
	if d.Base == 0 {
		prev = nil
	} else if prev == nil || prev.N != d.Base || d.Base != d.N-1 {
		return fail(fmt.Errorf("the version %d on which it depends is missing: %w", d.Base, plat.ErrCorrupt))
	}
	if len(d.Tree) < 4 || d.Size < 0 || d.Size > maxTree {
		return fail(plat.ErrCorrupt)
	}
	// The picture and the resources are those of the document: Attach adds them there, after this tree and even the
	// next one were encoded. A difference to the version before is decoded against them.
	r := hashReader{}
	picture, resources := r.hash(d.Picture), r.hash(d.Resources)
	if r.err != nil {
		return fail(r.err)
	}
	before := tree.Tree{}
	if prev != nil {
		before = *prev
	}
	before.Picture, before.Resources = picture, resources
	b, err := s.coder.Decode(d.Tree[4:], nil, d.Size)
	if err != nil {
		return fail(err)
	}
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(d.Tree) {
		return fail(fmt.Errorf("wrong checksum: %w", plat.ErrCorrupt))
	}
	t, err := tree.Decode(b, string(d.URL), d.N, &before)
	if err != nil {
		return nil, err
	}
	t.Taken = d.Taken.UTC()
	if hexOf(t.Layout) != d.Layout || !t.Picture.IsZero() && t.Picture != picture || !t.Resources.IsZero() && t.Resources != resources {
		return fail(fmt.Errorf("its layout, picture or resources are not those of its tree: %w", plat.ErrCorrupt))
	}
	t.Picture, t.Resources = picture, resources
	return t, nil
}

// decodeVersion reads a document of versions. One of format 1 is packed in full: a plat from before
// format 2 may still store first versions.
func (s *Store) decodeVersion(ctx context.Context, raw bson.Raw) (*versionDoc, error) {
	if raw.Lookup("blocks").Type != bson.TypeArray && raw.Lookup("size").Type != 0 {
		d, err := s.decodeFacts(raw)
		if err == nil && !d.Large.IsZero() {
			d.Tree, err = s.readLarge(ctx, d.Large)
		}
		return d, err
	}
	var p plainDoc
	err := bson.Unmarshal(raw, &p)
	var v *standing
	if err == nil {
		v, err = p.Page.standing()
	}
	if err != nil {
		return nil, undecodable(s.versions, raw, err)
	}
	d := s.newVersionDoc(&v.Tree, nil)
	d.ID, d.Look, d.Visit, d.Written = p.Page.ID, p.Look, p.Visit, p.Written
	return d, nil
}

// decodeFacts reads a document of versions without its tree, or a part of it.
func (s *Store) decodeFacts(raw bson.Raw) (*versionDoc, error) {
	d := new(versionDoc)
	if err := bson.Unmarshal(raw, d); err != nil {
		return nil, undecodable(s.versions, raw, err)
	}
	return d, nil
}

// undecodable returns the error for a document that cannot be decoded.
func undecodable(c *mongo.Collection, raw bson.Raw, err error) error {
	return fmt.Errorf("document %s of %s cannot be read (%w): %w", raw.Lookup("_id"), c.Name(), err, plat.ErrCorrupt)
}

// readVersion returns the document of a version, even past the head.
func (s *Store) readVersion(ctx context.Context, url string, n int) (*versionDoc, error) {
	raw, err := s.versions.FindOne(ctx, byID(versionID(url, n))).Raw()
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = plat.ErrNotFound
	}
	var d *versionDoc
	if err == nil {
		d, err = s.decodeVersion(ctx, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", n, url, err)
	}
	return d, nil
}

// treeOf returns the tree of a version's document; the oldest kept version of the URL is oldest.
func (s *Store) treeOf(ctx context.Context, d *versionDoc, oldest int) (t *tree.Tree, err error) {
	if d.Base == 0 {
		return s.unpack(d, nil)
	}
	if t, err = s.tree(ctx, string(d.URL), oldest, d.N-1); err != nil {
		return nil, err
	}
	return s.unpack(d, t)
}

// tree returns version n of a URL, of which the oldest kept one is oldest, or plat.ErrNotFound if it is
// older.
func (s *Store) tree(ctx context.Context, url string, oldest, n int) (*tree.Tree, error) {
	for t, err := range s.trees(ctx, url, oldest, n, n) {
		return t, err
	}
	return nil, fmt.Errorf("version %d of %s: %w", n, url, plat.ErrNotFound)
}

// trees yields versions from..to of a URL, of which the oldest kept one is oldest. The loop's body may
// load contents into the blocks.
func (s *Store) trees(ctx context.Context, url string, oldest, from, to int) iter.Seq2[*tree.Tree, error] {
	return func(yield func(*tree.Tree, error) bool) {
		from = max(from, oldest)
		var prev *tree.Tree
		for d, err := range s.versionDocs(ctx, url, max(oldest, tree.KeyBefore(from)), to, withoutVisit) {
			var t *tree.Tree
			if err == nil {
				t, err = s.unpack(d, prev)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			prev = t
			if t.N < from {
				continue
			}
			given := *t
			given.Blocks, given.Oldest = slices.Clone(t.Blocks), t.N == oldest
			if !yield(&given, nil) {
				return
			}
		}
	}
}

// Version returns a version with its block tree.
func (s *Store) Version(ctx context.Context, url string, n int) (*plat.Version, error) {
	u, err := s.readURL(ctx, url)
	if err != nil {
		return nil, errorf("mongo: version %d of %q: %w", n, url, err)
	}
	if u == nil {
		u = newURLDoc(url)
	}
	st := u.numbers()
	if err := storage.Kept(&st, &n); err != nil {
		return nil, errorf("mongo: %w", err)
	}
	v, err := s.version(ctx, &st, u.epoch(), n)
	if errors.Is(err, plat.ErrCorrupt) {
		err = s.missing(ctx, url, n, err)
	}
	if err != nil {
		return nil, errorf("mongo: %w", err)
	}
	v.Oldest = n == st.Oldest()
	return v, nil
}

// Last returns the last version of a URL. It does not read the state again.
func (s *Store) Last(ctx context.Context, st *plat.URLState) (*plat.Version, error) {
	n := 0
	if err := storage.Kept(st, &n); err != nil {
		return nil, errorf("mongo: %w", err)
	}
	v, err := s.last(ctx, st, s.states.epoch(st.URL))
	if err != nil { // not written yet, not the last one any more, or damaged
		return s.Version(ctx, st.URL, n)
	}
	given := v.Version
	given.Blocks = slices.Clone(v.Blocks)
	return &given, nil
}

func (s *Store) version(ctx context.Context, st *plat.URLState, since epoch, n int) (*plat.Version, error) {
	if n == st.Head {
		v, err := s.last(ctx, st, since)
		if err == nil {
			given := v.Version
			given.Blocks = slices.Clone(v.Blocks)
			return &given, nil
		}
		if !errors.Is(err, plat.ErrNotFound) && !errors.Is(err, plat.ErrCorrupt) {
			return nil, err
		}
	}
	t, err := s.tree(ctx, st.URL, st.Oldest(), n)
	if err != nil {
		return nil, err
	}
	return &t.Version, nil
}

// missing returns the error for a version that was unexpectedly not found: a different process
// may have forgotten it, or what it depends on, in the meantime.
func (s *Store) missing(ctx context.Context, url string, n int, damage error) error {
	st, err := s.numbersOf(ctx, url)
	if err == nil {
		err = storage.Kept(&st, &n)
	}
	if err == nil {
		err = fmt.Errorf("%w; run plat verify", damage)
	}
	return err
}

// numbersOf returns the range of versions of a URL.
func (s *Store) numbersOf(ctx context.Context, url string) (plat.URLState, error) {
	u, err := s.readURL(ctx, url)
	if err != nil || u == nil {
		return plat.URLState{URL: url}, err
	}
	return u.numbers(), nil
}

// withoutVisit excludes fields that a tree does not need. Versions of format 1 have the last two.
var withoutVisit = bson.D{{Key: "visit", Value: 0}, {Key: "written", Value: 0}, {Key: "terms", Value: 0}, {Key: "look", Value: 0}}

// versionDocs yields the documents of versions from..to of a URL.
func (s *Store) versionDocs(ctx context.Context, url string, from, to int, projection bson.D) iter.Seq2[*versionDoc, error] {
	return s.versionsIn(ctx, url, from, to, projection, func(raw bson.Raw) (*versionDoc, error) { return s.decodeVersion(ctx, raw) })
}

// versionFacts yields the documents of versions from..to of a URL, without their trees: only the
// fields of the projection, among them n.
func (s *Store) versionFacts(ctx context.Context, url string, from, to int, projection bson.D) iter.Seq2[*versionDoc, error] {
	return s.versionsIn(ctx, url, from, to, projection, s.decodeFacts)
}

func (s *Store) versionsIn(ctx context.Context, url string, from, to int, projection bson.D, decode func(bson.Raw) (*versionDoc, error)) iter.Seq2[*versionDoc, error] {
	return func(yield func(*versionDoc, error) bool) {
		const page = tree.KeyEvery
		opts := options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(page).SetProjection(projection)
		for start := 0; from <= to && from != start; {
			start = from
			got, err := findAll[bson.Raw](ctx, s.versions, bson.D{{Key: "_id", Value: bson.D{{Key: "$gte", Value: versionID(url, from)}, {Key: "$lte", Value: versionID(url, to)}}}}, opts)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, raw := range got {
				d, err := decode(raw)
				if err != nil {
					yield(nil, err)
					return
				}
				if d.N != from {
					break
				}
				if !yield(d, nil) {
					return
				}
				from++
			}
		}
		if from <= to {
			yield(nil, fmt.Errorf("version %d of %s is missing: %w", from, url, plat.ErrCorrupt))
		}
	}
}

// Versions yields the versions of url without their block trees.
func (s *Store) Versions(ctx context.Context, url string) iter.Seq2[*plat.Version, error] {
	return s.versionsOf(ctx, url, 1, math.MaxInt, func(v *plat.Version) { v.Blocks = nil })
}

// Trees yields versions with their block trees.
func (s *Store) Trees(ctx context.Context, url string, from, to int) iter.Seq2[*plat.Version, error] {
	return s.versionsOf(ctx, url, from, to, func(*plat.Version) {})
}

// Times returns the capture times of the versions of url.
func (s *Store) Times(ctx context.Context, url string) ([]time.Time, error) {
	st, err := s.numbersOf(ctx, url)
	if n := 0; err == nil {
		err = storage.Kept(&st, &n)
	}
	all := make([]time.Time, st.Forgotten)
	for d, failed := range s.versionFacts(ctx, url, st.Oldest(), st.Head, bson.D{{Key: "n", Value: 1}, {Key: "taken", Value: 1}}) {
		if err = cmp.Or(err, failed); err != nil {
			break
		}
		all = append(all, d.Taken.UTC())
	}
	if err != nil {
		return nil, errorf("mongo: times of %q: %w", url, err)
	}
	return all, nil
}

// versionsOf yields the versions from..to of url, each prepared by f.
func (s *Store) versionsOf(ctx context.Context, url string, from, to int, f func(*plat.Version)) iter.Seq2[*plat.Version, error] {
	return func(yield func(*plat.Version, error) bool) {
		st, err := s.numbersOf(ctx, url)
		if err != nil {
			yield(nil, errorf("mongo: versions of %q: %w", url, err))
			return
		}
		for t, err := range s.trees(ctx, url, st.Oldest(), from, min(to, st.Head)) {
			if err != nil {
				yield(nil, errorf("mongo: %w; run plat verify", err))
				return
			}
			if f(&t.Version); !yield(&t.Version, nil) {
				return
			}
		}
	}
}
