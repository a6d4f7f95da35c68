package uri

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoErrorOfAStoreRepeatsItsPassword(t *testing.T) {
	for name, want := range map[string]string{
		"mongo:me:hush@h/db":                                        "mongodb://HOST/DATABASE",
		"mongo://me:hush@h/db":                                      "mongodb://HOST/DATABASE",
		"me:hush@h/db":                                              "mongodb://HOST/DATABASE",
		"mongodb:me:hush@h/db":                                      "mongodb://HOST:PORT/DATABASE",
		"mongodb://me:hu@hush@h/db":                                 "its login is not understood",
		"mongodb://me:hu:hush@h/db":                                 "its login is not understood",
		"mongodb://me:hu/hush@h/db":                                 "its login is not understood",
		"mongodb://me:%zzhush@h/db":                                 "its login is not understood",
		"mongodb+srv://me:hu:hush@h.test/db":                        "its login is not understood",
		"mongodb://h/db?maxPoolSize=hush":                           "its options, after the ?, are not understood",
		"mongodb+srv://h.test/db?maxPoolSize=hush":                  "its options, after the ?, are not understood",
		"mongodb://":                                                "mongodb://HOST:PORT/DATABASE",
		"mongodb://me:hush@h/my.db":                                 `"my.db"; write letters, digits, - and _, at most 63`,
		"mongodb://me:hush@h/a%2Fb":                                 `"a/b"; write letters`,
		"mongodb://me:hush@h/my$db":                                 `"my$db"; write letters`,
		"mongodb://me:hush@h/my%20db":                               `"my db"; write letters`,
		"mongodb://me:hush@h/" + strings.Repeat("x", 64):            "at most 63",
		"mongodb://me:hush@h/db?tls=true&tlsCAFile=/none/ca.pem":    "open /none/ca.pem: no such file or directory; check the files",
		"mongodb://me:hush@h/db?tls=true&tlsCAFile=/dev/null":       "does not contain any valid certificates; check the files",
		"mongodb://me:hush@h/db?tlsCertificateKeyFile=/none/me.pem": "open /none/me.pem: no such file or directory",
	} {
		_, err := Open(t.Context(), name, Reads, Options{})
		var bad *Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("Open(%q): %v; want %q in it, and no password", name, err, want)
		}
	}
}

func TestOnlyACommandThatMakesAnArchiveFillsAnEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, use := range []Use{Reads, Writes} {
		if s, err := Open(t.Context(), "sqlite:"+path, use, Options{}); err == nil || !strings.Contains(err.Error(), "plat archive URL") {
			if err == nil {
				s.Close()
			}
			t.Errorf("use %d of an empty file: %v, want what to do", use, err)
		}
		if st, err := os.Stat(path); err != nil || st.Size() != 0 {
			t.Fatalf("use %d wrote %d bytes into it, %v", use, st.Size(), err)
		}
	}
	s, err := Open(t.Context(), "sqlite:"+path, Creates, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
