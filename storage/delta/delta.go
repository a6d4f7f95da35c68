// Package delta delta-encodes bytes against a base that the reader has as well: a
// block against its predecessor, a pack of blocks against earlier packs.
//
// The format is one byte that names the coding, then:
//
//	0  the bytes as they are
//	1  a Zstandard frame (RFC 8878) without its magic number and checksum; the
//	   base, if any, is its raw-content dictionary
//
// The format does not detect damage; stored data is verified by its hash.
package delta

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"plat/plat"
)

const (
	codingRaw  = 0
	codingZstd = 1
)

// magic is the start of every Zstandard frame. It is not stored.
var magic = [4]byte{0x28, 0xb5, 0x2f, 0xfd}

// Window is the maximum match distance in bytes: only the last Window bytes of a
// longer base are used.
const Window = 1 << 20

// maxRatio bounds the allocation for a damaged size: Zstandard produces at most 128
// KiB from a 4-byte block.
const maxRatio = 1 << 15

// Coder encodes and decodes. The zero Coder is ready to use and safe for concurrent
// use. It caches its encoders, whose tables take some megabytes, as many as ever ran
// at once.
type Coder struct {
	plain, based free[*zstd.Encoder] // without and with a base: converting one into the other would reallocate it
	dec          free[*zstd.Decoder]
}

// free is a free list. Unlike sync.Pool it keeps its items during garbage collection.
type free[T any] struct {
	mu   sync.Mutex
	list []T // guarded by mu
}

func (f *free[T]) get() (x T, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.list); n > 0 {
		x, f.list = f.list[n-1], f.list[:n-1]
		return x, true
	}
	return x, false
}

func (f *free[T]) put(x T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, x)
}

// Encode appends src, encoded against base, to dst. It uses the shortest encoding,
// which may be the raw bytes.
func (c *Coder) Encode(dst, src, base []byte) []byte {
	if len(src) == 0 {
		return append(dst, codingRaw)
	}
	start := len(dst)
	dst = c.Compress(append(dst, codingZstd), src, base)
	dst = append(dst[:start+1], dst[start+1+len(magic):]...)
	if len(dst)-start > len(src) {
		return append(append(dst[:start], codingRaw), src...)
	}
	return dst
}

// Compress appends src as a complete Zstandard frame to dst, with base as its
// raw-content dictionary, readable by any Zstandard decoder.
func (c *Coder) Compress(dst, src, base []byte) []byte {
	encoders := &c.plain
	if len(base) >= minBase {
		encoders = &c.based
	}
	enc, ok := encoders.get()
	if !ok {
		var err error
		// On block histories "better" is a tenth smaller than "default"; "best" saves
		// one percent more at thirteen times the time.
		enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
			zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(Window),
			zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
		if err != nil {
			panic(fmt.Sprintf("delta: constant options rejected: %v", err))
		}
	}
	if encoders == &c.based {
		if err := enc.ResetWithOptions(nil, zstd.WithEncoderDictRaw(0, base)); err != nil {
			panic(fmt.Sprintf("delta: dictionary of %d bytes rejected: %v", len(base), err))
		}
	}
	dst = enc.EncodeAll(src, dst)
	encoders.put(enc)
	return dst
}

// minBase is the shortest base used, in bytes: decoders may reject a dictionary
// shorter than a match.
const minBase = 8

// Decode returns the size bytes that Encode encoded as b against the same base. Invalid bytes,
// or a different size, give plat.ErrCorrupt. The result may share memory with b.
func (c *Coder) Decode(b, base []byte, size int) ([]byte, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("delta: no bytes: %w", plat.ErrCorrupt)
	}
	coding, b := b[0], b[1:]
	switch {
	case coding == codingRaw && len(b) == size:
		return b, nil
	case coding == codingRaw:
		return nil, fmt.Errorf("delta: %d bytes, want %d: %w", len(b), size, plat.ErrCorrupt)
	case coding != codingZstd:
		return nil, fmt.Errorf("delta: coding %d: %w", coding, plat.ErrCorrupt)
	}
	frame := append(make([]byte, 0, len(magic)+len(b)), magic[:]...)
	return c.Decompress(append(frame, b...), base, size)
}

// Decompress returns the size bytes that Compress compressed against the same base,
// with the errors of Decode.
func (c *Coder) Decompress(frame, base []byte, size int) ([]byte, error) {
	if size < 0 || size > maxRatio*(len(frame)+1) {
		return nil, fmt.Errorf("delta: %d bytes out of %d: %w", size, len(frame), plat.ErrCorrupt)
	}
	opts := []zstd.DOption{zstd.WithDecoderDictDelete()}
	if len(base) >= minBase {
		opts = append(opts, zstd.WithDecoderDictRaw(0, base))
	}
	dec, ok := c.dec.get()
	if !ok {
		var err error
		dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(1<<30))
		if err != nil {
			return nil, fmt.Errorf("delta: %w", err)
		}
	}
	if err := dec.ResetWithOptions(nil, opts...); err != nil {
		return nil, fmt.Errorf("delta: %w", err)
	}
	out, err := dec.DecodeAll(frame, make([]byte, 0, size))
	c.dec.put(dec)
	if err != nil {
		return nil, fmt.Errorf("delta: %w: %w", plat.ErrCorrupt, err)
	}
	if len(out) != size {
		return nil, fmt.Errorf("delta: %d bytes, want %d: %w", len(out), size, plat.ErrCorrupt)
	}
	return out, nil
}
