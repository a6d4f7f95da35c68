package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"plat/cmd/plat/app"
	"plat/plat"
	"plat/storage"
	"plat/storage/uri"
)

// jobList is the file of a crawl's jobs, beside the archive. It is removed when the crawl is over.
type jobList struct {
	storage.Store
	path    string
	lock    *app.Lock
	begun   time.Time // of the crawl
	resumed bool      // an earlier run was interrupted
	over    bool      // nothing is left to do
}

// crawlNote is the note in the list that describes the crawl, as JSON.
const crawlNote = "crawl"

// openList opens the list of the crawl with these URLs and this scope, or makes it.
func (c *crawling) openList(ctx context.Context) (*jobList, error) {
	l := &jobList{path: c.listPath(), begun: time.Now().UTC().Truncate(time.Millisecond), over: true} // until it has a job
	var holder string
	var err error
	switch l.lock, holder, err = app.Take(l.path + "-lock"); {
	case err != nil:
		return nil, app.Fail(app.ExitStore, "list of the crawl: %w", err)
	case holder != "":
		return nil, app.Fail(app.ExitError, "this crawl is running already, in %s", holder)
	}
	if c.again {
		app.RemoveSQLite(l.path)
	}
	if l.Store, err = uri.Open(ctx, "sqlite:"+l.path, uri.Creates, uri.Options{Program: app.ReadBuild().String()}); err != nil {
		l.lock.Release()
		return nil, app.Fail(app.ExitStore, "list of the crawl: %w", err)
	}
	if err := l.read(ctx, c); err != nil {
		l.close()
		return nil, app.Fail(app.ExitStore, "list of the crawl: %w", err)
	}
	return l, nil
}

// read reads when the crawl began, or notes that it begins now.
func (l *jobList) read(ctx context.Context, c *crawling) error {
	type note struct {
		Begun time.Time `json:"begun"`
		URLs  []string  `json:"urls"`
		Scope string    `json:"scope"`
	}
	all, err := l.Notes(ctx, crawlNote)
	if err != nil {
		return err
	}
	var n note
	if text := all[crawlNote]; text != "" {
		if err := json.Unmarshal([]byte(text), &n); err != nil {
			return fmt.Errorf("%s: %v: %w", l.path, err, plat.ErrCorrupt)
		}
		l.begun, l.resumed, l.over = n.Begun, true, false
		return nil
	}
	text, err := json.Marshal(note{l.begun, c.urls, c.scope})
	if err != nil {
		return err
	}
	return l.SetNote(ctx, crawlNote, string(text))
}

// listPath returns the file of the list: the same for the same archive, URLs and scope. That of an
// archive in MongoDB is in the current folder.
func (c *crawling) listPath() string {
	urls := slices.Sorted(slices.Values(c.urls))
	identity := append([]string{c.Store, c.scope}, slices.Compact(urls)...)
	if c.KeepParams {
		identity = append(identity, "keep-params")
	}
	text, err := json.Marshal(identity)
	if err != nil {
		panic(fmt.Sprintf("plat: encode texts: %v", err)) // texts can always be encoded
	}
	sum := sha256.Sum256(text)
	name := "crawl-" + hex.EncodeToString(sum[:4])
	if path, ok := c.SQLite(); ok {
		return path + "-" + name
	}
	return "plat.db-" + name
}

// close closes the list, and removes it if the crawl is over.
func (l *jobList) close() {
	l.Store.Close()
	if l.over {
		app.RemoveSQLite(l.path)
	}
	l.lock.Release()
}
