package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"plat/plat"
	"plat/storage"
	"plat/storage/storagetest"
	"plat/web/submit"
)

// clientToken is the token of the servers that clients are tried with.
const clientToken = "a token of some length"

// forClients serves the archive of docs/http.md with everything that clients ask for.
func forClients(t *testing.T) *httptest.Server {
	t.Helper()
	store := newspaper(t)
	grow(t, store, storagetest.NewPage("http://files.test/", 1), 5)
	crawled(t, store, "birds")
	gone := storagetest.NewPage("http://forgotten.test/", 2)
	grow(t, store, gone, 1)
	if _, err := store.Forget(t.Context(), gone.URL, storage.Cut{}, false); err != nil {
		t.Fatal(err)
	}
	if err := store.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	take := submit.New(func(_ context.Context, jobs []plat.Job) (int, error) { return len(jobs), nil }, nil, nil)
	server := httptest.NewServer(New(Options{Store: store, Queue: frontier(t, store), Take: take, Segment: dividing(segmented(t)), Token: clientToken, Channels: true, Version: "v1"}))
	t.Cleanup(server.Close)
	return server
}

// program returns a command of an interpreter. Without it a test is skipped, in CI it fails.
func program(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		missing(t, name)
	}
	return exec.CommandContext(t.Context(), name, args...)
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no ", what)
	}
	t.Skip("skipped, there is no ", what)
}

// run runs a command and returns its output.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

// pythonClient is the folder of the Python client.
func pythonClient(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// pythonTests runs the tests of the Python client with the package in the folder src.
func pythonTests(t *testing.T, src string) {
	t.Helper()
	tests := program(t, "python3", "-W", "error", "-m", "unittest", "discover", "-s", filepath.Join(pythonClient(t), "tests"))
	tests.Dir = t.TempDir()
	tests.Env = append(os.Environ(), "PYTHONPATH="+src, "PYTHONDONTWRITEBYTECODE=1", "PLAT_TEST_SERVER="+forClients(t).URL, "PLAT_TEST_TOKEN="+clientToken)
	if out := run(t, tests); strings.Contains(out, "skipped") || !strings.Contains(out, "\nOK\n") {
		t.Errorf("the tests print\n%s", out)
	}
}

func TestThePythonClientKeepsTheContract(t *testing.T) {
	pythonTests(t, filepath.Join(pythonClient(t), "src"))
}

// The generated files of the Python client are those of the OpenAPI document; -update writes them.
func TestThePythonClientHasTheTypesOfTheDocument(t *testing.T) {
	document := filepath.Join(t.TempDir(), "openapi.json")
	var root yaml.Node
	if err := yaml.Unmarshal(openapi, &root); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	inOrder(t, &b, root.Content[0])
	if err := os.WriteFile(document, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{filepath.Join(pythonClient(t), "tools", "generate.py"), document}
	if !*update {
		args = append(args, "--check")
	}
	run(t, program(t, "python3", args...))
}

// inOrder writes YAML as JSON, with the properties of objects in their order.
func inOrder(t *testing.T, b *bytes.Buffer, n *yaml.Node) {
	t.Helper()
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		ends := map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]"}[n.Kind]
		b.WriteByte(ends[0])
		for i, part := range n.Content {
			switch {
			case i > 0 && n.Kind == yaml.MappingNode && i%2 == 1:
				b.WriteByte(':')
			case i > 0:
				b.WriteByte(',')
			}
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				part = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: part.Value}
			}
			inOrder(t, b, part)
		}
		b.WriteByte(ends[1])
	default:
		var value any
		if err := n.Decode(&value); err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(j)
	}
}

// The package that pip installs, built without network, passes the tests as well.
func TestThePythonClientIsBuiltAsAPackage(t *testing.T) {
	python := ""
	for _, p := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), p, "-c", "import setuptools.build_meta\ntry: import wheel\nexcept ImportError: import setuptools.command.bdist_wheel").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		missing(t, "Python with setuptools and wheel (Debian: python3-setuptools, python3-wheel)")
	}
	dir := t.TempDir()
	source, built, installed := filepath.Join(dir, "source"), filepath.Join(dir, "built"), filepath.Join(dir, "installed")
	if err := os.CopyFS(source, os.DirFS(pythonClient(t))); err != nil {
		t.Fatal(err)
	}
	// The hooks of PEP 517, as pip and build call them.
	build := exec.CommandContext(t.Context(), python, "-c", `import os, sys, setuptools.build_meta as b; out = sys.argv[1]; os.makedirs(out); b.build_sdist(out); b.build_wheel(out)`, built)
	build.Dir = source
	run(t, build)
	wheels, _ := filepath.Glob(filepath.Join(built, "plat_client-*-py3-none-any.whl"))
	sdists, _ := filepath.Glob(filepath.Join(built, "plat*client-*.tar.gz"))
	if len(wheels) != 1 || len(sdists) != 1 {
		t.Fatalf("built are %v and %v", wheels, sdists)
	}
	listed := run(t, program(t, "tar", "-tzf", sdists[0]))
	for _, name := range []string{"/pyproject.toml", "/README.md", "/LICENSE", "/src/plat_client/py.typed", "/tests/test_archive.py", "/tools/generate.py"} {
		if !strings.Contains(listed, name+"\n") {
			t.Errorf("the source distribution has no %s:\n%s", name, listed)
		}
	}
	run(t, program(t, "python3", "-m", "zipfile", "-e", wheels[0], installed))
	if _, err := os.Stat(filepath.Join(installed, "plat_client", "py.typed")); err != nil {
		t.Error(err)
	}
	meta, _ := filepath.Glob(filepath.Join(installed, "*.dist-info", "METADATA"))
	if len(meta) != 1 {
		t.Fatal("the wheel has no metadata")
	}
	text, err := os.ReadFile(meta[0])
	if err != nil || !strings.Contains(string(text), "Name: plat-client\n") || !strings.Contains(string(text), "Requires-Python: >=3.9\n") || strings.Contains(string(text), "Requires-Dist") {
		t.Errorf("%v\n%s", err, text)
	}
	pythonTests(t, installed)
}

func TestTheLicenseOfThePythonClientIsThatOfTheRepository(t *testing.T) {
	ours, err := os.ReadFile("../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if its, err := os.ReadFile(filepath.Join(pythonClient(t), "LICENSE")); err != nil || !bytes.Equal(ours, its) {
		t.Errorf("it differs: %v", err)
	}
}
