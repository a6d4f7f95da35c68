package mongo

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage"
)

const newsWeather = "https://news.example/weather"

func contentKey(lineage int32, content string) storage.ContentKey {
	return storage.ContentKey{Lineage: lineage, Hash: plat.HashOf([]byte(content))}
}

// TestDocumentedChangeStream runs the script of docs/mongo.md that listens to a change stream, on the
// events that the commits of fill are, and on those of other writes.
func TestDocumentedChangeStream(t *testing.T) {
	_, text, _ := strings.Cut(readDoc(t), "\n## Hearing of changes\n")
	text, _, _ = strings.Cut(text, "\n## ")
	m := regexp.MustCompile("(?s)```javascript\n(.*?)```").FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s has no script that listens", docPath)
	}
	s := open(t, Options{})
	fill(t, s)
	sh := newShell(t, s.db)
	sh.mingo, sh.events = requireMingo(t), changeEvents(t, s)
	got, err := sh.eval(t.Context(), m[1])
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, line := range got.([]any) {
		if line := line.(string); !strings.HasPrefix(line, "began first ") {
			lines = append(lines, line)
		}
	}
	want := []string{
		"began content https://news.example/ Harbour reopens after storm",
		"ended content https://news.example/ Storm closes the harbour",
		"ended removed https://news.example/ Ferries cancelled",
		"began content https://news.example/weather Gale warning lifted",
		"began added https://news.example/weather Umbrellas half price",
		"ended content https://news.example/weather Gale warning",
		"began format https://news.example/ News Weather",
		"ended format https://news.example/ News Weather",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("it prints\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if first := len(got.([]any)) - len(lines); first != 8 { // two pages of news, one of docs
		t.Errorf("%d block versions began with their page, want 8", first)
	}
}

// changeEvents returns the events of the writes that made the block versions of an archive, as the manual
// describes them, with the documents as an updateLookup finds them at the end; and events of other writes.
func changeEvents(t *testing.T, s *Store) []bson.D {
	t.Helper()
	docs, err := findAll[bson.D](t.Context(), s.blockVersions, bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		at   time.Time
		ends bool
		bson.D
	}
	var all []event
	add := func(at any, kind string, doc bson.D, more ...bson.E) {
		d := bson.D{{Key: "operationType", Value: kind}, {Key: "clusterTime", Value: bson.Timestamp{T: 1, I: 1}}, {Key: "ns", Value: bson.D{{Key: "db", Value: s.db.Name()}, {Key: "coll", Value: "block_versions"}}}}
		if doc != nil {
			d = append(d, bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: valueOf(doc, "_id")}}}, bson.E{Key: "fullDocument", Value: doc})
		}
		all = append(all, event{at.(bson.DateTime).Time(), kind == "update", append(d, more...)})
	}
	update := func(at any, doc bson.D, fields bson.D) {
		add(at, "update", doc, bson.E{Key: "updateDescription", Value: bson.D{{Key: "updatedFields", Value: fields}, {Key: "removedFields", Value: bson.A{}}, {Key: "truncatedArrays", Value: bson.A{}}}})
	}
	for _, d := range docs {
		begun := slices.DeleteFunc(slices.Clone(d), func(e bson.E) bool { return e.Key == "gone" || e.Key == "until" || e.Key == "ended" })
		add(valueOf(d, "since"), "insert", begun)
		if until := valueOf(d, "until"); until != nil {
			update(until, d, bson.D{{Key: "ended", Value: valueOf(d, "ended")}, {Key: "gone", Value: valueOf(d, "gone")}, {Key: "until", Value: until}})
		}
	}
	// An update that ends nothing, and a deletion.
	update(valueOf(docs[0], "since"), docs[0], bson.D{{Key: "label", Value: "main"}})
	add(valueOf(docs[0], "since"), "delete", nil, bson.E{Key: "documentKey", Value: bson.D{{Key: "_id", Value: "x"}}})
	slices.SortStableFunc(all, func(a, b event) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		order := map[bool]int{true: 1}
		return cmp.Or(cmp.Compare(order[a.ends], order[b.ends]), cmp.Compare(placeOf(a.D), placeOf(b.D)))
	})
	events := make([]bson.D, len(all))
	for i, e := range all {
		events[i] = append(bson.D{{Key: "_id", Value: bson.D{{Key: "_data", Value: string(rune('a' + i))}}}}, e.D...)
	}
	return events
}

func valueOf(d bson.D, key string) any {
	for _, e := range d {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// placeOf returns the place on its page of the block version of an event.
func placeOf(event bson.D) int32 {
	doc, _ := valueOf(event, "fullDocument").(bson.D)
	n, _ := valueOf(doc, "order").(int32)
	return n
}
