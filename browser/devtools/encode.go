package devtools

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
)

// AppendCBOR appends JSON as CBOR.
func AppendCBOR(dst, text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return appendValue(dst, v), nil
}

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(dst, cborTrue)
		}
		return append(dst, cborFalse)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 32); err == nil {
			if n < 0 {
				return appendHead(dst, cborNegative, uint32(-1-n))
			}
			return appendHead(dst, cborUnsigned, uint32(n))
		}
		f, _ := v.Float64() // the nearest number, if out of range
		return binary.BigEndian.AppendUint64(append(dst, cborDouble), math.Float64bits(f))
	case string:
		return appendText(dst, v)
	case []any:
		return appendEnvelope(dst, func(dst []byte) []byte {
			dst = append(dst, cborArray)
			for _, e := range v {
				dst = appendValue(dst, e)
			}
			return append(dst, cborEnd)
		})
	case map[string]any:
		return appendEnvelope(dst, func(dst []byte) []byte {
			dst = append(dst, cborMap)
			for name, e := range v {
				dst = appendValue(appendText(dst, name), e)
			}
			return append(dst, cborEnd)
		})
	}
	return append(dst, cborNull)
}

func appendHead(dst []byte, major byte, n uint32) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n <= math.MaxUint8:
		return append(dst, major|24, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, major|26), n)
}

func appendText(dst []byte, s string) []byte {
	return append(appendHead(dst, cborText, uint32(len(s))), s...)
}

// appendEnvelope appends an envelope around the output of fill.
func appendEnvelope(dst []byte, fill func([]byte) []byte) []byte {
	dst = append(dst, cborTag8, cborEnvelope, cborSize32, 0, 0, 0, 0)
	from := len(dst)
	dst = fill(dst)
	binary.BigEndian.PutUint32(dst[from-4:], uint32(len(dst)-from))
	return dst
}
