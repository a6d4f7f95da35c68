package mongo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
)

// text is a string that may be invalid UTF-8. BSON does not allow that in strings, so such
// texts are stored as binary.
type text string

// MarshalBSONValue encodes a string, or binary of the user-defined subtype.
func (s text) MarshalBSONValue() (byte, []byte, error) {
	var t bson.Type
	var b []byte
	var err error
	if utf8.ValidString(string(s)) {
		t, b, err = bson.MarshalValue(string(s))
	} else {
		t, b, err = bson.MarshalValue(bson.Binary{Subtype: bson.TypeBinaryUserDefined, Data: []byte(s)})
	}
	return byte(t), b, err
}

// UnmarshalBSONValue decodes a string or binary.
func (s *text) UnmarshalBSONValue(t byte, b []byte) error {
	v := bson.RawValue{Type: bson.Type(t), Value: b}
	if str, ok := v.StringValueOK(); ok {
		*s = text(str)
		return nil
	}
	if _, data, ok := v.BinaryOK(); ok {
		*s = text(data)
		return nil
	}
	return fmt.Errorf("%s is not a text", bson.Type(t))
}

// IsZero reports whether the text is empty, for omitempty.
func (s text) IsZero() bool { return s == "" }

func urlID(url string) string { return plat.HashOf([]byte(url)).String()[:32] }

// versionID pads numbers to eight digits, so that they sort as text.
func versionID(url string, n int) string { return fmt.Sprintf("%s:%08d", urlID(url), n) }

// maxVersions is the highest number of a version.
const maxVersions = 99_999_999

// visitID shifts the time to be positive, so that it sorts as text.
func visitID(url string, t time.Time) string {
	return fmt.Sprintf("%s:%016x", urlID(url), uint64(t.UnixMilli())+1<<62)
}

func hexOf(h plat.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

func hashOf(s string) (plat.Hash, error) {
	if s == "" {
		return plat.Hash{}, nil
	}
	h, err := plat.ParseHash(s)
	if err != nil {
		err = fmt.Errorf("%w: %w", plat.ErrCorrupt, err)
	}
	return h, err
}

// colorText returns "#rrggbbaa"; empty for the zero colour.
func colorText(c plat.Color) string {
	if c == 0 {
		return ""
	}
	return fmt.Sprintf("#%08x", uint32(c))
}

func colorOf(s string) (plat.Color, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("colour %q: %w", s, plat.ErrCorrupt)
	}
	return plat.Color(v), nil
}

// ends returns the starts and ends of ranges, alternating.
func ends(all []plat.Range) []int {
	var list []int
	for _, r := range all {
		list = append(list, r.From, r.To)
	}
	return list
}

// ranges is the inverse of ends.
func ranges(list []int) []plat.Range {
	var all []plat.Range
	for ; len(list) > 1; list = list[2:] {
		all = append(all, plat.Range{From: list[0], To: list[1]})
	}
	return all
}
