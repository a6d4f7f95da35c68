package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAnswer limits the bytes read of a response body. The body is only read so that the
// connection can be reused.
const maxAnswer = 64 << 10

// webhook posts a message as the Standard Webhooks specification defines.
func (s *Sender) webhook(ctx context.Context, t *target, d *Delivery) Outcome {
	body := d.JSON()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url.String(), bytes.NewReader(body))
	if err != nil {
		return Outcome{Err: err, All: true}
	}
	id, at := wireID(d.Message.ID), time.Now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.o.Agent)
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	if !t.unsigned {
		r.Header.Set("Webhook-Signature", signatures(t.keys, id, at, body))
	}
	client := &http.Client{
		Transport:     s.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(r)
	if err != nil {
		return Outcome{Err: err, All: true}
	}
	defer resp.Body.Close()
	io.CopyN(io.Discard, resp.Body, maxAnswer)
	return answered(resp.StatusCode, resp.Header, at)
}

// signatures signs a message with each key: Standard Webhooks, "Signature scheme". There are
// several keys during the rotation of a secret.
func signatures(keys [][]byte, id string, at time.Time, body []byte) string {
	var all []string
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%d.%s", id, at.Unix(), body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}

// answered returns the outcome for the status of an HTTP response.
func answered(status int, h http.Header, now time.Time) Outcome {
	text := strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
	switch {
	case status >= 200 && status <= 299:
		return Outcome{}
	case status == http.StatusGone:
		return Outcome{Err: fmt.Errorf("the receiver answered %s", text), Refused: text, All: true}
	case status >= 300 && status <= 399:
		return Outcome{Err: fmt.Errorf("the receiver answered %s; redirects are not followed, give the URL that they lead to", text), All: true}
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		wait := retryAfter(h.Get("Retry-After"), now)
		return Outcome{Err: fmt.Errorf("the receiver answered %s", text), Wait: wait, All: true}
	}
	return Outcome{Err: fmt.Errorf("the receiver answered %s", text), All: status >= 500 || status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusNotFound}
}

// retryAfter parses a Retry-After header (RFC 9110 section 10.2.3): seconds or a date. It
// returns 0 if the header is missing or invalid.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(at.Sub(now), 0), maxWait)
	}
	return 0
}
