package mongo

import (
	"fmt"
	"reflect"
	"regexp"
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

// indexesOf returns the keys of the indexes of a collection, each "{a: 1, b: 1}".
func indexesOf(t testing.TB, c *mongo.Collection) (out []string) {
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

// command returns a command of a script as the driver sends it.
func (c *asked) command() (d bson.D, err error) {
	filter, err := parse(c.Filter)
	if err != nil {
		return nil, err
	}
	switch c.Op {
	case "find":
		sort, err := parse(c.Sort)
		return bson.D{{Key: "find", Value: c.Collection}, {Key: "filter", Value: filter}, {Key: "sort", Value: sort}, {Key: "limit", Value: c.Limit}}, err
	case "count":
		return bson.D{{Key: "count", Value: c.Collection}, {Key: "query", Value: filter}}, nil
	case "distinct":
		return bson.D{{Key: "distinct", Value: c.Collection}, {Key: "key", Value: c.Field}, {Key: "query", Value: filter}}, nil
	}
	var p bson.A
	err = bson.UnmarshalExtJSON(c.Pipeline, false, &p)
	return bson.D{{Key: c.Op, Value: c.Collection}, {Key: "pipeline", Value: p}}, err
}

// checkIndex checks the remark of a question with the planner: its last command is served by that index, or
// scans, or sorts in memory if the remark says so, and those before, which look up the input of the last one, are served.
func checkIndex(t *testing.T, q *question, done []asked) {
	t.Helper()
	if len(done) == 0 {
		t.Fatal("the script sends no command")
	}
	p := theIndexes()
	for i := range done {
		command, err := done[i].command()
		var all []query
		if err == nil {
			all, err = queriesOf(command)
		}
		if err != nil {
			t.Fatal(err)
		}
		last := i == len(done)-1
		for k := range all {
			is := &all[k]
			plan := p.plan(is)
			want := served
			if last && q.sorts {
				want = sorts
			} else if last && q.scans {
				want = scans
			}
			if plan.outcome != want {
				t.Errorf("%s: %s %s, documented as: %s", is, plan.outcome, plan.index, want)
			}
			if !last || q.scans {
				continue
			}
			collection, index, _ := strings.Cut(q.index, " ")
			sentPlans.use(collection, index)
			if is.hint = index; collection != is.collection || p.plan(is).outcome != want {
				t.Errorf("%s: documented to use %s, which %s; %s is the best index", is, q.index, p.plan(is).outcome, plan.index)
			}
		}
	}
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

// documents has the type of the documents of each collection.
var documents = map[string]any{"urls": urlDoc{}, "versions": versionDoc{}, "blocks": contentDoc{}, "layouts": contentDoc{}, "visits": visitDoc{}, "pages": pageDoc{}, "block_versions": blockVersionDoc{}, "screenshots": pictureDoc{},
	"manifests": manifestDoc{}, "resources": contentDoc{}, "hosts": hostDoc{}, "notes": noteDoc{},
	"subscriptions": subscriptionDoc{}, "memories": memoryDoc{}, "items": itemDoc{}, "channels": channelDoc{}, "messages": messageDoc{}, "sent": sentDoc{},
	"crawls": crawlDoc{}, "crawl_pages": crawlPageDoc{}, "crawl_reports": crawlReportDoc{}}

// TestDocumentedFields checks that the tables of docs/mongo.md describe every stored
// field.
func TestDocumentedFields(t *testing.T) {
	doc := readDoc(t)
	for name, d := range documents {
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
	// The table of indexes, and the list of collections without any.
	_, section, _ := strings.Cut(doc, "\n## Indexes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var have, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| `(\\{.*?\\})` \\|").FindAllStringSubmatch(section, -1) {
		if m[2] != "{_id: 1}" {
			have = append(have, m[1]+" "+m[2])
		}
	}
	for name, all := range indexes() {
		for i := range all {
			want = append(want, name+" "+keysText(&all[i]))
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("the table of indexes has\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	s := open(t, Options{})
	for name, all := range indexes() {
		there := indexesOf(t, s.db.Collection(name))
		for i := range all {
			if !slices.Contains(there, keysText(&all[i])) {
				t.Errorf("a new archive has no index %s of %s", keysText(&all[i]), name)
			}
		}
	}
}
