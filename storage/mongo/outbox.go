package mongo

import (
	"context"
	"errors"
	"iter"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"plat/plat"
	"plat/storage"
)

// channelDoc is a document of channels.
type channelDoc struct {
	ID       string `bson:"_id"` // name of the channel
	URL      string `bson:"url"`
	Disabled string `bson:"disabled,omitempty"`
	// Mending names the repair of the channel whose messages are not all due yet: the next PutChannel continues it.
	Mending string `bson:"mending,omitempty"`
}

// messageDoc is a document of messages.
type messageDoc struct {
	ID           string    `bson:"_id"`
	Channel      string    `bson:"channel"`
	Subscription string    `bson:"subscription,omitempty"`
	Items        []string  `bson:"items,omitempty"`
	Made         time.Time `bson:"made"`
	Due          time.Time `bson:"due"`
	Attempts     int       `bson:"attempts,omitempty"`
	Error        string    `bson:"error,omitempty"`
	Tried        time.Time `bson:"tried,omitempty"` // time of the last failed attempt
	// Claim names the call of Take that has taken it last, and Held is when that claim ends by the server's clock: Due is by
	// the clock of the sender, and another one's may be fast.
	Claim string    `bson:"claim,omitempty"`
	Held  time.Time `bson:"held,omitempty"`
	// Mended names the repair of the channel that has made it due. A repetition does so for the others only: this one may be
	// claimed since.
	Mended string `bson:"mended,omitempty"`
}

// sentDoc is a document of sent: a message that was sent. It is written before the message is
// removed, and takes precedence: even if a process stores the message again, it is not taken.
type sentDoc struct {
	ID string    `bson:"_id"`
	At time.Time `bson:"at"`
}

// unclaimed ends the claim of a message.
var unclaimed = bson.E{Key: "$unset", Value: bson.D{{Key: "claim", Value: ""}, {Key: "held", Value: ""}}}

// PutChannel stores a channel. It can be repeated: the mark of a repair is removed last.
func (s *Store) PutChannel(ctx context.Context, c *plat.Channel) error {
	err := storage.CheckChannel(c)
	if err == nil {
		err = s.putChannel(ctx, c)
	}
	if err != nil {
		return errorf("mongo: put a channel: %w", s.advise(err))
	}
	return nil
}

func (s *Store) putChannel(ctx context.Context, c *plat.Channel) error {
	var was channelDoc
	if err := s.channels.FindOne(ctx, byID(c.Name)).Decode(&was); err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return err
	}
	d := channelDoc{c.Name, c.URL, c.Disabled, ""}
	switch {
	case storage.Mended(&plat.Channel{URL: was.URL, Disabled: was.Disabled}, c):
		d.Mending = plat.NewID()
	case c.Disabled == "":
		d.Mending = was.Mending
	}
	if err := s.upsert(ctx, s.channels, c.Name, d); err != nil || d.Mending == "" {
		return err
	}
	others := bson.D{{Key: "channel", Value: c.Name}, {Key: "mended", Value: bson.D{{Key: "$ne", Value: d.Mending}}}}
	set := bson.D{{Key: "due", Value: time.Unix(0, 0).UTC()}, {Key: "mended", Value: d.Mending}}
	if _, err := s.updateMany(ctx, s.messages, others, bson.D{{Key: "$set", Value: set}, unclaimed}); err != nil {
		return err
	}
	mark := bson.D{{Key: "mending", Value: ""}}
	_, err := s.updateOne(ctx, s.channels, append(byID(c.Name), bson.E{Key: "mending", Value: d.Mending}), bson.D{{Key: "$unset", Value: mark}})
	return err
}

// DisableChannel stores the reason why a channel is disabled, unless it has a different URL.
func (s *Store) DisableChannel(ctx context.Context, c *plat.Channel, why string) error {
	err := storage.CheckChannel(&plat.Channel{Name: c.Name, URL: c.URL, Disabled: why})
	if err == nil {
		_, err = s.updateOne(ctx, s.channels, append(byID(c.Name), bson.E{Key: "url", Value: c.URL}), bson.D{{Key: "$set", Value: bson.D{{Key: "disabled", Value: why}}}})
	}
	if err != nil {
		return errorf("mongo: disable the channel %q: %w", c.Name, s.advise(err))
	}
	return nil
}

// RemoveChannel removes a channel after its messages, so that an interrupted call can be
// repeated.
func (s *Store) RemoveChannel(ctx context.Context, name string) error {
	n, err := s.channels.CountDocuments(ctx, byID(name))
	if err == nil && n == 0 {
		err = plat.ErrNotFound
	}
	if err == nil {
		_, err = s.deleteMany(ctx, s.messages, bson.D{{Key: "channel", Value: name}})
	}
	if err == nil {
		_, err = s.deleteOne(ctx, s.channels, byID(name))
	}
	if err != nil {
		return errorf("mongo: remove the channel %q: %w", name, s.advise(err))
	}
	return nil
}

func (s *Store) channelDocs(ctx context.Context) ([]channelDoc, error) {
	return findAll[channelDoc](ctx, s.channels, bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
}

// Channels yields all channels.
func (s *Store) Channels(ctx context.Context) iter.Seq2[*plat.Channel, error] {
	return func(yield func(*plat.Channel, error) bool) {
		got, err := s.channelDocs(ctx)
		if err != nil {
			yield(nil, errorf("mongo: channels: %w", s.advise(err)))
			return
		}
		for _, d := range got {
			if !yield(&plat.Channel{Name: d.ID, URL: d.URL, Disabled: d.Disabled}, nil) {
				return
			}
		}
	}
}

// Post stores messages.
func (s *Store) Post(ctx context.Context, all []plat.Message) error {
	err := storage.CheckMessages(all)
	if err == nil {
		err = s.post(ctx, all)
	}
	if err != nil {
		return errorf("mongo: post messages: %w", s.advise(err))
	}
	return nil
}

func (s *Store) post(ctx context.Context, all []plat.Message) error {
	if len(all) == 0 {
		return nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	sent, err := s.sentOf(ctx, ids)
	if err != nil {
		return err
	}
	var docs []any
	for i := range all {
		if m := &all[i]; !sent[m.ID] {
			docs = append(docs, messageDoc{ID: m.ID, Channel: m.Channel, Subscription: m.Subscription, Items: m.Items, Made: instant(m.Made), Due: instant(m.Due),
				Attempts: m.Attempts, Error: storage.ErrorText(m.Error)})
		}
	}
	return s.insertNew(ctx, s.messages, docs)
}

// sentOf returns the set of ids that were sent.
func (s *Store) sentOf(ctx context.Context, ids []string) (map[string]bool, error) {
	got, err := findAll[sentDoc](ctx, s.sent, byIDs(ids))
	sent := map[string]bool{}
	for _, d := range got {
		sent[d.ID] = true
	}
	return sent, err
}

// Take takes messages that are due, each by a compare-and-swap on its Due.
func (s *Store) Take(ctx context.Context, now time.Time, hold time.Duration, limit int) ([]plat.Message, error) {
	var all []plat.Message
	for limit > 0 {
		first, err := s.firstDue(ctx, now, limit)
		var dropped bool
		if err == nil {
			all, dropped, err = s.take(ctx, first, now, hold)
		}
		if err != nil {
			return nil, errorf("mongo: take messages: %w", s.advise(err))
		}
		if len(all) > 0 || !dropped {
			break
		}
	}
	return all, nil
}

// firstDue returns the messages that are the first of their channel and subscription, and due.
// It reads all waiting messages in order, so its time grows with their number.
func (s *Store) firstDue(ctx context.Context, now time.Time, limit int) ([]messageDoc, error) {
	channels, err := s.channelDocs(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range channels {
		if c.Disabled == "" {
			names = append(names, c.ID)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	cur, err := s.messages.Find(ctx, bson.D{{Key: "channel", Value: bson.D{{Key: "$in", Value: names}}}}, options.Find().SetSort(bson.D{{Key: "made", Value: 1}, {Key: "_id", Value: 1}}).
		SetProjection(bson.D{{Key: "channel", Value: 1}, {Key: "subscription", Value: 1}, {Key: "due", Value: 1}, {Key: "held", Value: 1}}))
	if err != nil {
		return nil, err
	}
	defer cur.Close(context.WithoutCancel(ctx))
	type lane struct{ channel, subscription string }
	seen := map[lane]bool{}
	early, _ := s.clock.shared(now)
	var first []messageDoc
	for len(first) < limit && cur.Next(ctx) {
		var d messageDoc
		if err := cur.Decode(&d); err != nil {
			return nil, err
		}
		l := lane{d.Channel, d.Subscription}
		if !seen[l] && !d.Due.After(now) && !d.Held.After(early) {
			first = append(first, d)
		}
		seen[l] = true
	}
	return first, cur.Err()
}

// take takes the given messages that no concurrent process has taken. dropped reports that it
// removed some that were already sent. After an error it takes none.
func (s *Store) take(ctx context.Context, first []messageDoc, now time.Time, hold time.Duration) (all []plat.Message, dropped bool, err error) {
	claim := plat.NewID()
	var ids []string
	defer func() {
		if err != nil && len(ids) > 0 {
			all = nil
			claimed := append(byIDs(ids), bson.E{Key: "claim", Value: claim})
			s.updateMany(ctx, s.messages, claimed, bson.D{{Key: "$set", Value: bson.D{{Key: "due", Value: instant(now)}}}, unclaimed}) // else it ends by itself
		}
	}()
	for i := range first {
		ids = append(ids, first[i].ID) // even a failed attempt may have the claim
		d, err := s.claim(ctx, &first[i], claim, now.Add(hold))
		if err != nil {
			return nil, false, err
		}
		if d != nil {
			all = append(all, plat.Message{ID: d.ID, Channel: d.Channel, Subscription: d.Subscription, Items: d.Items, Made: d.Made.UTC(), Due: d.Due.UTC(), Attempts: d.Attempts, Error: d.Error, Claim: d.Claim})
		}
	}
	if len(all) == 0 {
		return nil, false, nil
	}
	sent, err := s.sentOf(ctx, ids)
	if err != nil || len(sent) == 0 {
		return all, false, err
	}
	var left []plat.Message
	for _, m := range all {
		if !sent[m.ID] {
			left = append(left, m)
		} else if _, err := s.deleteOne(ctx, s.messages, byID(m.ID)); err != nil {
			return nil, true, err
		}
	}
	return left, true, nil
}

// claim takes a message until a time, and returns its document, or nil if a concurrent process has taken it.
func (s *Store) claim(ctx context.Context, m *messageDoc, claim string, until time.Time) (*messageDoc, error) {
	_, held := s.clock.shared(until)
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "due", Value: instant(until)}, {Key: "held", Value: instant(held)}, {Key: "claim", Value: claim}}}}
	var d messageDoc
	tries := 0
	err := s.survive(ctx, func() error {
		tries++
		return s.messages.FindOneAndUpdate(ctx, bson.D{{Key: "_id", Value: m.ID}, {Key: "due", Value: m.Due}}, set, options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&d)
	})
	if tries > 1 && errors.Is(err, mongo.ErrNoDocuments) { // perhaps by the interrupted attempt
		err = s.survive(ctx, func() error {
			return s.messages.FindOne(ctx, bson.D{{Key: "_id", Value: m.ID}, {Key: "claim", Value: claim}}).Decode(&d)
		})
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &d, err
}

// sentFor is the time for which the IDs of sent messages are kept.
const sentFor = 30 * 24 * time.Hour

// Sent stores the ID of a sent message, and removes the message.
func (s *Store) Sent(ctx context.Context, id string, now time.Time) error {
	err := s.insert(ctx, s.sent, id, sentDoc{id, instant(now)})
	if err == nil || mongo.IsDuplicateKeyError(err) {
		_, err = s.deleteOne(ctx, s.messages, byID(id))
	}
	if err == nil {
		_, err = s.deleteMany(ctx, s.sent, bson.D{{Key: "at", Value: bson.D{{Key: "$lt", Value: instant(now.Add(-sentFor))}}}})
	}
	if err != nil {
		return errorf("mongo: message %q: %w", id, s.advise(err))
	}
	return nil
}

// Failed stores a failed attempt to send a message.
func (s *Store) Failed(ctx context.Context, m *plat.Message) error {
	// Once the claim has ended, also by an interrupted attempt of this call, another process may take the message.
	r, err := s.updateOne(ctx, s.messages, append(byID(m.ID), bson.E{Key: "claim", Value: m.Claim}), bson.D{{Key: "$set", Value: bson.D{{Key: "attempts", Value: m.Attempts},
		{Key: "due", Value: instant(m.Due)}, {Key: "error", Value: storage.ErrorText(m.Error)}, {Key: "tried", Value: instant(time.Now())}}}, unclaimed})
	if err == nil && r.MatchedCount == 0 {
		if err = s.messages.FindOne(ctx, byID(m.ID), options.FindOne().SetProjection(bson.D{{Key: "_id", Value: 1}})).Err(); errors.Is(err, mongo.ErrNoDocuments) {
			err = plat.ErrNotFound
		}
	}
	if err != nil {
		return errorf("mongo: message %q: %w", m.ID, s.advise(err))
	}
	return nil
}

// Backlogs returns the unsent messages by channel.
func (s *Store) Backlogs(ctx context.Context) (map[string]storage.Backlog, error) {
	all := map[string]storage.Backlog{}
	tried := map[string]time.Time{}
	err := each(ctx, s.messages, bson.D{{Key: "items", Value: 0}}, nil, func(d *messageDoc) error {
		b := all[d.Channel]
		if b.Messages++; b.Oldest.IsZero() || d.Made.Before(b.Oldest) {
			b.Oldest = d.Made.UTC()
		}
		if d.Tried.After(tried[d.Channel]) {
			b.Error, tried[d.Channel] = d.Error, d.Tried
		}
		all[d.Channel] = b
		return nil
	})
	if err != nil {
		return nil, errorf("mongo: backlogs: %w", s.advise(err))
	}
	return all, nil
}
