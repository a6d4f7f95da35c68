package mongo

import (
	"fmt"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// ignored are commands that read and write no documents by a filter.
var ignored = []string{"insert", "getMore", "killCursors", "createIndexes", "listIndexes", "dropIndexes", "create", "drop", "dropDatabase", "listCollections",
	"dbStats", "collStats", "buildInfo", "hello", "isMaster", "ping", "endSessions", "explain", "serverStatus", "getParameter"}

// queriesOf returns the queries of a command.
func queriesOf(command bson.D) (all []query, err error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("an empty command")
	}
	name := command[0].Key
	if slices.Contains(ignored, name) {
		return nil, nil
	}
	at := map[string]any{}
	for _, e := range command {
		at[e.Key] = e.Value
	}
	document := func(v any) bson.D { d, _ := v.(bson.D); return d }
	collection, _ := command[0].Value.(string)
	one := func(collection string, where any) (*query, error) {
		f, err := filterOf(document(where))
		all = append(all, query{command: name, collection: collection, filter: f})
		return &all[len(all)-1], err
	}
	switch name {
	case "find":
		q, err := one(collection, at["filter"])
		q.sort, q.limited = document(at["sort"]), direction(at["limit"]) != 0
		if hint := document(at["hint"]); len(hint) > 0 {
			q.hint = keysText(&index{keys: hint})
		}
		return all, err
	case "count":
		if len(document(at["query"])) == 0 {
			return nil, nil // of metadata
		}
		_, err := one(collection, at["query"])
		return all, err
	case "distinct":
		q, err := one(collection, at["query"])
		q.distinct, _ = at["key"].(string)
		return all, err
	case "findAndModify", "findandmodify":
		q, err := one(collection, at["query"])
		q.sort, q.limited = document(at["sort"]), true
		return all, err
	case "update", "delete":
		list, _ := at[name+"s"].(bson.A)
		for _, x := range list {
			if _, err := one(collection, valueOf(document(x), "q")); err != nil {
				return nil, err
			}
		}
		return all, nil
	case "bulkWrite":
		return bulkQueries(at)
	case "aggregate":
		stages, _ := at["pipeline"].(bson.A)
		return pipelineQueries(collection, stages)
	}
	return nil, fmt.Errorf("the planner does not know the command %s", name)
}

// bulkQueries returns the queries of a bulkWrite command, which names collections by their place in nsInfo.
func bulkQueries(at map[string]any) (all []query, err error) {
	ops, _ := at["ops"].(bson.A)
	spaces, _ := at["nsInfo"].(bson.A)
	for _, op := range ops {
		d, _ := op.(bson.D)
		if len(d) == 0 {
			return nil, fmt.Errorf("bulkWrite has the operation %v", op)
		}
		if d[0].Key == "insert" {
			continue
		}
		var k int
		fmt.Sscan(fmt.Sprint(d[0].Value), &k)
		if k >= len(spaces) {
			return nil, fmt.Errorf("bulkWrite has no namespace %d", k)
		}
		space, _ := spaces[k].(bson.D)
		ns, _ := valueOf(space, "ns").(string)
		_, collection, _ := strings.Cut(ns, ".")
		where, _ := valueOf(d, "filter").(bson.D)
		f, err := filterOf(where)
		if err != nil {
			return nil, err
		}
		all = append(all, query{command: d[0].Key, collection: collection, filter: f})
	}
	return all, nil
}

// pipelineQueries returns the query with which a pipeline begins, and those of its $lookup stages.
func pipelineQueries(collection string, stages bson.A) ([]query, error) {
	q := query{command: "aggregate", collection: collection}
	leading, grouped := true, false
	for _, x := range stages {
		d, _ := x.(bson.D)
		if len(d) != 1 {
			return nil, fmt.Errorf("a pipeline has the stage %v", x)
		}
		arg, _ := d[0].Value.(bson.D)
		switch d[0].Key {
		case "$match":
			if leading && len(q.sort) == 0 && !q.limited {
				f, err := filterOf(arg)
				if err != nil {
					return nil, err
				}
				q.filter = q.filter.and(&f)
			}
		case "$sort":
			switch {
			case leading && len(q.sort) == 0:
				q.sort = arg
			case !grouped: // the order of groups is by their values
				q.unsorted = "it sorts what earlier stages made"
			}
		case "$limit":
			q.limited = q.limited || leading
		case "$skip", "$count":
			leading = false
		case "$group":
			leading, grouped = false, true
		case "$lookup":
			leading = false
			from, _ := valueOf(arg, "from").(string)
			field, _ := valueOf(arg, "foreignField").(string)
			q.lookup = append(q.lookup, query{command: "$lookup", collection: from, filter: filter{fields: map[string]condition{field: {bound: equal}}}})
		case "$unwind", "$project", "$addFields", "$set", "$unset", "$replaceRoot":
			leading = false
		default:
			return nil, fmt.Errorf("the planner does not know the stage %s", d[0].Key)
		}
	}
	return []query{q}, nil
}
