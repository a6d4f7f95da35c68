package decodeerror

import (
	"bytes"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// Limits of a user's YAML file.
const (
	MaxYAML = 1 << 20 // bytes
	maxKeys = 10_000  // of a mapping: the decoder compares each pair of keys
)

// ReadYAML reads a YAML file within its limits. The caller decodes it and reports its errors.
func ReadYAML(from io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(from, MaxYAML+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxYAML {
		return nil, fmt.Errorf("there are more than %d bytes of YAML; write less, or several files", MaxYAML)
	}
	for d := yaml.NewDecoder(bytes.NewReader(b)); ; {
		var n yaml.Node
		if d.Decode(&n) != nil {
			return b, nil
		}
		if line := crowded(&n); line > 0 {
			return nil, fmt.Errorf("line %d: there are more than %d keys", line, maxKeys)
		}
	}
}

// crowded returns the line of a mapping with too many keys, 0 if no mapping has.
func crowded(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode && len(n.Content) > 2*maxKeys {
		return n.Line
	}
	for _, c := range n.Content {
		if line := crowded(c); line > 0 {
			return line
		}
	}
	return 0
}
