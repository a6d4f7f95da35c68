package settings

import (
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"plat/browser/cookies"
)

// readCookies reads the file of cookies, if there is one.
func (s *Settings) readCookies(log *slog.Logger) ([]cookies.Cookie, error) {
	if s.Cookies == "" {
		return nil, nil
	}
	f, err := os.Open(s.Cookies)
	if err != nil {
		return nil, bad("cookies: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, cookies.MaxFile+1))
	if err != nil {
		return nil, bad("cookies: %w", err)
	}
	read, err := cookies.Parse(b, time.Now())
	if err != nil {
		return nil, bad("cookies: %s: %w", s.Cookies, err)
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Mode()&0o077 != 0 && runtime.GOOS != "windows" {
		log.Warn("other users of this machine can read the file of cookies: chmod 600 it", "file", s.Cookies)
	}
	switch {
	case len(read.Cookies) == 0:
		log.Warn("all cookies in the file have expired: export it again", "file", s.Cookies, "expired", read.Expired)
	case read.Expired > 0:
		log.Info("cookies that have expired are left out", "file", s.Cookies, "expired", read.Expired, "cookies", len(read.Cookies))
	}
	return read.Cookies, nil
}
