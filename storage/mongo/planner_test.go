package mongo

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// The planner decides by rule which index serves a command, as MongoDB's manual describes it: equality
// fields, then the order, then ranges are a prefix of the index
// (https://www.mongodb.com/docs/manual/tutorial/equality-sort-range-guideline/). It knows no documents, so
// that it does not say how many an index finds.

// bound is the kind of a condition on a field. Lower ones bound an index more.
type bound int

const (
	equal   bound = iota + 1
	among         // $in
	null          // null or missing
	between       // a range
	exists        // any value
	other         // a condition that documents are read for
)

// condition is the strongest condition of a filter on a field.
type condition struct {
	bound
	n int // values of among
}

func (c condition) String() string {
	switch {
	case c.bound == among && c.n > maxExploded:
		return "in many"
	case c.bound == among:
		return "in"
	}
	return []string{"", "=", "in", "null", "range", "exists", "other"}[c.bound]
}

// maxExploded is the most values of $in whose runs the server merges to give an order:
// internalQueryMaxScansToExplode.
const maxExploded = 200

// filter is a conjunction: conditions by field, and disjunctions of filters.
type filter struct {
	fields map[string]condition
	ors    [][]filter
}

func (f *filter) add(field string, c condition) {
	if f.fields == nil {
		f.fields = map[string]condition{}
	}
	if was, ok := f.fields[field]; !ok || c.bound < was.bound {
		f.fields[field] = c
	}
}

// and returns the conjunction with g.
func (f *filter) and(g *filter) filter {
	var out filter
	for _, x := range []*filter{f, g} {
		for k, c := range x.fields {
			out.add(k, c)
		}
		out.ors = append(out.ors, x.ors...)
	}
	return out
}

func (f *filter) empty() bool { return len(f.fields) == 0 && len(f.ors) == 0 }

func (f *filter) String() string {
	var parts []string
	for k, c := range f.fields {
		parts = append(parts, k+" "+c.String())
	}
	slices.Sort(parts)
	for _, or := range f.ors {
		var all []string
		for i := range or {
			all = append(all, or[i].String())
		}
		slices.Sort(all)
		parts = append(parts, "("+strings.Join(slices.Compact(all), " or ")+")")
	}
	return strings.Join(parts, ", ")
}

// filterOf reads a filter document.
func filterOf(doc bson.D) (f filter, err error) {
	for _, e := range doc {
		switch e.Key {
		case "$and", "$or", "$nor":
			list, ok := e.Value.(bson.A)
			if !ok {
				return f, fmt.Errorf("%s is no array", e.Key)
			}
			var all []filter
			for _, x := range list {
				d, ok := x.(bson.D)
				if !ok {
					return f, fmt.Errorf("%s has %T", e.Key, x)
				}
				g, err := filterOf(d)
				if err != nil {
					return f, err
				}
				all = append(all, g)
			}
			switch {
			case e.Key == "$and":
				for i := range all {
					f = f.and(&all[i])
				}
			case e.Key == "$or":
				f.ors = append(f.ors, all)
			default:
				f.add(e.Key, condition{bound: other})
			}
		case "$comment":
		case "$expr", "$where", "$text":
			f.add(e.Key, condition{bound: other})
		default:
			if strings.HasPrefix(e.Key, "$") {
				return f, fmt.Errorf("unknown operator %s", e.Key)
			}
			for _, c := range conditionsOf(e.Value) {
				f.add(e.Key, c)
			}
		}
	}
	return f, nil
}

// literalPrefix matches regular expressions that bound an index.
var literalPrefix = regexp.MustCompile(`^\^[^\\.*+?()\[\]{}|^$]`)

func conditionsOf(v any) []condition {
	one := func(b bound) []condition { return []condition{{bound: b}} }
	switch x := v.(type) {
	case nil, bson.Null:
		return one(null)
	case bson.Regex:
		if literalPrefix.MatchString(x.Pattern) && x.Options == "" {
			return one(between)
		}
		return one(other)
	case bson.D:
		if len(x) == 0 || !strings.HasPrefix(x[0].Key, "$") {
			return one(equal)
		}
		var all []condition
		for _, op := range x {
			all = append(all, operator(op, x))
		}
		return all
	}
	return one(equal)
}

// operator returns the condition of an operator, one of all of a field.
func operator(op bson.E, all bson.D) condition {
	values, _ := op.Value.(bson.A)
	switch op.Key {
	case "$eq":
		return conditionsOf(op.Value)[0]
	case "$in":
		if slices.Contains(values, nil) {
			return condition{bound: null}
		}
		if len(values) == 1 {
			return condition{bound: equal}
		}
		return condition{among, len(values)}
	case "$all":
		// The server bounds the index by the first value, and reads documents for the others.
		if len(values) > 0 {
			return condition{bound: equal}
		}
	case "$gt", "$gte", "$lt", "$lte":
		// Texts from the empty one: all.
		if op.Value == "" && len(all) == 1 && strings.HasPrefix(op.Key, "$g") {
			return condition{bound: exists}
		}
		return condition{bound: between}
	case "$exists":
		if op.Value == true {
			return condition{bound: exists}
		}
		return condition{bound: null}
	case "$regex":
		if s, ok := op.Value.(string); ok && literalPrefix.MatchString(s) && len(all) == 1 {
			return condition{bound: between}
		}
	}
	return condition{bound: other}
}

// query is a command, or one operation of it, as the planner judges it.
type query struct {
	command, collection string
	filter              filter
	sort                bson.D
	limited             bool
	hint                string // the name of the index to use, or ""
	distinct            string // the field of which it lists the values
	unsorted            string // why no index can give its order, or ""
	lookup              []query
}

func (q *query) String() string {
	out := q.command + " " + q.collection
	if q.distinct != "" {
		out += " of " + q.distinct
	}
	if !q.filter.empty() {
		out += " where " + q.filter.String()
	}
	if len(q.sort) > 0 {
		var keys []string
		for _, e := range q.sort {
			k := e.Key
			if direction(e.Value) < 0 {
				k = "-" + k
			}
			keys = append(keys, k)
		}
		out += " by " + strings.Join(keys, ", ")
	}
	if q.limited {
		out += " limited"
	}
	if q.hint != "" {
		out += " hinted"
	}
	return out
}

func direction(v any) int {
	var n int
	fmt.Sscan(fmt.Sprint(v), &n)
	return cmp.Compare(n, 0)
}

// outcome is the planner's judgement, from the best to the worst.
type outcome int

const (
	served outcome = iota
	walks          // all documents, in the order of an index
	sorts          // it finds documents by an index, and sorts them in memory
	sifts          // it walks an index in the order that is asked for, and drops what does not match
	scans
)

func (o outcome) String() string {
	return []string{"is served", "walks a whole index", "sorts in memory", "walks an index and drops what does not match", "scans"}[o]
}

// plan is an outcome, and the index by which it comes about.
type plan struct {
	outcome
	index string
}

// planner knows the indexes of collections, by name, and their fields with arrays.
type planner struct {
	indexes map[string][]index
	arrays  map[string][]string
}

// plan returns the best plan of a query.
func (p *planner) plan(q *query) plan {
	best := p.planFor(q, &q.filter)
	for i := range q.lookup {
		if l := p.plan(&q.lookup[i]); l.outcome > best.outcome {
			best = l
		}
	}
	if q.unsorted != "" && best.outcome < sorts {
		best.outcome = sorts
	}
	return best
}

func (p *planner) planFor(q *query, f *filter) plan {
	// With its fields alone; documents are read for the disjunctions.
	best := plan{outcome: scans}
	if q.limited && f.empty() && len(q.sort) == 0 || q.distinct == "_id" && f.empty() {
		best = plan{outcome: served} // the first documents, in any order
	}
	for _, x := range append([]index{on("_id")}, p.indexes[q.collection]...) {
		if q.hint != "" && q.hint != keysText(&x) {
			continue
		}
		if o := p.by(q, f, &x); o < best.outcome {
			best = plan{o, keysText(&x)}
		}
	}
	// With an index for each branch, whose results the server merges.
	for i, or := range f.ors {
		if best.outcome == served {
			break
		}
		rest := filter{f.fields, slices.Delete(slices.Clone(f.ors), i, i+1)}
		worst := plan{}
		for j := range or {
			branch := rest.and(&or[j])
			one := p.planFor(q, &branch)
			if one.outcome == walks || one.outcome == sifts {
				one.outcome = scans
			}
			if one.outcome >= worst.outcome {
				worst = one
			}
		}
		if worst.outcome < best.outcome {
			best = worst
		}
	}
	return best
}

func keysText(x *index) string {
	var keys []string
	for _, e := range x.keys {
		keys = append(keys, fmt.Sprintf("%s: %v", e.Key, e.Value))
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// by returns the outcome of a query with an index.
func (p *planner) by(q *query, f *filter, x *index) outcome {
	if x.only != "" {
		// It has no entries for other documents, so that the filter must exclude them.
		if c, ok := f.fields[x.only]; !ok || c.bound == null || c.bound == other {
			return scans
		}
	}
	first := f.fields[x.keys[0].Key]
	bounded := first.bound > 0 && first.bound < exists || first.bound == exists && x.only == x.keys[0].Key
	if first.bound == equal && x.keys[0].Key == "_id" && len(x.keys) == 1 {
		return served // one document
	}
	if q.distinct != "" {
		// One step of the index for each value: of its first field after equalities.
		k := slices.IndexFunc(x.keys, func(e bson.E) bool { return f.fields[e.Key].bound != equal })
		if k >= 0 && x.keys[k].Key == q.distinct && len(f.fields) == k && len(f.ors) == 0 && x.only == "" {
			return served
		}
	}
	ordered := p.ordered(q, f, x)
	// Conditions that every entry of the index fulfils read no documents.
	residual := len(f.ors) > 0
	for k, c := range f.fields {
		if c.bound != exists || k != x.keys[0].Key {
			residual = true
		}
	}
	switch {
	case bounded && ordered:
		return served
	case bounded:
		return sorts
	case ordered && len(q.sort) > 0 && !residual && q.limited:
		return served
	case ordered && !residual && len(q.sort)+len(f.fields) > 0:
		return walks
	case ordered && len(q.sort) > 0:
		return sifts
	}
	return scans
}

// ordered reports whether an index gives the order of a query: as it is, or by merging a run for each
// value of $in in the fields before the order.
func (p *planner) ordered(q *query, f *filter, x *index) bool {
	if len(q.sort) == 0 {
		return true
	}
	for _, e := range q.sort {
		if slices.Contains(p.arrays[q.collection], e.Key) {
			return false
		}
	}
	fixed := map[string]bool{}
	for _, k := range x.keys {
		fixed[k.Key] = f.fields[k.Key].bound == equal
	}
	if c := f.fields[x.keys[0].Key]; c.bound == 0 || c.bound >= exists {
		clear(fixed) // the whole index is read
	}
	if follows(q.sort, x.keys, fixed) {
		return true
	}
	runs := 1
	for _, k := range x.keys {
		c := f.fields[k.Key]
		if c.bound != equal && c.bound != among {
			break
		}
		if c.bound == among {
			runs *= c.n
			fixed[k.Key] = true
		}
	}
	return runs <= maxExploded && follows(q.sort, x.keys, fixed)
}

// follows reports whether entries of an index, of which some fields are fixed, are in an order or in its
// reverse.
func follows(sort, keys bson.D, fixed map[string]bool) bool {
	turn := 0
	for _, e := range sort {
		if fixed[e.Key] {
			continue
		}
		for len(keys) > 0 && fixed[keys[0].Key] {
			keys = keys[1:]
		}
		if len(keys) == 0 || keys[0].Key != e.Key {
			return false
		}
		way := direction(e.Value) * direction(keys[0].Value)
		if turn = cmp.Or(turn, way); way != turn {
			return false
		}
		keys = keys[1:]
	}
	return true
}
