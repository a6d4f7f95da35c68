package watchweb

import (
	"context"
	"fmt"
	"hash/fnv"
	"html"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/web/api"
	"plat/web/cache"
)

// iconTypes are the media types of displayed icons: types without scripts.
var iconTypes = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/x-icon", "image/vnd.microsoft.icon"}

// maxIcon is the size of an icon, in bytes.
const maxIcon = 256 << 10

// picture is an icon.
type picture struct {
	media string
	data  []byte
}

// icon sends the icon of a subscription's site, if the archive has it, and else a picture of
// a letter.
func (s *Server) icon(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, st, err := s.oneVisited(r)
	if err != nil {
		return err
	}
	p := picture{"image/svg+xml", letterIcon(sub.URL)}
	if st.Head > 0 {
		found, err := cache.Remember(r.Context(), s.Cache, "watched icon "+strconv.Itoa(st.Head)+" "+st.URL, func(p picture) int64 { return int64(len(p.data)) + 100 },
			func(ctx context.Context) (picture, error) { return s.siteIcon(ctx, st.URL) })
		if err != nil {
			s.Log.Error("icon", "url", st.URL, "error", err)
		} else if found.data != nil {
			p = found
		}
	}
	w.Header().Set("Content-Type", p.media)
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	api.WriteBytes(w, r, p.data)
	return nil
}

// siteIcon finds an icon among the resources of a page's last version.
func (s *Server) siteIcon(ctx context.Context, u string) (picture, error) {
	v, err := s.Head(ctx, u)
	if err != nil || v.Resources.IsZero() {
		return picture{}, err
	}
	m, err := s.Store.Manifest(ctx, v.Resources)
	if err != nil {
		return picture{}, err
	}
	for i := range m {
		x := &m[i]
		if x.Left != "" || x.Size > maxIcon || !slices.Contains(iconTypes, x.Type) || !isIcon(x.URL) {
			continue
		}
		data, err := s.Store.Resource(ctx, x.Hash)
		if err != nil {
			return picture{}, err
		}
		return picture{x.Type, data}, nil
	}
	return picture{}, nil
}

// isIcon reports whether a resource is called as icons are.
func isIcon(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	name := strings.ToLower(path.Base(u.Path))
	return strings.HasPrefix(name, "favicon") || strings.Contains(name, "touch-icon")
}

// letterIcon is an SVG of a letter on the colour of a host.
func letterIcon(u string) []byte {
	h := fnv.New32a()
	h.Write([]byte(plat.HostOf(u)))
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="hsl(%d 45%% 34%%)"/><text x="8" y="12" font-family="sans-serif" font-size="11" text-anchor="middle" fill="#fff">%s</text></svg>`,
		h.Sum32()%360, html.EscapeString(excerpt.Printable(letter(u))))
}
