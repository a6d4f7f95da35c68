package similarity

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// The format of stored vectors:
//
//	"PNV1"                        what it is, and its version
//	uvarint                       dimensions
//	uvarint                       words
//	per word: uvarint, bytes      its length and itself, ascending
//	per word: dimensions bytes    its numbers, −127 to 127
//	4 bytes                       CRC-32C of all before, little-endian
const magic = "PNV1"

// ErrCorrupt is returned for stored vectors that are not what Marshal wrote.
var ErrCorrupt = errors.New("stored word vectors are corrupt or of another version; learn them again")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Marshal is what UnmarshalVectors reads. Equal vectors give equal bytes.
func (v *Vectors) Marshal() []byte {
	b := []byte(magic)
	b = binary.AppendUvarint(b, uint64(v.Dims()))
	b = binary.AppendUvarint(b, uint64(v.Len()))
	if v != nil {
		for _, w := range v.words {
			b = binary.AppendUvarint(b, uint64(len(w)))
			b = append(b, w...)
		}
		for _, x := range v.numbers {
			b = append(b, byte(x))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// UnmarshalVectors reads what Marshal wrote; the error is [ErrCorrupt] otherwise.
func UnmarshalVectors(b []byte) (*Vectors, error) {
	corrupt := func(what string) (*Vectors, error) { return nil, fmt.Errorf("%w (%s)", ErrCorrupt, what) }
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return corrupt("beginning")
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(b[len(body):]) {
		return corrupt("checksum")
	}
	r := reader{rest: body[len(magic):]}
	dims, n := r.number(maxDims), r.number(math.MaxInt32)
	// A word takes at least two bytes, and its numbers: a false count costs no memory.
	if r.failed || n > len(r.rest)/(dims+2) {
		return corrupt("counts")
	}
	words := make([]string, n)
	for i := range words {
		words[i] = string(r.bytes(r.number(MaxWord)))
		if r.failed || words[i] == "" || i > 0 && words[i] <= words[i-1] {
			return corrupt("words")
		}
	}
	if len(r.rest) != n*dims {
		return corrupt("length")
	}
	built := newBuilder(dims, n)
	for i, w := range words {
		for _, x := range r.rest[i*dims : (i+1)*dims] {
			if int8(x) == math.MinInt8 {
				return corrupt("number")
			}
			built.v.numbers = append(built.v.numbers, int8(x))
		}
		built.addRounded(w)
	}
	return built.v, nil
}

// reader reads from rest until something fails.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) number(most int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(most) {
		r.failed = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.failed = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
