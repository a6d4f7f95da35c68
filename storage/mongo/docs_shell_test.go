package mongo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// shell runs scripts in a process of package mongosh, and records their commands.
type shell struct {
	bin  string
	db   *mongo.Database
	done []asked
}

func newShell(t testing.TB, db *mongo.Database) *shell {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "mongosh")
	build := exec.Command("go", "build", "-o", bin, ".")
	build.Dir = "mongosh"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the shell: %v: %s", err, out)
	}
	return &shell{bin: bin, db: db}
}

// eval returns the value of a script.
func (s *shell) eval(ctx context.Context, script string) (any, error) {
	s.done = nil
	cmd := exec.CommandContext(ctx, s.bin)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer cmd.Wait()
	defer stdin.Close()
	say, lines := json.NewEncoder(stdin), bufio.NewReader(stdout)
	if err := say.Encode(map[string]any{"now": now.UnixMilli(), "script": script}); err != nil {
		return nil, err
	}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the shell ended: %w", err)
		}
		var m struct {
			Call   *asked
			Result any
			Error  string
		}
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			return nil, err
		case m.Error != "":
			return nil, fmt.Errorf("%s", m.Error)
		case m.Call == nil:
			return m.Result, nil
		}
		s.done = append(s.done, *m.Call)
		docs, err := m.Call.run(ctx, s.db)
		answer := map[string]any{}
		if err != nil {
			answer["error"] = err.Error()
		} else if answer["docs"], err = extended(docs); err != nil {
			return nil, err
		}
		if err := say.Encode(answer); err != nil {
			return nil, err
		}
	}
}

// extended returns documents as canonical Extended JSON, which distinguishes types of
// numbers.
func extended(docs []bson.D) ([]json.RawMessage, error) {
	out := []json.RawMessage{}
	for _, d := range docs {
		b, err := bson.MarshalExtJSON(d, true, false)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
