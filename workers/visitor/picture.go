package visitor

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plat/plat"
)

// keepPicture writes the picture of a page on which a step failed to a folder, if one
// is named, and says in the error where it is. Errors without a picture stay as they
// are.
func keepPicture(folder, u string, err error) error {
	failed, ok := errors.AsType[*plat.VisitError](err)
	if !ok || failed.Picture == nil || folder == "" {
		return err
	}
	host := "page"
	if parsed, err := url.Parse(u); err == nil && parsed.Hostname() != "" {
		host = strings.Map(func(r rune) rune {
			if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
				return r
			}
			return '_'
		}, parsed.Hostname())
	}
	name := filepath.Join(folder, fmt.Sprintf("%s-%s-%s.png", time.Now().UTC().Format("20060102T150405.000Z"), host, plat.HashOf([]byte(u)).Short()))
	said := *failed
	if lost := os.WriteFile(name, failed.Picture.Data, 0o600); lost != nil {
		said.Err = fmt.Errorf("%w (the picture of the page could not be written: %w)", failed.Err, lost)
	} else {
		said.Err = fmt.Errorf("%w (the page at that time: %s)", failed.Err, name)
	}
	return &said
}
