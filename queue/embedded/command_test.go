package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// encode returns a command as clients send it.
func encode(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}

func parse(text string, l limits) ([]string, error) {
	r := &room{}
	r.free.Store(maxHeld)
	return readCommand(bufio.NewReader(strings.NewReader(text)), l, r)
}

func TestCommandsAreReadAsTheyWereSent(t *testing.T) {
	long := strings.Repeat("x", chunk*3+7)
	for _, words := range [][]string{{"PING"}, {"SET", "", "\r\n$3\r\n"}, {"LPUSH", "plat:inbox", long, "\x00\xff"}} {
		if got, err := parse(encode(words...), knownLimits); err != nil || !slices.Equal(got, words) {
			t.Errorf("%.40q: %.40q, %v", words, got, err)
		}
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	for _, tc := range []struct{ name, sent, says string }{
		{"an empty array", "*0\r\n", "1 to 131072 words"},
		{"no array", "*-1\r\n", "invalid multibulk length"},
		{"a signed length", "*+1\r\n$4\r\nPING\r\n", "invalid multibulk length"},
		{"a padded length", "*01\r\n$4\r\nPING\r\n", "invalid multibulk length"},
		{"no length", "*\r\n", "invalid multibulk length"},
		{"a line feed alone", "*1\n$4\nPING\n", "invalid multibulk length"},
		{"a carriage return alone", "*1\rx", "invalid multibulk length"},
		{"too many words", "*131073\r\n", "1 to 131072 words"},
		{"words beyond numbers", "*99999999999999999999\r\n", "invalid multibulk length"},
		{"100 TB", "*2\r\n$4\r\nECHO\r\n$100000000000000\r\n", "invalid bulk length"},
		{"a word that is too long", "*2\r\n$4\r\nECHO\r\n$16777217\r\n", "at most 16777216 bytes"},
		{"no word", "*1\r\n$-1\r\n", "invalid bulk length"},
		{"an integer for a word", "*1\r\n:1\r\n", "expected '$'"},
		{"an array for a word", "*1\r\n*1\r\n", "expected '$'"},
		{"a word longer than it says", "*1\r\n$4\r\nPINGS\r\n", "does not end"},
		{"an inline command", "PING\r\n", "inline"},
		{"a browser", "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "inline"},
		{"nothing but a line", "\r\n", "inline"},
	} {
		_, err := parse(tc.sent, knownLimits)
		if _, ok := errors.AsType[protocolError](err); !ok || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
	whole := encode("SET", "key", "value")
	for i := range whole {
		if _, err := parse(whole[:i], knownLimits); err != io.ErrUnexpectedEOF && (i > 0 || err != io.EOF) {
			t.Errorf("%q: %v, want an unexpected end", whole[:i], err)
		}
	}
}

func TestWhoIsNotKnownSendsLittle(t *testing.T) {
	if _, err := parse(encode("HELLO", "3", "AUTH", "default", "0123456789abcdef", "SETNAME", "worker"), strangerLimits); err != nil {
		t.Error(err)
	}
	for _, sent := range []string{"*11\r\n", "*2\r\n$4\r\nAUTH\r\n$16385\r\n", encode("AUTH", strings.Repeat("x", 16384), strings.Repeat("x", 16384), strings.Repeat("x", 16384), strings.Repeat("x", 16384))} {
		if _, err := parse(sent, strangerLimits); err == nil || err == io.ErrUnexpectedEOF {
			t.Errorf("%.20q: %v", sent, err)
		}
	}
}

func TestMemoryIsTakenAsBytesComeIn(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100 {
		if _, err := parse("*2\r\n$4\r\nECHO\r\n$16777216\r\nonly this", knownLimits); err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("%d bytes were allocated for 100 announcements of 16 MB", took)
	}
}

func TestLongCommandsShareRoomAndGiveItBack(t *testing.T) {
	shared := &room{}
	shared.free.Store(1 << 20)
	read := func(size int) error {
		_, err := readCommand(bufio.NewReader(strings.NewReader(encode("ECHO", strings.Repeat("x", size)))), knownLimits, shared)
		return err
	}
	for range 3 {
		if err := read(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if err := read(2 << 20); err == nil || !strings.Contains(err.Error(), "too many long commands at once") {
		t.Errorf("more than there is room for: %v", err)
	}
	if left := shared.free.Load(); left != 1<<20 {
		t.Errorf("%d bytes of room are left, of %d", left, 1<<20)
	}
}

// FuzzReadCommand checks that the reader ends within its limits, and that the words it returns,
// written again, are the bytes it read.
func FuzzReadCommand(f *testing.F) {
	for _, seed := range []string{
		"*0\r\n", "*1\r\n$100000000000000\r\n", "*1\r\n$4\r\nPING\r\n", "*2\r\n$3\r\nGET\r\n$0\r\n\r\n", "*1\r\n$-1\r\n", "*-1\r\n", "PING\r\n",
		"*3\r\n$7\r\nEVALSHA\r\n$2\r\nab\r\n$1\r\n0\r\n*1\r\n$4\r\nPING\r\n", "*1\r\n$1\r\nab\r\n", "*1\r\n:1\r\n", "*1000\r\n$1\r\na\r\n", "GET / HTTP/1.1\r\n\r\n",
	} {
		f.Add(seed)
	}
	small := limits{words: 100, word: 1000, all: 5000}
	f.Fuzz(func(t *testing.T, sent string) {
		words, err := parse(sent, small)
		if err != nil {
			return
		}
		all := 0
		for _, w := range words {
			all += len(w)
		}
		if len(words) < 1 || len(words) > small.words || all > small.all {
			t.Fatalf("%d words of %d bytes", len(words), all)
		}
		if !strings.HasPrefix(sent, encode(words...)) {
			t.Fatalf("%q was read as %q", sent, words)
		}
	})
}
