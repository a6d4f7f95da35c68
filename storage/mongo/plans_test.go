package mongo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
)

// theIndexes are those of every archive, with the fields that hold arrays, and those of GridFS.
func theIndexes() *planner {
	p := &planner{indexes: indexes(), arrays: map[string][]string{}}
	for name, d := range documents {
		p.arrays[name] = arraysOf(reflect.TypeOf(d), "", false)
	}
	p.indexes["large.files"] = []index{on("filename", "uploadDate")}
	p.indexes["large.chunks"] = []index{on("files_id", "n")}
	return p
}

// arraysOf returns the fields of a type of documents, below a prefix, that have several values: in is true in an array.
func arraysOf(t reflect.Type, prefix string, in bool) (all []string) {
	for f := range t.Fields() {
		field, how, _ := strings.Cut(f.Tag.Get("bson"), ",")
		if how == "inline" {
			all = append(all, arraysOf(f.Type, prefix, in)...)
		}
		if field == "" {
			continue
		}
		t, several := f.Type, in
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && t != reflect.TypeFor[bson.D]() {
			t, several = t.Elem(), true
		}
		if several {
			all = append(all, prefix+field)
		}
		if t.Kind() == reflect.Struct {
			all = append(all, arraysOf(t, prefix+field+".", several)...)
		}
	}
	return all
}

// seen is a query that plat sent, and the feature that sent it.
type seen struct{ feature, query string }

// check has the plans of queries, by feature.
type check struct {
	sync.Mutex
	planner *planner
	plans   map[seen]plan
	unknown map[string]bool // errors of the planner
	used    map[string]bool // indexes that serve, with their collection
	lines   map[string]bool // lines of the code, "FILE:LINE", that sent commands
}

func newCheck() *check {
	return &check{planner: theIndexes(), plans: map[seen]plan{}, unknown: map[string]bool{}, used: map[string]bool{}, lines: map[string]bool{}}
}

// sentPlans has the plans of all queries that the tests of this process saw plat send.
var sentPlans = newCheck()

// use records that an index serves a query.
func (c *check) use(collection, index string) {
	c.Lock()
	defer c.Unlock()
	c.used[collection+" "+index] = true
}

// watchPlans records the plans of the commands of a store to be opened.
func watchPlans(o Options) Options {
	next := o.Monitor
	o.Monitor = &event.CommandMonitor{Started: func(ctx context.Context, e *event.CommandStartedEvent) {
		if next != nil && next.Started != nil {
			next.Started(ctx, e)
		}
		if !slices.Contains(ignored, e.CommandName) {
			if feature, lines := sender(); feature != "" {
				sentPlans.record(feature, e.Command, lines...)
			}
		}
	}}
	if next != nil {
		o.Monitor.Succeeded, o.Monitor.Failed = next.Succeeded, next.Failed
	}
	return o
}

func (c *check) record(feature string, command bson.Raw, lines ...string) {
	var d bson.D
	err := bson.Unmarshal(command, &d)
	var all []query
	if err == nil {
		all, err = queriesOf(d)
	}
	c.Lock()
	defer c.Unlock()
	for _, l := range lines {
		c.lines[l] = true
	}
	if err != nil {
		c.unknown[feature+": "+err.Error()] = true
	}
	for i := range all {
		k := seen{feature, all[i].String()}
		if _, ok := c.plans[k]; !ok {
			p := c.planner.plan(&all[i])
			c.plans[k], c.used[all[i].collection+" "+p.index] = p, true
		}
	}
}

// methods matches the methods of a store in the names of functions, with those of their closures, which may be
// inlined into a test.
var methods = regexp.MustCompile(`^plat/storage/mongo\..*?\(\*Store\)\.(\w+)`)

// sender returns the outermost exported method of a store that is sending a command in this goroutine, or the
// outermost one, or "" for a command of a test; and the lines of this package from which it comes.
func sender() (feature string, lines []string) {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	exported, inner := "", ""
	for {
		f, more := frames.Next()
		if m := methods.FindStringSubmatch(f.Function); m != nil {
			inner = m[1]
			if m[1][0] >= 'A' && m[1][0] <= 'Z' {
				exported = m[1]
			}
		}
		if f.Function == "plat/storage/mongo.Open" {
			exported = "Open"
		}
		if strings.HasPrefix(f.Function, "plat/storage/mongo.") && !strings.HasSuffix(f.File, "_test.go") {
			lines = append(lines, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	return cmp.Or(exported, inner), lines
}

// exception allows a plan that no index serves.
type exception struct {
	feature, query string // query "": all that walk an index
	why            string
}

// report returns the queries that no index serves and that are not allowed, one a line, and, if all tests ran, the
// exceptions and the indexes that no query needs.
func (c *check) report(allowed []exception, whole bool) string {
	c.Lock()
	defer c.Unlock()
	needed := map[int]bool{}
	var lines []string
	for _, k := range slices.SortedFunc(maps.Keys(c.plans), func(a, b seen) int {
		return cmp.Or(strings.Compare(a.feature, b.feature), strings.Compare(a.query, b.query))
	}) {
		p := c.plans[k]
		if p.outcome == served {
			continue
		}
		k0 := slices.IndexFunc(allowed, func(x exception) bool {
			return x.feature == k.feature && (x.query == k.query || x.query == "" && p.outcome == walks)
		})
		if k0 < 0 {
			lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s: %s: %s %s", k.feature, k.query, p.outcome, p.index), " "))
		}
		needed[k0] = true
	}
	lines = append(lines, slices.Sorted(maps.Keys(c.unknown))...)
	for i, x := range allowed {
		if whole && !needed[i] {
			lines = append(lines, fmt.Sprintf("%s no longer sends %q, or an index serves it: it needs no exception", x.feature, x.query))
		}
	}
	for name, all := range indexes() {
		for i := range all {
			if x := name + " " + keysText(&all[i]); whole && !c.used[x] {
				lines = append(lines, x+" is an index that no query needs")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// allowed are the plans that no index serves.
var allowed = []exception{
	// Whole passes, in the order of _id.
	{"GC", "", "it compares all documents with all references"},
	{"recountAll", "", "a part of GC that a test calls by itself"},
	{"walkVersions", "", "of GC and Verify, which read two collections side by side, in a coroutine"},
	{"Verify", "", "it checks all documents"},
	{"Backlogs", "", "messages that wait are few, and removed when they are sent"},
	{"Channels", "", "channels are a few, and users name them"},
	{"Take", "", "the same channels"},
	{"Crawls", "", "crawls are a few, and users begin them"},
	{"Forget", "", "the same crawls"},
	{"Notes", "", "of the tests: commands ask for notes by prefix"},

	{"Reindex", "update urls where build other, head range", "it marks all URLs with versions, in order to rebuild all block versions"},
	{"Reindex", "update urls where build range, head range", "the same for those of a build by a fast clock"},
	{"outdateAll", "update urls where build other, head range", "the same, called by a test"},
	{"outdateAll", "update urls where build range, head range", "the same"},
	{"Migrate", "find urls where due exists, todo null by url limited", "it is one pass over all URLs, page by page"},

	{"Counts", "aggregate hosts", "it adds up a small document for each host that has jobs"},
	{"Counts", "aggregate hosts where jobs range", "the same documents; an index of jobs would change with every write of a host"},
	{"HostCounts", "find hosts where (dead range or jobs range) by -jobs, -dead, _id limited", "the same documents, of which the server keeps the first while it reads"},

	// Queries of people about all sites, without words, read from the first of the results on.
	{"Find", "find block_versions where again null, url exists by url, -first, order limited hinted", "most block versions match; a repeated content is rare"},
	{"Find", "find block_versions where again null, began other, url exists by url, -first, order limited hinted", "the results are in order of URL, and those of first versions are left out"},
	{"Find", "find block_versions where again null, label =, url exists by url, -first, order limited hinted", "the results are in order of URL, and all that have a label are many"},
	{"Find", "find block_versions where again null, label in, url exists by url, -first, order limited hinted", "the same, of several labels"},
	{"Find", "find block_versions where again null, since range, url exists by url, -first, order limited hinted", "only after the index of times gave more than maxSorted"},
	{"Find", "find pages where blocks.label =, url exists by url limited", "the results are in order of URL, and all that have a label are many"},
	{"Find", "find pages where blocks.label in, url exists by url limited", "the same, of several labels"},
	{"Items", "find items where subscription in many by -seen, _id limited hinted", "so many subscriptions have a large part of all items"},
	{"Search", "find block_versions where label = by -since limited", "the results are the latest, and all that have a label are many"},
	{"Search", "find block_versions where label in by -since limited", "the same, of several labels"},
	{"Search", "find block_versions where gone null by -since limited", "the results are the latest, most of which are still there"},
	{"Search", "find block_versions where gone exists by -since limited", "the results are the latest by their beginning"},
	{"Search", "find block_versions where (gone null or until range) by -since limited", "the results are the latest, most of which are still there"},
	{"Search", "find block_versions where gone exists, (gone null or until range) by -since limited", "the results are the latest by their beginning"},
	{"Search", "find block_versions where url range by -since limited", "below a prefix that ends within a host; whole hosts have their index"},
	{"Search", "find block_versions where terms other by -since limited", "most block versions lack a word"},
}
