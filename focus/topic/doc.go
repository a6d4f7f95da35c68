// Package topic provides the tree of topics from which the topic of a focused crawl is chosen.
//
// [Ready] is a built-in tree: the Chinese Library Classification (5th edition), its 22 main
// classes and their second level, with names and terms in Chinese and English. [Parse] reads trees
// that users write, and [Tree.Join] adds them to a tree. [Tree.Find] accepts a user's input;
// [Topic.Texts] returns the texts that describe a topic, each with a weight.
//
// A topic here is a subject of pages. It differs from plat.Block.Topic, the few words that
// describe one block.
//
// # Format
//
// A tree is a YAML document:
//
//	topics:
//	  - id: cats
//	    parent: Q95                    # may be of the tree that this one is joined to
//	    names: {en: Cats, zh: 猫}       # or a text, if its language does not matter
//	    description: Domestic cats, not big cats.
//	    terms:                         # words that pages on the topic use; or a list
//	      en: [kitten, litter box, Felis catus]
//	      zh: [小猫, 猫砂]
//	    positive:                      # examples of the topic
//	      - text: The cat is a domesticated species of small carnivorous mammal.
//	      - url: https://example.org/cats
//	      - {url: https://example.org/pets, block: 12, version: 3}
//	    negative:                      # similar texts and pages that are off the topic
//	      - url: https://example.org/lions
//	    topics:
//	      - {id: siamese, names: Siamese cats}
//
// Only id is required, and a word in the names, the description, the terms or the positive
// examples, or an example that is an archived page or block: without any there is nothing to
// compare pages with. An id is of letters, digits and the characters - _ . : / +, and occurs once.
// Languages are codes as in HTML (BCP 47) and kept in lower case; a text without one is kept as
// und. A block is named by its URL and its number, as plat show prints it; without a version it is
// the latest. A topic is below a second one by being in its topics, or by naming it as parent.
//
// Trees are untrusted input: size, depth and lengths are limited, unknown keys and aliases are
// refused, and texts lose control characters.
//
// The package has no side effects.
package topic
