package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plat/cmd/plat/app"
)

// An assistant that starts plat mcp talks to it by lines.
func TestMCP(t *testing.T) {
	store := madeUp(t)
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_versions","arguments":{"url":"` + paperURL + `"}}}`,
	}, "\n") + "\n"
	r := commandIn(t, t.Context(), nil, in, "mcp", store)
	if r.code != app.ExitOK || r.err != "" {
		t.Fatalf("exit %d, %s", r.code, r.err)
	}
	answers := map[float64]map[string]any{}
	for line := range bytes.Lines([]byte(r.out)) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if id, ok := m["id"].(float64); ok {
			answers[id], _ = m["result"].(map[string]any)
		}
	}
	if tools, _ := answers[2]["tools"].([]any); len(tools) != 7 {
		t.Errorf("%d tools", len(tools))
	}
	if said, _ := json.Marshal(answers[3]); !strings.Contains(string(said), `\"version\":3`) {
		t.Errorf("the versions are %s", said)
	}
}
