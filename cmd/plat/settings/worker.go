package settings

import (
	"net/http"
	"os"
	"slices"
	"time"

	"plat/diff/noise"
	"plat/plat"
	"plat/queue/schedule"
	"plat/segment"
	"plat/segment/metadata"
	"plat/workers"
)

// WorkerOptions returns the settings of visits.
func (s *Settings) WorkerOptions() (workers.Options, error) {
	o := workers.Options{
		Permission:   workers.Permission{Forbidden: s.Forbidden(http.StatusForbidden)},
		Capture:      workers.Capture{Pictures: s.Screenshot},
		Segmentation: workers.Segmentation{Profile: segment.Profile(s.Profile), Level: s.Level, Fixed: s.Fixed},
		News:         workers.News{SecondLook: noise.When(s.SecondLook), KeepNoise: s.KeepNoise, ConfirmAfter: s.ConfirmAfter},
		Planner:      schedule.Planner{Day: s.Day},
	}
	if err := s.CheckCut(); err != nil {
		return o, err
	}
	logins, err := s.logins()
	if err != nil {
		return o, err
	}
	if len(logins) > 0 {
		o.Permission.Unauthorized = func(url string) string { return s.unauthorized(logins, url) }
	}
	if o.News.SecondLook != "" && !slices.Contains(noise.Whens, o.News.SecondLook) {
		return o, bad("second look %q: write never, new or always", s.SecondLook)
	}
	if o.News.ConfirmAfter < 0 {
		return o, bad("confirm after %s: write a duration such as 5m, or 0", s.ConfirmAfter)
	}
	if s.Day < 0 || s.Day > 0 && s.Day < time.Second {
		return o, bad("a day of %s: write a second or more", s.Day)
	}
	switch set := plat.ResourceSet(s.Resources); set {
	case "none":
	case plat.StyleResources, plat.AllResources:
		o.Capture.Resources = set
	default:
		return o, bad("resources %q: write none, css or all", s.Resources)
	}
	if s.MetaRules != "" {
		rules, err := ReadRules(s.MetaRules)
		if err != nil {
			return o, err
		}
		o.Capture.Meta = rules
	}
	return o, nil
}

// CheckCut checks the options of segmentation once, so that no page fails because of them.
func (s *Settings) CheckCut() error {
	if s.Level < 1 {
		return bad("level %d: write 1 or more", s.Level)
	}
	if _, err := segment.Segment(&plat.Snapshot{}, segment.Params{Profile: segment.Profile(s.Profile), Level: s.Level}); err != nil {
		return bad("%w", err)
	}
	return nil
}

// ReadRules reads a file of rules that set metadata. The error is an [*Error].
func ReadRules(path string) (*metadata.Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unusable("metadata rules: %w", err)
	}
	defer f.Close()
	rules, err := metadata.Read(f)
	if err != nil {
		return nil, unusable("%s: %w", path, err)
	}
	return rules, nil
}
