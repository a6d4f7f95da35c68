package intake_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"plat/plat"
	"plat/queue/intake"
)

type inbox struct{ n, put, waits int64 }

func (i *inbox) Put(_ context.Context, jobs []plat.Job) error {
	i.n += int64(len(jobs))
	i.put += int64(len(jobs))
	return nil
}

func (i *inbox) InboxLen(context.Context) (int64, error) {
	if i.n >= 20_000 {
		i.waits++
		i.n = 0 // workers have taken them
		return 20_000, nil
	}
	return i.n, nil
}

func TestPushWaitsForRoomInTheInbox(t *testing.T) {
	q := &inbox{}
	refused := 0
	l := &intake.List{Parse: parse, Refused: func(int, error) { refused++ }}
	p, err := l.Push(t.Context(), q, io.MultiReader(bytes.NewReader([]byte("no URL\n")), strings.NewReader(urls(0, 45_500))))
	if err != nil || p.URLs != 45_500 || q.put != 45_500 || refused != 1 || p.Refused != 1 || q.waits != 2 {
		t.Errorf("%+v, %v, %+v", p, err, q)
	}
}
