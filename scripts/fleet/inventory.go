package main

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
)

// page is the archived data of a URL.
type page struct {
	settles  []time.Time // of its visits that settle a job
	versions []int
	taken    []time.Time // of the versions
	news     int         // versions that are news
}

// inventory reads what the archive has of each URL.
func (f *fleet) inventory(ctx context.Context) (map[string]*page, error) {
	if f.store != nil {
		return inventory(ctx, f.uri)
	}
	all := map[string]*page{}
	for st, err := range f.archive.States(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		p := &page{}
		all[st.URL] = p
		for v, err := range f.archive.Visits(ctx, st.URL, 0) {
			if err != nil {
				return nil, err
			}
			if !v.Settles.IsZero() {
				p.settles = append(p.settles, v.Settles)
			}
		}
		for v, err := range f.archive.Versions(ctx, st.URL) {
			if err != nil {
				return nil, err
			}
			p.add(v.N, v.Taken, v.News())
		}
	}
	return all, nil
}

func (p *page) add(n int, taken time.Time, news bool) {
	p.versions, p.taken = append(p.versions, n), append(p.taken, taken)
	if news {
		p.news++
	}
}

// inventory reads a MongoDB archive directly, collection by collection, because
// plat's own reader hides inconsistent data. It is long because every
// collection has its own format.
func inventory(ctx context.Context, uri string) (map[string]*page, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(uri).SetRetryWrites(false))
	if err != nil {
		return nil, err
	}
	defer client.Disconnect(context.WithoutCancel(ctx))
	db := client.Database("plat")
	all := map[string]*page{}
	at := map[string]*page{} // by _id of the URL
	type visit struct {
		ID      string    `bson:"_id"`
		Settles time.Time `bson:"settles"`
	}
	seen := map[string]bool{}
	settle := func(p *page, v *visit) {
		if p != nil && !seen[v.ID] && !v.Settles.IsZero() {
			seen[v.ID] = true
			p.settles = append(p.settles, v.Settles)
		}
	}
	read := func(name string, fields bson.D, each func(*mongo.Cursor) error) error {
		cur, err := db.Collection(name).Find(ctx, bson.D{}, options.Find().SetProjection(fields).SetBatchSize(5000))
		if err != nil {
			return err
		}
		defer cur.Close(ctx)
		for cur.Next(ctx) {
			if err := each(cur); err != nil {
				return err
			}
		}
		return cur.Err()
	}
	var latest []visit
	var owner []*page
	err = read("urls", bson.D{{Key: "url", Value: 1}, {Key: "latest", Value: 1}}, func(cur *mongo.Cursor) error {
		var d struct {
			ID     string `bson:"_id"`
			URL    string `bson:"url"`
			Latest *visit `bson:"latest"`
		}
		if err := cur.Decode(&d); err != nil {
			return err
		}
		p := &page{}
		all[d.URL], at[d.ID] = p, p
		if d.Latest != nil {
			latest, owner = append(latest, *d.Latest), append(owner, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = read("visits", bson.D{{Key: "settles", Value: 1}}, func(cur *mongo.Cursor) error {
		var v visit
		if err := cur.Decode(&v); err != nil {
			return err
		}
		settle(at[urlOf(v.ID)], &v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range latest {
		settle(owner[i], &latest[i])
	}
	return all, read("versions", bson.D{{Key: "n", Value: 1}, {Key: "taken", Value: 1}, {Key: "changes", Value: 1}}, func(cur *mongo.Cursor) error {
		var d struct {
			ID    string    `bson:"_id"`
			N     int       `bson:"n"`
			Taken time.Time `bson:"taken"`

			Changes []struct {
				Kind  string `bson:"kind"`
				Count int    `bson:"count"`
			} `bson:"changes"`
		}
		if err := cur.Decode(&d); err != nil {
			return err
		}
		if p := at[urlOf(d.ID)]; p != nil {
			v := plat.Version{N: d.N, Changes: map[plat.Kind]int{}}
			for _, c := range d.Changes {
				v.Changes[plat.Kind(c.Kind)] = c.Count
			}
			p.add(d.N, d.Taken, v.News())
		}
		return nil
	})
}

// urlOf extracts the URL part of an _id.
func urlOf(id string) string {
	for i := range id {
		if id[i] == ':' {
			return id[:i]
		}
	}
	return id
}
