package main

import (
	"strings"

	"go.mongodb.org/mongo-driver/bson"
)

// deletion is a delete of documents by _id, all of which meet further conditions.
type deletion struct {
	ids        []string
	conditions []condition
}

// condition compares a field of a document with a string, a boolean or a date.
type condition struct {
	field, op string // op is one of compared, or empty for equality
	value     bson.RawValue
}

// compared lists the operators of conditions, all of dates, by the results of a comparison that meet them.
var compared = map[string]func(sign int) bool{
	"$lt":  func(sign int) bool { return sign < 0 },
	"$lte": func(sign int) bool { return sign <= 0 },
	"$gt":  func(sign int) bool { return sign > 0 },
	"$gte": func(sign int) bool { return sign >= 0 },
}

// deletes performs a delete {_id: "x", …} or {_id: {$in: ["x", …]}, …} by _id. It returns nil for
// other commands.
//
// It finds each document by _id, compares its fields with the further conditions, and deletes the documents that meet
// them by _id. This is as good as the original command: proxy.pass holds the lock of writes until the reply, so no
// document changes between its comparison and its deletion, and nothing is put again meanwhile. MongoDB promises that for
// each document alone, and that others may see, and a crash may leave, a part of the documents deleted; both hold here.
func (c *command) deletes(x *indexer, ask func([]byte) ([]byte, error)) ([]byte, error) {
	d, ok := c.deletion()
	if !ok {
		return nil, nil
	}
	ids := x.existing(c.database(), c.collection(), d.ids)
	if len(d.conditions) > 0 {
		var err error
		if ids, ok, err = c.meeting(ids, d.conditions, ask); err != nil || !ok {
			return nil, err
		}
	}
	if len(ids) == 0 {
		return c.reply(bson.D{{Key: "n", Value: int32(0)}, {Key: "ok", Value: 1.0}})
	}
	var body bson.D
	if err := bson.Unmarshal(c.body, &body); err != nil {
		return nil, err
	}
	each := make(bson.A, len(ids))
	for i, id := range ids {
		each[i] = bson.D{{Key: "q", Value: bson.D{{Key: "_id", Value: id}}}, {Key: "limit", Value: int32(1)}}
	}
	return c.ask(append(body, bson.E{Key: "deletes", Value: each}), ask)
}

// meeting returns the _ids of the documents among some that meet all conditions. ok is false if that is unknown.
func (c *command) meeting(ids []string, all []condition, ask func([]byte) ([]byte, error)) (these []string, ok bool, err error) {
	fields := bson.M{}
	for _, is := range all {
		fields[is.field] = 1
	}
	projection, err := bson.Marshal(fields)
	if err != nil {
		return nil, false, err
	}
	for _, id := range ids {
		reply, doc, err := c.find(id, projection, ask)
		if err != nil || reply != nil {
			return nil, false, err
		}
		if doc == nil {
			continue
		}
		met, ok := meets(doc, all)
		if !ok {
			return nil, false, nil
		}
		if met {
			these = append(these, id)
		}
	}
	return these, true, nil
}

// deletion returns the only delete of c; ok is false if c is a different command, or has other conditions.
func (c *command) deletion() (d deletion, ok bool) {
	if c.seq != "deletes" || len(c.docs) != 1 {
		return d, false
	}
	fields, err := c.docs[0].Elements()
	if err != nil {
		return d, false
	}
	for _, f := range fields {
		if k := f.Key(); k != "q" && k != "limit" {
			return d, false
		}
	}
	q, isDocument := c.docs[0].Lookup("q").DocumentOK()
	limit, isNumber := c.docs[0].Lookup("limit").AsInt64OK()
	if !isDocument || !isNumber || limit < 0 || limit > 1 {
		return d, false
	}
	conditions, err := q.Elements()
	if err != nil || len(conditions) == 0 || conditions[0].Key() != "_id" {
		return d, false
	}
	by := conditions[0].Value()
	if id, isText := by.StringValueOK(); isText {
		d.ids = []string{id}
	} else if in, isDocument := by.DocumentOK(); !isDocument || !isOnly(in, "$in") || limit != 0 {
		return d, false
	} else if list, isList := in.Lookup("$in").ArrayOK(); !isList {
		return d, false
	} else if d.ids, ok = texts(list); !ok {
		return d, false
	}
	for _, e := range conditions[1:] {
		some, ok := conditionsOf(e)
		if !ok {
			return d, false
		}
		d.conditions = append(d.conditions, some...)
	}
	return d, true
}

// conditionsOf returns the conditions on one field of a filter, at least one. ok is false if there are others.
func conditionsOf(e bson.RawElement) (all []condition, ok bool) {
	field, v := e.Key(), e.Value()
	if field == "_id" || strings.HasPrefix(field, "$") || strings.Contains(field, ".") {
		return nil, false
	}
	switch v.Type {
	case bson.TypeString, bson.TypeBoolean, bson.TypeDateTime:
		return []condition{{field: field, value: v}}, true
	case bson.TypeEmbeddedDocument:
		by, err := v.Document().Elements()
		if err != nil {
			return nil, false
		}
		for _, b := range by {
			if compared[b.Key()] == nil || b.Value().Type != bson.TypeDateTime {
				return nil, false
			}
			all = append(all, condition{field: field, op: b.Key(), value: b.Value()})
		}
		return all, len(all) > 0
	}
	return nil, false
}

// meets reports whether a document meets all conditions. A field of a different type meets none, nor does one that is
// missing. ok is false if a field is an array, of which any value may meet a condition.
func meets(doc bson.Raw, all []condition) (met, ok bool) {
	met = true
	for _, is := range all {
		v, err := doc.LookupErr(is.field)
		switch {
		case err == nil && v.Type == bson.TypeArray:
			return false, false
		case err != nil || v.Type != is.value.Type:
			met = false
		case is.op == "":
			met = met && v.Equal(is.value)
		default:
			sign := 0
			if a, b := v.DateTime(), is.value.DateTime(); a < b {
				sign = -1
			} else if a > b {
				sign = 1
			}
			met = met && compared[is.op](sign)
		}
	}
	return met, true
}
