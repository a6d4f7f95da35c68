package plat

import (
	"encoding/binary"
	"fmt"
)

// MaxMemory is how many bytes visits may leave for the next.
const MaxMemory = 4 << 10

// MaxPolicyMemory is how many of them belong to the policy of the schedule.
const MaxPolicyMemory = 1 << 10

// Memory is what the visits of a URL leave for the next, opaque to stores and to each
// other's owners. All of it can be made again, or done without.
type Memory struct {
	Skip   string // of package revalidate
	Policy string // of the schedule's policy, at most MaxPolicyMemory bytes
}

// memoryFormat is the first byte of an encoded memory. One that begins with another is
// of before there were policies, and is all Skip.
const memoryFormat = 0xa0

// Encode returns the memory in the form that [Visit] and [URLState] have it: the format,
// then the length of each part, as uvarint, and the part. Empty if there is nothing.
func (m Memory) Encode() string {
	if m == (Memory{}) {
		return ""
	}
	b := []byte{memoryFormat}
	for _, part := range [...]string{m.Skip, m.Policy} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return string(b)
}

// DecodeMemory reads what Encode wrote. Parts of a newer plat, after the known ones,
// are passed over. [ErrCorrupt] if it is cut off.
func DecodeMemory(text string) (Memory, error) {
	if text == "" || text[0] != memoryFormat {
		return Memory{Skip: text}, nil
	}
	var m Memory
	b := []byte(text[1:])
	for _, part := range [...]*string{&m.Skip, &m.Policy} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return Memory{}, fmt.Errorf("memory of a URL: %w", ErrCorrupt)
		}
		*part, b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	return m, nil
}
