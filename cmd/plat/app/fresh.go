package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"plat/storage"
)

// fresh is an archive in a file that this command has made. If the command fails and has stored nothing,
// the file is removed: a typing error leaves no trace.
type fresh struct {
	storage.Store
	path string
	app  *App
}

// Close closes the archive.
func (f *fresh) Close() error {
	empty := isEmpty(f.Store)
	err := f.Store.Close()
	if err == nil && empty {
		f.app.unused = f.path
	}
	return err
}

// removeUnused removes the archive that a failed command has made for nothing.
func (a *App) removeUnused() {
	if a.unused == "" || !missing(a.unused+"-shm") { // a second process has it open
		return
	}
	RemoveSQLite(a.unused)
}

// RemoveSQLite removes the files of an SQLite archive that no process has open.
func RemoveSQLite(path string) {
	for _, end := range []string{"", "-wal", "-shm", "-search"} {
		os.Remove(path + end)
	}
}

// missing reports whether there is no file.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// isEmpty reports whether nothing was ever stored. An archive that cannot be read is not empty.
func isEmpty(s storage.Store) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if notes, err := s.Notes(ctx, ""); err != nil || len(notes) > 0 {
		return false
	}
	for range s.States(ctx, "", "") {
		return false
	}
	for range s.Subscriptions(ctx, storage.Which{}) {
		return false
	}
	for range s.Channels(ctx) {
		return false
	}
	for range s.Crawls(ctx) {
		return false
	}
	return true
}
