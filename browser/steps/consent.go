package steps

import (
	_ "embed"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"

	"plat/plat"
)

// consentFile is the built-in set; its header describes it.
//
//go:embed consent.yaml
var consentFile []byte

// Manager describes how to answer the banner of a consent manager.
type Manager struct {
	Name   string `yaml:"name" json:"name"`
	Banner string `yaml:"banner" json:"banner"`                   // selector; visible while unanswered
	Script string `yaml:"script" json:"script"`                   // regular expression: URLs of its scripts, without regard to case
	Frame  string `yaml:"frame,omitempty" json:"frame,omitempty"` // selector of the iframe that Banner and Answer are in

	// Answer lists ways to answer, best first: to refuse, to refuse on a second page,
	// to dismiss the notice. A way is a sequence of clicks.
	Answer [][]string `yaml:"answer" json:"answer"`
}

// Consent returns the built-in set.
var Consent = sync.OnceValue(func() []Manager {
	var all []Manager
	if err := yaml.Unmarshal(consentFile, &all); err != nil {
		panic(fmt.Sprintf("the built-in consent managers: %v", err)) // a test reads them
	}
	return all
})

// ConsentHash identifies the built-in set.
var ConsentHash = sync.OnceValue(func() plat.Hash { return hashOf(Consent()) })
