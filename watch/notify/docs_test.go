package notify

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/format"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/lark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/teams"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/incident/opsgenie"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/bark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/join"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushbullet"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

func telling(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "telling.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTheDocumentListsEveryService(t *testing.T) {
	doc := telling(t)
	for scheme := range services {
		if !strings.Contains(doc, "`"+scheme+"`") {
			t.Errorf("docs/telling.md does not say how %s is guarded", scheme)
		}
	}
}

func TestTheExampleOfTheDocumentHasEveryField(t *testing.T) {
	_, example, _ := strings.Cut(telling(t), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	var p payload
	r := json.NewDecoder(strings.NewReader(example))
	r.DisallowUnknownFields()
	if err := r.Decode(&p); err != nil {
		t.Fatal(err)
	}
	for _, of := range []any{p, p.Data, p.Data.Items[0], p.Data.Subscriptions[0]} {
		for name, v := range reflect.ValueOf(of).Fields() {
			if v.IsZero() && name.Name != "Omitted" {
				t.Errorf("the example has no %s", name.Tag.Get("json"))
			}
		}
	}
}

func TestTheDocumentSaysWhenMessagesAreTriedAgain(t *testing.T) {
	var said []string
	for _, d := range delays[:len(delays)-2] {
		switch {
		case d < time.Minute:
			said = append(said, fmt.Sprintf("%.0f s", d.Seconds()))
		case d < time.Hour:
			said = append(said, fmt.Sprintf("%.0f min", d.Minutes()))
		default:
			said = append(said, fmt.Sprintf("%.0f h", d.Hours()))
		}
	}
	want := strings.Join(said[:len(said)-1], ", ") + " and three times " + said[len(said)-1]
	if doc := strings.Join(strings.Fields(telling(t)), " "); !strings.Contains(doc, want) {
		t.Errorf("docs/telling.md does not say %q", want)
	}
}

// TestServicesTakeTheirParameters compares the table of services with the library.
func TestServicesTakeTheirParameters(t *testing.T) {
	configs := map[string]types.ServiceConfig{
		"bark": &bark.Config{}, "discord": &discord.Config{}, "gotify": &gotify.Config{}, "join": &join.Config{}, "lark": &lark.Config{}, "ntfy": &ntfy.Config{},
		"opsgenie": &opsgenie.Config{}, "pushbullet": &pushbullet.Config{}, "pushover": &pushover.Config{}, "teams": &teams.Config{}, "telegram": &telegram.Config{},
	}
	for scheme, kind := range services {
		text, params := kind.compose(&url.URL{}, delivery(1))
		if len(params) == 0 {
			if !strings.HasPrefix(text, "Title a") {
				t.Errorf("%s gets no title", scheme)
			}
			continue
		}
		c := configs[scheme]
		if c == nil {
			t.Errorf("%s is not in the table of this test", scheme)
			continue
		}
		keys := format.NewPropKeyResolver(c)
		if err := keys.UpdateConfigFromParams(c, &params); err != nil {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}
