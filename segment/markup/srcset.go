package markup

import "strings"

// Candidate is an entry of a srcset attribute: a URL, as written, and its width or density.
type Candidate struct{ URL, Descriptor string }

// Candidates reads a srcset (HTML Living Standard section 4.8.4.2.2).
func Candidates(set string) []Candidate {
	var all []Candidate
	for s := set; ; {
		s = strings.TrimLeft(s, " \t\n\r\f,")
		if s == "" {
			return all
		}
		end := strings.IndexAny(s, " \t\n\r\f")
		if end < 0 {
			end = len(s)
		}
		c := Candidate{URL: s[:end]}
		s = s[end:]
		if trimmed := strings.TrimRight(c.URL, ","); trimmed != c.URL {
			c.URL = trimmed
		} else {
			end = strings.IndexByte(s, ',')
			if end < 0 {
				end = len(s)
			}
			c.Descriptor = strings.TrimSpace(s[:end])
			s = s[end:]
		}
		all = append(all, c)
	}
}
