package mongo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// answers are the expected results of the queries of docs/mongo.md on the archive of
// fill, by heading, one JSON value per line. The order of rows matters only if
// sorted.
var answers = map[string]struct {
	sorted bool
	want   []string
}{
	"What is on a page now?": {true, []string{
		`{"n": 2, "taken": "2026-11-18T09:00:00.000Z", "blocks": [{},
			{"label": "navigation", "topic": "News Weather", "since": 1, "at": "2026-11-01T09:00:00.000Z"},
			{"label": "main", "topic": "Gale warning lifted", "since": 2, "at": "2026-11-18T09:00:00.000Z"},
			{"label": "advertisement", "topic": "Umbrellas half price", "since": 2, "at": "2026-11-18T09:00:00.000Z"},
			{"label": "footer", "topic": "Example News since 1871", "since": 1, "at": "2026-11-01T09:00:00.000Z"}]}`,
	}},
	"What do the blocks around the main text of a page say now?": {true, []string{
		`{"label": "navigation", "text": "News Weather"}`,
		`{"label": "footer", "text": "Example News, since 1871"}`,
		`{"label": "advertisement", "text": "Umbrellas, half price"}`,
	}},
	"Which blocks labelled main changed on this site in the last seven days?": {true, []string{
		`{"url": "https://news.example/weather", "first": 2, "since": "2026-11-18T09:00:00.000Z", "began": "content", "topic": "Gale warning lifted", "hash": "` + hash(weather2) + `"}`,
		`{"url": "https://news.example/", "first": 2, "since": "2026-11-15T08:00:00.000Z", "began": "content", "topic": "Harbour reopens after storm", "hash": "` + hash(storm2) + `"}`,
	}},
	"What changed anywhere in two days?": {true, []string{
		`{"url": "https://news.example/", "first": 3, "since": "2026-11-19T08:00:00.000Z", "began": "format", "label": "navigation", "topic": "News Weather"}`,
	}},
	"Which blocks of a site were removed since a date?": {true, []string{
		`{"url": "https://news.example/", "label": "sidebar", "topic": "Ferries cancelled", "text": "All ferries are cancelled",
			"since": "2026-10-30T08:00:00.000Z", "until": "2026-11-15T08:00:00.000Z"}`,
	}},
	"What changed on a site since a date, by kind?": {true, []string{
		`{"_id": "content", "blocks": 2}`,
		`{"_id": "added", "blocks": 1}`,
		`{"_id": "format", "blocks": 1}`,
		`{"_id": "removed", "blocks": 1}`,
	}},
	"What became of this block?": {true, []string{
		`{"first": 1, "since": "2026-10-30T08:00:00.000Z", "began": "first", "until": "2026-11-15T08:00:00.000Z", "ended": "content",
			"topic": "Storm closes the harbour", "hash": "` + hash(storm1) + `"}`,
		`{"first": 2, "since": "2026-11-15T08:00:00.000Z", "began": "content", "topic": "Harbour reopens after storm", "hash": "` + hash(storm2) + `"}`,
	}},
	"Which versions does a URL have?": {true, []string{
		`{"n": 3, "taken": "2026-11-19T08:00:00.000Z", "title": "Example News", "changes": [{"kind": "format", "count": 1}]}`,
		`{"n": 2, "taken": "2026-11-15T08:00:00.000Z", "title": "Example News", "changes": [{"kind": "content", "count": 1}, {"kind": "removed", "count": 1}]}`,
		`{"n": 1, "taken": "2026-10-30T08:00:00.000Z", "title": "Example News"}`,
	}},
	"Which version did readers see on 16 November?": {true, []string{
		`{"n": 2, "taken": "2026-11-15T08:00:00.000Z"}`,
	}},
	"Which blocks did readers see on 16 November?": {true, []string{
		`{"lineage": 1, "label": "navigation", "topic": "News Weather", "first": 1}`,
		`{"lineage": 2, "label": "main", "topic": "Harbour reopens after storm", "first": 2}`,
		`{"lineage": 3, "label": "footer", "topic": "Example News since 1871", "first": 1}`,
	}},
	"Which versions of a site are from around a date?": {true, []string{
		`{"url": "https://news.example/", "n": 2, "taken": "2026-11-15T08:00:00.000Z", "status": 200}`,
		`{"url": "https://news.example/weather", "n": 2, "taken": "2026-11-18T09:00:00.000Z", "status": 200}`,
	}},
	"What on this page is older than a year?": {true, []string{
		`{"label": "main", "topic": "How to install", "since": "2025-09-01T06:00:00.000Z"}`,
	}},
	"Which new blocks have this word in their topic?": {true, []string{
		`{"url": "https://news.example/", "first": 2, "since": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm"}`,
		`{"url": "https://news.example/", "first": 1, "since": "2026-10-30T08:00:00.000Z", "topic": "Storm closes the harbour"}`,
	}},
	"Where do these words stand now?": {true, []string{
		`{"url": "https://news.example/", "label": "main", "topic": "Harbour reopens after storm", "since": "2026-11-15T08:00:00.000Z"}`,
	}},
	"When did these words appear, and when did they go?": {true, []string{
		`{"url": "https://news.example/", "first": 2, "since": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm"}`,
		`{"url": "https://news.example/", "first": 1, "since": "2026-10-30T08:00:00.000Z", "until": "2026-11-15T08:00:00.000Z", "topic": "Storm closes the harbour"}`,
	}},
	"Which pages share this very content?": {true, []string{
		`{"url": "https://news.example/", "label": "footer", "since": "2026-10-30T08:00:00.000Z"}`,
		`{"url": "https://news.example/weather", "label": "footer", "since": "2026-11-01T09:00:00.000Z"}`,
	}},
	"Which pages of a site show an advertisement now?": {true, []string{
		`{"url": "https://news.example/weather", "n": 2, "taken": "2026-11-18T09:00:00.000Z"}`,
	}},
	"Which main blocks of a site link to this host?": {true, []string{
		`{"url": "https://news.example/", "topic": "Harbour reopens after storm", "since": "2026-11-15T08:00:00.000Z",
			"links": [{"to": "https://ferries.example/times", "text": "again"}]}`,
	}},
	"Which pages were not visited for 30 days?": {true, []string{
		`{"url": "https://docs.example/guide", "last": "2026-10-01T06:00:00.000Z", "outcome": "unchanged"}`,
	}},
	"Which URLs are due in the next hour?": {true, []string{
		`{"url": "https://docs.example/api", "due": "2026-11-20T11:50:00.000Z", "priority": 0.25}`,
		`{"url": "https://news.example/", "due": "2026-11-20T12:30:00.000Z", "priority": 0.75}`,
	}},
	"Which backlog jobs of a site come next?": {true, []string{
		`{"url": "https://news.example/", "due": "2026-11-20T12:30:00.000Z", "priority": 0.75}`,
		`{"url": "https://news.example/weather", "due": "2026-11-21T09:00:00.000Z", "priority": 0.5}`,
		`{"url": "https://news.example/new", "due": "2026-11-22T00:00:00.000Z"}`,
	}},
	"Which hosts have the most to do?": {true, []string{
		`{"host": "news.example", "jobs": 3, "backlog": 3}`,
		`{"host": "docs.example", "jobs": 1, "backlog": 1}`,
	}},
	"When was a URL visited, and how did it go?": {true, []string{
		`{"time": "2026-11-20T08:00:00.000Z", "outcome": "unchanged", "version": 3, "duration_ms": 1500}`,
		`{"time": "2026-11-19T08:00:00.000Z", "outcome": "changed", "version": 3, "duration_ms": 2000}`,
		`{"time": "2026-11-15T08:00:00.000Z", "outcome": "changed", "version": 2, "duration_ms": 2000}`,
		`{"time": "2026-10-30T08:00:00.000Z", "outcome": "new", "version": 1, "duration_ms": 2000}`,
	}},
	"Which visits failed this week, by host and outcome?": {true, []string{
		`{"docs.example gone": 1, "docs.example timeout": 2, "news.example unreachable": 1}`,
	}},
	"Which pages are failing now?": {true, []string{
		`{"_id": "gone", "urls": 1}`,
		`{"_id": "timeout", "urls": 1}`,
	}},
	"How many bytes does a site save?": {true, []string{
		fmt.Sprintf(`{"urls": 2, "visits": 7, "versions": 5, "whole": %d, "part": true}`, newsBytes),
	}},
	"How many bytes does each site save?": {true, []string{
		fmt.Sprintf(`{"host": "news.example", "urls": 2, "visits": 7, "versions": 5, "whole": %d, "part": true}`, newsBytes),
		fmt.Sprintf(`{"host": "docs.example", "urls": 3, "visits": 5, "versions": 1, "whole": %d, "part": true}`, 2*pageSize(guide)),
	}},
	"What is new on a watched site?": {true, []string{
		`{"page": "https://news.example/weather", "kind": "new", "title": "Gale warning lifted", "version": 2, "lineage": 2, "seen": "2026-11-18T09:00:00.000Z"}`,
		`{"page": "https://news.example/", "kind": "new", "title": "Harbour reopens after storm", "version": 2, "lineage": 2, "seen": "2026-11-15T08:00:00.000Z"}`,
	}},
	"What is new under a tag?": {true, []string{
		`{"subscription": "weather", "kind": "new", "title": "Gale warning lifted", "seen": "2026-11-18T09:00:00.000Z"}`,
		`{"subscription": "front", "kind": "new", "title": "Harbour reopens after storm", "seen": "2026-11-15T08:00:00.000Z"}`,
	}},
	"Which messages could not be sent?": {true, []string{
		`{"subscription": "front", "attempts": 2, "error": "503", "due": "2026-11-20T13:00:00.000Z"}`,
	}},
	"What began since the last time I asked?": {true, []string{
		`{"_id": "` + blockVersionID(newsWeather, 2, contentKey(2, weather2)) + `", "url": "https://news.example/weather", "first": 2, "since": "2026-11-18T09:00:00.000Z", "began": "content", "topic": "Gale warning lifted"}`,
		`{"_id": "` + blockVersionID(newsWeather, 2, contentKey(4, advertisement)) + `", "url": "https://news.example/weather", "first": 2, "since": "2026-11-18T09:00:00.000Z", "began": "added", "topic": "Umbrellas half price"}`,
		`{"_id": "` + blockVersionID("https://news.example/", 3, contentKey(1, menu2)) + `", "url": "https://news.example/", "first": 3, "since": "2026-11-19T08:00:00.000Z", "began": "format", "topic": "News Weather"}`,
	}},
	"What ended since the last time I asked?": {true, []string{
		`{"_id": "` + blockVersionID(newsWeather, 1, contentKey(2, weather1)) + `", "url": "https://news.example/weather", "until": "2026-11-18T09:00:00.000Z", "ended": "content", "topic": "Gale warning"}`,
		`{"_id": "` + blockVersionID("https://news.example/", 1, contentKey(1, menu1)) + `", "url": "https://news.example/", "until": "2026-11-19T08:00:00.000Z", "ended": "format", "topic": "News Weather"}`,
	}},
	"Which pages change most often?": {true, []string{
		`{"url": "https://news.example/", "changes": 3, "visits": 4}`,
		`{"url": "https://news.example/weather", "changes": 2, "visits": 3}`,
	}},
	"How many versions a day does a site have, and how many bytes?": {true, []string{
		`{"2026-11-15": {"versions": 1, "part": true}, "2026-11-18": {"versions": 1, "part": true}, "2026-11-19": {"versions": 1, "part": true}}`,
	}},
	"How does the whole archive grow, by day?": {true, []string{
		`{"_id": "2026-11-15T00:00:00.000Z", "versions": 1, "part": true}`,
		`{"_id": "2026-11-18T00:00:00.000Z", "versions": 1, "part": true}`,
		`{"_id": "2026-11-19T00:00:00.000Z", "versions": 1, "part": true}`,
	}},
	"How many bytes do the blocks of each label take?": {true, []string{
		fmt.Sprintf(`{"_id": "main", "part": true, "blocks": 4, "html": %d}`, len(storm1)+len(storm2)+len(weather1)+len(weather2)),
		fmt.Sprintf(`{"_id": "navigation", "part": true, "blocks": 2, "html": %d}`, len(menu1)+len(menu2)),
		fmt.Sprintf(`{"_id": "footer", "part": true, "blocks": 1, "html": %d}`, len(footer)),
		fmt.Sprintf(`{"_id": "sidebar", "part": true, "blocks": 1, "html": %d}`, len(notice)),
		fmt.Sprintf(`{"_id": "advertisement", "part": true, "blocks": 1, "html": %d}`, len(advertisement)),
	}},
}

// question is a heading of docs/mongo.md with its script and remarks.
type question struct {
	name, script, index string
	mongoDBOnly         bool
	scans, sorts        bool // its remark says so
}

const docPath = "../../docs/mongo.md"

func readDoc(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(docPath))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var (
	fence = regexp.MustCompile("(?s)```js\n(.*?)```\n(.*)")
	claim = regexp.MustCompile("(?m)^(?:Index: `([a-z_]+) (\\{.*?\\})`|Scans `([a-z_]+)`)")
)

// questions parses the document: "### " and the question, a js fence, and a line
// "Index: …" or "Scans …".
func questions(t testing.TB) []question {
	t.Helper()
	_, text, ok := strings.Cut(readDoc(t), "\n## Questions\n")
	if !ok {
		t.Fatalf("%s has no questions", docPath)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var out []question
	for _, section := range strings.Split(text, "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		m := fence.FindStringSubmatch(body)
		if m == nil {
			t.Errorf("%q has no script", name)
			continue
		}
		q := question{name: name, script: m[1], mongoDBOnly: strings.Contains(m[2], "Not on FerretDB")}
		switch c := claim.FindStringSubmatch(m[2]); {
		case c == nil:
			t.Errorf("%q has neither an Index nor a Scans line", name)
		case c[3] != "":
			q.scans = true
		default:
			q.index = c[1] + " " + c[2]
			q.sorts = strings.Contains(m[2], "the server sorts")
		}
		out = append(out, q)
	}
	return out
}

// asked is a command from a script to the server.
type asked struct {
	Op         string          `json:"op"`
	Collection string          `json:"collection"`
	Field      string          `json:"field"`
	Filter     json.RawMessage `json:"filter"`
	Projection json.RawMessage `json:"projection"`
	Sort       json.RawMessage `json:"sort"`
	Pipeline   json.RawMessage `json:"pipeline"`
	Limit      int64           `json:"limit"`
	Lookup     bool            `json:"lookup"`
}

func parse(raw json.RawMessage) (d bson.D, err error) {
	d = bson.D{}
	if len(raw) > 0 {
		err = bson.UnmarshalExtJSON(raw, false, &d)
	}
	return d, err
}

// run runs a command through the driver.
func (c *asked) run(ctx context.Context, db *mongo.Database) (docs []bson.D, err error) {
	coll := db.Collection(c.Collection)
	filter, err := parse(c.Filter)
	if err != nil {
		return nil, err
	}
	var cur *mongo.Cursor
	switch c.Op {
	case "find":
		o := options.Find().SetLimit(c.Limit)
		for raw, set := range map[*json.RawMessage]func(any) *options.FindOptionsBuilder{&c.Projection: o.SetProjection, &c.Sort: o.SetSort} {
			d, err := parse(*raw)
			if err != nil {
				return nil, err
			}
			if len(d) > 0 {
				set(d)
			}
		}
		cur, err = coll.Find(ctx, filter, o)
	case "aggregate":
		var p bson.A
		if err := bson.UnmarshalExtJSON(c.Pipeline, false, &p); err != nil {
			return nil, err
		}
		cur, err = coll.Aggregate(ctx, p)
	case "count":
		n, err := coll.CountDocuments(ctx, filter)
		return []bson.D{{{Key: "n", Value: n}}}, err
	case "distinct":
		var values bson.A
		err := coll.Distinct(ctx, c.Field, filter).Decode(&values)
		for _, v := range values {
			docs = append(docs, bson.D{{Key: "value", Value: v}})
		}
		return docs, err
	default:
		return nil, fmt.Errorf("the shell produced no command from %q", c.Op)
	}
	if err != nil {
		return nil, err
	}
	return docs, cur.All(ctx, &docs)
}

// match returns the first filter of a command, and its sort order.
func (c *asked) match() (filter, sort bson.D, err error) {
	if c.Op != "aggregate" {
		if filter, err = parse(c.Filter); err == nil {
			sort, err = parse(c.Sort)
		}
		return filter, sort, err
	}
	var stages []json.RawMessage
	var first struct {
		Match json.RawMessage `json:"$match"`
	}
	if err = json.Unmarshal(c.Pipeline, &stages); err == nil && len(stages) > 0 {
		if err = json.Unmarshal(stages[0], &first); err == nil {
			filter, err = parse(first.Match)
		}
	}
	return filter, nil, err
}

// isMongoDB reports whether the server is MongoDB itself.
func isMongoDB(t testing.TB, db *mongo.Database) bool {
	t.Helper()
	b, err := db.RunCommand(t.Context(), bson.D{{Key: "buildInfo", Value: 1}}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.LookupErr("ferretdb")
	_, older := b.LookupErr("ferretdbVersion")
	return err != nil && older != nil
}

// TestDocumentedQueries runs every script of docs/mongo.md on an archive with known
// answers, and checks its remarks on indexes against the actual indexes.
func TestDocumentedQueries(t *testing.T) {
	s := open(t, Options{})
	fill(t, s)
	if err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sh := newShell(t, s.db)
	real := isMongoDB(t, s.db)
	known, ran := map[string]bool{}, 0
	for _, q := range questions(t) {
		known[q.name] = true
		t.Run(q.name, func(t *testing.T) {
			a, ok := answers[q.name]
			if !ok {
				t.Fatal("no expected answer")
			}
			sh.mingo = ""
			if q.mongoDBOnly && !real {
				sh.mingo = requireMingo(t)
			}
			got, err := sh.eval(t.Context(), q.script)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, a.want, a.sorted)
			checkIndex(t, &q, sh.done)
			if real {
				explain(t, s.db, &q, sh.done)
			}
			ran++
		})
	}
	for name := range answers {
		if !known[name] {
			t.Errorf("%s has no question %q", docPath, name)
		}
	}
	if ran < 10 {
		t.Errorf("%d questions ran, want at least 10", ran)
	}
}

// compare compares rows, or one value. A wanted field part: true matches a field
// bytes with a plausible compressed size.
func compare(t *testing.T, got any, want []string, sorted bool) {
	t.Helper()
	rows, ok := got.([]any)
	if !ok {
		rows = []any{got}
	}
	have := make([]string, len(rows))
	for i := range rows {
		b, err := json.Marshal(measured(rows[i]))
		if err != nil {
			t.Fatal(err)
		}
		have[i] = string(b)
	}
	wanted := make([]string, len(want))
	for i := range want {
		var v any
		if err := json.Unmarshal([]byte(want[i]), &v); err != nil {
			t.Fatalf("%s: %v", want[i], err)
		}
		b, _ := json.Marshal(v)
		wanted[i] = string(b)
	}
	if !sorted {
		slices.Sort(have)
		slices.Sort(wanted)
	}
	if !slices.Equal(have, wanted) {
		t.Errorf("it gives\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(wanted, "\n"))
	}
}

// TestDocumentedReader runs the program of docs/mongo.md that restores a version. It needs a
// Python with pymongo and zstandard; PYTHON is its path.
func TestDocumentedReader(t *testing.T) {
	m := regexp.MustCompile("(?s)```python\n(.*?)```").FindStringSubmatch(readDoc(t))
	if m == nil {
		t.Fatalf("%s has no program in Python", docPath)
	}
	var python string
	for _, p := range []string{os.Getenv("PYTHON"), "python3", "/usr/bin/python3"} {
		if p != "" && exec.Command(p, "-c", "import pymongo, gridfs, zstandard").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("no Python with pymongo and zstandard (on Debian: apt-get install python3-pymongo python3-gridfs python3-zstandard)")
	}
	s := open(t, Options{})
	fill(t, s)
	// The page is suitable for this test only if one of its contents has a base.
	if n, err := s.blocks.CountDocuments(t.Context(), bson.D{{Key: "_id", Value: hash(storm2)}, {Key: "base", Value: hash(storm1)}}); err != nil || n != 1 {
		t.Fatalf("the page read has %d contents with a base, want 1: %v", n, err)
	}
	uri, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	uri.Path = "/" + s.db.Name()
	cmd := exec.CommandContext(t.Context(), python, "-c", m[1])
	cmd.Env = append(os.Environ(), "PLAT_STORE="+uri.String())
	cmd.Stderr = os.Stderr
	page, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := pageOf(news3...); string(page) != want {
		t.Errorf("it reads %d bytes, want %d:\n%s", len(page), len(want), page)
	}
}
