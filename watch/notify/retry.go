package notify

import (
	"encoding/binary"
	"hash/fnv"
	"time"
)

// delays are the times between the attempts of a message: those in the Standard Webhooks
// specification ("Retries"), and two more days. With the longest jitter that is 5.7 days.
var delays = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
	24 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// maxWait is the longest Retry-After of a receiver that is respected.
const maxWait = 24 * time.Hour

// Next returns the time of the next attempt for the message id after attempts failures (1 or
// more), the last at failed. It returns false after the last attempt. The time is at least wait
// after failed, as the receiver requested. The result depends only on the arguments: the jitter
// of up to a tenth is derived from id, so that messages that failed together do not all return
// at once.
func Next(id string, attempts int, failed time.Time, wait time.Duration) (time.Time, bool) {
	if attempts < 1 {
		return failed, true
	}
	if attempts > len(delays) {
		return time.Time{}, false
	}
	delay := max(delays[attempts-1], min(wait, maxWait))
	h := fnv.New64a()
	h.Write([]byte(id))
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(attempts)))
	// FNV's high bits hardly differ between short inputs; its low bits do.
	tenth := int64(delay) / 10
	return failed.Add(delay + time.Duration(int64(h.Sum64()%1024)*(tenth/1024))), true
}
