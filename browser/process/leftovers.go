package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// profilePrefix begins the names of the profiles' directories; the process id
// of the owner follows, for people to see.
const (
	profilePrefix = "plat-chrome-"
	lockName      = "plat.lock"
)

// removeProfile removes a directory in which a dying process may still write.
func removeProfile(dir string) error {
	var err error
	for range 5 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// makeProfile makes a directory and locks it. A concurrent cleanup may remove the directory before
// it is locked: then makeProfile tries again.
func makeProfile() (dir string, lock *os.File, err error) {
	for range 10 {
		if dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", profilePrefix, os.Getpid())); err != nil {
			return "", nil, err
		}
		if lock, err = lockProfile(dir); err == nil {
			return dir, lock, nil
		}
		if err := removeProfile(dir); err != nil {
			return "", nil, err
		}
	}
	return "", nil, fmt.Errorf("lock it: %w", err)
}

// CleanLeftovers removes the leftovers of dead owners: unlocked profiles, and browsers that still
// run on them. The error names those that remain.
func CleanLeftovers() error {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), profilePrefix+"*"))
	if err != nil {
		return err
	}
	var failed error
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !ours(info) {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil && time.Since(info.ModTime()) < time.Minute {
			continue // just being made
		}
		lock, err := lockProfile(dir)
		if err != nil {
			continue // its owner lives
		}
		if !killUsers(dir, stopTimeout) {
			failed = errors.Join(failed, fmt.Errorf("a browser of %s cannot be killed", dir))
		} else if err := removeProfile(dir); err != nil {
			failed = errors.Join(failed, err)
		}
		lock.Close()
	}
	return failed
}

// ours reports whether a file belongs to this process's user.
func ours(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// abandonTimeout limits the time of Abandon for each browser: a killed process
// is gone in milliseconds unless the machine is in trouble.
const abandonTimeout = 500 * time.Millisecond

// Abandon kills all browsers of this process and removes their profiles, even those in use. It is
// for a process that is about to end and cannot wait for [Process.Stop].
func Abandon() {
	dirs, err := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("%s%d-*", profilePrefix, os.Getpid())))
	if err != nil {
		return // only a bad pattern has errors; the next start cleans up
	}
	for _, dir := range dirs {
		killUsers(dir, abandonTimeout)
		_ = removeProfile(dir) // the next start removes the rest
	}
}
