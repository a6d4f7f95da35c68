package simulate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTracesAreLoadedFromFilesAndFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	bad := write("b.txt", "{")
	write("c.md", "no trace")
	if all, err := Load([]string{dir}, 0); err != nil || len(all) != 0 {
		t.Errorf("of a folder without traces: %d, %v", len(all), err)
	}
	if _, err := Load([]string{bad}, 0); err == nil || !strings.Contains(err.Error(), "b.txt") {
		t.Errorf("of a damaged file: %v", err)
	}
	if _, err := Load([]string{filepath.Join(dir, "none.json")}, 0); !os.IsNotExist(err) {
		t.Errorf("of no file: %v", err)
	}
	write("d.json", "{")
	if _, err := Load([]string{dir}, 0); err == nil || !strings.Contains(err.Error(), "d.json") {
		t.Errorf("of a folder with a damaged file: %v", err)
	}
}
