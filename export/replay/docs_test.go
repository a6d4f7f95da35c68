package replay

import (
	"testing"

	"plat/docs"
	"plat/plat"
)

func TestTheFormatSaysHowAssetsAreSigned(t *testing.T) {
	want, err := docs.Example("asset")
	if got := NewKey("secret").Assets("/asset/", plat.HashOf([]byte("manifest")), nil).prefix + "0"; err != nil || got != string(want) {
		t.Errorf("an asset is at %s, the document has %s, %v", got, want, err)
	}
}
