package label

import (
	_ "embed"
	"sync"

	"plat/segment/classifier"
)

// commentsModel determines whether a block holds comments of readers, by [commentsEvidence]. It is fitted with
// roleModel.
//
//go:embed comments.model
var commentsBytes []byte

var commentsModel = sync.OnceValue(func() *classifier.Model { return classifier.MustDecode(commentsBytes) })

// commentsEvidence is all that the model of comments sees: that of roles, and whether the block is where a field asks
// for comments.
var commentsEvidence = append(roleEvidence[:len(roleEvidence):len(roleEvidence)],
	evidence{"in discussion", func(s *scene) float64 { return is(s.f.discussed) }})

// notAsked is the score of a block that the model of comments is not asked about: an unlikely one, but not so low that
// one block of a row decides for all.
const notAsked = -4 * classifier.Unit

// said scores a block as comments, by c.values; roles are the scores of its roles. The model scores blocks of the content,
// and blocks that have the name or the place of comments, but no advertisements. The heading of a discussion is part of
// it.
func (c *classifying) said(s scene, roles []int32) int32 {
	if signs, _ := adSigns(s.f); signs >= 3 {
		return notAsked
	}
	if s.f.chars == 0 || !s.f.discussed && named(hintComments)(s.f) < .25 {
		if role, _ := judge(roles); role != partMain {
			return notAsked
		}
	}
	if s.f.headsComments() {
		return classifier.Unit
	}
	c.values[len(roleEvidence)] = float32(is(s.f.discussed))
	commentsModel().Read(c.values, &c.comments)
	var score [1]int32
	commentsModel().Scores(&c.comments, score[:])
	return score[0]
}

// headsComments reports whether a block has a word for comments where comments are.
func (f *facts) headsComments() bool { return f.discussed && f.commentWord }

// explainComments names the features that spoke most for comments.
func (c *classifying) explainComments(f *facts) string {
	if f.headsComments() {
		return "says comments, in discussion"
	}
	clear(c.worth)
	commentsModel().Explain(&c.comments, 0, 1, c.worth)
	return told(len(c.worth), func(i int) (string, bool, float64, float64) {
		return commentsEvidence[i].name, false, float64(c.values[i]), float64(c.worth[i]) / classifier.Unit
	})
}
