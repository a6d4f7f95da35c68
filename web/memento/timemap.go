package memento

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// PerPart is the number of mementos per TimeMap. Longer lists are split into parts; each is a
// TimeMap that links to the remaining parts (RFC 7089 section 5.1.2). The oldest come first, so
// that a full part never changes.
const PerPart = 1000

// Parts is the number of parts of the TimeMap.
func (m *List) Parts() int { return (len(m.N) + PerPart - 1) / PerPart }

// bounds returns the index range [from, to) of a part's mementos.
func (m *List) bounds(part int) (from, to int) {
	return (part - 1) * PerPart, min(part*PerPart, len(m.N))
}

// timemapURL is the address of a part; the first one omits the number.
func (m *List) timemapURL(origin, format string, part int) string {
	if part == 1 {
		return origin + "/timemap/" + format + "/" + m.URL
	}
	return fmt.Sprintf("%s/timemap/%s/%d/%s", origin, format, part, m.URL)
}

// Text writes a part in the format of RFC 7089 section 5; origin is the
// server's external origin and parts the number of parts.
func (m *List) Text(origin string, part, parts int) string {
	span := func(part int) string {
		from, to := m.bounds(part)
		return fmt.Sprintf(`from="%s"; until="%s"`, m.Taken[from].Format(http.TimeFormat), m.Taken[to-1].Format(http.TimeFormat))
	}
	lines := []string{
		fmt.Sprintf(`<%s>; rel="original"`, m.URL),
		fmt.Sprintf(`<%s>; rel="self"; type="application/link-format"; %s`, m.timemapURL(origin, "link", part), span(part)),
		fmt.Sprintf(`<%s/timegate/%s>; rel="timegate"`, origin, m.URL),
	}
	for other := 1; other <= parts; other++ {
		if other != part {
			lines = append(lines, fmt.Sprintf(`<%s>; rel="timemap"; type="application/link-format"; %s`, m.timemapURL(origin, "link", other), span(other)))
		}
	}
	from, to := m.bounds(part)
	for i := from; i < to; i++ {
		rel := "memento"
		if i == len(m.N)-1 {
			rel = "last " + rel
		}
		if i == 0 {
			rel = "first " + rel
		}
		lines = append(lines, m.link(origin, i, rel))
	}
	return strings.Join(lines, ",\n") + "\n"
}

// TimeMap is a TimeMap as JSON, with the field names of other archives.
type TimeMap struct {
	Original string `json:"original_uri"`
	Self     string `json:"self"`
	Timegate string `json:"timegate_uri"`
	Timemap  struct {
		Link string `json:"link_format"`
		JSON string `json:"json_format"`
	} `json:"timemap_uri"`
	Index    []Part `json:"timemap_index,omitempty"` // if there is more than one part
	Mementos struct {
		First Entry   `json:"first"`
		Last  Entry   `json:"last"`
		List  []Entry `json:"list"`
	} `json:"mementos"`
}

// Part refers to a part of a TimeMap.
type Part struct {
	URI   string    `json:"uri"`
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// Entry is a memento in a TimeMap.
type Entry struct {
	Time time.Time `json:"datetime"`
	URI  string    `json:"uri"`
}

// JSON returns a part as [TimeMap].
func (m *List) JSON(origin string, part, parts int) TimeMap {
	info := TimeMap{Original: m.URL, Self: m.timemapURL(origin, "json", part), Timegate: origin + "/timegate/" + m.URL}
	info.Timemap.Link, info.Timemap.JSON = m.timemapURL(origin, "link", part), m.timemapURL(origin, "json", part)
	for other := 1; parts > 1 && other <= parts; other++ {
		from, to := m.bounds(other)
		info.Index = append(info.Index, Part{m.timemapURL(origin, "json", other), m.Taken[from], m.Taken[to-1]})
	}
	at := func(i int) Entry { return Entry{m.Taken[i], origin + Path(m.URL, m.Taken[i])} }
	info.Mementos.First, info.Mementos.Last = at(0), at(len(m.N)-1)
	from, to := m.bounds(part)
	for i := from; i < to; i++ {
		info.Mementos.List = append(info.Mementos.List, at(i))
	}
	return info
}
