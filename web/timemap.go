package web

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// perTimemap is how many mementos one TimeMap lists. Where there are more, each
// part of the list is a TimeMap of its own, and names the others (RFC 7089
// section 5.1.2). The oldest are first, so that a part that is full stays as it
// is.
const perTimemap = 1000

// timemapRest is a format, perhaps the number of a part, and a URL, which begins
// with no digit.
var timemapRest = regexp.MustCompile(`^(link|json)/(?:([1-9][0-9]{0,6})/)?([^0-9].*)$`)

func parseTimemap(rest string) (format string, part int, url string, err error) {
	m := timemapRest.FindStringSubmatch(rest)
	if m == nil {
		return "", 0, "", bad("write /timemap/link/ or /timemap/json/ and the URL")
	}
	part = 1
	if m[2] != "" {
		if part, err = strconv.Atoi(m[2]); err != nil {
			return "", 0, "", bad("%s is no part of a TimeMap", m[2])
		}
	}
	return m[1], part, m[3], nil
}

// timemap lists the mementos of a URL.
func (s *Server) timemap(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		format, part, raw, err := parseTimemap(rest)
		if err != nil {
			return err
		}
		m, err := s.mementosOf(r.Context(), raw)
		if err != nil {
			return err
		}
		parts := (len(m.n) + perTimemap - 1) / perTimemap
		if part > parts {
			return &mistake{http.StatusNotFound, fmt.Sprintf("this TimeMap has %d parts", parts)}
		}
		if format == "json" {
			return reply(w, r, m.timemapJSON(s.origin(r), part, parts))
		}
		w.Header().Set("Content-Type", "application/link-format")
		send(w, r, []byte(m.timemapLinks(s.origin(r), part, parts)))
		return nil
	})
}

// bounds are the ranks from and before to of a part's mementos.
func (m *mementos) bounds(part int) (from, to int) {
	return (part - 1) * perTimemap, min(part*perTimemap, len(m.n))
}

// timemapURL is the address of a part; the first one has the plain address.
func (m *mementos) timemapURL(origin, format string, part int) string {
	if part == 1 {
		return origin + "/timemap/" + format + "/" + m.url
	}
	return fmt.Sprintf("%s/timemap/%s/%d/%s", origin, format, part, m.url)
}

func (m *mementos) timemapLinks(origin string, part, parts int) string {
	span := func(part int) string {
		from, to := m.bounds(part)
		return fmt.Sprintf(`from="%s"; until="%s"`, m.taken[from].Format(http.TimeFormat), m.taken[to-1].Format(http.TimeFormat))
	}
	lines := []string{
		fmt.Sprintf(`<%s>; rel="original"`, m.url),
		fmt.Sprintf(`<%s>; rel="self"; type="application/link-format"; %s`, m.timemapURL(origin, "link", part), span(part)),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, origin, m.url),
	}
	for other := 1; other <= parts; other++ {
		if other != part {
			lines = append(lines, fmt.Sprintf(`<%s>; rel="timemap"; type="application/link-format"; %s`, m.timemapURL(origin, "link", other), span(other)))
		}
	}
	from, to := m.bounds(part)
	for i := from; i < to; i++ {
		rel := "memento"
		if i == len(m.n)-1 {
			rel = "last " + rel
		}
		if i == 0 {
			rel = "first " + rel
		}
		lines = append(lines, m.link(origin, i, rel))
	}
	return strings.Join(lines, ",\n") + "\n"
}

// timemapInfo is a TimeMap in JSON, with the names that other archives use.
type timemapInfo struct {
	Original string `json:"original_uri"`
	Self     string `json:"self"`
	Timegate string `json:"timegate_uri"`
	Timemap  struct {
		Link string `json:"link_format"`
		JSON string `json:"json_format"`
	} `json:"timemap_uri"`
	Index    []timemapPart `json:"timemap_index,omitempty"` // where there is more than one part
	Mementos struct {
		First mementoInfo   `json:"first"`
		Last  mementoInfo   `json:"last"`
		List  []mementoInfo `json:"list"`
	} `json:"mementos"`
}

type timemapPart struct {
	URI   string    `json:"uri"`
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

type mementoInfo struct {
	Time time.Time `json:"datetime"`
	URI  string    `json:"uri"`
}

func (m *mementos) timemapJSON(origin string, part, parts int) timemapInfo {
	info := timemapInfo{Original: m.url, Self: m.timemapURL(origin, "json", part), Timegate: origin + "/timegate/" + m.url}
	info.Timemap.Link, info.Timemap.JSON = m.timemapURL(origin, "link", part), m.timemapURL(origin, "json", part)
	for other := 1; parts > 1 && other <= parts; other++ {
		from, to := m.bounds(other)
		info.Index = append(info.Index, timemapPart{m.timemapURL(origin, "json", other), m.taken[from], m.taken[to-1]})
	}
	at := func(i int) mementoInfo { return mementoInfo{m.taken[i], origin + mementoPath(m.url, m.taken[i])} }
	info.Mementos.First, info.Mementos.Last = at(0), at(len(m.n)-1)
	from, to := m.bounds(part)
	for i := from; i < to; i++ {
		info.Mementos.List = append(info.Mementos.List, at(i))
	}
	return info
}
