package terminal

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/rivo/uniseg"
)

// broken is an output whose reader has closed.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestColumnsLineUpInWideScripts(t *testing.T) {
	var out bytes.Buffer
	s := NewScreen(&out)
	tb := Table{}
	tb.Head("topic", ">n")
	tb.Row(Text("上海新闻"), Number("1"))
	tb.Row(Text("news"), Number("12"))
	tb.Row(Text("e\u0301te\u0301"), Number("3"))
	tb.Print(s)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, l := range lines {
		if w := uniseg.StringWidth(l); w != uniseg.StringWidth(lines[0]) {
			t.Errorf("%q is %d columns wide, want %d", l, w, uniseg.StringWidth(lines[0]))
		}
	}
	if got := Shorten("上海新闻", 6); got != "上海…" {
		t.Errorf("shortened to 6 columns: %q", got)
	}
}

func TestATreeIsDrawnWithItsBranches(t *testing.T) {
	got := strings.Join(Branches([]int32{-1, 0, 1, 1, 0, 4}), "\n")
	want := strings.Join([]string{"", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "}, "\n")
	if got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
}

func TestAWriteErrorEndsTheOutput(t *testing.T) {
	s := NewScreen(broken{})
	s.Print("a")
	s.JSON(map[string]int{"b": 1})
	if err := s.Err(); !errors.Is(err, ErrOutput) || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Err() = %v", err)
	}
}

func TestColoursAndProgressAreForTerminals(t *testing.T) {
	var out, status bytes.Buffer
	s := &Screen{out: &out, status: &status, width: 10, Colors: true}
	s.Progress("a progress line that is too long")
	s.Print(s.Paint(Red, "done"))
	s.Progress("")
	if out.String() != "\x1b[31mdone\x1b[0m\n" {
		t.Errorf("output is %q", out.String())
	}
	// Shown, removed for the line, shown again, removed.
	if want := "a progre…\r\x1b[Ka progre…\r\x1b[K"; status.String() != want {
		t.Errorf("status is %q, want %q", status.String(), want)
	}
}
