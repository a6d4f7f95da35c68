// Package similarity computes how near two words are in meaning, from 0 to 1, from sources that
// need no download: texts that a [Learner] has read, and [WordNet] where it is installed. Vectors
// from elsewhere can be read too, by [LoadVectors]. [Words] takes the best of them.
//
// Words are stems in lower case; the caller stems them, and passes the same function to the
// readers of external sources. Chinese words are used unchanged. The package has no rules of any
// language.
//
// # Learning
//
// Two words are near if they occur together, or with the same words. A Learner counts pairs of
// words within a window. [Learner.Vectors] weighs each count c of a word w and a context word v by
// its positive pointwise mutual information [Church, Hanks 1990; Levy, Goldberg, Dagan 2015],
//
//	max(0, log(c · Σ_u n_u^0.75 / (n_w · n_v^0.75))) · c/(c+1),
//
// where n is the number of occurrences of a word with other words, 0.75 keeps rare context words
// from having the greatest weights, and c/(c+1) reduces counts of a few [Pantel, Lin 2002]. A row
// of that matrix has as many columns as there are words. It is multiplied by a sparse random
// matrix of 0, 1 and −1 [Achlioptas 2003; random indexing: Kanerva et al. 2000], which keeps
// cosines up to an error whose standard deviation is at most about 1/√Dims, 0.06 at 256. A word's
// row of that matrix follows from its hash and the seed alone, so the vectors of two Learners with
// one seed lie in the same space.
//
// A word also counts as a context of itself, at half the length of its row. Otherwise the cosine
// would only measure that two words occur with the same words, not that they occur together. On
// the comments of Go's library that raises the AUC of related pairs against unrelated ones from
// 0.906 to 0.943; at 0.3 it is 0.935, at 1 0.943. Without c/(c+1) it is 0.936; 128 dimensions
// instead of 256 cost 0.026, and 1,024 gain 0.009. Multiplying by the matrix twice, for words with
// merely similar contexts, lowers it to at most 0.94.
//
// The information of a pair changes with each text, so it cannot be summed into vectors text by
// text. Therefore the Learner keeps counts, and projects them when vectors are requested: learning
// in steps gives exactly the same as learning all at once. Memory is bounded by lossy counting
// [Manku, Motwani 2002] of words and of pairs: without room, the rarest quarter of words, or half
// of the pairs, is dropped. A dropped word starts again at zero, so only words that are rare
// between two such times are lost. The frequencies n stay exact as long as a word is kept. At the
// limits that [Options] set by default counts take some 75 MB, and twice that for a moment;
// vectors of 200,000 words take 66 MB.
//
// Give a Learner each text once. A menu that is on every page teaches it that all words of
// the menu are near.
//
// The package is pure: no clock, and no I/O except the given readers.
package similarity
