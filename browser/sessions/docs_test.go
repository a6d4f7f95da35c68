package sessions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"plat/docs"
)

// TestTheFormatSaysWhatIsWritten opens the file shown in docs/format.md, with the key given
// there.
func TestTheFormatSaysWhatIsWritten(t *testing.T) {
	file, err := docs.Example("sessions")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sessions")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := open(t, path).Load("a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(map[string]any{"a": k})
	if err != nil {
		t.Fatal(err)
	}
	if want, err := docs.Example("sessions-json"); err != nil || string(got) != string(want) {
		t.Errorf("the file holds\n%s\nthe document says\n%s, %v", got, want, err)
	}
}
