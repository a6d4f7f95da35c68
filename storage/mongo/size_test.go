package mongo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"plat/plat"
	"plat/storage"
)

// TestBytesOfAJob measures the documents and index keys of a job in MongoDB, before
// compression. The size does not depend on the number of URLs.
func TestBytesOfAJob(t *testing.T) {
	s := open(t, Options{})
	const hosts, each = 10, 30
	var jobs []plat.Job
	for i := range hosts * each {
		jobs = append(jobs, plat.Job{URL: fmt.Sprintf("https://host%03d.example/%s/%d", i%hosts, strings.Repeat("path/", 4), i), Due: longAgo, Priority: 0.5})
	}
	enlistAll(t, s, storage.Join, jobs...)
	measure := func(what string, most int) {
		t.Helper()
		urls, keys := bytesOf(t, s.urls), keysOf(t, s.urls)
		rows := bytesOf(t, s.hosts) + keysOf(t, s.hosts)
		n := len(jobs)
		t.Logf("%s: URLs of %d characters: document %d bytes, keys of indexes %d; a host %d", what, len(jobs[0].URL), urls/n, keys/n, rows/hosts)
		if got := (urls + keys) / n; got > most {
			t.Errorf("%s: %d bytes a URL; more than %d", what, got, most)
		}
	}
	measure("never visited", 850)
	for _, j := range jobs {
		v := plat.Visit{URL: j.URL, Time: longAgo, Outcome: plat.OutcomeUnchanged, Settles: j.Due, Next: farOff, Rest: time.Second}
		if err := s.Record(t.Context(), v, 1); err != nil {
			t.Fatal(err)
		}
	}
	measure("visited, to be visited again", 1200)
}

func bytesOf(t *testing.T, c *mongo.Collection) (n int) {
	t.Helper()
	for _, d := range docsOf(t, c) {
		n += len(d)
	}
	return n
}

func docsOf(t *testing.T, c *mongo.Collection) (all []bson.Raw) {
	t.Helper()
	cur, err := c.Find(t.Context(), bson.D{})
	if err == nil {
		err = cur.All(t.Context(), &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keysOf returns the size of all keys of a collection's indexes: values, and 8 bytes for the
// place of each document.
func keysOf(t *testing.T, c *mongo.Collection) (n int) {
	t.Helper()
	all := append([]index{on("_id")}, indexes()[c.Name()]...)
	for _, d := range docsOf(t, c) {
		for _, x := range all {
			if _, err := d.LookupErr(x.only); x.only != "" && err != nil {
				continue
			}
			for _, k := range x.keys {
				if v, err := d.LookupErr(k.Key); err == nil {
					n += len(v.Value)
				}
			}
			n += 8
		}
	}
	return n
}
