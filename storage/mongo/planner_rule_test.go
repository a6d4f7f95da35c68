package mongo

import (
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Commands with known plans: the examples of MongoDB's manual on equality, sort and range, on sort order, on
// multikey, sparse and partial indexes, and their counterparts that no index serves.
func TestPlannerFollowsTheManual(t *testing.T) {
	p := &planner{
		indexes: map[string][]index{
			"cars": {on("manufacturer", "model", "cost"), on("cost", "-year"), on("seen").with("seen"), on("owner", "sold").with("sold")},
			"data": {on("a", "b", "c", "d")},
			"tags": {on("tags", "time"), on("time", "tags")},
		},
		arrays: map[string][]string{"tags": {"tags"}},
	}
	half, many := `[`+strings.Repeat(`0, `, maxExploded/2)+`1]`, `[`+strings.Repeat(`0, `, maxExploded)+`1]`
	for _, x := range []struct {
		command string // Extended JSON
		want    string // outcomes of its queries
	}{
		// Equality, sort, range.
		{`{"find": "cars", "filter": {"manufacturer": "Ford", "cost": {"$gt": 15000}}, "sort": {"model": 1}}`, "is served"},
		{`{"find": "cars", "filter": {"manufacturer": "Ford", "cost": {"$gt": 15000}}, "sort": {"model": -1}}`, "is served"},
		{`{"find": "cars", "filter": {"manufacturer": "Ford", "model": {"$gt": "M"}}, "sort": {"model": 1, "cost": 1}}`, "is served"},
		{`{"find": "cars", "filter": {"manufacturer": "Ford", "model": {"$gt": "M"}}, "sort": {"cost": 1}}`, "sorts in memory"}, // a range before the order
		{`{"find": "cars", "filter": {"manufacturer": "Ford", "model": "T"}, "sort": {"cost": -1}}`, "is served"},
		{`{"find": "cars", "filter": {"manufacturer": "Ford"}, "sort": {"cost": 1}}`, "sorts in memory"}, // a field is left out
		{`{"find": "cars", "filter": {"manufacturer": "Ford"}, "sort": {"colour": 1}}`, "sorts in memory"},
		{`{"find": "cars", "filter": {"model": "T"}}`, "scans"}, // not the first field
		{`{"find": "cars", "filter": {"colour": "red"}}`, "scans"},
		// The order of an index, its reverse, and nothing else.
		{`{"find": "data", "filter": {}, "sort": {"a": 1}, "limit": 3}`, "is served"},
		{`{"find": "data", "filter": {}, "sort": {"a": -1, "b": -1}, "limit": 3}`, "is served"},
		{`{"find": "data", "filter": {}, "sort": {"a": 1, "b": -1}, "limit": 3}`, "scans"},
		{`{"find": "data", "filter": {}, "sort": {"b": 1}, "limit": 3}`, "scans"},
		{`{"find": "cars", "filter": {}, "sort": {"cost": -1, "year": 1}, "limit": 3}`, "is served"},
		{`{"find": "cars", "filter": {}, "sort": {"cost": 1, "year": 1}, "limit": 3}`, "scans"},
		{`{"find": "data", "filter": {"a": 5}, "sort": {"b": 1, "c": 1}}`, "is served"},
		{`{"find": "data", "filter": {"b": 3}, "sort": {"a": 1, "c": 1}, "limit": 3}`, "scans"},
		{`{"find": "data", "filter": {"b": 3}, "sort": {"a": 1}, "limit": 3}`, "walks an index and drops what does not match"},
		{`{"find": "data", "filter": {"a": 5, "b": {"$lt": 3}}, "sort": {"b": 1}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$gt": 2}}, "sort": {"c": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"c": 5}, "sort": {"c": 1}}`, "scans"},
		{`{"find": "data", "filter": {"a": 1, "c": 5}, "sort": {"b": 1, "c": 1, "d": 1}}`, "is served"},
		// All documents.
		{`{"find": "data", "filter": {}}`, "scans"},
		{`{"find": "data", "filter": {}, "limit": 1}`, "is served"},
		{`{"find": "data", "filter": {}, "sort": {"_id": 1}}`, "walks a whole index"},
		{`{"find": "data", "filter": {}, "sort": {"_id": 1}, "limit": 5}`, "is served"},
		{`{"find": "data", "filter": {"e": 1}, "sort": {"_id": 1}, "limit": 5}`, "walks an index and drops what does not match"},
		{`{"find": "data", "filter": {"a": {"$gte": ""}}, "sort": {"a": 1}}`, "walks a whole index"},
		{`{"count": "data"}`, ""},
		{`{"count": "data", "query": {"e": 1}}`, "scans"},
		// Conditions that bound no index.
		{`{"find": "data", "filter": {"a": {"$ne": 1}}}`, "scans"},
		{`{"find": "data", "filter": {"a": {"$nin": [1, 2]}}}`, "scans"},
		{`{"find": "data", "filter": {"a": {"$exists": true}}}`, "walks a whole index"},
		{`{"find": "data", "filter": {"a": {"$exists": false}}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$regularExpression": {"pattern": "^ab", "options": ""}}}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$regularExpression": {"pattern": "^ab", "options": "i"}}}}`, "scans"},
		{`{"find": "data", "filter": {"a": {"$regularExpression": {"pattern": "ab", "options": ""}}}}`, "scans"},
		{`{"find": "data", "filter": {"$nor": [{"a": 1}]}}`, "scans"},
		// $in: runs are merged for an order, up to a limit.
		{`{"find": "data", "filter": {"a": {"$in": [1, 2]}}, "sort": {"b": 1}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$in": [1, 2]}}, "sort": {"a": 1, "b": 1}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$in": ` + many + `}}, "sort": {"b": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"a": {"$in": ` + many + `}}}`, "is served"},
		{`{"find": "data", "filter": {"a": {"$in": [1, 2]}, "b": {"$gt": 1}}, "sort": {"c": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"a": {"$in": ` + half + `}, "b": {"$in": [1, 2]}}, "sort": {"c": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"a": {"$in": ` + half + `}, "b": 1}, "sort": {"c": 1}}`, "is served"},
		{`{"find": "data", "filter": {"_id": {"$in": [1, 2]}}}`, "is served"},
		{`{"find": "data", "filter": {"_id": {"$in": [1, 2]}}, "sort": {"b": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"_id": 1}, "sort": {"b": 1}}`, "is served"}, // one document
		// $or: an index for each branch, or documents read for it.
		{`{"find": "data", "filter": {"$or": [{"a": 1}, {"_id": 2}]}}`, "is served"},
		{`{"find": "data", "filter": {"$or": [{"a": 1}, {"c": 2}]}}`, "scans"},
		{`{"find": "data", "filter": {"a": 1, "$or": [{"c": 1}, {"d": 2}]}}`, "is served"},
		{`{"find": "data", "filter": {"$or": [{"a": 1}, {"a": 2, "b": {"$gt": 1}}]}, "sort": {"b": 1}}`, "is served"},
		{`{"find": "data", "filter": {"$or": [{"a": 1}, {"a": {"$gt": 2}}]}, "sort": {"b": 1}}`, "sorts in memory"},
		{`{"find": "data", "filter": {"$and": [{"b": 1}, {"a": 1}]}, "sort": {"c": 1}}`, "is served"},
		// Arrays are found, and not sorted by.
		{`{"find": "tags", "filter": {"tags": "x", "time": {"$gt": 1}}, "sort": {"time": -1}}`, "is served"},
		{`{"find": "tags", "filter": {"tags": {"$all": ["x", "y"]}}, "sort": {"time": -1}}`, "is served"},
		{`{"find": "tags", "filter": {"time": 1}, "sort": {"tags": 1}}`, "sorts in memory"},
		// Indexes without all documents.
		{`{"find": "cars", "filter": {"seen": {"$gte": 1}}, "sort": {"seen": 1}}`, "is served"},
		{`{"find": "cars", "filter": {"seen": {"$exists": true}}}`, "is served"},
		{`{"find": "cars", "filter": {"seen": null}}`, "scans"},
		{`{"find": "cars", "filter": {"seen": {"$exists": false}}}`, "scans"},
		{`{"find": "cars", "filter": {}, "sort": {"seen": 1}, "limit": 3}`, "scans"},
		{`{"find": "cars", "filter": {"owner": "me", "sold": {"$gte": 1}}, "sort": {"sold": 1}}`, "is served"},
		{`{"find": "cars", "filter": {"owner": "me"}}`, "scans"},
		// A hint leaves no choice.
		{`{"find": "data", "filter": {"_id": {"$gt": 1}}, "sort": {"a": 1}, "limit": 3}`, "sorts in memory"},
		{`{"find": "data", "filter": {"_id": {"$gt": 1}}, "sort": {"a": 1}, "limit": 3, "hint": {"a": 1, "b": 1, "c": 1, "d": 1}}`, "walks an index and drops what does not match"},
		// Writes, and several in one command.
		{`{"update": "data", "updates": [{"q": {"_id": 1}, "u": {}}, {"q": {"e": 1}, "u": {}, "multi": true}]}`, "is served, scans"},
		{`{"delete": "data", "deletes": [{"q": {"a": 1}, "limit": 0}]}`, "is served"},
		{`{"findAndModify": "data", "query": {"a": 1, "c": 2}, "sort": {"b": 1}, "update": {}}`, "is served"},
		{`{"bulkWrite": 1, "ops": [{"insert": 0, "document": {}}, {"update": 1, "filter": {"model": "T"}}, {"delete": 0, "filter": {"a": 1}}],
			"nsInfo": [{"ns": "plat.data"}, {"ns": "plat.cars"}]}`, "scans, is served"},
		{`{"insert": "data", "documents": [{}]}`, ""},
		// Values: one step of the index for each.
		{`{"distinct": "data", "key": "a", "query": {}}`, "is served"},
		{`{"distinct": "data", "key": "b", "query": {"a": 1}}`, "is served"},
		{`{"distinct": "data", "key": "b", "query": {}}`, "scans"},
		{`{"distinct": "data", "key": "c", "query": {"a": {"$gt": 1}}}`, "is served"},
		// Pipelines.
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$group": {"_id": "$b"}}, {"$sort": {"_id": 1}}]}`, "is served"},
		{`{"aggregate": "data", "pipeline": [{"$match": {}}, {"$group": {"_id": 1, "n": {"$sum": 1}}}]}`, "scans"},
		{`{"aggregate": "data", "pipeline": [{"$group": {"_id": "$e"}}]}`, "scans"},
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$sort": {"b": 1}}, {"$limit": 3}]}`, "is served"},
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$sort": {"c": 1}}]}`, "sorts in memory"},
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$unwind": "$e"}, {"$sort": {"b": 1}}]}`, "sorts in memory"},
		{`{"aggregate": "data", "pipeline": [{"$limit": 3}, {"$match": {"e": 1}}]}`, "is served"},
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$lookup": {"from": "cars", "localField": "b", "foreignField": "_id"}}]}`, "is served"},
		{`{"aggregate": "data", "pipeline": [{"$match": {"a": 1}}, {"$lookup": {"from": "cars", "localField": "b", "foreignField": "colour"}}]}`, "scans"},
		// What it does not know.
		{`{"mapReduce": "data"}`, "error"},
		{`{"aggregate": "data", "pipeline": [{"$facet": {}}]}`, "error"},
		{`{"find": "data", "filter": {"$jsonSchema": {}}}`, "error"},
	} {
		var d bson.D
		if err := bson.UnmarshalExtJSON([]byte(x.command), false, &d); err != nil {
			t.Fatalf("%s: %v", x.command, err)
		}
		all, err := queriesOf(d)
		var got []string
		for i := range all {
			got = append(got, p.plan(&all[i]).outcome.String())
		}
		if err != nil {
			got = []string{"error"}
		}
		if got := strings.Join(got, ", "); got != x.want {
			t.Errorf("%.200s: %s, want %s", x.command, got, x.want)
		}
	}
}

// The fields with several values are those of the types of documents.
func TestPlannerKnowsArrays(t *testing.T) {
	arrays := theIndexes().arrays
	for name, want := range map[string][]string{
		"block_versions": {"terms", "links", "links.to", "links.text"},
		"urls":           {"recent"},
		"items":          nil,
	} {
		if !slices.Equal(arrays[name], want) {
			t.Errorf("%s: %v, want %v", name, arrays[name], want)
		}
	}
	for name, field := range map[string]string{"subscriptions": "pages.url", "pages": "blocks.label", "versions": "changes.kind"} {
		if !slices.Contains(arrays[name], field) {
			t.Errorf("%s: %v, want %s among them", name, arrays[name], field)
		}
	}
}

// A query with a plan that is not allowed fails the tests, and so does a plan that is allowed and never seen.
func TestPlansThatAreNotServedAreReported(t *testing.T) {
	c := newCheck()
	for name, all := range indexes() {
		for i := range all {
			c.use(name, keysText(&all[i]))
		}
	}
	send := func(feature string, command bson.D) {
		t.Helper()
		raw, err := bson.Marshal(command)
		if err != nil {
			t.Fatal(err)
		}
		c.record(feature, raw)
	}
	find := func(filter, sort bson.D) bson.D {
		return bson.D{{Key: "find", Value: "urls"}, {Key: "filter", Value: filter}, {Key: "sort", Value: sort}}
	}
	send("State", find(bson.D{{Key: "_id", Value: "x"}}, bson.D{}))
	if report := c.report(nil, true); report != "" {
		t.Errorf("a served query is reported: %s", report)
	}
	send("Stats", find(bson.D{{Key: "visits", Value: 1}}, bson.D{}))
	send("Verify", find(bson.D{}, bson.D{{Key: "_id", Value: 1}}))
	send("State", bson.D{{Key: "mapReduce", Value: "urls"}})
	scan := exception{feature: "Stats", query: "find urls where visits ="}
	walk := exception{feature: "Verify"}
	delete(c.used, "urls {due: 1}")
	for _, x := range []struct {
		allowed []exception
		want    []string
	}{
		{nil, []string{"State: the planner does not know the command mapReduce", "Stats: find urls where visits =: scans", "Verify: find urls by _id: walks a whole index", "urls {due: 1} is an index"}},
		{[]exception{scan, walk}, []string{"State: the planner", "urls {due: 1} is an index"}},
		{[]exception{{feature: "Stats"}, {feature: "State", query: scan.query}, walk}, []string{"State no longer", "State: the planner", "Stats no longer", "Stats: find urls", "urls {due: 1} is an index"}},
	} {
		got := strings.Split(c.report(x.allowed, true), "\n")
		slices.Sort(got)
		if !slices.EqualFunc(got, x.want, strings.HasPrefix) {
			t.Errorf("allowed %v: reported\n%s\nwant lines that begin with\n%s", x.allowed, strings.Join(got, "\n"), strings.Join(x.want, "\n"))
		}
	}
}
