package mongo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/storage"
)

// Search returns the indexed spans that match q. The server finds spans with all words, latest
// first. Phrases are matched and scores computed here.
func (s *Store) Search(ctx context.Context, q storage.Search) (r storage.Results, err error) {
	err = s.unwritten(ctx, &r)
	if err == nil {
		err = s.searchIn(ctx, &q, &r)
	}
	if err != nil {
		return storage.Results{}, errorf("mongo: search: %w", err)
	}
	return r, nil
}

// candidate is a matching span, with the input of its score.
type candidate struct {
	doc    blockVersionDoc
	freq   []float64 // weighted frequency of each phrase
	length float64   // number of words
	score  float64
}

func (s *Store) searchIn(ctx context.Context, q *storage.Search, r *storage.Results) error {
	asked := storage.Ask(q.Words)
	var spans int64
	var with map[string]int64
	if len(asked.All) > 0 {
		var err error
		if spans, err = s.blockVersions.EstimatedDocumentCount(ctx); err != nil {
			return err
		}
		if with, err = s.spansWith(ctx, slices.Concat(asked.All...), spans/2+1); err != nil || with == nil {
			return err
		}
	}
	// Without words the order is that of time: only those that are shown are read, and the others counted.
	enough := 0
	if q.Limit > 0 && len(asked.All)+len(asked.None) == 0 {
		enough = max(q.Offset, 0) + q.Limit
	}
	found, more, err := s.candidates(ctx, q, asked, with, storage.MaxRead, enough)
	if err != nil {
		return err
	}
	if r.Total, r.More = len(found), more; enough > 0 && more {
		n, err := s.blockVersions.CountDocuments(ctx, searchFilter(q, asked, with), options.Count().SetLimit(storage.MaxRanked+1))
		if err != nil {
			return err
		}
		r.Total, r.More = max(min(int(n), storage.MaxRanked), len(found)), n > storage.MaxRanked
	}
	score(found, asked, spans, with)
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.doc.Since.Compare(a.doc.Since), strings.Compare(a.doc.ID, b.doc.ID))
	})
	found = found[min(max(q.Offset, 0), len(found)):]
	if q.Limit > 0 {
		found = found[:min(q.Limit, len(found))]
	}
	r.Hits, err = s.hits(ctx, found)
	return err
}

// spansWith counts the spans with each of some words, at most most of them; nil: one of the words is in none.
func (s *Store) spansWith(ctx context.Context, words []string, most int64) (map[string]int64, error) {
	with := map[string]int64{}
	for _, w := range words {
		if _, done := with[w]; done {
			continue
		}
		n, err := s.blockVersions.CountDocuments(ctx, bson.D{{Key: "terms", Value: w}}, options.Count().SetLimit(most))
		if err != nil || n == 0 {
			return nil, err
		}
		with[w] = n
	}
	return with, nil
}

// rarestFirst sorts words by how many spans have them, and removes duplicates. The server looks the first one up in its
// index, and reads all spans that it finds for the others.
func rarestFirst(words []string, with map[string]int64) []string {
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(with[a], with[b]), strings.Compare(a, b)) })
	return slices.Compact(words)
}

// searchFilter converts q to a MongoDB filter. Phrases are reduced to their words. with is of spansWith.
func searchFilter(q *storage.Search, asked storage.ParsedQuery, with map[string]int64) bson.D {
	f := bson.D{}
	var none []string
	all := rarestFirst(slices.Concat(asked.All...), with)
	for _, p := range asked.None {
		if len(p) == 1 {
			none = append(none, p[0])
		}
	}
	if len(all) > 0 {
		f = append(f, bson.E{Key: "terms", Value: bson.D{{Key: "$all", Value: all}}})
	}
	and := bson.A{}
	if len(none) > 0 {
		and = append(and, bson.D{{Key: "terms", Value: bson.D{{Key: "$nin", Value: none}}}})
	}
	host := q.Host
	if h := storage.Host(q.URL); h != "" && host == "" && strings.Contains(q.URL, "://"+h+"/") {
		host = h // else the prefix may end within a host
	}
	if host != "" { // the index of hosts has the order of a search without words
		f = append(f, bson.E{Key: "host", Value: host})
	}
	if q.URL != "" {
		f = append(f, prefixed("url", q.URL)...)
	}
	f = append(f, ofLabels("label", q.Labels)...)
	if !q.Until.IsZero() {
		// An instant between two milliseconds is after the first.
		f = append(f, bson.E{Key: "since", Value: bson.D{{Key: "$lt", Value: instant(q.Until.Add(time.Millisecond - 1))}}})
	}
	stands := bson.D{{Key: "gone", Value: bson.D{{Key: "$exists", Value: false}}}}
	if !q.Since.IsZero() {
		and = append(and, bson.D{{Key: "$or", Value: bson.A{stands, bson.D{{Key: "until", Value: bson.D{{Key: "$gt", Value: instant(q.Since)}}}}}}})
	}
	if q.Gone {
		and = append(and, bson.D{{Key: "gone", Value: bson.D{{Key: "$exists", Value: true}}}})
	}
	if q.Standing {
		and = append(and, stands)
	}
	if len(and) > 0 {
		f = append(f, bson.E{Key: "$and", Value: and})
	}
	return f
}

// candidates reads the matching spans, latest first, at most MaxRanked. It checks
// phrases in at most most spans, because phrases of frequent words occur in few of
// the spans that have the words. If enough is not 0, it stops after so many, and those of the same time.
func (s *Store) candidates(ctx context.Context, q *storage.Search, asked storage.ParsedQuery, with map[string]int64, most, enough int) (found []candidate, more bool, err error) {
	without := bson.D{{Key: "terms", Value: 0}, {Key: "links", Value: 0}}
	if len(asked.All)+len(asked.None) == 0 {
		without = append(without, bson.E{Key: "text", Value: 0})
	}
	find := options.Find().SetSort(bson.D{{Key: "since", Value: -1}}).SetProjection(without).SetLimit(int64(most) + 1)
	if enough > 0 {
		find.SetBatchSize(int32(min(enough+1, page)))
	}
	cur, err := s.blockVersions.Find(ctx, searchFilter(q, asked, with), find)
	if err != nil {
		return nil, false, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	for read := 0; cur.Next(ctx); read++ {
		if read == most {
			return found, true, nil
		}
		var c candidate
		if err := cur.Decode(&c.doc); err != nil {
			return nil, false, err
		}
		if !c.answers(asked) {
			continue
		}
		if enough > 0 && len(found) >= enough && !c.doc.Since.Equal(found[len(found)-1].doc.Since) {
			return found, true, nil
		}
		if len(found) == storage.MaxRanked {
			return found, true, nil
		}
		c.doc.Text = ""
		found = append(found, c)
	}
	return found, false, cur.Err()
}

// answers counts the phrases, and reports whether the candidate matches.
func (c *candidate) answers(asked storage.ParsedQuery) bool {
	if len(asked.All)+len(asked.None) == 0 {
		return true
	}
	words, topic := storage.Terms(c.doc.Text), storage.Terms(string(c.doc.Topic))
	for _, p := range asked.None {
		if occurs(words, p)+occurs(topic, p) > 0 {
			return false
		}
	}
	for _, p := range asked.All {
		f := storage.TextWeight*occurs(words, p) + storage.TopicWeight*occurs(topic, p)
		if f == 0 { // a document from before words had zero-width characters
			if earlier, differ := storage.EarlierTerms(c.doc.Text); differ {
				f = storage.TextWeight * occurs(earlier, p)
			}
		}
		if f == 0 {
			return false
		}
		c.freq = append(c.freq, float64(f))
	}
	c.length = float64(len(words) + len(topic))
	return true
}

// occurs counts the occurrences of a phrase.
func occurs(words, phrase []string) (n int) {
	for i := range len(words) - len(phrase) + 1 {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			n++
		}
	}
	return n
}

// The usual parameters of BM25, which FTS5 uses too.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// score computes the scores: all is the number of spans, with that of those with each word, as far as it is at most half
// of all. A phrase is as rare as its rarest word, and the average length is that of the candidates, because the server has
// no global average.
func score(found []candidate, asked storage.ParsedQuery, all int64, with map[string]int64) {
	if len(found) == 0 || len(asked.All) == 0 {
		return
	}
	idf := make([]float64, len(asked.All))
	for i, p := range asked.All {
		n := all
		for _, w := range p {
			n = min(n, with[w])
		}
		// As in FTS5, a word in more than half of all spans weighs almost nothing.
		idf[i] = max(1e-6, math.Log((float64(all-n)+0.5)/(float64(n)+0.5)))
	}
	average := 0.0
	for i := range found {
		average += found[i].length / float64(len(found))
	}
	for i := range found {
		c := &found[i]
		for k, f := range c.freq {
			c.score += idf[k] * f * (bm25K + 1) / (f + bm25K*(1-bm25B+bm25B*c.length/average))
		}
	}
}

// hits returns candidates with their blocks, read a page at a time.
func (s *Store) hits(ctx context.Context, found []candidate) ([]storage.Hit, error) {
	hits := make([]storage.Hit, 0, len(found))
	for some := range slices.Chunk(found, page) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = urlID(string(some[i].doc.URL))
		}
		pages, err := s.pagesOf(ctx, ids)
		if err != nil {
			return nil, err
		}
		for i := range some {
			sp, err := some[i].doc.span(pages[urlID(string(some[i].doc.URL))].N)
			if err != nil {
				return nil, err
			}
			hits = append(hits, storage.Hit{Span: *sp, Score: some[i].score})
		}
	}
	return hits, nil
}

// span converts a document back; head is the version of its page.
func (d *blockVersionDoc) span(head int) (*storage.Span, error) {
	b, err := d.block()
	if err != nil {
		return nil, fmt.Errorf("the block version %s: %w; plat reindex rebuilds it", d.ID, err)
	}
	sp := &storage.Span{URL: string(d.URL), Lineage: d.Lineage, First: d.First, Since: d.Since.UTC(), Last: max(head, d.First), Gone: d.Gone, Until: d.Until.UTC(), Hash: b.Hash, Block: b}
	if d.Gone > 0 {
		sp.Last = d.Gone - 1
	}
	return sp, nil
}

// amongIDs returns a filter for documents with one of these _ids, without duplicates.
func amongIDs(ids []string) bson.D {
	slices.Sort(ids)
	return byIDs(slices.Compact(ids))
}
