package topic

import (
	"bytes"
	_ "embed"
	"sync"
)

// readyFile is the built-in tree; its header describes it.
//
//go:embed ready.yaml
var readyFile []byte

// Ready returns the built-in tree.
var Ready = sync.OnceValue(func() *Tree {
	t, err := Parse(bytes.NewReader(readyFile))
	if err != nil {
		panic("plat: the built-in topics: " + err.Error()) // a test reads them
	}
	return t
})
