package web

import (
	"net/url"
	"strconv"

	"plat"
)

// askedURL is the canonical form of the parameter u.
func (s *Server) askedURL(q url.Values) (string, error) {
	u, err := plat.Canonical(q.Get("u"), s.Drop)
	if err != nil {
		return "", bad("u: %v", err)
	}
	return u, nil
}

// askedNumber is a parameter that is a whole number ≥ 0; otherwise where it is
// not given.
func askedNumber(q url.Values, name string, otherwise int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, bad("%s: write a number from 0 on", name)
	}
	return int(n), nil
}

// link is a path of ours with parameters, in pairs of name and value; those
// without a value are left out.
func link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return path + "?" + q.Encode()
}

// where is the way from the archive to a page.
type where struct {
	Host, URL, Path string
	N               int // 0 on the page of the URL itself
}

func whereOf(u string, n int) where {
	w := where{Host: plat.HostOf(u), URL: u, N: n, Path: u}
	if p, err := url.Parse(u); err == nil {
		w.Path = p.RequestURI()
	}
	return w
}
