package decodeerror_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"plat/plat/decodeerror"
)

func TestErrorsOfValuesAreInWords(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.Int("int", 0, "")
	f.Int64("int64", 0, "")
	f.Uint("uint", 0, "")
	f.Float64("float64", 0, "")
	f.Bool("bool", false, "")
	f.Duration("duration", 0, "")
	f.UintSlice("uintSlice", nil, "")
	f.Float64Slice("float64Slice", nil, "")
	for _, tc := range []struct{ kind, text, want string }{
		{"int", "x", `"x" cannot be used; write a whole number, as 8`},
		{"int", "99999999999999999999", `"99999999999999999999" is out of range; write a whole number, as 8`},
		{"int64", "1.5", `"1.5" cannot be used; write a whole number, as 8`},
		{"uint", "-1", `"-1" cannot be used; write a whole number from 0, as 8`},
		{"float64", "half", `"half" cannot be used; write a number, as 0.5`},
		{"bool", "perhaps", `"perhaps" cannot be used; write true or false`},
		{"duration", "30", `"30" cannot be used; write a duration, as 30s, 5m or 24h`},
		{"uintSlice", "80,x", `"80,x" cannot be used; write whole numbers from 0, separated by commas, as 80,8080`},
		{"float64Slice", "1,x", `"1,x" cannot be used; write numbers, separated by commas, as 0.5,1,2`},
	} {
		err := f.Lookup(tc.kind).Value.Set(tc.text)
		if got := decodeerror.Value(f.Lookup(tc.kind).Value.Type(), tc.text, err); err == nil || got == nil || got.Error() != tc.want {
			t.Errorf("%s %s: %v, want %s", tc.kind, tc.text, got, tc.want)
		}
	}
	other := errors.New("write 0 to 1")
	if decodeerror.Value("func", "2", other) != other || decodeerror.Value("int", "2", nil) != nil {
		t.Error("other errors do not stay as they are")
	}
	if strings.Contains(decodeerror.Value("int", "x", other).Error(), "strconv") {
		t.Error("a name of Go's remains")
	}
}
