package mongo

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// measured replaces each value that depends on the compressor by true if it is plausible.
func measured(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for k, x := range m {
		m[k] = measured(x)
	}
	if b, ok := m["bytes"].(float64); ok {
		delete(m, "bytes")
		m["part"] = b > 0 && b < 1e6
	}
	return m
}

// indexes returns the keys of the indexes of a collection, each "{a: 1, b: 1}".
func indexes(t testing.TB, c *mongo.Collection) (out []string) {
	t.Helper()
	specs, err := c.Indexes().ListSpecifications(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range specs {
		out = append(out, keys(t, specs[i].KeysDocument))
	}
	return out
}

func keys(t testing.TB, raw bson.Raw) string {
	t.Helper()
	elements, err := raw.Elements()
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, e := range elements {
		parts = append(parts, fmt.Sprintf("%s: %v", e.Key(), number(e.Value().AsInt64())))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// checkIndex checks the remark of a question against the filter of its last command:
// an index serves it if the filter bounds its first key, or if it provides the order.
// (Earlier commands look up the input of the last one, by _id or url.)
func checkIndex(t *testing.T, db *mongo.Database, q *question, done []asked) {
	t.Helper()
	if len(done) == 0 {
		t.Fatal("the script sends no command")
	}
	c := &done[len(done)-1]
	filter, sort, err := c.match()
	if err != nil {
		t.Fatal(err)
	}
	serves := func(index string) bool {
		first, _, _ := strings.Cut(strings.Trim(index, "{}"), ":")
		return slices.ContainsFunc(filter, func(e bson.E) bool { return e.Key == first && bounded(e.Value) }) || len(sort) > 0 && sort[0].Key == first
	}
	there := indexes(t, db.Collection(c.Collection))
	if q.scans {
		if k := slices.IndexFunc(there, serves); k >= 0 {
			t.Errorf("documented as a scan, but %s could serve it", there[k])
		}
		return
	}
	collection, index, _ := strings.Cut(q.index, " ")
	switch {
	case collection != c.Collection:
		t.Errorf("documented to use an index of %s, but it reads %s", collection, c.Collection)
	case !slices.Contains(there, index):
		t.Errorf("%s has no index %s; it has %v", collection, index, there)
	case !serves(index):
		t.Errorf("%s serves neither its filter %v nor its order %v", index, filter, sort)
	}
}

// bounded reports whether a condition excludes a range of an index.
func bounded(v any) bool {
	ops, ok := v.(bson.D)
	if !ok || len(ops) == 0 || !strings.HasPrefix(ops[0].Key, "$") {
		return true
	}
	return slices.ContainsFunc(ops, func(e bson.E) bool {
		return slices.Contains([]string{"$eq", "$in", "$all", "$gt", "$gte", "$lt", "$lte"}, e.Key)
	})
}

// explain checks with the server's query planner whether it scans.
func explain(t *testing.T, db *mongo.Database, q *question, done []asked) {
	t.Helper()
	for i := range done {
		c := &done[i]
		filter, sort, err := c.match()
		if err != nil {
			t.Fatal(err)
		}
		find := bson.D{{Key: "find", Value: c.Collection}, {Key: "filter", Value: filter}}
		if len(sort) > 0 {
			find = append(find, bson.E{Key: "sort", Value: sort})
		}
		plan, err := db.RunCommand(t.Context(), bson.D{{Key: "explain", Value: find}, {Key: "verbosity", Value: "queryPlanner"}}).Raw()
		if err != nil {
			t.Fatal(err)
		}
		winning, err := plan.LookupErr("queryPlanner", "winningPlan")
		if err != nil {
			t.Fatal(err)
		}
		if scans := strings.Contains(winning.String(), "COLLSCAN"); scans && !(q.scans && i == len(done)-1) {
			t.Errorf("the server scans %s: %s", c.Collection, winning)
		}
	}
}

// TestDocumentedFields checks that the tables of docs/mongo.md describe every stored
// field.
func TestDocumentedFields(t *testing.T) {
	doc := readDoc(t)
	for name, d := range map[string]any{"urls": urlDoc{}, "versions": versionDoc{}, "blocks": contentDoc{}, "layouts": contentDoc{}, "visits": visitDoc{}, "pages": pageDoc{}, "block_versions": blockVersionDoc{}, "screenshots": pictureDoc{},
		"manifests": manifestDoc{}, "resources": contentDoc{}, "hosts": hostDoc{}, "notes": noteDoc{},
		"subscriptions": subscriptionDoc{}, "memories": memoryDoc{}, "items": itemDoc{}, "channels": channelDoc{}, "messages": messageDoc{}, "sent": sentDoc{},
		"crawls": crawlDoc{}, "crawl_pages": crawlPageDoc{}, "crawl_reports": crawlReportDoc{}} {
		_, section, ok := strings.Cut(doc, "\n### `"+name+"`\n")
		if !ok {
			t.Errorf("%s has no section on %s", docPath, name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n##")
		for f := range reflect.TypeOf(d).Fields() {
			field, _, _ := strings.Cut(f.Tag.Get("bson"), ",")
			if field == "" || name != "layouts" && field == "slots" {
				continue
			}
			if !strings.Contains(section, "`"+field+"`") {
				t.Errorf("the section on %s does not say what %s is", name, field)
			}
		}
		for f := range reflect.TypeOf(resourceDoc{}).Fields() {
			field, _, _ := strings.Cut(f.Tag.Get("bson"), ",")
			if name == "manifests" && !strings.Contains(section, "`"+field+"`") {
				t.Errorf("the section on manifests does not say what resources.%s is", field)
			}
		}
		for _, part := range []any{leafDoc{}, blockDoc{}, boxDoc{}, captureDoc{}, adjustDoc{}, pairDoc{}, changeDoc{}, writtenDoc{}, linkDoc{}, formatDoc{}} {
			in := "pages"
			switch part.(type) {
			case changeDoc, writtenDoc:
				in = "versions"
			case linkDoc:
				in = "block_versions"
			case formatDoc:
				in = "notes"
			}
			for f := range reflect.TypeOf(part).Fields() {
				field, _, _ := strings.Cut(f.Tag.Get("bson"), ",")
				if field != "" && name == in && !strings.Contains(section, "`"+field+"`") && !strings.Contains(section, field+": ") {
					t.Errorf("the section on %s does not say what %s of a %T is", in, field, part)
				}
			}
		}
	}
	s := open(t, Options{})
	for _, c := range []*mongo.Collection{s.urls, s.hosts, s.versions, s.visits, s.pages, s.blockVersions, s.subscriptions, s.memories, s.items, s.messages, s.sent, s.crawlPages} {
		for _, index := range indexes(t, c) {
			if !strings.Contains(doc, "`"+c.Name()+"` | `"+index+"`") {
				t.Errorf("the table of indexes does not name %s of %s", index, c.Name())
			}
		}
	}
}
