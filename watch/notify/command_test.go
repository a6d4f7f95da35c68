package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program writes a script and returns its path.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestACommandGetsTheMessageAndNothingElse(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	t.Setenv("PLAT_TOKEN", "do not pass on")
	s := newSender(t, func(o *Options) { o.Commands = true })
	p := program(t, `{ printf '%s|' "$@"; echo; env | sort | grep -v '^_=\|^PWD=\|^SHLVL=\|^OLDPWD='; pwd; cat; } > `+out)
	if o := send(t, s, "command:"+p+" one  x$TOKEN $PASSWORD %24HOME;ls a%20b *", delivery(1)); o.Err != nil {
		t.Fatal(o.Err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := "one|xs3cret-t0ken|pa:ss/w@rd?#%|$HOME;ls|a b|*|\nLANG=C.UTF-8\nPATH=" + commandPath + "\nPLAT_MESSAGE=msg1\n/\n" + string(delivery(1).JSON())
	if string(b) != want {
		t.Errorf("the command got\n%s\nwant\n%s", b, want)
	}
}

func TestHowACommandEnds(t *testing.T) {
	soon := newSender(t, func(o *Options) { o.Commands, o.Timeout = true, time.Second })
	late := newSender(t, func(o *Options) { o.Commands, o.Timeout = true, 30*time.Second })
	for _, tc := range []struct{ name, script, says string }{
		{"exit 0 is success, whatever it reads and says", "echo much; exit 0", ""},
		{"another status is a failure", "echo 'no \x1b[31mluck' >&2; exit 3", "exit status 3: no [31mluck"},
		{"it ends at its limit", "sleep 60", "timed out"},
		{"and its children with it", "sleep 60 & wait", "timed out"},
		{"endless complaints are cut", "yes >&2", "timed out"},
		{"a child that stays is no failure", "sleep 60 >/dev/null 2>&1 & exit 0", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := late
			if tc.says == "timed out" {
				s = soon
			}
			start := time.Now()
			d := delivery(500) // more than a pipe holds
			out := send(t, s, "command:"+program(t, tc.script), d)
			if (out.Err == nil) != (tc.says == "") || out.Err != nil && !strings.Contains(out.Err.Error(), tc.says) || out.Refused != "" || time.Since(start) > 4*time.Second {
				t.Errorf("%+v after %v", out, time.Since(start))
			}
		})
	}
}

func TestCommandsNeedTheSetting(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	out := send(t, newSender(t, nil), "command:"+program(t, "touch "+mark), delivery(1))
	if out.Refused == "" {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it was run")
	}
}
