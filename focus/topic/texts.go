package topic

import (
	"maps"
	"slices"
)

// Text is a text that describes a topic.
type Text struct {
	Text     string
	Weight   float64 // relative weight; at most 2
	Language string  // code; [Undetermined] if not given
	Topic    string  // ID of the topic that has it: the one described, or one below it
}

// Weights of the texts of a topic. A name is chosen with care; a description also has words of
// explanation, which pages of any topic have.
const (
	nameWeight        = 2
	termWeight        = 1
	exampleWeight     = 1
	descriptionWeight = 0.5

	// A subtopic belongs to the topic, but is narrower: a page on one subtopic has few words of
	// the rest.
	levelWeight = 0.5
)

// Texts returns the texts that describe a topic: its names, description, terms and positive
// examples that are texts, then those of the topics below, with half the weight for each level. A
// text that comes twice in a language is returned where it weighs more. Negative examples, and
// those that are in an archive, are left to the caller.
func (t *Topic) Texts() []Text {
	var all []Text
	type key struct{ text, language string }
	place := map[key]int{}
	var add func(t *Topic, factor float64)
	add = func(t *Topic, factor float64) {
		for _, x := range t.own(factor) {
			k := key{fold(x.Text), x.Language}
			at, known := place[k]
			switch {
			case !known:
				place[k] = len(all)
				all = append(all, x)
			case x.Weight > all[at].Weight:
				all[at] = x
			}
		}
		for _, sub := range t.Topics {
			add(sub, factor*levelWeight)
		}
	}
	add(t, 1)
	return all
}

// own returns the texts of a topic itself.
func (t *Topic) own(factor float64) []Text {
	var all []Text
	add := func(text string, weight float64, language string) {
		if text != "" {
			all = append(all, Text{text, weight * factor, language, t.ID})
		}
	}
	for _, l := range slices.Sorted(maps.Keys(t.Names)) {
		add(t.Names[l], nameWeight, l)
	}
	add(t.Description, descriptionWeight, Undetermined)
	for _, l := range slices.Sorted(maps.Keys(t.Terms)) {
		for _, s := range t.Terms[l] {
			add(s, termWeight, l)
		}
	}
	for _, e := range t.Positive {
		add(e.Text, exampleWeight, Undetermined)
	}
	return all
}
