package plat

import (
	"encoding/binary"
	"fmt"
)

// MaxMemory is the maximum number of bytes that a visit may store for the next one.
const MaxMemory = 4 << 10

// MaxPolicyMemory is the part of MaxMemory available to the schedule's policy.
const MaxPolicyMemory = 1 << 10

// Memory is the data that the visits of a URL pass to the next visit. Each part is opaque to stores
// and to the owners of the other parts. All of it is a cache: it can be recomputed or lost.
type Memory struct {
	Skip   string // of package revalidate
	Policy string // of the schedule's policy, at most MaxPolicyMemory bytes
	Noise  string // of package noise: the places that vary, at most 960 bytes
	Doubt  string // content served instead of the page, and since when; or the files that failed to load with it
}

// memoryFormat is the first byte of an encoded memory. A memory with a different first byte was
// written before policies existed, and is all Skip.
const memoryFormat = 0xa0

// NoMemory is an encoded memory without any part. A visit with empty text keeps the old memory.
const NoMemory = "\xa0\x00\x00"

// Encode returns the memory in the form used by [Visit] and [URLState]: the format byte, then each
// part after its length as uvarint. The zero Memory is empty text.
func (m Memory) Encode() string {
	if m == (Memory{}) {
		return ""
	}
	b := []byte{memoryFormat}
	parts := []string{m.Skip, m.Policy, m.Noise, m.Doubt}
	for len(parts) > 2 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1] // as older versions of plat write it
	}
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return string(b)
}

// DecodeMemory parses the output of Encode. It ignores parts after the known ones, which a newer plat
// may have added. It returns [ErrCorrupt] if the text is truncated.
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
