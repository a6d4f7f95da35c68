package storage

import (
	"fmt"
	"strings"

	"plat/plat"
)

// MaxResource is the maximum size of a resource in bytes. SQLite stores at most a billion bytes in a row, and both
// stores hold a resource in memory.
const MaxResource = 512 << 20

// checkResources returns an error if the resources of a commit contradict it.
func (c *Commit) checkResources() error {
	if len(c.Resources) > plat.MaxResources {
		return tooManyResources(len(c.Resources))
	}
	if sum := plat.ManifestOf(c.Resources).Sum(); sum != c.Version.Resources {
		return fmt.Errorf("the manifest's hash is %s, not %s", sum.Short(), c.Version.Resources.Short())
	}
	return checkResources(c.Resources)
}

// Check returns an error if the attachment contradicts itself.
func (a *Attachment) Check() error {
	if len(a.Resources) > plat.MaxResources {
		return tooManyResources(len(a.Resources))
	}
	return checkResources(a.Resources)
}

func tooManyResources(n int) error {
	return fmt.Errorf("%d resources; a version has at most %d", n, plat.MaxResources)
}

// checkResources returns an error if resources contradict themselves.
func checkResources(all []plat.Resource) error {
	m := plat.ManifestOf(all)
	for i := range m {
		if i > 0 && m[i].URL == m[i-1].URL {
			return fmt.Errorf("%s is listed twice", m[i].URL)
		}
	}
	for i := range all {
		r := &all[i]
		switch {
		case len(r.URL) > plat.MaxResourceURL:
			return fmt.Errorf("a resource has a URL of %d bytes; it may have %d", len(r.URL), plat.MaxResourceURL)
		case r.Left != "" && !(r.Hash.IsZero() && r.Size == 0 && r.Data == nil):
			return fmt.Errorf("%s is marked as omitted but has data", r.URL)
		case r.Left == "" && r.Hash.IsZero():
			return fmt.Errorf("%s has no hash", r.URL)
		case r.Size < 0 || r.Size > MaxResource:
			return fmt.Errorf("%s has %d bytes; a resource has at most %d", r.URL, r.Size, MaxResource)
		case r.Status < 0:
			return fmt.Errorf("%s has the status %d", r.URL, r.Status)
		case r.Data != nil && (plat.HashOf(r.Data) != r.Hash || int64(len(r.Data)) != r.Size):
			return fmt.Errorf("the data of %s does not have the hash %s or the given size", r.URL, r.Hash.Short())
		}
	}
	return nil
}

// Compressible reports whether bytes of a media type are worth compressing. Images,
// web fonts and the like are compressed already.
func Compressible(mediaType string) bool {
	kind, sub, _ := strings.Cut(mediaType, "/")
	switch kind {
	case "image":
		return sub == "svg+xml" || sub == "bmp" || strings.Contains(sub, "icon")
	case "font":
		return !strings.HasPrefix(sub, "woff")
	}
	return kind == "text"
}
