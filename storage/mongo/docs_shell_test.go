package mongo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	bin   string
	db    *mongo.Database
	mingo string // if not empty, the folder of modules with mingo, which runs pipelines
	done  []asked

	events []bson.D // of a change stream, as the server has them before its pipeline
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
		var docs []bson.D
		switch {
		case m.Call.Op == "watch":
			docs, err = m.Call.runWatch(ctx, s.events, s.mingo)
		case m.Call.Op == "aggregate" && s.mingo != "":
			docs, err = m.Call.runMingo(ctx, s.db, s.mingo)
		default:
			docs, err = m.Call.run(ctx, s.db)
		}
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

// requireMingo returns the folder of modules with mingo, or skips the test, except in CI.
func requireMingo(t testing.TB) string {
	t.Helper()
	modules := mingoModules()
	if modules == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no node with mingo")
		}
		t.Skip("FerretDB 1.24 lacks what this needs, and there is no node with the package mingo, which scripts/setup installs; or set PLAT_TEST_MONGODB_URI to a MongoDB")
	}
	return modules
}

// mingoModules is the folder of modules with mingo, which runs what FerretDB cannot run, or "". See
// scripts/npm/package.json.
func mingoModules() string {
	for _, dir := range []string{os.Getenv("PLAT_TEST_MINGO"), filepath.Join("..", "..", ".work", "npm", "node_modules")} {
		if dir == "" {
			continue
		}
		dir, err := filepath.Abs(dir)
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, "mingo"))
		}
		if err == nil {
			_, err = exec.LookPath("node")
		}
		if err == nil {
			return dir
		}
	}
	return ""
}

// runMingo runs a pipeline with mingo on all documents of the database.
func (c *asked) runMingo(ctx context.Context, db *mongo.Database, modules string) ([]bson.D, error) {
	names, err := db.ListCollectionNames(ctx, bson.D{})
	if err != nil {
		return nil, err
	}
	documents := map[string][]json.RawMessage{}
	for _, name := range names {
		var docs []bson.D
		cur, err := db.Collection(name).Find(ctx, bson.D{})
		if err == nil {
			err = cur.All(ctx, &docs)
		}
		if err == nil {
			documents[name], err = extended(docs)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.runOn(ctx, documents, modules)
}

// runWatch runs the pipeline of a change stream with mingo on events.
func (c *asked) runWatch(ctx context.Context, events []bson.D, modules string) ([]bson.D, error) {
	if !c.Lookup {
		return nil, errors.New("the change stream does not look up the documents of updates")
	}
	docs, err := extended(events)
	if err != nil {
		return nil, err
	}
	return c.runOn(ctx, map[string][]json.RawMessage{c.Collection: docs}, modules)
}

// runOn runs a pipeline with mingo on documents.
func (c *asked) runOn(ctx context.Context, documents map[string][]json.RawMessage, modules string) ([]bson.D, error) {
	job, err := json.Marshal(map[string]any{"collection": c.Collection, "pipeline": c.Pipeline, "documents": documents})
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join("mongosh", "mingo.mjs"), modules)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(job), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mingo: %w", err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(out, &rows); err != nil {
		return nil, fmt.Errorf("mingo: %w", err)
	}
	docs := make([]bson.D, len(rows))
	for i := range rows {
		if err := bson.UnmarshalExtJSON(rows[i], true, &docs[i]); err != nil {
			return nil, err
		}
	}
	return docs, nil
}
