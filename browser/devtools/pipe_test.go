package devtools

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"
)

type discard struct{ io.Writer }

func (discard) Close() error { return nil }

// A message that is too long fails only the call that it answers: later messages are read.
func TestATooLongAnswerFailsItsCallAlone(t *testing.T) {
	r, w := io.Pipe()
	p := NewPipe(r, discard{io.Discard}, 20*time.Second, nil)
	long, short := p.Root.Send("DOMSnapshot.captureSnapshot", nil), p.Root.Send("Page.enable", nil)
	answer := func(id int32, rest int) []byte {
		m := appendHead(appendText([]byte{cborMap}, "id"), cborUnsigned, uint32(id))
		m = append(appendText(m, "result"), cborMap)
		if rest > 0 {
			m = append(appendText(m, "text"), cborText|26)
			m = binary.BigEndian.AppendUint32(m, uint32(rest))
			m = append(m, make([]byte, rest)...)
		}
		m = append(m, cborEnd, cborEnd)
		return appendEnvelope(nil, func(b []byte) []byte { return append(b, m...) })
	}
	go func() {
		w.Write(answer(long.id, maxMessage))
		w.Write(answer(short.id, 0))
	}()
	var tooLong *TooLongError
	if _, err := long.Wait(t.Context()); !errors.As(err, &tooLong) || tooLong.Bytes <= maxMessage {
		t.Errorf("the long answer: %v", err)
	}
	if _, err := short.Wait(t.Context()); err != nil {
		t.Errorf("the answer after it: %v", err)
	}
	w.Close()
	<-p.Closed()
}
