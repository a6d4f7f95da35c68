package plat

import (
	"encoding/binary"
	"fmt"
)

// MaxMemory is the most bytes that a visit may store for the next one.
const MaxMemory = 4 << 10

// MaxPolicyMemory is the part of MaxMemory available to the schedule's policy.
const MaxPolicyMemory = 1 << 10

// Memory is what the visits of a URL pass to the next visit. Each part is opaque to
// stores and to the owner of the other part. All of it is a cache: it can be
// recomputed or lost.
type Memory struct {
	Skip   string // of package revalidate
	Policy string // of the schedule's policy, at most MaxPolicyMemory bytes
	Noise  string // of package noise: what varies by itself, at most 960 bytes
	Doubt  string // what came instead of the page, and since when; or what failed to come with it
}

// memoryFormat is the first byte of an encoded memory. One that begins with another
// byte was written before policies existed, and is all Skip.
const memoryFormat = 0xa0

// NoMemory is an encoded memory without anything. A visit with an empty one keeps the old one.
const NoMemory = "\xa0\x00\x00"

// Encode returns the memory in the form used by [Visit] and [URLState]: the format
// byte, then each part after its length as uvarint. Empty if there is nothing.
func (m Memory) Encode() string {
	if m == (Memory{}) {
		return ""
	}
	b := []byte{memoryFormat}
	parts := []string{m.Skip, m.Policy, m.Noise, m.Doubt}
	for len(parts) > 2 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1] // as versions write it that do not know them
	}
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return string(b)
}

// DecodeMemory parses the output of Encode. It ignores parts after the known ones,
// which a newer plat may have added. [ErrCorrupt] if the text is truncated.
func DecodeMemory(text string) (Memory, error) {
	if text == "" || text[0] != memoryFormat {
		return Memory{Skip: text}, nil
	}
	var m Memory
	b := []byte(text[1:])
	for i, part := range []*string{&m.Skip, &m.Policy, &m.Noise, &m.Doubt} {
		if i >= 2 && len(b) == 0 {
			break
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return Memory{}, fmt.Errorf("memory of a URL: %w", ErrCorrupt)
		}
		*part, b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	return m, nil
}
