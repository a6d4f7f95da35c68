package crawler

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"plat/focus"
	"plat/focus/similarity"
	"plat/plat"
	"plat/segment/label"
	"plat/segment/markup"
	"plat/storage"
)

// Sources of near words, as [plat.Crawl.Near] names them. Anything else is the path of a file
// with word vectors, as word2vec, fastText and GloVe write them.
const (
	NearWordNet = "wordnet" // Debian's package wordnet-base
	NearArchive = "archive" // words that occur together in the archive
)

// Limits of near words.
const (
	leastNear  = .5      // WordNet's words that are less near are not used
	mostNear   = 20      // of one word, from one source
	maxLearned = 20_000  // blocks of the archive that are learnt from
	onceBlocks = 500     // of these, at once
	maxBlock   = 100_000 // bytes of a block that are learnt from
)

// Words finds near words for crawls. It caches the sources that it has read.
type Words struct {
	Describer *label.Describer
	Archive   interface {
		Find(ctx context.Context, q storage.BlockQuery) iter.Seq2[storage.Found, error]
		Contents(ctx context.Context, hashes []plat.Hash) ([][]byte, error)
	}

	mu    sync.Mutex
	known map[string]focus.Near // guarded by mu
}

// Of returns near words from the named sources, separated by commas. Nil without names. The error
// is a [*TopicError] for a source that cannot be read, or the archive's.
func (w *Words) Of(ctx context.Context, names string) (focus.Near, error) {
	var all []focus.Near
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		s, err := w.source(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("near words: %w", err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return func(stem string) iter.Seq2[string, float64] {
		return func(yield func(string, float64) bool) {
			for _, s := range all {
				for word, near := range s(stem) {
					if !yield(word, near) {
						return
					}
				}
			}
		}
	}, nil
}

func (w *Words) source(ctx context.Context, name string) (focus.Near, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.known[name]; s != nil {
		return s, nil
	}
	var s focus.Near
	switch name {
	case NearWordNet:
		net, err := similarity.LoadWordNet(os.DirFS(similarity.WordNetDir), w.stem)
		if err != nil {
			return nil, &TopicError{fmt.Errorf("%w; install Debian's package wordnet-base", err)}
		}
		s = ofWordNet(net)
	case NearArchive:
		v, err := w.learn(ctx)
		if err != nil {
			return nil, err
		}
		s = ofVectors(v, similarity.Words{Learnt: v})
	default:
		f, err := os.Open(name)
		if err != nil {
			return nil, &TopicError{fmt.Errorf("%w; write %s, %s, or a file of word vectors that can be read", err, NearWordNet, NearArchive)}
		}
		defer f.Close()
		v, err := similarity.LoadVectors(f, similarity.LoadOptions{Stem: w.stem})
		if err != nil {
			return nil, &TopicError{fmt.Errorf("%s: %w", name, err)}
		}
		s = ofVectors(v, similarity.Words{Static: v})
	}
	if w.known == nil {
		w.known = map[string]focus.Near{}
	}
	w.known[name] = s
	return s, nil
}

// stem returns the stem of a single word, empty of a stop word.
func (w *Words) stem(word string) string {
	out := ""
	w.Describer.Terms("", []string{word}).Each(word, func(s string) bool { out = s; return false })
	return out
}

func ofWordNet(net *similarity.WordNet) focus.Near {
	return func(stem string) iter.Seq2[string, float64] {
		return func(yield func(string, float64) bool) {
			if !net.Has(stem) {
				return
			}
			type neighbour struct {
				word string
				near float64
			}
			var all []neighbour
			for other := range net.Stems() {
				if near := net.Near(stem, other); near >= leastNear && other != stem {
					all = append(all, neighbour{other, near})
				}
			}
			slices.SortFunc(all, func(a, b neighbour) int { return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.word, b.word)) })
			for _, n := range all[:min(len(all), mostNear)] {
				if !yield(n.word, n.near) {
					return
				}
			}
		}
	}
}

func ofVectors(v *similarity.Vectors, words similarity.Words) focus.Near {
	return func(stem string) iter.Seq2[string, float64] {
		return func(yield func(string, float64) bool) {
			if !v.Has(stem) {
				return
			}
			for _, n := range v.Nearest(stem, mostNear) {
				if near := words.Near(stem, n.Word); near > 0 && !yield(n.Word, near) {
					return
				}
			}
		}
	}
}

// learn learns from blocks of the archive's last versions, each content once, without menus and
// the like, which would teach that their words belong together.
func (w *Words) learn(ctx context.Context) (*similarity.Vectors, error) {
	learner := similarity.NewLearner(similarity.Options{})
	seen := map[plat.Hash]bool{}
	var hashes []plat.Hash
	var hidden [][]int32
	read := func() error {
		contents, err := w.Archive.Contents(ctx, hashes)
		if err != nil {
			return err
		}
		for i, c := range contents {
			learner.Learn(stemsOf(w.Describer, "", markup.Text(c[:min(len(c), maxBlock)], hidden[i])))
		}
		hashes, hidden = hashes[:0], hidden[:0]
		return nil
	}
	for f, err := range w.Archive.Find(ctx, storage.BlockQuery{Head: true}) {
		if err != nil {
			return nil, err
		}
		if b := &f.Block; !seen[b.Hash] && !label.Boilerplate(b.Label) {
			seen[b.Hash] = true
			hashes, hidden = append(hashes, b.Hash), append(hidden, b.Hidden)
		}
		if len(hashes) == onceBlocks {
			if err := read(); err != nil {
				return nil, err
			}
		}
		if len(seen) >= maxLearned {
			break
		}
	}
	if err := read(); err != nil {
		return nil, err
	}
	return learner.Vectors(), nil
}
