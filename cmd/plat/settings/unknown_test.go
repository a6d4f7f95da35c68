package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVariablesThatAreNoSettingsAreNamed(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		env  Environ
		want string // parted by line breaks
	}{
		{Environ{"PLAT_TABS=4", "PLAT_ALLOW_PRIVATE=10.0.0.0/8", "PLAT_STORE_FILE=" + secret, "PLAT_REDIS_PASSWORD_FILE=" + secret, "HOME=/", "MYPLAT_TABZ=1"}, ""},
		{Environ{"PLAT_CONFIG=a", "PLAT_VERSION=1", "PLAT_SESSIONS_KEY=k", "PLAT_TEST_ANYTHING=1", "PLAT_DATA=/d", "PLAT_MESSAGE=m"}, ""},
		{Environ{"PLAT_TABZ="}, ""}, // set to nothing is not set
		{Environ{"PLAT_TABZ=hush"}, "the environment has PLAT_TABZ, which is not a setting; did you mean PLAT_TABS?"},
		{Environ{"PLAT_ALOW_PRIVATE=hush"}, "the environment has PLAT_ALOW_PRIVATE, which is not a setting; did you mean PLAT_ALLOW_PRIVATE?"},
		{Environ{"PLAT_TOEKN=hush", "PLAT_TOEKN=hush"}, "the environment has PLAT_TOEKN, which is not a setting; did you mean PLAT_TOKEN?"},
		{Environ{"PLAT_STORE_FIEL=/s"}, "the environment has PLAT_STORE_FIEL, which is not a setting; did you mean PLAT_STORE_FILE?"},
		{Environ{"PLAT_TABS_FILE=/s"}, "the environment has PLAT_TABS_FILE, which is not a setting"},
		{Environ{"PLAT_COLOUR_OF_THE_SKY=blue", "PLAT_=x"}, "the environment has PLAT_, which is not a setting\nthe environment has PLAT_COLOUR_OF_THE_SKY, which is not a setting"},
		{Environ{"PLAT_PORT=tcp://10.0.0.1:80", "PLAT_WORKER_SERVICE_HOST=10.0.0.1", "PLAT_PORT_80_TCP=x", "PLAT_SERVICE_PORT_HTTP=80", "KUBERNETES_SERVICE_HOST=10.0.0.1"}, ""},
		{Environ{"PLAT_PORT=80"}, "the environment has PLAT_PORT, which is not a setting"},
	} {
		s, err := Load("", tc.env, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Unknown([]string{"tabs", "allow-private", "token", "store", "redis-password"}), "\n"); got != tc.want {
			t.Errorf("%v:\n%s\nwant\n%s", tc.env, got, tc.want)
		}
	}
}
