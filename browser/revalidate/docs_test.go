package revalidate

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"plat/docs"
	"plat/plat"
)

func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	s := &State{Version: 2, PageBytes: 300, Setup: MarkOf("setup"), Inert: true, Sourced: true, Streak: 1, Chain: MarkOf("chain"),
		Document: Resource{By: ByETag, ETag: `"a"`, Mark: etagMark(`"a"`)},
		Loads: []Resource{
			{URL: "https://a.test/a.css", Kind: plat.LoadStyle, By: ByBody, Mark: MarkOf("css"), Fresh: time.Unix(1_790_000_000, 0).UTC()},
			{URL: "https://a.test/b.png", Kind: plat.LoadImage, By: ByModified, Modified: time.Unix(1_780_000_000, 0).UTC(), Mark: modifiedMark(time.Unix(1_780_000_000, 0))},
		}}
	b := s.Encode()
	want, err := docs.Example("state")
	if err != nil || !bytes.Equal(b, want) {
		t.Errorf("a state is % x, the document has % x, %v", b, want, err)
	}
	if got, err := Decode(want); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("the document's state is %+v, %v, want %+v", got, err, s)
	}
	section := docs.Section("### Revalidation state")
	for _, of := range []any{State{}, Resource{}} {
		for f := range reflect.TypeOf(of).Fields() {
			if f.IsExported() && !strings.Contains(section, "`"+f.Name+"`") {
				t.Errorf("the section on the revalidation state does not say what %T.%s is", of, f.Name)
			}
		}
	}
	for r := NoReason + 1; r < numReasons; r++ {
		if !strings.Contains(section, fmt.Sprintf("%d %s", r, r)) {
			t.Errorf("the section on the revalidation state does not have the reason %d %s", r, r)
		}
	}
}
