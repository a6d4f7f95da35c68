package focus

// Term is a hash of a word's stem, 32 bits of FNV-1a: models of terms are arrays, and need no
// strings. Of 500,000 terms some thirty pairs share one.
type Term uint32

// TermOf hashes a stem.
func TermOf(stem string) Term {
	h := uint32(fnvBasis)
	for i := 0; i < len(stem); i++ {
		h = (h ^ uint32(stem[i])) * fnvPrime
	}
	return Term(h)
}

// Parameters of FNV-1a with 32 bits.
const (
	fnvBasis = 2166136261
	fnvPrime = 16777619
)

// urlWords calls yield with the runs of letters in a URL without its scheme, in lower case, until
// it returns false.
func urlWords(u string, yield func(word string) bool) {
	var buf [maxURLWord]byte
	n, long := 0, false
	for i := schemeEnd(u); i <= len(u); i++ {
		if i < len(u) {
			if c := u[i] | 0x20; c >= 'a' && c <= 'z' {
				if n < len(buf) {
					buf[n] = c
					n++
				} else {
					long = true
				}
				continue
			}
		}
		if n > 1 && !long && !yield(string(buf[:n])) {
			return
		}
		n, long = 0, false
	}
}

// maxURLWord is the longest run of letters in a URL that is a word.
const maxURLWord = 32

func schemeEnd(u string) int {
	for i := 0; i+2 < len(u); i++ {
		if u[i] == ':' && u[i+1] == '/' && u[i+2] == '/' {
			return i + 3
		}
	}
	return 0
}
