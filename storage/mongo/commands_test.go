package mongo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/storage"
	"plat/workers"
)

// A visit takes few commands, whoever made the visit before: three processes of a fleet take turns at
// a page that changes at every third visit. A server that does not take writes of several collections
// gets more of them.
func TestCommandsOfAVisit(t *testing.T) {
	for _, server := range []struct {
		name                      string
		bulk                      bool
		first, changed, unchanged int // the most commands
	}{
		{"MongoDB 8", true, 8, 10, 5},
		{"older", false, 12, 15, 7},
	} {
		t.Run(server.name, func(t *testing.T) {
			counts := &counter{}
			var processes []*Store
			for database := ""; len(processes) < 3; database = processes[0].db.Name() {
				s := open(t, Options{Database: database, Monitor: &event.CommandMonitor{Started: counts.started}})
				s.bulk = s.bulk && server.bulk
				processes = append(processes, s)
			}
			describer, err := label.New(label.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var crew []*workers.Worker
			edition := 0
			p := &fixtures.ClockPage{
				Snap: fixtures.Snapshot(t, "site-1"), Replaced: "twenty centimetres", Now: time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC),
				Show: func(time.Time) string {
					return []string{"twelve hands", "fewer than nine inches", "as many paces as a child"}[edition%3] + strings.Repeat(" and one", edition)
				},
			}
			for i, s := range processes {
				crew = append(crew, workers.New(p, s, describer, workers.Options{}))
				if _, err := crew[i].Visit(t.Context(), plat.Job{URL: fmt.Sprintf("https://a.test/%d", i)}); err != nil { // it knows the site
					t.Fatal(err)
				}
			}
			const url = "https://a.test/"
			due := p.Now
			if _, err := processes[0].Enlist(t.Context(), []plat.Job{{URL: url, Due: due}}, storage.Join); err != nil {
				t.Fatal(err)
			}
			worst := map[string]int{}
			for v := range 24 {
				s := processes[v%3]
				p.Now = p.Now.Add(26 * time.Hour)
				if v%4 == 3 {
					edition++
				}
				counts.reset()
				r, err := crew[v%3].Visit(t.Context(), plat.Job{URL: url, Due: due})
				if err != nil {
					t.Fatal(err)
				}
				kind := "unchanged"
				if r.Stored && v == 0 {
					kind = "first"
				} else if r.Stored {
					kind = "changed"
				}
				n, all := counts.sum()
				if n > worst[kind] {
					worst[kind] = n
					t.Logf("%s, visit %d: %d commands: %s", kind, v, n, all)
				}
				st, err := s.State(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				if due = st.Due; due.IsZero() || !st.Settled.Before(due) {
					due = p.Now.Add(time.Hour)
					if _, err := s.Enlist(t.Context(), []plat.Job{{URL: url, Due: due}}, storage.Join); err != nil {
						t.Fatal(err)
					}
				}
			}
			for kind, most := range map[string]int{"first": server.first, "changed": server.changed, "unchanged": server.unchanged} {
				if n := worst[kind]; n == 0 || n > most {
					t.Errorf("%s: %d commands, want 1 to %d", kind, n, most)
				}
			}
		})
	}
}

// counter counts commands, and the documents that they write.
type counter struct {
	mu        sync.Mutex
	commands  map[string]int // "find urls"
	documents map[string]int // by collection
}

func (c *counter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands, c.documents = map[string]int{}, map[string]int{}
}

func (c *counter) started(_ context.Context, e *event.CommandStartedEvent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commands == nil {
		c.commands, c.documents = map[string]int{}, map[string]int{}
	}
	if e.CommandName == "bulkWrite" {
		c.commands[e.CommandName]++
		var op struct {
			Ops []struct {
				Insert, Update *int
			} `bson:"ops"`
			Spaces []struct {
				NS string `bson:"ns"`
			} `bson:"nsInfo"`
		}
		if err := bson.Unmarshal(e.Command, &op); err != nil {
			panic(err)
		}
		for _, x := range op.Ops {
			at := cmp.Or(x.Insert, x.Update)
			_, name, _ := strings.Cut(op.Spaces[*at].NS, ".")
			c.documents[name]++
		}
		return
	}
	coll, ok := e.Command.Lookup(e.CommandName).StringValueOK()
	if !ok || strings.HasPrefix(coll, "$") {
		return
	}
	c.commands[e.CommandName+" "+coll]++
	for _, list := range []string{"documents", "updates"} {
		if a, ok := e.Command.Lookup(list).ArrayOK(); ok {
			if values, err := a.Values(); err == nil {
				c.documents[coll] += len(values)
			}
		}
	}
}

// sum returns the number of commands, and each kind with its number.
func (c *counter) sum() (n int, all string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var kinds []string
	for _, name := range slices.Sorted(maps.Keys(c.commands)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", c.commands[name], name))
		n += c.commands[name]
	}
	return n, strings.Join(kinds, ", ")
}
