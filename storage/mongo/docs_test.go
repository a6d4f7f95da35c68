package mongo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// answers are the expected results of the queries of docs/mongo.md on the archive of
// fill, by heading, one JSON value per line. The order of rows matters only if
// sorted.
var answers = map[string]struct {
	sorted bool
	want   []string
}{
	"Which blocks labelled main changed on this site in the last seven days?": {true, []string{
		`{"url": "https://news.example/weather", "n": 2, "taken": "2026-11-18T09:00:00.000Z", "topic": "Gale warning lifted", "hash": "` + hash(weather2) + `"}`,
		`{"url": "https://news.example/", "n": 2, "taken": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm", "hash": "` + hash(storm2) + `"}`,
	}},
	"Which versions does a URL have?": {true, []string{
		`{"n": 3, "taken": "2026-11-19T08:00:00.000Z", "capture": {"title": "Example News"}, "changes": [{"kind": "format", "count": 1}]}`,
		`{"n": 2, "taken": "2026-11-15T08:00:00.000Z", "capture": {"title": "Example News"}, "changes": [{"kind": "content", "count": 1}]}`,
		`{"n": 1, "taken": "2026-10-30T08:00:00.000Z", "capture": {"title": "Example News"}}`,
	}},
	"Which version did readers see on 16 November?": {true, []string{
		`{"n": 2, "taken": "2026-11-15T08:00:00.000Z"}`,
	}},
	"What changed on a site since a date, by kind?": {true, []string{
		`{"_id": "content", "blocks": 2}`,
		`{"_id": "added", "blocks": 1}`,
		`{"_id": "format", "blocks": 1}`,
	}},
	"Which blocks were new under a topic with this word?": {true, []string{
		`{"url": "https://news.example/", "n": 2, "taken": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm"}`,
		`{"url": "https://news.example/", "n": 1, "taken": "2026-10-30T08:00:00.000Z", "topic": "Storm closes the harbour"}`,
	}},
	"Which pages show an advertisement now?": {true, []string{
		`{"url": "https://news.example/weather", "head": 2, "newest": "2026-11-18T09:00:00.000Z"}`,
	}},
	"What became of this block?": {true, []string{
		`{"n": 1, "taken": "2026-10-30T08:00:00.000Z", "topic": "Storm closes the harbour", "hash": "` + hash(storm1) + `"}`,
		`{"n": 2, "taken": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm", "hash": "` + hash(storm2) + `"}`,
	}},
	"When did these words appear, and when did they go?": {true, []string{
		`{"url": "https://news.example/", "first": 2, "since": "2026-11-15T08:00:00.000Z", "topic": "Harbour reopens after storm"}`,
		`{"url": "https://news.example/", "first": 1, "since": "2026-10-30T08:00:00.000Z", "until": "2026-11-15T08:00:00.000Z", "topic": "Storm closes the harbour"}`,
	}},
	"Which URLs of a site share this block?": {false, []string{
		`"https://news.example/"`,
		`"https://news.example/weather"`,
	}},
	"Which pages were not visited for 30 days?": {true, []string{
		`{"url": "https://docs.example/guide", "last": "2026-10-01T06:00:00.000Z", "outcome": "unchanged"}`,
	}},
	"Which URLs are due in the next hour?": {true, []string{
		`{"url": "https://docs.example/api", "due": "2026-11-20T11:50:00.000Z", "priority": 0.25}`,
		`{"url": "https://news.example/", "due": "2026-11-20T12:30:00.000Z", "priority": 0.75}`,
	}},
	"What comes next of a site's backlog?": {true, []string{
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
		fmt.Sprintf(`{"_id": "news.example", "urls": 2, "visits": 7, "versions": 5, "whole": %d, "part": true}`, newsBytes),
		fmt.Sprintf(`{"_id": "docs.example", "urls": 3, "visits": 5, "versions": 1, "whole": %d, "part": true}`, 2*pageSize(guide)),
	}},
	"What is new under a tag?": {true, []string{
		`{"subscription": "weather", "kind": "new", "title": "Gale warning lifted", "seen": "2026-11-18T09:00:00.000Z"}`,
		`{"subscription": "front", "kind": "new", "title": "Harbour reopens after storm", "seen": "2026-11-15T08:00:00.000Z"}`,
	}},
	"Which messages could not be sent?": {true, []string{
		`{"subscription": "front", "attempts": 2, "error": "503", "due": "2026-11-20T13:00:00.000Z"}`,
	}},
	"Which pages change most often?": {true, []string{
		`{"url": "https://news.example/", "changes": 3, "visits": 4}`,
		`{"url": "https://news.example/weather", "changes": 2, "visits": 3}`,
	}},
	"What changed anywhere in two days, picked by the server?": {true, []string{
		`{"url": "https://news.example/", "n": 3, "taken": "2026-11-19T08:00:00.000Z", "blocks": {"label": "navigation", "topic": "News Weather"}}`,
	}},
	"How does a site's archive grow, by day?": {true, []string{
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
		fmt.Sprintf(`{"_id": "advertisement", "part": true, "blocks": 1, "html": %d}`, len(advertisement)),
		fmt.Sprintf(`{"_id": "footer", "part": true, "blocks": 1, "html": %d}`, len(footer)),
	}},
}

// The pages of fill. docs/mongo.md contains the footer's hash.
const (
	footer        = "<footer>Example News, since 1871</footer>"
	menu1         = "<nav><a href=/>News</a> <a href=/weather>Weather</a></nav>"
	menu2         = "<nav class=wide><a href=/>News</a> <a href=/weather>Weather</a></nav>"
	advertisement = "<aside>Umbrellas, half price</aside>"
)

var (
	storm1   = "<article><h1>Storm closes the harbour</h1>" + prose("wind", 60) + "</article>"
	storm2   = "<article><h1>Harbour reopens after storm</h1>" + prose("wind", 60) + "<p>Ferries run again.</p></article>"
	weather1 = "<article><h1>Gale warning</h1>" + prose("gale", 30) + "</article>"
	weather2 = "<article><h1>Gale warning lifted</h1>" + prose("gale", 30) + "</article>"
	guideMD  = "<main><h1>How to install</h1>" + prose("step", 50) + "</main>"

	menuBlock   = part{1, plat.LabelNavigation, "News Weather", menu1}
	footerBlock = part{3, plat.LabelFooter, "Example News since 1871", footer}

	news1 = []part{menuBlock, {2, plat.LabelMain, "Storm closes the harbour", storm1}, footerBlock}
	news2 = []part{menuBlock, {2, plat.LabelMain, "Harbour reopens after storm", storm2}, footerBlock}
	news3 = []part{{1, plat.LabelNavigation, "News Weather", menu2}, {2, plat.LabelMain, "Harbour reopens after storm", storm2}, footerBlock}

	weatherPage1 = []part{menuBlock, {2, plat.LabelMain, "Gale warning", weather1}, footerBlock}
	weatherPage2 = []part{menuBlock, {2, plat.LabelMain, "Gale warning lifted", weather2}, {4, plat.LabelAdvertisement, "Umbrellas half price", advertisement}, footerBlock}

	guide = part{1, plat.LabelMain, "How to install", guideMD}
)

var newsBytes = pageSize(news1...) + pageSize(news2...) + 2*pageSize(news3...) + pageSize(weatherPage1...) + pageSize(weatherPage2...)

// now is the time of the queries.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// prose returns text that does not compress very well.
func prose(word string, sentences int) string {
	var b strings.Builder
	for i := range sentences {
		fmt.Fprintf(&b, "<p>%s %d: %s.</p>", word, i, plat.HashOf([]byte{byte(i), word[0]}).String()[:20+i%17])
	}
	return b.String()
}

// part is a leaf block of a synthetic page.
type part struct {
	lineage int32
	label   plat.Label
	topic   string
	html    string
}

var docLayout = plat.Layout{HTML: []byte("<!DOCTYPE html><html><head><title>Example News</title></head><body>\n</body></html>"), Slots: []int32{67}}

// pageOf returns a page of the parts, one on each line.
func pageOf(parts ...part) string {
	var b bytes.Buffer
	b.Write(docLayout.HTML[:docLayout.Slots[0]])
	for _, p := range parts {
		b.WriteString("\n" + p.html)
	}
	b.Write(docLayout.HTML[docLayout.Slots[0]:])
	return b.String()
}

func pageSize(parts ...part) int { return len(pageOf(parts...)) }

func hash(s string) string { return plat.HashOf([]byte(s)).String() }

func at(t testing.TB, s string) time.Time {
	t.Helper()
	when, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

// fill creates the archive for the queries: a news site of two pages and five versions, and a
// documentation site on which most pages fail.
func fill(t testing.TB, s *Store) {
	t.Helper()
	ctx := t.Context()
	last := map[string]*plat.Version{}
	visit := func(url, when string, changes map[plat.Kind]int, parts ...part) {
		t.Helper()
		v := &plat.Version{URL: url, N: 1, Taken: at(t, when), Layout: docLayout.Sum(), Level: 3, Profile: "visual", Coverage: 1, Changes: changes,
			Capture: plat.Capture{FinalURL: url, Status: 200, ContentType: "text/html", Title: "Example News", Browser: "HeadlessChrome", Width: 1366, Height: 768,
				PageBytes: int64(pageSize(parts...)), WireBytes: 20_000, Duration: 2 * time.Second}}
		c := &storage.Commit{Version: v, Layout: docLayout}
		outcome := plat.OutcomeNew
		old := last[url]
		if old != nil {
			v.N, outcome, c.LayoutBase = old.N+1, plat.OutcomeChanged, old.Layout
		}
		v.Blocks = append(v.Blocks, plat.Block{Run: 1, Parent: -1, Tag: "html", Slot: -1, Box: plat.Rect{W: 1366, H: 4000}})
		for i, p := range parts {
			b := plat.Block{Path: []int32{0, 1, int32(i)}, Run: 1, Level: 1, Rule: 3, Tag: "div", Box: plat.Rect{X: 8, Y: float32(100 * i), W: 1350, H: 100}, Pos: int32(i),
				Lead: "\n", Hash: plat.HashOf([]byte(p.html)), Content: []byte(p.html), TextLen: int32(len(p.html) / 2), FontSize: 16, Topic: p.topic, Label: p.label,
				Confidence: 0.75, Lineage: p.lineage}
			v.Lineages = max(v.Lineages, p.lineage)
			if old != nil {
				if k := slices.IndexFunc(old.Blocks, func(o plat.Block) bool { return o.Leaf() && o.Lineage == b.Lineage && o.Hash != b.Hash }); k >= 0 {
					b.Base = old.Blocks[k].Hash
				}
			}
			v.Blocks = append(v.Blocks, b)
		}
		c.Visit = plat.Visit{URL: url, Time: v.Taken, Outcome: outcome, Version: v.N, Status: 200, Duration: 2 * time.Second, Bytes: 20_000}
		if _, err := s.Commit(ctx, c); err != nil {
			t.Fatal(err)
		}
		last[url] = v
	}
	look := func(url, when string, outcome plat.Outcome, status int, pageBytes int) {
		t.Helper()
		v := plat.Visit{URL: url, Time: at(t, when), Outcome: outcome, Status: status, Duration: 1500 * time.Millisecond}
		if old := last[url]; old != nil && outcome == plat.OutcomeUnchanged {
			v.Version = old.N
		}
		if err := s.Record(ctx, v, int64(pageBytes)); err != nil {
			t.Fatal(err)
		}
	}

	const news, weather = "https://news.example/", "https://news.example/weather"
	visit(news, "2026-10-30 08:00", nil, news1...)
	visit(weather, "2026-11-01 09:00", nil, weatherPage1...)
	visit(news, "2026-11-15 08:00", map[plat.Kind]int{plat.Content: 1}, news2...)
	look(weather, "2026-11-17 09:00", plat.OutcomeUnreachable, 0, 0)
	visit(weather, "2026-11-18 09:00", map[plat.Kind]int{plat.Content: 1, plat.Added: 1}, weatherPage2...)
	visit(news, "2026-11-19 08:00", map[plat.Kind]int{plat.Format: 1}, news3...)
	look(news, "2026-11-20 08:00", plat.OutcomeUnchanged, 200, pageSize(news3...))

	visit("https://docs.example/guide", "2026-09-01 06:00", nil, guide)
	look("https://docs.example/guide", "2026-10-01 06:00", plat.OutcomeUnchanged, 200, pageSize(guide))
	look("https://docs.example/old", "2026-11-19 07:00", plat.OutcomeGone, 404, 0)
	look("https://docs.example/api", "2026-11-19 23:00", plat.OutcomeTimeout, 0, 0)
	look("https://docs.example/api", "2026-11-20 11:00", plat.OutcomeTimeout, 0, 0)

	if _, err := s.Enlist(ctx, []plat.Job{
		{URL: news, Due: at(t, "2026-11-20 12:30"), Priority: 0.75, Plan: plat.Plan{Schedule: plat.Schedule{Every: time.Hour}}},
		{URL: weather, Due: at(t, "2026-11-21 09:00"), Priority: 0.5},
		{URL: "https://docs.example/api", Due: at(t, "2026-11-20 11:50"), Priority: 0.25},
		{URL: "https://news.example/new", Due: at(t, "2026-11-22 00:00")},
	}, storage.Join); err != nil {
		t.Fatal(err)
	}
	follow(t, s)
}

// follow subscribes to the news site, and stores a message that fails.
func follow(t testing.TB, s *Store) {
	t.Helper()
	for _, x := range []struct{ id, url, title, seen string }{
		{"front", "https://news.example/", "Harbour reopens after storm", "2026-11-15 08:00"},
		{"weather", "https://news.example/weather", "Gale warning lifted", "2026-11-18 09:00"},
		{"docs", "https://docs.example/guide", "How to install", "2026-11-19 00:00"},
	} {
		sub := &plat.Subscription{ID: x.id, URL: x.url, Tags: []string{"weather"}, Tell: []string{"phone"}, Made: at(t, "2026-11-01 00:00")}
		if x.id == "docs" {
			sub.Tags = nil
		}
		seen := at(t, x.seen)
		e := &storage.Examination{ID: x.id, Following: plat.Following{Pages: []plat.FollowedPage{{URL: x.url, Depth: 1, Examined: 2, Memory: []byte("memory")}}, Since: seen},
			Items:    []plat.Item{{ID: x.id + "-1", Subscription: x.id, Kind: plat.ItemNew, Title: x.title, Page: x.url, Version: 2, Lineage: 2, Seen: seen}},
			Messages: []plat.Message{{ID: x.id + "-m", Channel: "phone", Subscription: x.id, Items: []string{x.id + "-1"}, Made: seen, Due: seen}}}
		if err := errors.Join(s.Subscribe(t.Context(), sub), s.Examined(t.Context(), e)); err != nil {
			t.Fatal(err)
		}
	}
	failed := &plat.Message{ID: "front-m", Attempts: 2, Due: at(t, "2026-11-20 13:00"), Error: "503"}
	if err := errors.Join(s.PutChannel(t.Context(), &plat.Channel{Name: "phone", URL: "https://phone.example/$TOKEN"}), s.Failed(t.Context(), failed)); err != nil {
		t.Fatal(err)
	}
}

// question is a heading of docs/mongo.md with its script and remarks.
type question struct {
	name, script, index string
	scans, mongoDBOnly  bool
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
	claim = regexp.MustCompile("(?m)^(?:Index: `([a-z]+) (\\{.*?\\})`|Scans `([a-z]+)`)")
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

// shell runs scripts in a process of package mongosh, and records their commands.
type shell struct {
	bin  string
	db   *mongo.Database
	done []asked
}

func newShell(t testing.TB, db *mongo.Database) *shell {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "mongosh")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = "mongosh"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the shell: %v: %s", err, out)
	}
	return &shell{bin: bin, db: db}
}

// eval returns the value of a script.
func (s *shell) eval(ctx context.Context, script string) (any, error) {
	s.done = nil
	cmd := exec.CommandContext(ctx, s.bin)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer cmd.Wait()
	defer stdin.Close()
	say, lines := json.NewEncoder(stdin), bufio.NewReader(stdout)
	if err := say.Encode(map[string]any{"now": now.UnixMilli(), "script": script}); err != nil {
		return nil, err
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the shell ended: %w", err)
		}
		var m struct {
			Call   *asked
			Result any
			Error  string
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			return nil, err
		case m.Error != "":
			return nil, fmt.Errorf("%s", m.Error)
		case m.Call == nil:
			return m.Result, nil
		}
		s.done = append(s.done, *m.Call)
		docs, err := m.Call.run(ctx, s.db)
		answer := map[string]any{}
		if err != nil {
			answer["error"] = err.Error()
		} else if answer["docs"], err = extended(docs); err != nil {
			return nil, err
		}
		if err := say.Encode(answer); err != nil {
			return nil, err
		}
	}
}

// extended returns documents as canonical Extended JSON, which distinguishes types of
// numbers.
func extended(docs []bson.D) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, d := range docs {
		b, err := bson.MarshalExtJSON(d, true, false)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
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
			if q.mongoDBOnly && !real {
				t.Skip("FerretDB 1.24 lacks stages that this needs; set PLAT_TEST_MONGODB_URI to a MongoDB")
			}
			got, err := sh.eval(t.Context(), q.script)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, a.want, a.sorted)
			checkIndex(t, s.db, &q, sh.done)
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
	for name, d := range map[string]any{"urls": urlDoc{}, "versions": versionDoc{}, "blocks": contentDoc{}, "layouts": contentDoc{}, "visits": visitDoc{}, "spans": spanDoc{}, "screenshots": pictureDoc{},
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
		for _, part := range []any{blockDoc{}, boxDoc{}, captureDoc{}, adjustDoc{}, changeDoc{}, pairDoc{}, writtenDoc{}} {
			for f := range reflect.TypeOf(part).Fields() {
				field, _, _ := strings.Cut(f.Tag.Get("bson"), ",")
				if name == "versions" && !strings.Contains(section, "`"+field+"`") && !strings.Contains(section, field+": ") {
					t.Errorf("the section on versions does not say what %s of a %T is", field, part)
				}
			}
		}
	}
	s := open(t, Options{})
	for _, c := range []*mongo.Collection{s.urls, s.hosts, s.versions, s.visits, s.spans, s.subscriptions, s.memories, s.items, s.messages, s.sent, s.crawlPages} {
		for _, index := range indexes(t, c) {
			if !strings.Contains(doc, "`"+c.Name()+"` | `"+index+"`") {
				t.Errorf("the table of indexes does not name %s of %s", index, c.Name())
			}
		}
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
		if p != "" && exec.Command(p, "-c", "import pymongo, zstandard").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("no Python with pymongo and zstandard (on Debian: apt-get install python3-pymongo python3-zstandard)")
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
	if want := pageOf(news2...); string(page) != want {
		t.Errorf("it reads %d bytes, want %d:\n%s", len(page), len(want), page)
	}
}
