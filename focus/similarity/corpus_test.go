package similarity

import (
	"bufio"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kljensen/snowball/english"
)

func stem(word string) string { return english.Stem(word, false) }

// stopWords are those of comments in English.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`about after all also an and any are as at be because been before being but by can
		cannot could did do does doing don each else for from had has have having he her his how if in into is isn it its
		may might more most must no nor not of on only or other our out over own same she should so some such than that
		the their them then there these they this those through to too under until up us very was we were what when where
		which while who why will with would you your`) {
		m[w] = true
	}
	return m
}()

var wordPattern = regexp.MustCompile(`[a-z]{2,}`)

// goComments are the comments in the sources of Go, one text for lines that follow each
// other: some 1,500,000 words that are on every machine with Go. They are nil where the
// sources are not.
var goComments = sync.OnceValue(func() (texts [][]string) {
	var text []string
	stems := map[string]string{}
	end := func() {
		if len(text) > 0 {
			texts, text = append(texts, text), nil
		}
	}
	err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		defer end()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			line, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "//")
			if !ok || line == "" {
				end()
				continue
			}
			if strings.Contains(line, "Copyright") || strings.Contains(line, "BSD-style") || strings.Contains(line, "LICENSE") {
				continue // in every file
			}
			for _, w := range wordPattern.FindAllString(strings.ToLower(line), -1) {
				if stopWords[w] {
					continue
				}
				if stems[w] == "" {
					stems[w] = stem(w)
				}
				text = append(text, stems[w])
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return texts
})

// related are pairs of words of programming that a programmer would call near, chosen
// before anything was measured.
var related = func() (pairs [][2]string) {
	for p := range strings.FieldsSeq(`read/write file/directory server/client certificate/tls goroutine/scheduler
		integer/overflow encode/decode lock/mutex compress/gzip request/response image/pixel jpeg/png matrix/vector
		public/private signature/verify encrypt/decrypt socket/connection month/year hour/minute second/nanosecond
		timezone/zone url/host cookie/header query/parameter json/unmarshal xml/element template/html regexp/match
		parser/syntax lexer/token compiler/optimize register/instruction stack/frame heap/allocate garbage/collector
		channel/send sender/receiver map/key hash/digest slice/array string/byte rune/unicode utf/encoding
		float/exponent rational/denominator prime/random square/root sine/cosine sort/less tree/node graph/edge
		list/element package/import module/version test/benchmark fuzz/corpus error/message panic/recover process/exit
		signal/interrupt thread/core cpu/core memory/address pointer/dereference load/store cache/entry
		disk/filesystem user/group permission/mode environment/variable command/argument flag/usage
		database/transaction row/column debug/trace profile/sample linker/symbol object/section elf/macho
		windows/handle unix/socket dns/resolver ip/address tcp/udp port/listen proxy/forward timeout/deadline
		cancel/context timer/ticker leap/day big/endian little/endian bit/mask shift/left multiply/divide add/subtract
		minimum/maximum upper/lower prefix/suffix begin/end open/close push/pop insert/delete escape/quote
		newline/whitespace comment/doc type/interface method/receiver struct/field generic/constraint
		literal/constant`) {
		a, b, _ := strings.Cut(p, "/")
		pairs = append(pairs, [2]string{stem(a), stem(b)})
	}
	return pairs
}()

// auc returns the probability that a related pair is nearer than an unrelated pair of the same words:
// the first word of one with the second of a different one. So no word is nearer only because it
// is frequent; a few unrelated pairs are related by chance.
func auc(near func(a, b string) float64) float64 {
	var others []float64
	for _, step := range []int{7, 13, 29, 41} {
		for i := range related {
			others = append(others, near(related[i][0], related[(i+step)%len(related)][1]))
		}
	}
	won := 0.0
	for _, p := range related {
		s := near(p[0], p[1])
		for _, o := range others {
			if s > o {
				won++
			} else if s == o {
				won += .5
			}
		}
	}
	return won / float64(len(related)*len(others))
}

func learntFromComments(t testing.TB, o Options) *Vectors {
	texts := goComments()
	if texts == nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the sources of Go are not there")
		}
		t.Skip("the sources of Go are not there")
	}
	l := NewLearner(o)
	for _, text := range texts {
		l.Learn(text)
	}
	return l.Vectors()
}

func TestRelatedWordsAreNearerThanOthers(t *testing.T) {
	if len(related) < 60 {
		t.Fatalf("%d pairs", len(related))
	}
	for _, tc := range []struct {
		name    string
		options Options
		least   float64
	}{ // measured with Go 1.26: 0.944, 0.922 and 0.909, with a tolerance for other versions
		{"by default", Options{}, .92},
		{"in half the dimensions", Options{Dims: 128}, .9},
		{"with room for a fifth of the pairs", Options{MaxPairs: 250_000}, .87},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := learntFromComments(t, tc.options)
			got := auc(func(a, b string) float64 { s, _ := v.Similarity(a, b); return s })
			near := auc(Words{Learnt: v}.Near)
			t.Logf("AUC %.3f of cosines, %.3f of Near, %d words", got, near, v.Len())
			if got < tc.least || near < tc.least-.02 {
				t.Errorf("AUC %.3f, by Near %.3f, want %.2f", got, near, tc.least)
			}
		})
	}
}

func TestTheOrderOfManyTextsDoesNotMatter(t *testing.T) {
	v := learntFromComments(t, Options{})
	texts := slices.Clone(goComments())
	slices.Reverse(texts)
	if !slices.Equal(learner(Options{}, texts).Vectors().numbers, v.numbers) {
		t.Error("the numbers are others when the last text comes first")
	}
}

func TestNearestWordsAreOfTheSameThing(t *testing.T) {
	v := learntFromComments(t, Options{})
	for word, want := range map[string]string{"certificate": "issuer", "mutex": "unlock", "goroutine": "schedule", "numerator": "denominator", "exponent": "mantissa"} {
		word, want = stem(word), stem(want)
		near := v.Nearest(word, 40)
		if !slices.ContainsFunc(near, func(n Neighbour) bool { return n.Word == want }) {
			t.Errorf("%s is not among the words nearest to %s: %v", want, word, near)
		}
		if !slices.IsSortedFunc(near, func(a, b Neighbour) int {
			if a.Similarity > b.Similarity || a.Similarity == b.Similarity && a.Word < b.Word {
				return -1
			}
			return 1
		}) {
			t.Errorf("not in order: %v", near)
		}
		for _, n := range near {
			if s, ok := v.Similarity(n.Word, word); !ok || s != n.Similarity || n.Word == word {
				t.Errorf("%v, but Similarity is %v, %v", n, s, ok)
			}
		}
	}
	if got := v.Nearest("no such word", 3); got != nil {
		t.Errorf("an unknown word has neighbours: %v", got)
	}
}
