package app

import (
	"bytes"
	"testing"
)

func TestABufferIsNoTerminal(t *testing.T) {
	var out, status bytes.Buffer
	a := &App{stdout: &out, Stderr: &status}
	if s := newScreen(a); s.Colors || s.Watched() {
		t.Error("a buffer is taken for a terminal")
	}
}
