package crawl

import (
	"context"
	"time"

	"plat/plat"
	"plat/storage"
)

// Load returns jobs of hosts, without those beyond the limit of pages. These stay in the list, so an
// interrupted crawl may continue with a higher limit.
func (s *Store) Load(ctx context.Context, now time.Time, hosts []storage.HostLimit) ([]storage.HostJobs, error) {
	all, err := s.list.Load(ctx, now, hosts)
	if err != nil || s.limit == 0 {
		return all, err
	}
	for i := range all {
		h := &all[i]
		kept := h.Jobs[:0]
		for _, j := range h.Jobs {
			is, err := s.admitLoaded(ctx, j.URL)
			if err != nil {
				return nil, err
			}
			if is {
				kept = append(kept, j)
			}
		}
		if len(kept) < len(h.Jobs) {
			h.More = false // the limit is reached
		}
		h.Jobs = kept
	}
	return all, nil
}

// admitLoaded is admit of a URL that may also be a list of URLs, which does not count.
func (s *Store) admitLoaded(ctx context.Context, url string) (bool, error) {
	if s.admit(url) {
		return true, nil
	}
	st, err := s.list.State(ctx, url)
	return err == nil && st.Kind != plat.RenderJob, err
}

// admit reports whether a page may be visited within the limit, and counts it.
func (s *Store) admit(url string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := s.admitted[url]; is {
		return true
	}
	if len(s.admitted) >= s.limit {
		return false
	}
	s.admitted[url] = false
	s.open++
	return true
}
