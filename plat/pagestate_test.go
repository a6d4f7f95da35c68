package plat_test

import (
	"errors"
	"reflect"
	"testing"

	"plat/plat"
)

func TestAStateOfAPageIsKeptAsAResource(t *testing.T) {
	if s := (&plat.PageState{}); !s.Empty() {
		t.Error("a state without anything is not empty")
	}
	for name, s := range map[string]*plat.PageState{
		"documents": {Documents: []plat.DocumentState{{Path: []int32{0, 1, -1}, URL: "http://a.test/b", Base: "http://a.test/", From: "http://a.test/c"}}},
		"sheets":    {Sheets: map[string]string{"http://a.test/a.css": "http://a.test/b/c.css"}},
		"media":     {Media: []plat.PlacedText{{Path: []int32{0, 0, 1}, Text: "not all"}}},
		"styles":    {Styles: []plat.PlacedText{{Path: []int32{0}, Text: "opacity:1;"}}},
		"defined":   {Defined: []string{"x-a"}},
		"broken":    {Broken: []string{"http://a.test/a.png"}},
		"selected":  {Selected: []string{"href"}},
		"controls":  {Controls: []plat.Control{{Path: []int32{0}, Value: new("")}, {Path: []int32{1}, On: new(false)}}},
		"refused":   {Refused: []plat.RefusedFiles{{Path: []int32{0, -1}, Images: []string{"data", "http://a.test/a.png"}, Fonts: []string{"http://a.test/a.ttf"}, Sheets: []string{"http://a.test/a.css"}}}},
		"modes":     {Modes: []plat.PlacedText{{Path: []int32{0, -1}, Text: "quirks"}}},
		"begun":     {Begun: []plat.PlacedText{{Path: []int32{0}, Text: "-2s"}}},
		"states":    {States: []plat.PlacedText{{Path: []int32{0}, Text: "user-invalid state-on"}}},
		"opened":    {Opened: []plat.PlacedText{{Path: []int32{0}, Text: "modal"}}},
	} {
		r := s.Resource()
		if s.Empty() || r.URL != plat.PageStateURL || r.Hash != plat.HashOf(r.Data) || r.Size != int64(len(r.Data)) {
			t.Errorf("%s: empty %t, %+v", name, s.Empty(), r)
		}
		if got, err := plat.UnmarshalPageState(r.Data); err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, s)
		}
	}
	if _, err := plat.UnmarshalPageState([]byte("{")); !errors.Is(err, plat.ErrCorrupt) {
		t.Errorf("half a state: %v", err)
	}
	if s, err := plat.UnmarshalPageState([]byte(`{"later":1,"defined":["x-b"]}`)); err != nil || len(s.Defined) != 1 {
		t.Errorf("a state with a later field: %+v, %v", s, err)
	}
}
