package embedded

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// limits of a command, by the Redis serialization protocol.
type limits struct {
	words int // of a command: its name and its arguments
	word  int // bytes of one
	all   int // bytes of a command
}

var (
	// A command of the frontier has some thousand words, and an entry of the inbox is of use up to
	// 64 KB; a longer entry is read, and its worker rejects it.
	knownLimits = limits{words: 1 << 17, word: 16 << 20, all: 80 << 20}

	// A client without the password can send only enough to give it. These are Redis' limits.
	strangerLimits = limits{words: 10, word: 16 << 10, all: 64 << 10}
)

// ownRoom is the memory that a connection may use for a command without reserving room, in bytes.
const ownRoom = 64 << 10

// protocolError describes the error in a client's input.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// readCommand reads a command, which is an array of bulk strings:
//
//	*2\r\n$4\r\nLLEN\r\n$10\r\nplat:inbox\r\n
//
// and nothing else: no inline commands, which every line of an HTTP request would be. Memory grows
// with the bytes that arrive, not with the announced length. The error is a [protocolError], or of
// r.
func readCommand(r *bufio.Reader, l limits, shared *room) (words []string, err error) {
	n, err := readNumber(r, '*', "multibulk length")
	switch {
	case err != nil:
		return nil, err
	case n < 1 || n > l.words:
		return nil, protocolError(fmt.Sprintf("a command has 1 to %d words, not %d", l.words, n))
	}
	all, held := 0, 0
	defer func() { shared.give(held) }()
	for range n {
		size, err := readNumber(r, '$', "bulk length")
		switch {
		case err != nil:
			return nil, err
		case size > l.word || all+size > l.all:
			return nil, protocolError(fmt.Sprintf("a word has at most %d bytes, and a command %d", l.word, l.all))
		}
		if all += size; all-ownRoom > held {
			if !shared.take(all - ownRoom - held) {
				return nil, protocolError("too many long commands at once; send it again")
			}
			held = all - ownRoom
		}
		word, err := readWord(r, size)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// maxNumber is the greatest number of digits of a length.
const maxNumber = 9

// readNumber reads a line with a mark and a number, as it is written canonically.
func readNumber(r *bufio.Reader, mark byte, what string) (int, error) {
	switch b, err := r.ReadByte(); {
	case err != nil && mark == '*':
		return 0, err
	case err != nil:
		return 0, unexpected(err)
	case b != mark && mark == '*':
		return 0, protocolError("inline commands are not supported; send an array of bulk strings")
	case b != mark:
		return 0, protocolError(fmt.Sprintf("expected '%c', got %q", mark, b))
	}
	var digits [maxNumber]byte
	n := 0
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, unexpected(err)
		case b == '\r':
			if b, err = r.ReadByte(); err != nil {
				return 0, unexpected(err)
			}
			number, err := strconv.Atoi(string(digits[:n]))
			if b != '\n' || err != nil || n > 1 && digits[0] == '0' {
				return 0, protocolError("invalid " + what)
			}
			return number, nil
		case b < '0' || b > '9' || n == maxNumber:
			return 0, protocolError("invalid " + what)
		}
		digits[n] = b
		n++
	}
}

// chunk is the memory allocated before its bytes arrive.
const chunk = 16 << 10

// readWord reads the bytes of a word and the end of its line.
func readWord(r *bufio.Reader, size int) (string, error) {
	b := make([]byte, 0, min(size, chunk)+2)
	for want := size + 2; len(b) < want; {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := io.ReadFull(r, b[len(b):min(cap(b), want)])
		b = b[:len(b)+n]
		if err != nil {
			return "", unexpected(err)
		}
	}
	if b[size] != '\r' || b[size+1] != '\n' {
		return "", protocolError("a word does not end where its length says")
	}
	return string(b[:size]), nil
}

// unexpected returns the error for the end of a connection within a command.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
