// Package similarity says how near two words are in meaning, from 0 to 1, from sources that
// need no download: what a [Learner] has seen in texts, and [WordNet] where it is installed.
// Vectors from elsewhere can be read too, by [LoadVectors]. [Words] takes the best of them.
//
// Words are stems in lower case; the caller stems them, and hands the same function to what
// reads other sources. Chinese words are taken as they are. Nothing here knows a language.
//
// # What is learnt
//
// Two words are near if they occur together, or with the same others. A Learner counts pairs
// of words within a window. [Learner.Vectors] weighs each count c of a word w and a context
// word v by its positive pointwise mutual information [Church, Hanks 1990; Levy, Goldberg,
// Dagan 2015],
//
//	max(0, log(c · Σ_u n_u^.75 / (n_w · n_v^.75))) · c/(c+1),
//
// where n is how often a word occurs with others, .75 keeps rare context words from having
// the greatest weights, and c/(c+1) takes from counts of a few [Pantel, Lin 2002]. A row of
// that matrix has as many columns as there are words. It is multiplied by a sparse random
// matrix of 0, 1 and −1 [Achlioptas 2003; random indexing: Kanerva et al. 2000], which keeps
// cosines up to an error whose standard deviation is at most about 1/√Dims, .06 at 256. A
// word's row of that matrix follows from its hash and the seed alone, so the vectors of two
// Learners with one seed lie in the same space.
//
// A word also counts as a context of itself, at half the length of its row. Otherwise the
// cosine would only see that two words occur with the same others, not that they occur
// together. On the comments of Go's library that lifts the AUC of related pairs over others
// from .906 to .943; at .3 it is .935, at 1 .943. Without c/(c+1) it is .936; 128 dimensions
// instead of 256 cost .026, and 1,024 gain .009. Multiplying by the matrix twice, for words
// whose contexts only resemble each other, lowers it to at most .94.
//
// The information of a pair changes with each text, so it cannot be summed into vectors text
// by text. Therefore counts are kept, and projected when vectors are asked for: learning on
// gives exactly what learning all at once gives. Memory is bounded by lossy counting
// [Manku, Motwani 2002] of words and of pairs: where there is no room, the rarest quarter of
// words, or half of the pairs, is forgotten. What comes again later begins anew, so what is
// forgotten is what was rare between two such times. The frequencies n stay exact as long as
// a word is known. At the limits that [Options] set by default counts take some 75 MB, and
// twice that for a moment; vectors of 200,000 words take 66 MB.
//
// Give a Learner each text once. A menu that is on every page teaches it that all words of
// the menu are near.
//
// The package is pure: no clock, no I/O but readers that it is given.
package similarity
