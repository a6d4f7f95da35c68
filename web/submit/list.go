package submit

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/queue/intake"
	"plat/web/api"
)

// TakeList takes a list of any length; see [intake.List].
type TakeList func(ctx context.Context, l *intake.List, r io.Reader) (intake.Progress, error)

// listType is the media type of a list (RFC 2483 section 5): one URI a line, "#" begins a
// comment. Lines of JSON are accepted too.
const listType = "text/uri-list"

func isList(r *http.Request) bool {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && t == listType
}

// listLine is a line of the response to a list: how far it is, or a line that was
// refused.
type listLine struct {
	Accepted   int64  `json:"accepted"`
	New        int64  `json:"new"`
	Refused    int64  `json:"refused"`
	PassedOver int64  `json:"passed_over,omitzero"`
	Waiting    int64  `json:"waiting,omitzero"` // URLs of the archive, if the whole list was submitted before
	Line       int    `json:"line,omitzero"`    // one that was refused
	Error      string `json:"error,omitzero"`
	Done       bool   `json:"done"`
}

const (
	mostRefused  = 20              // lines named in the response; all are counted
	listEvery    = 2 * time.Second // from one line of progress to the next
	listPatience = time.Minute     // for the next part of the list
	restPatience = time.Second     // for the rest of a list that is not read to its end
	listNonsense = 10_000          // lines in a row that are no URLs, after which the list ends
)

// serveList takes a list while it is being sent, and answers with lines of JSON: lines
// that were refused, how far it is, and last how it ended. Its URLs are visited
// meanwhile. An error after the first line is in the last one; many lines in a row that
// are no URLs are one.
func (h *handler) serveList(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // HTTP/2 always is, and recorders of tests
	patience := func() {
		_ = control.SetReadDeadline(time.Now().Add(listPatience))
		_ = control.SetWriteDeadline(time.Now().Add(2 * listPatience))
	}
	patience()
	w.Header().Set("Content-Type", "application/x-ndjson")
	begun, said, refused := false, time.Now(), 0
	say := func(l listLine) {
		if !begun {
			begun = true
			w.WriteHeader(http.StatusAccepted)
		}
		_ = api.WriteLine(w, l) // an error is one of the connection, and of reading too
		_ = control.Flush()
		said = time.Now()
	}
	line := func(p intake.Progress) listLine {
		return listLine{Accepted: p.URLs, New: p.New, Refused: p.Refused, PassedOver: p.Skipped, Waiting: p.Left}
	}
	l := &intake.List{
		MaxRefused: listNonsense,
		Parse:      func(text string) (plat.Job, error) { return queue.ParseSeed(text, queue.Seed{}, h.drop) },
		Refused: func(n int, err error) {
			if refused++; refused <= mostRefused {
				say(listLine{Refused: int64(refused), Line: n, Error: err.Error()})
			}
		},
		Progress: func(p intake.Progress) {
			patience()
			if time.Since(said) > listEvery {
				say(line(p))
			}
		},
	}
	p, err := h.list(r.Context(), l, r.Body)
	// The rest is read here and not by net/http, as much as that would read: it would do so
	// when it no longer watches the connection, and panic at its end.
	_ = control.SetReadDeadline(time.Now().Add(restPatience))
	_, _ = io.CopyN(io.Discard, r.Body, 256<<10)
	last := line(p)
	switch {
	case err == nil:
		last.Done = true
	case !begun && p.URLs == 0:
		w.Header().Set("Retry-After", "5")
		api.WriteProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	case errors.Is(err, intake.ErrNoList):
		last.Error = err.Error()
	default:
		last.Error = err.Error() + "; send the list again, and it goes on"
	}
	say(last)
}
